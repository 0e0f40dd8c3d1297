/* kernel_operator_list_tensor_intf.h - what kernels include for ListTensorDesc; it is part of kernel_operator.h. */
#include "kernel_operator.h"
