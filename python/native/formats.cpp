/* formats.cpp - see formats.h; and npu_format_cast. */
#include "formats.h"

#include <ATen/ops/set_cpu_dispatch.h>
#include <torch/library.h>

#include <algorithm>
#include <cinttypes>

#include "launch.h"
#include "views.h"

namespace sk_torch {

bool is_private_format(int64_t format) {
  return format == SK_FRACTAL_NZ || format == SK_FRACTAL_NZ_C0_8 || format == SK_FRACTAL_NZ_C0_16 || format == SK_FRACTAL_NZ_C0_32;
}

bool is_private(const at::Tensor &tensor) {
  return private_formats_exist() && tensor.defined() && tensor.device().type() == device_type && tensor.has_storage() &&
         is_private_format(format_of(tensor.storage().data()));
}

/* ---- images ---- */

namespace {

at::Tensor on_storage(const c10::Storage &storage, caffe2::TypeMeta type) {
  return at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), type);
}

/* The storage as the tensor it was made for. */
at::Tensor base_of(const c10::Storage &storage, const storage_layout &layout) {
  at::Tensor base = on_storage(storage, c10::scalarTypeToTypeMeta(layout.type));
  base.unsafeGetTensorImpl()->set_sizes_contiguous(layout.shape);
  return base;
}

/* Row-major, of the storage's base shape, in a storage of the same size. */
at::Tensor new_image(const c10::Storage &of) {
  at::Tensor bytes = empty_on_device({int64_t(of.nbytes())}, at::kByte);
  return base_of(bytes.storage(), layout_of(of.data()));
}

void read_into(const c10::Storage &storage, const at::Tensor &image) {
  operator_call call("TransData");
  call.input(base_of(storage, layout_of(storage.data()))).integer("acl_format", SK_ND).launch(image);
}

/* Fractals of as many columns as the format says: the attributes of TransData that give it. */
void ask_for(operator_call &call, int64_t format) {
  call.integer("acl_format", SK_FRACTAL_NZ);
  if (format == SK_FRACTAL_NZ_C0_8) call.integer("customize_dtype", SK_FLOAT);
  if (format == SK_FRACTAL_NZ_C0_16) call.integer("customize_dtype", SK_FLOAT16);
  if (format == SK_FRACTAL_NZ_C0_32) call.integer("customize_dtype", SK_INT8);
}

void store_from(const c10::Storage &storage, const at::Tensor &image) {
  storage_layout layout = layout_of(storage.data());
  operator_call call("TransData");
  call.input(image);
  ask_for(call, layout.format);
  call.launch(base_of(storage, layout));
}

/* The tensor's view of its storage, on the image of that storage. */
at::Tensor same_view(const at::Tensor &of, const at::Tensor &image) {
  at::Tensor view = on_storage(image.storage(), of.dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(of.sizes(), of.strides(), of.storage_offset());
  view._set_conj(of.is_conj());
  view._set_neg(of.is_neg());
  return view;
}

/* Whoever takes a storage as bytes reaches behind the elements: zeros stand there. */
void clear_behind(const at::Tensor &image, const at::Tensor &view) {
  size_t used = size_t(image.nbytes()), size = image.storage().nbytes(), end = size_t(view.storage_offset()) * view.itemsize() + view.nbytes();
  if (end > used)
    check_acl(aclrtMemsetAsync(static_cast<char *>(image.storage().mutable_data()) + used, size - used, 0, size - used, current_handle()),
              "aclrtMemsetAsync");
}

}  // namespace

at::Tensor row_major(const at::Tensor &tensor) {
  if (!is_private(tensor)) return tensor;
  at::Tensor image = new_image(tensor.storage()), view = same_view(tensor, image);
  read_into(tensor.storage(), image);
  clear_behind(image, view);
  return view;
}

