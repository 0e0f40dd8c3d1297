/* matmul_cube_only.h - Matmul objects of kernels that define ASCENDC_CUBE_ONLY: no service, the cube core does the work
 * where the call stands. Sources define it before kernel_operator.h or between it and lib/matmul_intf.h, so both
 * may be the one that includes this. */
#ifndef SK_KERNEL_OPERATOR_MATMUL_CUBE_ONLY_H
#define SK_KERNEL_OPERATOR_MATMUL_CUBE_ONLY_H

#include "matmul.h"

namespace AscendC {

namespace Internal {
template <class A>
struct matmul_served<A, true> : std::false_type {};
} // namespace Internal

#undef REGIST_MATMUL_OBJ
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) ::AscendC::Internal::matmuls_init(tpipe, 0, __VA_ARGS__)

} // namespace AscendC

#endif
