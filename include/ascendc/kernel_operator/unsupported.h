/* unsupported.h - names of the API that this version does not model: using one does not compile. */
#ifndef SK_KERNEL_OPERATOR_UNSUPPORTED_H
#define SK_KERNEL_OPERATOR_UNSUPPORTED_H

#include "types.h"

namespace AscendC {

} // namespace AscendC

#endif
