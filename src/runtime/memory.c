/* memory.c - device and host memory, copies and fills. The addresses decide what is device memory. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "superkernel/device.h"

static bool is_device(const void *address) { return sk__in_gm((uint64_t)address); }

/* Placement has no effect on a simulated device, but a policy must be one. */
static aclError check_policy(aclrtMemMallocPolicy policy, const char *call) {
  uint32_t flags = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH | ACL_MEM_ACCESS_USER_SPACE_READONLY;
  if (((uint32_t)policy & ~flags) <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P) return ACL_SUCCESS;
  return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: policy 0x%x; legal: 0 to 7, with 0x100, 0x1000 and 0x100000", call, (uint32_t)policy);
}

/* The real allocator hands out up to 63 bytes more than asked for; they belong to nobody, so here the
 * red zone begins right behind what the caller asked for. */
static aclError device_malloc(void **devPtr, size_t size, const char *call) {
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (devPtr == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is NULL", call);
  if (size == 0) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; it must be at least 1", call);
  if (size > SK__GM_BYTES) return sk__fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes are more than the device has", call, size);
  sk_status status = sk__gm_alloc(runtime->machine, size, SK__UNNAMED_MEMORY, devPtr);
  if (status == SK_OK) return ACL_SUCCESS;
  uint64_t live = 0, peak = 0, touched = 0;
  sk__gm_usage(runtime->machine, &live, &peak, &touched);
  return sk__fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes cannot be had (%s; %llu bytes in use of %llu)", call, size,
                  sk_status_text(status), (unsigned long long)live,
                  (unsigned long long)sk__machine_soc(runtime->machine)->gm_bytes);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  SK__GUARD;
  aclError error = check_policy(policy, "aclrtMalloc");
  return error != ACL_SUCCESS ? error : device_malloc(devPtr, size, "aclrtMalloc");
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  SK__GUARD;
  aclError error = check_policy(policy, "aclrtMallocAlign32");
  return error != ACL_SUCCESS ? error : device_malloc(devPtr, size, "aclrtMallocAlign32");
}

aclError aclrtFree(void *devPtr) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (devPtr == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtFree: devPtr is NULL");
  if (sk__gm_free(runtime->machine, devPtr) == SK_OK) return ACL_SUCCESS;
  sk__report_invalid_free(runtime, devPtr);
  return sk__fail(ACL_ERROR_RT_MEMORY_FREE, "aclrtFree: %p is not the start of live device memory", devPtr);
}

aclError aclrtMallocHost(void **hostPtr, size_t size) {
  SK__GUARD;
  if (hostPtr == NULL || size == 0)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: %s", hostPtr == NULL ? "hostPtr is NULL" : "size is 0");
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  size_t rounded = (size + 63) / 64 * 64;
  void *memory = rounded < size ? NULL : aligned_alloc(64, rounded);
  sk__pinned *pinned = memory == NULL ? NULL : realloc(runtime->pinned, (runtime->pinned_count + 1) * sizeof *pinned);
  if (pinned == NULL) {
    free(memory);
    return sk__fail(ACL_ERROR_BAD_ALLOC, "aclrtMallocHost: no host memory for %zu bytes", size);
  }
  runtime->pinned = pinned;
  pinned[runtime->pinned_count++] = (sk__pinned){(uint64_t)memory, size};
  *hostPtr = memory;
  return ACL_SUCCESS;
}

aclError aclrtFreeHost(void *hostPtr) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  for (size_t i = 0; i < runtime->pinned_count; i++) {
    if (runtime->pinned[i].start != (uint64_t)hostPtr) continue;
    sk__run_pending(runtime); /* copies under way use it */
    runtime->pinned[i] = runtime->pinned[--runtime->pinned_count];
    free(hostPtr);
    return ACL_SUCCESS;
  }
  return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtFreeHost: %p is no live memory of aclrtMallocHost", hostPtr);
}

static bool is_pinned(const sk__runtime *runtime, const void *address, size_t bytes) {
  for (size_t i = 0; i < runtime->pinned_count; i++) {
    uint64_t offset = (uint64_t)address - runtime->pinned[i].start;
    if (offset < runtime->pinned[i].bytes && bytes <= runtime->pinned[i].bytes - offset) return true;
  }
  return false;
}

static aclError host_copy(sk__runtime *runtime, void *dst, const void *src, size_t count, const char *call) {
  sk_status status = SK_OK;
  runtime->host_writes++;
  if (is_device(src)) sk__hasty_note(runtime, call, (uint64_t)src, count);
  if (is_device(dst) && is_device(src)) {
    void *through = malloc(count);
    if (through == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "%s: no host memory for %zu bytes", call, count);
    status = sk__gm_host_read(runtime->machine, through, (uint64_t)src, count);
    if (status == SK_OK) status = sk__gm_host_write(runtime->machine, (uint64_t)dst, through, count);
    free(through);
  } else if (is_device(dst)) {
    status = sk__gm_host_write(runtime->machine, (uint64_t)dst, src, count);
    sk__gm_host_rewrites(runtime->machine, (uint64_t)dst, count);
  } else if (is_device(src)) {
    sk__gm_judge_result(runtime->machine, (uint64_t)src, count);
    status = sk__gm_host_read(runtime->machine, dst, (uint64_t)src, count);
  } else {
    memmove(dst, src, count);
  }
  if (status == SK_OK) return ACL_SUCCESS;
  return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: %zu bytes from %p to %p leave the allocation", call, count, src, dst);
}