bool describe_private(const at::Tensor &tensor, sk_tensor *out) {
  if (!is_private(tensor) || tensor.dim() < 2 || tensor.dim() > SK_MAX_RANK || !tensor.is_contiguous() || tensor.numel() == 0) return false;
  storage_layout layout = layout_of(tensor.storage().data());
  int64_t rows = tensor.size(-2), columns = tensor.size(-1);
  bool whole = layout.type == tensor.scalar_type() && rows == layout.shape.end()[-2] && columns == layout.shape.end()[-1] &&
               tensor.storage_offset() % (rows * columns) == 0;
  sk_tensor matrix = {nullptr, SK_FLOAT, sk_format(layout.format), 2, {rows, columns}};
  if (!whole || !library_dtype(layout.type, &matrix.dtype)) return false;
  *out = {nullptr, matrix.dtype, matrix.format, uint32_t(tensor.dim()), {}};
  std::copy(tensor.sizes().begin(), tensor.sizes().end(), out->shape);
  size_t first = size_t(tensor.storage_offset() / (rows * columns)) * sk_tensor_bytes(&matrix);
  out->data = static_cast<char *>(tensor.storage().mutable_data()) + first;
  return true;
}

written_image::written_image(const at::Tensor &of, bool all_written) : target(of.storage()), whole(new_image(of.storage())) {
  tensor = same_view(of, whole);
  bool covers = tensor.nbytes() == whole.nbytes() && tensor.storage_offset() == 0 && tensor.is_non_overlapping_and_dense();
  if (!all_written || !covers) read_into(target, whole);
}

void written_image::store() { store_from(target, whole); }

/* ---- arguments ---- */

row_major_arguments::row_major_arguments(const c10::FunctionSchema &schema, torch::jit::Stack &arguments) {
  if (!private_formats_exist()) return;
  for (size_t i = 0; i < arguments.size(); i++) {
    const c10::AliasInfo *alias = schema.arguments()[i].alias_info();
    bool written = alias != nullptr && alias->isWrite();
    auto one = [&](const at::Tensor &tensor) { return is_private(tensor) ? replace(tensor, written) : tensor; };
    if (arguments[i].isTensor()) arguments[i] = one(arguments[i].toTensor());
    else if (std::optional<c10::IValue> list = each_tensor(arguments[i], one)) arguments[i] = *list;
  }
}

/* One image per storage, so that views of the same one stay views of the same one. */
at::Tensor row_major_arguments::replace(const at::Tensor &given, bool written) {
  at::Tensor whole;
  for (replaced &known : all) {
    if (!known.given.storage().is_alias_of(given.storage())) continue;
    whole = known.whole;
    if (!known.given.is_same(given)) continue;
    known.written = known.written || written;
    return known.stand_in;
  }
  if (!whole.defined()) {
    whole = new_image(given.storage());
    read_into(given.storage(), whole);
  }
  at::Tensor view = same_view(given, whole);
  clear_behind(whole, view);
  all.push_back({given, whole, view, written});
  return view;
}

void row_major_arguments::store() {
  std::vector<const void *> done;
  for (const replaced &one : all) {
    const void *storage = one.given.storage().data();
    if (one.written && one.stand_in.sizes() != one.given.sizes()) one.given.resize_(one.stand_in.sizes()); /* is refused */
    if (!one.written || std::find(done.begin(), done.end(), storage) != done.end()) continue;
    store_from(one.given.storage(), one.whole);
    done.push_back(storage);
  }
}

at::Tensor row_major_arguments::of_given(const at::Tensor &result) const {
  if (!result.defined() || !result.has_storage()) return result;
  for (const replaced &one : all)
    if (one.stand_in.is_same(result)) return one.given;
  for (const replaced &one : all)
    if (one.whole.storage().is_alias_of(result.storage()))
      return same_view(result, base_of(one.given.storage(), layout_of(one.given.storage().data())));
  return result;
}

c10::IValue row_major_arguments::of_given(const c10::IValue &result) const {
  if (all.empty()) return result;
  auto one = [&](const at::Tensor &tensor) { return of_given(tensor); };
  if (result.isTensor()) return one(result.toTensor());
  return each_tensor(result, one).value_or(result);
}

/* ---- npu_format_cast ---- */

