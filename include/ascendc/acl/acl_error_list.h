/* acl_error_list.h - the acl return codes the simulator uses: name, value, text. Written once.
 * Rule: 1xxxxx user error, 2xxxxx resource or unsupported, 3xxxxx business, 5xxxxx internal. */
#ifndef ACL_ERROR_LIST_H
#define ACL_ERROR_LIST_H

#define ACL_ERROR_LIST(X)                                                                     \
  X(ACL_SUCCESS, 0, "success")                                                                \
  X(ACL_ERROR_INVALID_PARAM, 100000, "invalid parameter")                                     \
  X(ACL_ERROR_UNINITIALIZE, 100001, "aclInit was not called")                                 \
  X(ACL_ERROR_REPEAT_INITIALIZE, 100002, "aclInit was called before")                         \
  X(ACL_ERROR_REPEAT_FINALIZE, 100037, "aclFinalize was called before")                       \
  X(ACL_ERROR_RT_PARAM_INVALID, 107000, "invalid parameter")                                  \
  X(ACL_ERROR_RT_INVALID_DEVICEID, 107001, "invalid device id")                               \
  X(ACL_ERROR_RT_CONTEXT_NULL, 107002, "no current context")                                  \
  X(ACL_ERROR_RT_STREAM_CONTEXT, 107003, "the stream does not belong to the current context") \
  X(ACL_ERROR_RT_INVALID_MEMORY_TYPE, 107016, "invalid memory type")                          \
  X(ACL_ERROR_RT_INVALID_HANDLE, 107017, "invalid handle")                                    \
  X(ACL_ERROR_WAIT_TIMEOUT, 107019, "wait timeout")                                           \
  X(ACL_ERROR_RT_TASK_TIMEOUT, 107020, "task timeout")                                        \
  X(ACL_ERROR_RT_CAPTURE_DEPENDENCY, 107024, "a captured wait on an event that was not recorded in the capture") \
  X(ACL_ERROR_RT_STREAM_UNJOINED, 107025, "a stream of the capture was not joined")           \
  X(ACL_ERROR_RT_MODEL_CAPTURED, 107026, "the model is being captured")                       \
  X(ACL_ERROR_RT_STREAM_CAPTURED, 107027, "not allowed on a stream that is being captured")   \
  X(ACL_ERROR_RT_EVENT_CAPTURED, 107028, "not allowed on an event of a capture")              \
  X(ACL_ERROR_RT_STREAM_NOT_CAPTURED, 107029, "the stream is not being captured")             \
  X(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, 107030, "capture mode not supported")              \
  X(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, 107031, "the default stream cannot be captured")    \
  X(ACL_ERROR_STREAM_CAPTURE_CONFLICT, 107032, "two captures would be joined")                \
  X(ACL_ERROR_STREAM_CAPTURE_UNMATCHED, 107036, "the capture was begun on another stream")    \
  X(ACL_ERROR_RT_MODEL_RUNNING, 107037, "the model is running")                               \
  X(ACL_ERROR_STREAM_CAPTURE_WRONG_THREAD, 107038, "the capture was begun on another thread") \
  X(ACL_ERROR_STREAM_CAPTURE_UNSAFE, 107041, "a call that is unsafe during capture")          \
  X(ACL_ERROR_BAD_ALLOC, 200000, "host memory allocation failed")                             \
  X(ACL_ERROR_API_NOT_SUPPORT, 200001, "the call is not supported")                           \
  X(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 207000, "feature not supported")                        \
  X(ACL_ERROR_RT_MEMORY_ALLOCATION, 207001, "device memory allocation failed")                \
  X(ACL_ERROR_RT_MEMORY_FREE, 207002, "device memory free failed")                            \
  X(ACL_ERROR_RT_NO_DEVICE, 207004, "no device")                                              \
  X(ACL_ERROR_RT_DEVICE_OOM, 207018, "out of device memory")                                  \
  X(ACL_ERROR_STORAGE_OVER_LIMIT, 300000, "storage over limit")                               \
  X(ACL_ERROR_INTERNAL_ERROR, 500000, "internal error")                                       \
  X(ACL_ERROR_FAILURE, 500001, "failure")                                                     \
  X(ACL_ERROR_RT_INTERNAL_ERROR, 507000, "runtime internal error")                            \
  X(ACL_ERROR_RT_AICORE_TIMEOUT, 507014, "AI core timeout: the kernel never ended")           \
  X(ACL_ERROR_RT_AICORE_EXCEPTION, 507015, "AI core exception: the kernel faulted")           \
  X(ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, 507034, "vector core timeout: the kernel never ended")  \
  X(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, 507035, "vector core exception: the kernel faulted")  \
  X(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 507046, "stream synchronisation timeout")               \
  X(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, 507047, "event synchronisation timeout")                 \
  X(ACL_ERROR_RT_CAPTURE_INVALIDATED, 507903, "the capture was invalidated")

#endif
