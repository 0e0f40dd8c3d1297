/* binary.c - kernels from shared objects that a program loads itself. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/internal.h"

static aclError load(sk__runtime *runtime, const char *path, const char *name, aclrtBinHandle *bin) {
  sk__binary *binary = calloc(1, sizeof *binary);
  if (binary == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a binary");
  (void)sk__runtime_kernels(&binary->first);
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* its constructors register the kernels; it stays */
  (void)sk__runtime_kernels(&binary->end);
  if (object == NULL || binary->end == binary->first) {
    free(binary);
    if (object == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s cannot be loaded: %s; legal: a shared object that skcc made", name, dlerror());
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s brings no kernel that was not there before", name);
  }
  binary->next = runtime->binaries;
  runtime->binaries = binary;
  *bin = binary;
  return ACL_SUCCESS;
}

static aclError check_load(const void *from, const aclrtBinaryLoadOptions *options, const aclrtBinHandle *bin, const char *call) {
  if (from == NULL || bin == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: %s is NULL", call, from == NULL ? "the binary" : "the handle");
  if (options != NULL && options->numOpt > 0)
    return sk__fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: load options are not modelled; legal: none", call);
  return ACL_SUCCESS;
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *bin) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_load(binPath, options, bin, "aclrtBinaryLoadFromFile");
  if (error != ACL_SUCCESS) return error;
  char *path = realpath(binPath, NULL); /* dlopen would search for a bare name */
  if (path == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryLoadFromFile: '%s': %s", binPath, strerror(errno));
  error = load(runtime, path, path, bin);
  free(path);
  return error;
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options, aclrtBinHandle *bin) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = check_load(data, options, bin, "aclrtBinaryLoadFromData");
  if (error != ACL_SUCCESS) return error;
  int file = memfd_create("kernel binary", MFD_CLOEXEC);
  if (file < 0) return sk__fail(ACL_ERROR_BAD_ALLOC, "aclrtBinaryLoadFromData: %s", strerror(errno));
  for (size_t done = 0; done < length;) {
    ssize_t n = write(file, (const char *)data + done, length - done);
    if (n <= 0) {
      close(file);
      return sk__fail(ACL_ERROR_BAD_ALLOC, "aclrtBinaryLoadFromData: no memory for %zu bytes", length);
    }
    done += (size_t)n;
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  error = load(runtime, path, "the binary", bin);
  close(file);
  return error;
}

static sk__binary **find(sk__runtime *runtime, aclrtBinHandle bin) {
  sk__binary **at = &runtime->binaries;
  while (*at != NULL && *at != bin) at = &(*at)->next;
  return *at != NULL ? at : NULL;
}

aclError aclrtBinaryUnLoad(aclrtBinHandle bin) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  sk__binary **at = find(runtime, bin);
  if (at == NULL) return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtBinaryUnLoad: %p is no loaded binary", bin);
  sk__binary *gone = *at;
  *at = gone->next;
  free(gone);
  return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunction(aclrtBinHandle bin, const char *kernelName, aclrtFuncHandle *func) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (kernelName == NULL || func == NULL)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryGetFunction: %s is NULL", kernelName == NULL ? "kernelName" : "func");
  size_t count = 0, first = 0;
  const sk_kernel *const *kernels = sk__runtime_kernels(&count);
  if (bin != NULL) {
    sk__binary **at = find(runtime, bin);
    if (at == NULL) return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtBinaryGetFunction: %p is no loaded binary", bin);
    first = (*at)->first;
    count = (*at)->end;
  }
  for (size_t i = first; i < count; i++)
    if (strcmp(kernels[i]->name, kernelName) == 0) {
      *func = (void *)(uintptr_t)kernels[i];
      return ACL_SUCCESS;
    }
  return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryGetFunction: no kernel '%s' among %zu of %s", kernelName, count - first,
                  bin != NULL ? "the binary" : "this process");
}
