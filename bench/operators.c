/* operators.c - one operator of the library over and over, called by its record; the contender of `checks-ops`.
 *
 *   operators TIMES NAME [words as in tests/mutate/call.h] */
#include "device.h"

#define CALL_PROGRAM "bench/operators"
#include "call.h"

typedef struct work { request call; sk_tensor outputs[MOST]; uint32_t times; } work;

static void run(void *context) {
  work *w = context;
  for (uint32_t i = 0; i < w->times; i++) launch(&w->call, w->outputs);
  device_check(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
}

int main(int argc, char **argv) {
  static work w;
  (void)device_open();
  w.times = contender_number("operators", argc > 1 ? argv[1] : NULL, 1000000);
  read_call(&w.call, argc, argv, 2);
  launch(&w.call, w.outputs);
  device_check(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
  return contender_serve(run, &w);
}
