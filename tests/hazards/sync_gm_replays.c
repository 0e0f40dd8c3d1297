/* SYNC_GM: two captured models are replayed on two streams, and one writes what the other reads; nothing orders the replays. */
#include "hazard.h"

__global__ __vector__ void produce(__gm__ int32_t *data) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + vector_index() * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

__global__ __vector__ void consume(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * LINE, sizeof tile); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  aclrtStream capture = new_stream(), first = new_stream(), second = new_stream();
  int32_t *data = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0);
  aclmdlRI producer = NULL, consumer = NULL;
  aclmdlRICaptureBegin(capture, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  produce<<<CORES, 0, capture>>>(data);
  if (aclmdlRICaptureEnd(capture, &producer) != ACL_SUCCESS) return 1;
  aclmdlRICaptureBegin(capture, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  consume<<<CORES, 0, capture>>>(data, out);
  if (aclmdlRICaptureEnd(capture, &consumer) != ACL_SUCCESS) return 1;
  aclmdlRIExecuteAsync(producer, first);
#ifdef REPAIRED
  aclrtEvent event = NULL;
  if (aclrtCreateEvent(&event) != ACL_SUCCESS) return 1;
  aclrtRecordEvent(event, first);
  aclrtStreamWaitEvent(second, event);
#endif
  aclmdlRIExecuteAsync(consumer, second);
  aclmdlRIExecuteAsync(consumer, first); /* of one model they follow one another */
  aclrtSynchronizeDevice();
  aclmdlRIDestroy(producer);
  aclmdlRIDestroy(consumer);
  return finish();
}
