/* tiling_api.h - the host's side of the high-level API: tilings of Matmul and the sizes of temporary buffers. */
#ifndef SK_TILING_API_H
#define SK_TILING_API_H

#include "kernel_operator.h"

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "host_tiling/matmul_tiling.h"
#include "host_tiling/norm_tiling.h"
#include "host_tiling/shape_tiling.h"
#include "host_tiling/softmax_tiling.h"
#include "host_tiling/sort_tiling.h"
#include "register/tilingdata_base.h"
#include "securec.h"
#include "tiling/platform/platform_ascendc.h"

#endif
