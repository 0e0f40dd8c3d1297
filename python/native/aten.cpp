/* aten.cpp - the aten operators a device must have itself: memory, views, copies, scalars. */
#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/set_cpu_dispatch.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "device.h"
#include "formats.h"
#include "superkernel/device.h"
#include "views.h"

namespace sk_torch {

at::Tensor empty_on_device(at::IntArrayRef sizes, at::ScalarType dtype) {
  return at::detail::empty_generic(sizes, c10::GetAllocator(device_type), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), dtype,
                                   std::nullopt);
}

at::Tensor cpu_view(const at::Tensor &tensor) {
  TORCH_CHECK(!is_private(tensor), "a tensor in a private format is read as if it were row-major");
  const c10::Storage &of = tensor.storage();
  c10::Storage storage(c10::Storage::use_byte_size_t(), of.nbytes(),
                       c10::DataPtr(of.mutable_data(), c10::Device(c10::DeviceType::CPU)), nullptr, false);
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  view._set_conj(tensor.is_conj());
  view._set_neg(tensor.is_neg());
  return view;
}

void note_host_write(const at::Tensor &tensor) {
  if (tensor.numel() == 0) return;
  size_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); d++) last += size_t(tensor.size(d) - 1) * size_t(tensor.stride(d));
  check_acl(sk_device_host_writes(tensor.mutable_data_ptr(), (last + 1) * tensor.itemsize()), "sk_device_host_writes");
}

