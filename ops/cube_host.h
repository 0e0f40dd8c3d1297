/* cube_host.h - what the matrix operators share on the host: shapes with batches, and the tiling. */
#ifndef SK_OPS_CUBE_HOST_H
#define SK_OPS_CUBE_HOST_H

#include "cube_tiles.h"
#include "ops_host.h"

/* Shapes of a product out of two operands of rank 2 and above, whose batch dimensions broadcast; each may be stored
 * transposed. Fills sizes, batches and flags of `tiling`, and shape and rank of `out`. Refusals name the operands
 * as the record does. */
int sk_ops_cube_shapes(const sk_ops_job *job, const sk_tensor *a, const sk_tensor *b, bool a_transposed, bool b_transposed, cube_tiling *tiling,
                       sk_tensor *out);
/* The smallest waste: blocks of results for this many cores. The launch's number of blocks. */
uint32_t sk_ops_cube_tile(cube_tiling *tiling, uint32_t cores);

#endif
