/* securec.h - the bounded memory functions that host code of operators calls. They return 0, or an error and change nothing
 * where the destination is too small. */
#ifndef SK_SECUREC_H
#define SK_SECUREC_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifndef EOK
#define EOK 0
#endif
typedef int errno_t;

static inline errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count) {
  if (dest == NULL || src == NULL) return EINVAL;
  if (count > destMax) return ERANGE;
  memcpy(dest, src, count);
  return EOK;
}
static inline errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count) {
  if (dest == NULL || src == NULL) return EINVAL;
  if (count > destMax) return ERANGE;
  memmove(dest, src, count);
  return EOK;
}
static inline errno_t memset_s(void *dest, size_t destMax, int value, size_t count) {
  if (dest == NULL) return EINVAL;
  if (count > destMax) return ERANGE;
  memset(dest, value, count);
  return EOK;
}

#endif
