/* device.c - the process's one runtime: made on first use; init, device, context. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/internal.h"

static sk__runtime the_runtime;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char creation_error[512];
static _Thread_local sk__context *current_context;
static void (*created)(sk__runtime *runtime);

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static _Thread_local unsigned held; /* how often this thread has the lock */

void sk__lock(void) {
  pthread_mutex_lock(&lock);
  held++;
}
void sk__unlock(const int *unused) {
  (void)unused;
  held--;
  pthread_mutex_unlock(&lock);
}

void sk__let_others(unsigned microseconds) {
  unsigned depth = held;
  while (held > 0) sk__unlock(NULL);
  usleep(microseconds);
  while (held < depth) sk__lock();
}

void sk__runtime_on_create(void (*function)(sk__runtime *runtime)) { created = function; }

static void create_runtime(void) {
  sk__machine_options options;
  if (sk__runtime_env_options(&options, creation_error, sizeof creation_error) != SK_OK) {
    fprintf(stderr, "superkernel: %s\n", creation_error);
    return;
  }
  sk_status status = sk__machine_create(&options, &the_runtime.machine);
  if (status != SK_OK) {
    snprintf(creation_error, sizeof creation_error, "the simulated device cannot be made: %s", sk_status_text(status));
    fprintf(stderr, "superkernel: %s\n", creation_error);
    the_runtime.machine = NULL;
    return;
  }
  sk__stream *stream = &the_runtime.default_stream;
  stream->is_default = true;
  stream->references = 1; /* never given back */
  the_runtime.next_stream_index = 1;
  if (created != NULL) created(&the_runtime);
}

sk__runtime *sk__runtime_get(void) {
  pthread_once(&once, create_runtime);
  if (the_runtime.machine != NULL) return &the_runtime;
  sk__fail(ACL_ERROR_INTERNAL_ERROR, "%s", creation_error);
  return NULL;
}

sk__machine *sk__runtime_machine(sk__runtime *runtime) { return runtime->machine; }

void sk__runtime_set_hook(sk__runtime *runtime, sk__segment_hook hook, void *context) {
  runtime->hook = hook;
  runtime->hook_context = context;
}

aclError sk__runtime_ready(sk__runtime **out) {
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  if (runtime->device_count == 0 && runtime->contexts == NULL)
    return sk__fail(ACL_ERROR_RT_CONTEXT_NULL, "no current device; call aclrtSetDevice(0) first");
  *out = runtime;
  return ACL_SUCCESS;
}

aclError aclInit(const char *configPath) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  if (runtime->initialised)
    return sk__fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before; this may be ignored");
  if (configPath != NULL && configPath[0] != '\0' && access(configPath, R_OK) != 0)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "aclInit: cannot read '%s'", configPath);
  runtime->initialised = true;
  return ACL_SUCCESS;
}

aclError aclFinalize(void) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  if (!runtime->initialised) return sk__fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize without aclInit before it");
  aclError error = sk__synchronize(runtime, NULL, NULL);
  runtime->initialised = false;
  return error;
}

static aclError check_device(int32_t id) {
  if (id == 0) return ACL_SUCCESS;
  return sk__fail(ACL_ERROR_RT_INVALID_DEVICEID, "device %d; the simulated machine has one device, id 0", id);
}

aclError aclrtSetDevice(int32_t deviceId) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  aclError error = check_device(deviceId);
  if (error == ACL_SUCCESS) runtime->device_count++;
  return error;
}

aclError aclrtResetDevice(int32_t deviceId) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS || (error = check_device(deviceId)) != ACL_SUCCESS) return error;
  error = sk__synchronize(runtime, NULL, NULL);
  if (runtime->device_count > 0) runtime->device_count--;
  return error;
}

aclError aclrtGetDevice(int32_t *deviceId) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (deviceId == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: deviceId is NULL");
  *deviceId = 0;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t *count) {
  SK__GUARD;
  if (count == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: count is NULL");
  *count = 1;
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode) {
  SK__GUARD;
  if (runMode == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: runMode is NULL");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  aclError error = check_device((int32_t)deviceId);
  if (error != ACL_SUCCESS) return error;
  if (value == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceInfo: value is NULL");
  const sk__soc *soc = sk__machine_soc(runtime->machine);
  switch (attr) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM: *value = soc->aic_count; return ACL_SUCCESS;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = soc->aiv_count; return ACL_SUCCESS;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE: *value = soc->ub_bytes; return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = (int64_t)soc->gm_bytes; return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE: *value = (int64_t)soc->l2_bytes; return ACL_SUCCESS;
    case ACL_DEV_ATTR_NPU_ARCH: *value = soc->npu_arch; return ACL_SUCCESS;
  }
  return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceInfo: attribute %d; legal: 101, 102, 201, 204, 301, 302, 601",
                  (int)attr);
}

const char *aclrtGetSocName(void) {
  sk__runtime *runtime = sk__runtime_get();
  return runtime != NULL ? sk__machine_soc(runtime->machine)->name : NULL;
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  aclError error = check_device(deviceId);
  if (error != ACL_SUCCESS) return error;
  if (context == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext: context is NULL");
  sk__context *made = calloc(1, sizeof *made);
  if (made == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a context");
  made->next = runtime->contexts;
  runtime->contexts = made;
  current_context = made;
  *context = made;
  return ACL_SUCCESS;
}

static sk__context **find_context(sk__runtime *runtime, aclrtContext handle) {
  sk__context **at = &runtime->contexts;
  while (*at != NULL && *at != handle) at = &(*at)->next;
  return *at != NULL ? at : NULL;
}

aclError aclrtDestroyContext(aclrtContext context) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  sk__context **at = find_context(runtime, context);
  if (at == NULL) return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyContext: %p is no live context", context);
  aclError error = sk__finish_pending(runtime);
  sk__context *gone = *at;
  *at = gone->next;
  if (current_context == gone) current_context = NULL;
  free(gone);
  return error;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  if (runtime == NULL) return ACL_ERROR_INTERNAL_ERROR;
  if (find_context(runtime, context) == NULL)
    return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtSetCurrentContext: %p is no live context", context);
  current_context = context;
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context) {
  SK__GUARD;
  if (context == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext: context is NULL");
  if (current_context == NULL) return sk__fail(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no current context");
  *context = current_context;
  return ACL_SUCCESS;
}
