/* bfloat16.h - bfloat16 for hosts that use the operator framework's name of it. */
#ifndef SK_OPDEV_BFLOAT16_H
#define SK_OPDEV_BFLOAT16_H

#include "c_api/asc_types.h"

namespace op {
using bfloat16 = bfloat16_t;
}

#endif