static aclError check_copy(const void *dst, size_t destMax, const void *src, size_t count, int kind, const char *call) {
  if (dst == NULL || src == NULL)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: %s is NULL", call, dst == NULL ? "dst" : "src");
  if (count > destMax)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: count %zu is above destMax %zu", call, count, destMax);
  if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: kind %d; legal: 0 to 7", call, kind);
  return ACL_SUCCESS;
}

/* Synchronous calls are unsafe while a capture restricts them. */
static aclError check_unsafe(sk__runtime *runtime, const char *call) {
  for (const sk__model *model = runtime->models; model != NULL; model = model->next) {
    bool here = model->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ||
                (model->mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && pthread_equal(model->thread, pthread_self()));
    if (model->active && here)
      return sk__fail(ACL_ERROR_STREAM_CAPTURE_UNSAFE, "%s during a capture; use the asynchronous form or RELAXED mode", call);
  }
  return ACL_SUCCESS;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_copy(dst, destMax, src, count, (int)kind, "aclrtMemcpy");
  if (error == ACL_SUCCESS) error = check_unsafe(runtime, "aclrtMemcpy");
  if (error != ACL_SUCCESS || count == 0) return error;
  return host_copy(runtime, dst, src, count, "aclrtMemcpy");
}

int sk_device_host_writes(void *address, size_t bytes) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS || bytes == 0) return error;
  runtime->host_writes++;
  if (is_device(address)) sk__gm_host_rewrites(runtime->machine, (uint64_t)address, bytes);
  if (is_device(address) && sk__gm_host_writes(runtime->machine, (uint64_t)address, bytes) == SK_OK) return ACL_SUCCESS;
  return sk__fail(ACL_ERROR_INVALID_PARAM, "sk_device_host_writes: %zu bytes at %p leave device memory", bytes, address);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_copy(dst, dpitch, src, width, (int)kind, "aclrtMemcpy2d");
  if (error == ACL_SUCCESS) error = check_unsafe(runtime, "aclrtMemcpy2d");
  if (error == ACL_SUCCESS && width > spitch)
    error = sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy2d: width %zu is above spitch %zu", width, spitch);
  for (size_t row = 0; row < height && error == ACL_SUCCESS && width > 0; row++)
    error = host_copy(runtime, (char *)dst + row * dpitch, (const char *)src + row * spitch, width, "aclrtMemcpy2d");
  return error;
}

/* Pageable memory may change as soon as the call returns. */
static bool stage(sk__task *task) {
  task->staged = malloc(task->bytes);
  if (task->staged == NULL) return false;
  memcpy(task->staged, (const void *)task->from, task->bytes);
  task->from = (uint64_t)task->staged;
  return true;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__stream *to = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_copy(dst, destMax, src, count, (int)kind, "aclrtMemcpyAsync");
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &to);
  if (error != ACL_SUCCESS || count == 0) return error;
  if (!is_device(dst) && !is_device(src))
    return sk__fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtMemcpyAsync: host to host is not supported");
  const void *host = is_device(dst) ? src : dst;
  bool pageable = !is_device(host) && !is_pinned(runtime, host, count);
  if (pageable) error = check_unsafe(runtime, "aclrtMemcpyAsync with host memory that is not from aclrtMallocHost");
  if (error != ACL_SUCCESS) return error;
  sk__task *task = sk__task_new(runtime, SK__TASK_COPY, to);
  if (task == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a task");
  task->to = (uint64_t)dst;
  task->from = (uint64_t)src;
  task->bytes = count;
  if (pageable && host == src && !stage(task)) {
    sk__task_unref(task);
    return sk__fail(ACL_ERROR_BAD_ALLOC, "aclrtMemcpyAsync: no host memory for %zu bytes", count);
  }
  error = sk__task_submit(runtime, task);
  /* The call is synchronous for pageable memory: the program may look at the result at once. */
  if (error == ACL_SUCCESS && pageable && host == dst && to->capturing == NULL) error = sk__synchronize(runtime, to, NULL);
  return error;
}

static aclError check_set(const void *devPtr, size_t maxCount, size_t count, const char *call) {
  if (devPtr == NULL || !is_device(devPtr))
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: %p is no device memory", call, devPtr);
  if (count > maxCount)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: count %zu is above maxCount %zu", call, count, maxCount);
  return ACL_SUCCESS;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_set(devPtr, maxCount, count, "aclrtMemset");
  if (error == ACL_SUCCESS) error = check_unsafe(runtime, "aclrtMemset");
  if (error != ACL_SUCCESS || count == 0) return error;
  runtime->host_writes++;
  sk__gm_host_rewrites(runtime->machine, (uint64_t)devPtr, count);
  if (sk__gm_host_set(runtime->machine, (uint64_t)devPtr, value, count) == SK_OK) return ACL_SUCCESS;
  return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtMemset: %zu bytes at %p leave the allocation", count, devPtr);
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__stream *on = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_set(devPtr, maxCount, count, "aclrtMemsetAsync");
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &on);
  if (error != ACL_SUCCESS || count == 0) return error;
  sk__task *task = sk__task_new(runtime, SK__TASK_SET, on);
  if (task == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a task");
  task->to = (uint64_t)devPtr;
  task->bytes = count;
  task->value = value;
  return sk__task_submit(runtime, task);
}

aclError aclrtGetMemInfo(int attr, size_t *free_bytes, size_t *total) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  (void)attr; /* one kind of device memory */
  if (free_bytes == NULL || total == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: NULL result");
  uint64_t live = 0, peak = 0, touched = 0;
  sk__gm_usage(runtime->machine, &live, &peak, &touched);
  *total = sk__machine_soc(runtime->machine)->gm_bytes;
  *free_bytes = *total > live ? *total - live : 0;
  return ACL_SUCCESS;
}
