/* device.h - what the files of the PyTorch device share: streams, memory, captures, errors.
 *
 * Device memory is the simulator's and host addressable: a CPU tensor over the same bytes is a view of it,
 * valid once what is pending has run. Nothing here holds Python's lock while it waits. */
#ifndef SK_PYTHON_DEVICE_H
#define SK_PYTHON_DEVICE_H

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace sk_torch {

constexpr c10::DeviceType device_type = c10::DeviceType::PrivateUse1;

/* ---- errors ---- */
/* Throws RuntimeError with the text of this thread's latest acl error. */
[[noreturn]] void raise_acl(aclError code, const char *call);
inline void check_acl(aclError code, const char *call) {
  if (code != ACL_SUCCESS) raise_acl(code, call);
}

/* ---- device and streams (streams.cpp) ---- */
/* The simulated device, made on first use. */
void ensure_device();
bool device_ready();
c10::Stream current_stream();
c10::Stream exchange_stream(c10::Stream stream);
/* A stream of a ring of 32 per priority, as CUDA hands them out. */
c10::Stream stream_from_pool(int priority);
aclrtStream stream_handle(c10::StreamId id);
inline aclrtStream current_handle() { return stream_handle(current_stream().id()); }
/* Whether the current stream is being captured. */
bool capturing();
/* Cores that operators of a stream may use, 0 = no limit of its own; stream -1: those without one. */
struct core_limit { uint32_t aic = 0, aiv = 0; };
void set_core_limit(c10::StreamId stream, core_limit limit);
core_limit current_limit();
/* Runs everything that is pending, frees what waited for that, tells failures of host operators. */
void synchronize();

/* ---- memory (allocator.cpp) ---- */
void register_allocator();
struct memory_stats {
  int64_t allocated = 0, peak = 0, reserved = 0, reserved_peak = 0, count = 0, ooms = 0;
};
memory_stats get_memory_stats();
void reset_peak_memory();
/* Frees what nothing refers to any more; only after a synchronisation. */
void free_unused();
/* A set of blocks that lives as long as a captured model writes into it. 0 = none. */
uint64_t new_pool();
void retain_pool(uint64_t pool);
void release_pool(uint64_t pool);
/* What this thread allocates from now on belongs to the pool; returns the pool before. */
uint64_t exchange_pool(uint64_t pool);
/* How the block that begins at an address is laid out. format: an aclFormat number; those of FRACTAL_NZ are private,
 * the block then holds a tensor of that type and shape, with padding. */
struct storage_layout {
  int64_t format = 2; /* ND */
  at::ScalarType type = at::ScalarType::Undefined;
  std::vector<int64_t> shape;
};
storage_layout layout_of(const void *storage);
int64_t format_of(const void *storage);
void set_layout(const void *storage, storage_layout layout);
/* Another name for row-major storage. */
inline void set_base_format(const void *storage, int64_t format) { set_layout(storage, {format, at::ScalarType::Undefined, {}}); }
bool is_private_format(int64_t format);
/* Whether any block has a private format: most processes have none. */
bool private_formats_exist();

/* ---- tensors (aten.cpp) ---- */
at::Tensor empty_on_device(at::IntArrayRef sizes, at::ScalarType dtype);
/* A CPU tensor over the same bytes. */
at::Tensor cpu_view(const at::Tensor &tensor);
/* The host writes the tensor's bytes in place, now. */
void note_host_write(const at::Tensor &tensor);

/* ---- aten_ops.cpp ---- */
/* Casts by the operator library; false: it does not take this copy. */
bool cast_on_device(const at::Tensor &from, const at::Tensor &to);

/* ---- operators that run on the host inside a captured model (host_ops.cpp) ---- */
struct host_op {
  std::string name;
  virtual ~host_op() = default;
  virtual void run() = 0;
};
/* Queues the operator on the current stream, which must be capturing; the capture owns it. */
void submit_host_op(std::unique_ptr<host_op> op);
struct capture;
capture *begin_capture(uint64_t pool);
void end_capture(capture *of);
void free_capture(capture *of);
/* Throws what a host operator failed with since the last call. */
void rethrow_host_errors();
/* The operator has no simulated kernel; reports list it. */
void note_not_simulated(const std::string &name);

}  // namespace sk_torch

#endif
