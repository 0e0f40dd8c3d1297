/* GM_FREE_INVALID: device memory is freed twice. */
#include "hazard.h"

__global__ __vector__ void nothing(uint32_t unused) { (void)unused; }

int main(void) {
  start();
  int32_t *memory = device(LINE * 4, 0);
  nothing<<<1, 0, NULL>>>(0);
  aclrtFree(memory);
#ifndef REPAIRED
  aclrtFree(memory);
#endif
  return finish();
}
