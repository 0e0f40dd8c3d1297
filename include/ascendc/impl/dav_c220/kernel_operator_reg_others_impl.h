/* kernel_operator_reg_others_impl.h - a header of the framework's own that operators include; what they use of such headers
 * is in kernel_operator/framework_names.h. */
#include "kernel_operator.h"
