/* sort.c - softmax and full sort of rows of 2048 floats by asc_bitsort and asc_mrgsort4.
 *
 *   sort ROWS     the rows go over one vector core, one after the other */
#include <math.h>

#include "c_api/asc_simd.h"
#include "device.h"
#include "row_tools.h"

#define ROW 2048u
#define GROUP 32u
#define RECORD_FLOATS 2u

/* Sort records (key, index) of the keys, descending and stable; the buffer that holds them. */
__aicore__ static __ubuf__ float *sort_row(__ubuf__ float *first, __ubuf__ float *second, __ubuf__ float *keys, __ubuf__ uint32_t *index) {
  asc_bitsort(first, keys, index, (int32_t)(ROW / GROUP));
  asc_sync_pipe(PIPE_V);
  __ubuf__ float *from = first, *to = second;
  uint32_t run = GROUP;
  for (; run * 4 <= ROW; run *= 4) {
    uint16_t length = (uint16_t)run;
    __ubuf__ float *queue[4] = {from, from + run * RECORD_FLOATS, from + 2 * run * RECORD_FLOATS, from + 3 * run * RECORD_FLOATS};
    asc_mrgsort4(to, queue, (uint8_t)(ROW / (4 * run)), length, length, length, length, false, 15);
    asc_sync_pipe(PIPE_V);
    __ubuf__ float *swap = from;
    from = to;
    to = swap;
  }
  if (run == ROW) return from;
  __ubuf__ float *queue[4] = {from, from + run * RECORD_FLOATS, from, from}; /* two halves are left */
  asc_mrgsort4(to, queue, 1, (uint16_t)run, (uint16_t)run, 0, 0, false, 3);
  asc_sync_pipe(PIPE_V);
  return to;
}

__global__ __vector__ void softmax_sort(__gm__ float *x, __gm__ uint32_t *order, uint32_t rows) {
  __ubuf__ float keys[ROW], first[ROW * RECORD_FLOATS], second[ROW * RECORD_FLOATS];
  __ubuf__ float scratch[REDUCE_FLOATS], maximum[FLOATS_PER_REPEAT], sum[FLOATS_PER_REPEAT];
  __ubuf__ uint32_t index[ROW], sorted[ROW];
  asc_init();
  reduce_prepare(scratch);
  fill_iota((__ubuf__ int32_t *)index, ROW);
  for (uint32_t row = 0; row < rows; row++) {
    asc_sync_notify(PIPE_V, PIPE_MTE2, 0);
    asc_sync_wait(PIPE_V, PIPE_MTE2, 0);
    asc_copy_gm2ub(keys, x + row * ROW, ROW * (uint32_t)sizeof(float));
    asc_sync_notify(PIPE_MTE2, PIPE_V, 0);
    asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
    row_max(maximum, keys, ROW, scratch);
    row_sub_block(keys, maximum, ROW);
    asc_exp(keys, keys, ROW);
    asc_sync_pipe(PIPE_V);
    row_sum(sum, keys, ROW, scratch);
    row_div_block(keys, sum, ROW);
    __ubuf__ uint32_t *records = (__ubuf__ uint32_t *)sort_row(first, second, keys, index);
    asc_sync_notify(PIPE_MTE3, PIPE_V, 0);
    asc_sync_wait(PIPE_MTE3, PIPE_V, 0);
    asc_reduce(sorted, records, records, ROW / GROUP, 1, 2, 8, 0);
    asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
    asc_copy_ub2gm(order + row * ROW, sorted, ROW * (uint32_t)sizeof(uint32_t));
  }
  asc_sync();
}

typedef struct job { float *x; uint32_t *order; uint32_t rows; aclrtStream stream; } job;

static void run(void *context) {
  const job *j = context;
  softmax_sort<<<1, 0, j->stream>>>(j->x, j->order, j->rows);
  device_check(aclrtSynchronizeStream(j->stream), "softmax_sort");
}

/* Softmax keeps the order except where two weights round to the same float: there the lower index is first. */
static void compare(const job *j, const float *x) {
  uint32_t *order = malloc((size_t)j->rows * ROW * sizeof *order);
  if (order == NULL) contender_stop("sort", "out of memory");
  device_download(order, j->order, (size_t)j->rows * ROW * sizeof *order);
  for (size_t i = 0; i < (size_t)j->rows * ROW; i++) {
    const float *row = x + i / ROW * ROW;
    if (order[i] >= ROW) contender_stop("sort", "an index is wrong");
    if (i % ROW != 0 && row[order[i]] - row[order[i - 1]] > 1e-5f) contender_stop("sort", "the order is wrong");
  }
  free(order);
}

int main(int argc, char **argv) {
  job j = {.rows = contender_number("sort", argc > 1 ? argv[1] : NULL, 4096), .stream = device_open()};
  size_t count = (size_t)j.rows * ROW;
  float *x = malloc(count * sizeof *x);
  if (x == NULL) contender_stop("sort", "out of memory");
  uint64_t state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = ((float)(state >> 40) * 0x1p-24f - 0.5f) * 6.0f;
  }
  j.x = device_upload(x, count * sizeof *x);
  j.order = device_upload(NULL, count * sizeof *j.order);
  run(&j);
  compare(&j, x);
  free(x);
  return contender_serve(run, &j);
}
