/* host_work.c - what a framework does on the host in place of device work: told for the report. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "superkernel/device.h"

static SK__VEC(const char *) names; /* ascending */

void sk_device_not_simulated(const char *name) {
  SK__GUARD;
  size_t low = 0, high = names.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(name, names.items[middle]);
    if (order == 0) return;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  char *copy = sk__vec_reserve(&names, names.count + 1) ? strdup(name) : NULL;
  if (copy == NULL) return; /* one line less in a report */
  memmove(names.items + low + 1, names.items + low, (names.count - low) * sizeof(const char *));
  names.items[low] = copy;
  names.count++;
}

const char *const *sk__runtime_not_simulated(size_t *count) {
  *count = names.count;
  return names.items;
}
