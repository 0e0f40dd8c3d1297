/* H31: a record stands between an operator and a wait. The real optimizer sees the wait's barrier, takes the operator's for
 * redundant, and block 0 tells the other stream before all cores have finished. @verify --emulate-vendor-defects */
#include "hazard.h"

__global__ __vector__ void put(__gm__ int32_t *out, int32_t value) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, value, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out[4];
  for (int i = 0; i < 4; i++) out[i] = device(CORES * TILE * 4, 0);
  aclrtStream inside = new_stream(), reader = new_stream(), writer = new_stream();
  aclrtEvent told, heard;
  aclrtCreateEventWithFlag(&told, ACL_EVENT_SYNC);
  aclrtCreateEventWithFlag(&heard, ACL_EVENT_SYNC);
  put<<<CORES, 0, writer>>>(out[0], 1);
  aclrtRecordEvent(heard, writer);
  aclskScopeBegin("s", inside);
#ifdef REPAIRED
  aclrtStreamWaitEvent(inside, heard);
#endif
  put<<<CORES, 0, inside>>>(out[1], 2);
  aclrtRecordEvent(told, inside);
#ifndef REPAIRED
  aclrtStreamWaitEvent(inside, heard);
#endif
  put<<<CORES, 0, inside>>>(out[2], 3);
  aclskScopeEnd("s", inside);
  aclrtStreamWaitEvent(reader, told);
  put<<<CORES, 0, reader>>>(out[3], 4);
  return finish();
}
