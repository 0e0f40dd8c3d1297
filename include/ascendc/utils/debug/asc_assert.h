/* asc_assert.h - assert in kernels, for sources that include no other kernel header. */
#ifndef SK_UTILS_DEBUG_ASC_ASSERT_H
#define SK_UTILS_DEBUG_ASC_ASSERT_H

#include "utils/debug/asc_printf.h"

#endif
