/* kernel_operator.h - the C++ tensor API of Ascend C kernels (arch 2201). What a kernel source includes.
 *
 * Everything here is inlined into calls of the library; there is no state of its own and no copy of
 * kernel data. What the library does not model is declared and refuses to compile, with its name. */
#ifndef SK_KERNEL_OPERATOR_H
#define SK_KERNEL_OPERATOR_H

#ifndef __cplusplus
#error "kernel_operator.h is C++; C kernels include c_api/asc_simd.h"
#endif

#ifndef SK_NO_BUILTIN_VARIABLES
#define SK_NO_BUILTIN_VARIABLES /* here they are objects, which a source's own names may hide */
#endif
#include "c_api/asc_simd.h"

#include "kernel_operator/library.h"
#include "kernel_operator/types.h"
#include "kernel_operator/params.h"
#include "kernel_operator/tensor.h"
#include "kernel_operator/tensor_with_trait.h"
#include "kernel_operator/list_tensor.h"
#include "kernel_operator/sync.h"
#include "kernel_operator/scalar.h"
#include "kernel_operator/pipe.h"
#include "kernel_operator/move.h"
#include "kernel_operator/spill.h"
#include "kernel_operator/vector.h"
#include "kernel_operator/convert.h"
#include "kernel_operator/compare.h"
#include "kernel_operator/reduce.h"
#include "kernel_operator/pick.h"
#include "kernel_operator/sort.h"
#include "kernel_operator/transpose.h"
#include "kernel_operator/cube.h"
#include "kernel_operator/print.h"
#include "kernel_operator/tiling.h"
#include "kernel_operator/super_kernel.h"
#include "kernel_operator/soft_sync.h"
#include "kernel_operator/high_level.h"
#include "kernel_operator/high_level_layout.h"
#include "kernel_operator/high_level_more.h"
#include "kernel_operator/high_level_norm.h"
#include "kernel_operator/high_level_quant.h"
#include "kernel_operator/high_level_softmax.h"
#include "kernel_operator/matmul.h"
#include "kernel_operator/old_names.h"
#include "kernel_operator/framework_names.h"
#include "kernel_operator/unsupported.h"

#endif