namespace {

constexpr int64_t format_nchw = 0, format_ncdhw = 30;

bool on_device(const at::Tensor &tensor) { return tensor.device().type() == device_type; }

void check_plain(std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pinned) {
  TORCH_CHECK(!device.has_value() || device->index() <= 0, *device, " does not exist; the simulated machine has one device, npu:0");
  TORCH_CHECK(!layout.has_value() || *layout == at::kStrided, "npu tensors are strided; given layout ", *layout);
  TORCH_CHECK(!pinned.value_or(false), "only CPU tensors can be pinned");
}

/* Row-major memory goes by the name of its rank. */
at::Tensor named(at::Tensor tensor) {
  if (tensor.dim() == 4) set_base_format(tensor.storage().data(), format_nchw);
  if (tensor.dim() == 5) set_base_format(tensor.storage().data(), format_ncdhw);
  return tensor;
}

at::Tensor empty_memory_format(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                               std::optional<at::Device> device, std::optional<bool> pinned, std::optional<at::MemoryFormat> format) {
  check_plain(layout, device, pinned);
  return named(at::detail::empty_generic(size, c10::GetAllocator(device_type), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                         c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pinned) {
  check_plain(layout, device, pinned);
  return named(at::detail::empty_strided_generic(size, stride, c10::GetAllocator(device_type),
                                                 c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), c10::dtype_or_default(dtype)));
}

const at::Tensor &resize_(const at::Tensor &self, at::IntArrayRef size, std::optional<at::MemoryFormat> format) {
  c10::TensorImpl *impl = self.unsafeGetTensorImpl();
  TORCH_CHECK(!is_private(self) || self.sizes() == size, "resize_: a tensor in FRACTAL_NZ keeps its shape ", self.sizes(), "; given ", size,
              "; cast it with npu_format_cast(tensor, 2) first");
  size_t needed = at::detail::computeStorageNbytesContiguous(size, self.itemsize(), size_t(self.storage_offset()));
  if (c10::multiply_integers(size) > 0 && needed > self.storage().nbytes())
    at::native::resize_bytes_nocuda(self.storage(), c10::SymInt(int64_t(needed)));
  impl->set_sizes_contiguous(size);
  if (format.has_value() && *format != at::MemoryFormat::Preserve) impl->empty_tensor_restride(*format);
  return self;
}

at::Tensor &set_source_storage(at::Tensor &self, at::Storage source) { return at::cpu::set_(self, source); }
at::Tensor &set_source_tensor(at::Tensor &self, const at::Tensor &source) { return at::cpu::set_(self, source); }
at::Tensor &set_nothing(at::Tensor &self) {
  c10::Storage storage(c10::Storage::use_byte_size_t(), 0, c10::GetAllocator(device_type), true);
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(storage);
  self.unsafeGetTensorImpl()->set_storage_offset(0);
  self.unsafeGetTensorImpl()->set_sizes_contiguous({0});
  return self;
}
at::Tensor &set_source_storage_offset(at::Tensor &self, at::Storage source, int64_t offset, at::IntArrayRef size, at::IntArrayRef stride) {
  return at::cpu::set_(self, source, offset, size, stride);
}

/* ---- copies ---- */

bool same_dense(const at::Tensor &a, const at::Tensor &b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && a.strides() == b.strides() && a.is_non_overlapping_and_dense() &&
         a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

void copy_bytes(const at::Tensor &from, const at::Tensor &to, aclrtMemcpyKind kind) {
  size_t bytes = size_t(to.nbytes());
  if (bytes > 0)
    check_acl(aclrtMemcpyAsync(to.mutable_data_ptr(), bytes, from.const_data_ptr(), bytes, kind, current_handle()), "aclrtMemcpyAsync");
}

struct copy_op final : host_op {
  at::Tensor from, to;
  void run() override {
    note_host_write(to);
    cpu_view(to).copy_(cpu_view(from));
  }
};

void copy_on_device(const at::Tensor &from, const at::Tensor &to) {
  if (same_dense(from, to)) {
    copy_bytes(from, to, ACL_MEMCPY_DEVICE_TO_DEVICE);
    return;
  }
  if (cast_on_device(from, to)) return;
  auto op = std::make_unique<copy_op>();
  op->name = "aten::copy_";
  op->from = from;
  op->to = to;
  note_not_simulated(op->name);
  if (capturing()) {
    submit_host_op(std::move(op));
    return;
  }
  synchronize();
  op->run();
}

void copy_to_device(const at::Tensor &from, const at::Tensor &to) {
  at::Tensor source = from.to(to.scalar_type());
  if (!same_dense(source, to) && to.is_non_overlapping_and_dense()) {
    at::Tensor dense = at::empty_strided(to.sizes(), to.strides(), source.options());
    source = dense.copy_(source);
  }
  if (same_dense(source, to)) {
    copy_bytes(source, to, ACL_MEMCPY_HOST_TO_DEVICE);
    return;
  }
  TORCH_CHECK(!capturing(), "a strided copy from a CPU tensor is not allowed while a graph is captured");
  synchronize();
  note_host_write(to);
  cpu_view(to).copy_(source);
}

void copy_to_host(const at::Tensor &from, const at::Tensor &to) {
  TORCH_CHECK(!capturing(), "copying an npu tensor to the CPU is not allowed while a graph is captured: its contents come with replay()");
  synchronize();
  to.copy_(cpu_view(from));
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &to, bool) {
  if (is_private(to)) {
    written_image image(to, true);
    copy_from(self, image.tensor, false);
    image.store();
    return to;
  }
  at::Tensor source = row_major(self);
  if (source.sizes() != to.sizes()) source = source.expand_as(to);
  if (on_device(source) && on_device(to)) copy_on_device(source, to);
  else if (on_device(to)) copy_to_device(source, to);
  else copy_to_host(source, to);
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &to) {
  to.resize_(self.sizes());
  return copy_from(self, to, false);
}

at::Scalar local_scalar_dense(const at::Tensor &self) {
  TORCH_CHECK(!capturing(), "reading a value from an npu tensor is not allowed while a graph is captured");
  at::Tensor plain = row_major(self);
  synchronize();
  return at::_local_scalar_dense(cpu_view(plain));
}

at::Tensor view(const at::Tensor &self, at::IntArrayRef size) { return at::native::view(self, size); }
at::Tensor as_strided(const at::Tensor &self, at::IntArrayRef size, at::IntArrayRef stride, std::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}
at::Tensor reshape_alias(const at::Tensor &self, at::IntArrayRef size, at::IntArrayRef stride) {
  return at::native::_reshape_alias(self, size, stride);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty_memory_format);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("unfold", at::native::unfold);
  m.impl("view_as_real", at::native::view_as_real);
  m.impl("view_as_complex", at::native::view_as_complex);
  m.impl("resize_", resize_);
  m.impl("set_", set_nothing);
  m.impl("set_.source_Storage", set_source_storage);
  m.impl("set_.source_Tensor", set_source_tensor);
  m.impl("set_.source_Storage_storage_offset", set_source_storage_offset);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar_dense);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>()); }
TORCH_LIBRARY_IMPL(_, AutogradPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

}  // namespace sk_torch