namespace {

const char *format_name(int64_t format) {
  switch (format) {
#define X(name, number) \
  case number: return #name;
    SK_TORCH_FORMATS(X)
#undef X
    default: return nullptr;
  }
}

/* Formats that differ in nothing but their name: elements stand row-major. */
bool is_base_format(int64_t format) { return format == 0 || format == 1 || format == SK_ND || format == 30; }

void check_format(int64_t format) {
  constexpr const char *simulated = "0 NCHW, 1 NHWC, 2 ND, 29 FRACTAL_NZ, 30 NCDHW";
  TORCH_CHECK_VALUE(format >= 0 && format_name(format) != nullptr, "npu_format_cast: acl_format ", format, " is no format; legal: ", simulated);
  TORCH_CHECK_NOT_IMPLEMENTED(is_base_format(format) || format == SK_FRACTAL_NZ, "npu_format_cast: acl_format ", format, " (", format_name(format),
                              ") is not simulated; legal: ", simulated,
                              is_private_format(format) ? "; FRACTAL_NZ with other columns per fractal comes by customize_dtype" : "");
}

at::Tensor to_base_format(const at::Tensor &self, int64_t format) {
  sk_tensor unused;
  at::Tensor result;
  if (describe_private(self, &unused)) {
    result = empty_on_device(self.sizes(), self.scalar_type());
    operator_call call("TransData");
    call.input(self).integer("acl_format", SK_ND).launch(result);
  } else {
    result = row_major(self).clone();
  }
  set_base_format(result.storage().data(), format);
  return result;
}

at::Tensor format_cast(const at::Tensor &self, int64_t acl_format, std::optional<int64_t> customize_dtype, std::optional<int64_t> input_dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(!input_dtype.has_value(), "npu_format_cast: input_dtype is not simulated; legal: None");
  check_format(acl_format);
  int64_t now = format_of(self.storage().data());
  if (is_private_format(now)) {
    TORCH_CHECK(self.is_contiguous(), "npu_format_cast: self is a view of a tensor in ", format_name(now),
                " that is not contiguous; call .contiguous() first");
    if (is_base_format(acl_format)) return to_base_format(self, acl_format);
    TORCH_CHECK(now == acl_format && !customize_dtype.has_value(), "npu_format_cast: unsupported cast from ", format_name(now), " to ",
                format_name(acl_format), customize_dtype.has_value() ? " with customize_dtype" : "", "; cast to 2 (ND) first");
    return self;
  }
  if (is_base_format(acl_format)) { /* another name for the same bytes */
    set_base_format(self.storage().data(), acl_format);
    return self;
  }
  if (self.dim() < 2) return self; /* no matrix */
  operator_call call("TransData");
  call.input(self).integer("acl_format", acl_format);
  if (customize_dtype.has_value()) {
    sk_dtype type = SK_FLOAT;
    bool known = *customize_dtype >= 0 && *customize_dtype < int64_t(at::ScalarType::NumOptions) && library_dtype(at::ScalarType(*customize_dtype), &type);
    TORCH_CHECK_NOT_IMPLEMENTED(known, "npu_format_cast: customize_dtype ", *customize_dtype, " is not simulated; legal: None, or a dtype of 1, 2 or 4 bytes");
    call.integer("customize_dtype", type);
  }
  return call.launch()[0];
}

/* As the other tensor is stored. */
at::Tensor format_cast_like(const at::Tensor &self, const at::Tensor &dst) {
  int64_t format = format_of(dst.storage().data()), now = format_of(self.storage().data());
  if (now == format) return self;
  if (!is_private_format(format)) return format_cast(self, format, std::nullopt, std::nullopt);
  TORCH_CHECK(!is_private_format(now), "npu_format_cast: unsupported cast from ", format_name(now), " to ", format_name(format), "; cast to 2 (ND) first");
  if (self.dim() < 2) return self;
  operator_call call("TransData");
  call.input(self);
  ask_for(call, format);
  return call.launch()[0];
}

/* The tensor gets another storage; other views of the old one keep that. */
at::Tensor &format_cast_in_place(at::Tensor &self, int64_t acl_format) {
  at::Tensor result = format_cast(self, acl_format, std::nullopt, std::nullopt);
  return result.is_same(self) ? self : at::cpu::set_(self, result);
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(npu, m) {
  m.def("npu_format_cast(Tensor self, int acl_format, *, int? customize_dtype=None, int? input_dtype=None) -> Tensor");
  m.def("npu_format_cast.Tensor(Tensor self, Tensor dst) -> Tensor");
  m.def("npu_format_cast_(Tensor(a!) self, int acl_format) -> Tensor(a!)");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) {
  m.impl("npu_format_cast", format_cast);
  m.impl("npu_format_cast.Tensor", format_cast_like);
  m.impl("npu_format_cast_", format_cast_in_place);
}

}  // namespace sk_torch
