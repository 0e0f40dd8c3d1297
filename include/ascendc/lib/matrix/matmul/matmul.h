/* matmul.h - an earlier place of lib/matmul_intf.h. */
#include "lib/matmul_intf.h"
