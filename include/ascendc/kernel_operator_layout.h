/* Shape, Stride, Coord and Layout by the name that programs use: kernel_operator.h has them. */
#include "kernel_operator.h"
