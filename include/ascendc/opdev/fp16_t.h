/* fp16_t.h - half for hosts that use the operator framework's name of it. */
#ifndef SK_OPDEV_FP16_T_H
#define SK_OPDEV_FP16_T_H

#include "c_api/asc_types.h"

namespace op {
using fp16_t = half;
}

#endif
