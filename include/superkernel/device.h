/* device.h - device memory that the host works on in place, for frameworks with operators of their own.
 *
 * Device memory is host addressable. Reading it in place is right once the work that writes it has run
 * (aclrtSynchronize*); writing is announced here, so that checks and snapshots know of it. */
#ifndef SUPERKERNEL_DEVICE_H
#define SUPERKERNEL_DEVICE_H

#include <stddef.h>

#include "superkernel/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The host is about to write these bytes in place; they count as written. An aclError. */
SK_EXPORT int sk_device_host_writes(void *address, size_t bytes);
/* An operator of this name (copied) has no simulated kernel and ran on the host; reports list it, once. */
SK_EXPORT void sk_device_not_simulated(const char *name);

#ifdef __cplusplus
}
#endif
#endif
