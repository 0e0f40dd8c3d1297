/* QUEUE_LIMIT: more event ids are taken than a pair of pipes has. */
#include "tiles.h"

__global__ __vector__ void take_events(GM_ADDR x, GM_ADDR y) {
  Tiles tiles;
  tiles.Init(x, y);
#ifdef REPAIRED
  constexpr int count = 4; /* the queues take some too */
#else
  constexpr int count = 9;
#endif
  TEventID ids[count];
  for (int i = 0; i < count; i++) ids[i] = tiles.pipe.AllocEventID<HardEvent::MTE2_V>(); /* @end */
  for (int i = 0; i < count; i++) tiles.pipe.ReleaseEventID<HardEvent::MTE2_V>(ids[i]);
}

int main(void) {
  start();
  GM_ADDR x = (GM_ADDR)device(CORES * TILE * 4, 0);
  GM_ADDR y = (GM_ADDR)device(CORES * TILE * 4, 0);
  take_events<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
