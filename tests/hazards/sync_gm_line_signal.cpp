/* SYNC_GM: a core signals by a word of its data cache, which it cleans, before its transfer is out; who polls the word reads too early. */
#include "hazard.h"

__global__ __mix__(0, 1) void hand_over(GM_ADDR x) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, LINE * 4);
  LocalTensor<int32_t> tile = buffer.Get<int32_t>();
  __gm__ int32_t *word = (__gm__ int32_t *)x;
  GlobalTensor<int32_t> line, data;
  line.SetGlobalBuffer(word, LINE);
  data.SetGlobalBuffer((__gm__ int32_t *)x + LINE, LINE);
  if (GetBlockIdx() == 0) {
    Duplicate(tile, 5, LINE);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(data, tile, LINE); /* @end */
#ifdef REPAIRED
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
#endif
    *word = 1;
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(line);
  } else if (GetBlockIdx() == 1) {
    do DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(line);
    while (*word != 1);
    DataCopy(tile, data, LINE); /* @end */
  }
  pipe.DestroyWithoutPipeAll();
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(2 * LINE * 4, 0);
  hand_over<<<2, 0, nullptr>>>(x);
  return finish();
}
