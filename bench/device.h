/* device.h - what the simulated sides share: acl calls that must succeed, device memory with contents. */
#ifndef SK_BENCH_DEVICE_H
#define SK_BENCH_DEVICE_H

#include "acl/acl.h"
#include "contender.h"

static inline void device_check(int error, const char *what) {
  if (error == ACL_SUCCESS) return;
  const char *text = aclGetRecentErrMsg();
  fprintf(stderr, "%s failed: %s\n", what, text != NULL ? text : "no text");
  exit(1);
}

static inline aclrtStream device_open(void) {
  aclrtStream stream = NULL;
  device_check(aclInit(NULL), "aclInit");
  device_check(aclrtSetDevice(0), "aclrtSetDevice");
  device_check(aclrtCreateStream(&stream), "aclrtCreateStream");
  return stream;
}

/* Device memory with a copy of `data`, or unwritten for NULL. It lives as long as the program. */
static inline void *device_upload(const void *data, size_t bytes) {
  void *device = NULL;
  device_check(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  if (data != NULL) device_check(aclrtMemcpy(device, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  return device;
}

static inline void device_download(void *to, const void *device, size_t bytes) {
  device_check(aclrtMemcpy(to, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
}

#endif
