/* TensorTrait by the name that programs use: kernel_operator.h has it. */
#include "kernel_operator.h"
