/* FLAG_RESERVED: an event id of the system is used by hand. Ids that the TPipe hands out may be any. */
#include "tiles.h"

__global__ __vector__ void wait_twice(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
#ifdef REPAIRED
  TEventID ids[8];
  for (int i = 0; i < 7; i++) ids[i] = tiles.pipe.AllocEventID<HardEvent::V_MTE2>();
  ids[7] = tiles.pipe.FetchEventID<HardEvent::V_MTE2>();
  for (int i = 0; i < 8; i++) {
    SetFlag<HardEvent::V_MTE2>(ids[i]);
    WaitFlag<HardEvent::V_MTE2>(ids[i]);
    if (i < 7) tiles.pipe.ReleaseEventID<HardEvent::V_MTE2>(ids[i]);
  }
#else
  SetFlag<HardEvent::V_MTE2>(EVENT_ID7); /* @end */
  WaitFlag<HardEvent::V_MTE2>(EVENT_ID7);
#endif
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  wait_twice<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
