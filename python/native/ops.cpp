/* ops.cpp - operators of the namespace npu: schemas, and the calls of the operator library behind them. */
#include <ATen/ExpandUtils.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "device.h"
#include "formats.h"
#include "launch.h"

namespace sk_torch {
namespace {

constexpr int64_t dtype_int8 = 1, dtype_quint4x2 = 16, dtype_int4 = 285; /* as `int? dst_type` numbers them */

const at::Tensor &on_npu(const at::Tensor &tensor, const char *op, const char *name) {
  TORCH_CHECK(tensor.device().type() == device_type, op, ": Expected all tensors to be on the same device. Expected NPU tensor, but ", name,
              " is on ", tensor.device(), "; move it with .npu()");
  return tensor;
}

/* Operators take dense rows. */
at::Tensor dense(const at::Tensor &tensor, const char *op, const char *name) { return row_major(on_npu(tensor, op, name).contiguous()); }

sk_dtype dtype_of(const at::Tensor &tensor, const char *op, const char *name, bool with_float) {
  switch (tensor.scalar_type()) {
    case at::kHalf: return SK_FLOAT16;
    case at::kBFloat16: return SK_BF16;
    case at::kFloat:
      if (with_float) return SK_FLOAT;
      break;
    default: break;
  }
  TORCH_CHECK(false, op, ": ", name, " has dtype ", tensor.scalar_type(), "; legal: ", with_float ? "float32, " : "", "float16, bfloat16");
}

uint32_t count32(int64_t value, const char *op, const char *name) {
  TORCH_CHECK(value >= 0 && value <= INT32_MAX, op, ": ", name, " is ", value, "; legal: 0 to ", INT32_MAX);
  return uint32_t(value);
}

std::vector<int64_t> with_last(at::IntArrayRef sizes, int64_t last) {
  std::vector<int64_t> out = sizes.vec();
  out.back() = last;
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> moe_gating_top_k_softmax(const at::Tensor &x, const std::optional<at::Tensor> &finished, int64_t k) {
  const char *op = "npu_moe_gating_top_k_softmax";
  TORCH_CHECK(x.dim() == 2 || x.dim() == 3, op, ": x must be 2-D or 3-D, got ", x.dim(), "-D");
  int64_t experts = x.size(-1);
  TORCH_CHECK(k > 0 && k <= experts && k <= 1024, op, ": k is ", k, "; legal: 1 to the last dimension of x (", experts, "), at most 1024");
  sk_dtype dtype = dtype_of(x, op, "x", true);
  at::Tensor rows = dense(x, op, "x"), flags;
  if (finished.has_value() && finished->defined()) {
    TORCH_CHECK(finished->scalar_type() == at::kBool, op, ": finished has dtype ", finished->scalar_type(), "; legal: bool");
    TORCH_CHECK(finished->sizes() == x.sizes().slice(0, size_t(x.dim()) - 1), op, ": finished has shape ", finished->sizes(),
                "; it must be that of x without the last dimension, ", x.sizes().slice(0, size_t(x.dim()) - 1));
    flags = dense(*finished, op, "finished");
  }
  std::vector<int64_t> shape = with_last(x.sizes(), k);
  at::Tensor y = empty_on_device(shape, x.scalar_type()), expert_idx = empty_on_device(shape, at::kInt), row_idx = empty_on_device(shape, at::kInt);
  int64_t count = experts > 0 ? x.numel() / experts : 0;
  check_acl(sk_moe_gating_top_k_softmax(rows.const_data_ptr(), flags.defined() ? static_cast<const uint8_t *>(flags.const_data_ptr()) : nullptr,
                                        y.mutable_data_ptr(), static_cast<int32_t *>(expert_idx.mutable_data_ptr()),
                                        static_cast<int32_t *>(row_idx.mutable_data_ptr()), count32(count, op, "the number of rows"),
                                        count32(experts, op, "the last dimension of x"), uint32_t(k), dtype, current_limit().aiv, current_handle()),
            op);
  return {y, expert_idx, row_idx};
}

std::tuple<at::Tensor, at::Tensor> dynamic_quant(const at::Tensor &input, const std::optional<at::Tensor> &smooth_scales,
                                                 const std::optional<at::Tensor> &group_index, std::optional<int64_t> dst_type,
                                                 c10::string_view quant_mode, double dst_type_max) {
  const char *op = "npu_dynamic_quant";
  int64_t type = dst_type.value_or(dtype_int8);
  bool int4 = type == dtype_quint4x2 || type == dtype_int4;
  TORCH_CHECK(type == dtype_int8 || int4, op, ": dst_type ", type, " is not simulated; legal: 1 (int8), 16 (quint4x2)");
  TORCH_CHECK(quant_mode == "pertoken", op, ": quant_mode '", quant_mode, "' is not simulated; legal: 'pertoken'");
  TORCH_CHECK(dst_type_max == 0.0, op, ": dst_type_max ", dst_type_max, " is not simulated; legal: 0.0");
  TORCH_CHECK(input.dim() >= 2, op, ": input must have at least 2 dimensions, got ", input.dim());
  sk_dtype dtype = dtype_of(input, op, "input", false);
  int64_t columns = input.size(-1);
  TORCH_CHECK(columns > 0, op, ": the last dimension of input is 0");
  TORCH_CHECK(!int4 || columns % 8 == 0, op, ": the last dimension of input is ", columns, "; for int4 it must be a multiple of 8");
  at::Tensor rows = dense(input, op, "input"), smooth, ends;
  int64_t groups = 1;
  if (group_index.has_value() && group_index->defined()) {
    TORCH_CHECK(smooth_scales.has_value() && smooth_scales->defined(), op, ": group_index needs smooth_scales");
    TORCH_CHECK(group_index->dim() == 1 && group_index->scalar_type() == at::kInt, op, ": group_index must be a 1-D int32 tensor");
    ends = dense(*group_index, op, "group_index");
    groups = ends.size(0);
  }
  if (smooth_scales.has_value() && smooth_scales->defined()) {
    TORCH_CHECK(smooth_scales->scalar_type() == input.scalar_type(), op, ": smooth_scales has dtype ", smooth_scales->scalar_type(),
                "; it must be that of input, ", input.scalar_type());
    bool fits = smooth_scales->dim() >= 1 && smooth_scales->size(-1) == columns && smooth_scales->numel() == groups * columns;
    TORCH_CHECK(fits, op, ": smooth_scales has shape ", smooth_scales->sizes(), "; it must be ",
                ends.defined() ? "(groups, last dimension of input)" : "(last dimension of input)", " with last dimension ", columns);
    smooth = dense(*smooth_scales, op, "smooth_scales");
  }
  at::Tensor y = int4 ? empty_on_device(with_last(input.sizes(), columns / 8), at::kInt) : empty_on_device(input.sizes(), at::kChar);
  at::Tensor scale = empty_on_device(input.sizes().slice(0, size_t(input.dim()) - 1), at::kFloat);
  check_acl(sk_dynamic_quant(rows.const_data_ptr(), smooth.defined() ? smooth.const_data_ptr() : nullptr,
                             ends.defined() ? static_cast<const int32_t *>(ends.const_data_ptr()) : nullptr, y.mutable_data_ptr(),
                             static_cast<float *>(scale.mutable_data_ptr()), count32(input.numel() / columns, op, "the number of rows"),
                             count32(columns, op, "the last dimension of input"), ends.defined() ? count32(groups, op, "the number of groups") : 0,
                             dtype, int4 ? 4 : 8, current_limit().aiv, current_handle()),
            op);
  return {y, scale};
}

at::Tensor given(const std::optional<at::Tensor> &tensor, const char *op, const char *name) {
  return tensor.has_value() && tensor->defined() ? on_npu(*tensor, op, name) : at::Tensor();
}

/* Arguments of schemas that a kernel has only one value for. */
void check_absent(bool absent, const char *op, const char *name, const char *legal) {
  TORCH_CHECK(absent, op, ": ", name, " is not simulated; legal: ", legal);
}

std::tuple<at::Tensor, at::Tensor> dequant_swiglu_quant(
    const at::Tensor &x, const std::optional<at::Tensor> &weight_scale, const std::optional<at::Tensor> &activation_scale,
    const std::optional<at::Tensor> &bias, const std::optional<at::Tensor> &quant_scale, const std::optional<at::Tensor> &quant_offset,
    const std::optional<at::Tensor> &group_index, bool activate_left, int64_t quant_mode, std::optional<int64_t> dst_type,
    std::optional<int64_t> round_mode, std::optional<int64_t> activate_dim, int64_t swiglu_mode, double clamp_limit, double glu_alpha,
    double glu_bias) {
  const char *op = "npu_dequant_swiglu_quant";
  check_absent(dst_type.value_or(dtype_int8) == dtype_int8, op, "dst_type", "None, 1 (int8)");
  check_absent(round_mode.value_or(0) == 0, op, "round_mode", "None, 0 (rint)");
  int64_t dim = activate_dim.value_or(-1);
  check_absent(dim == -1 || dim == x.dim() - 1, op, "activate_dim", "None, the last dimension");
  operator_call call("DequantSwigluQuant");
  call.input(on_npu(x, op, "x"));
  for (const auto &[scale, name] : {std::make_pair(&weight_scale, "weight_scale"), std::make_pair(&activation_scale, "activation_scale")}) {
    at::Tensor scales = given(*scale, op, name);
    bool unused = scales.defined() && x.is_floating_point(); /* what is no integer needs no dequantisation */
    TORCH_CHECK(!unused || at::is_expandable_to(scales.sizes(), x.sizes()), op, ": ", name, " has shape ", scales.sizes(),
                "; it must broadcast to that of x, ", x.sizes());
    call.input(unused ? at::Tensor() : scales);
  }
  call.input(given(bias, op, "bias")).input(given(quant_scale, op, "quant_scale")).input(given(quant_offset, op, "quant_offset"));
  call.input(given(group_index, op, "group_index"));
  call.integer("activate_left", activate_left).integer("quant_mode", quant_mode).integer("swiglu_mode", swiglu_mode);
  call.real("clamp_limit", clamp_limit).real("glu_alpha", glu_alpha).real("glu_bias", glu_bias);
  std::vector<at::Tensor> out = call.launch();
  return {out[0], out[1]};
}

at::Tensor quant_matmul(const at::Tensor &x1, const at::Tensor &x2, const at::Tensor &scale, const std::optional<at::Tensor> &offset,
                        const std::optional<at::Tensor> &pertoken_scale, const std::optional<at::Tensor> &bias,
                        std::optional<int64_t> output_dtype, std::optional<int64_t> x1_dtype, std::optional<int64_t> x2_dtype,
                        std::optional<int64_t> pertoken_scale_dtype, std::optional<int64_t> scale_dtype, at::OptionalIntArrayRef group_sizes,
                        const std::optional<at::Tensor> &y_scale) {
  const char *op = "npu_quant_matmul";
  check_absent(!x1_dtype.has_value(), op, "x1_dtype", "None");
  check_absent(!x2_dtype.has_value(), op, "x2_dtype", "None");
  check_absent(!pertoken_scale_dtype.has_value(), op, "pertoken_scale_dtype", "None");
  check_absent(!scale_dtype.has_value(), op, "scale_dtype", "None");
  check_absent(!group_sizes.has_value(), op, "group_sizes", "None");
  check_absent(!y_scale.has_value() || !y_scale->defined(), op, "y_scale", "None");
  int64_t number = output_dtype.value_or(dtype_int8);
  sk_dtype type = SK_INT8;
  TORCH_CHECK(number >= 0 && number < int64_t(at::ScalarType::NumOptions) && library_dtype(at::ScalarType(number), &type), op,
              ": output_dtype ", number, " is not simulated; legal: int8, float16, bfloat16, int32");
  operator_call call("QuantBatchMatmulV3");
  auto matrix = [&](const at::Tensor &tensor, const char *name, const char *attribute) {
    at::Tensor other = on_npu(tensor, op, name).dim() >= 2 ? tensor.transpose(-2, -1) : tensor;
    bool transposed = !tensor.is_contiguous() && other.is_contiguous();
    call.input(transposed ? other : tensor).integer(attribute, transposed);
  };
  matrix(x1, "x1", "transpose_x1");
  matrix(x2, "x2", "transpose_x2");
  call.input(on_npu(scale, op, "scale")).input(given(offset, op, "offset")).input(given(pertoken_scale, op, "pertoken_scale"));
  call.input(given(bias, op, "bias")).integer("output_dtype", int64_t(type));
  return call.launch()[0];
}

at::Tensor trans_quant_param(const at::Tensor &scale, const std::optional<at::Tensor> &offset, std::optional<int64_t> round_mode) {
  const char *op = "npu_trans_quant_param";
  operator_call call("TransQuantParamV2");
  call.input(on_npu(scale, op, "scale")).input(given(offset, op, "offset")).integer("round_mode", round_mode.value_or(0));
  return call.launch()[0];
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(npu, m) {
  m.def("npu_trans_quant_param(Tensor scale, Tensor? offset=None, int? round_mode=0) -> Tensor");
  m.def(
      "npu_dequant_swiglu_quant(Tensor x, *, Tensor? weight_scale=None, Tensor? activation_scale=None, Tensor? bias=None, "
      "Tensor? quant_scale=None, Tensor? quant_offset=None, Tensor? group_index=None, bool activate_left=False, int quant_mode=0, "
      "int? dst_type=None, int? round_mode=None, int? activate_dim=None, int swiglu_mode=0, float clamp_limit=7.0, "
      "float glu_alpha=1.702, float glu_bias=1.0) -> (Tensor, Tensor)");
  m.def(
      "npu_quant_matmul(Tensor x1, Tensor x2, Tensor scale, *, Tensor? offset=None, Tensor? pertoken_scale=None, Tensor? bias=None, "
      "int? output_dtype=None, int? x1_dtype=None, int? x2_dtype=None, int? pertoken_scale_dtype=None, int? scale_dtype=None, "
      "int[]? group_sizes=None, Tensor? y_scale=None) -> Tensor");
  m.def("npu_moe_gating_top_k_softmax(Tensor x, Tensor? finished=None, int k=1) -> (Tensor, Tensor, Tensor)");
  m.def(
      "npu_dynamic_quant(Tensor input, *, Tensor? smooth_scales=None, Tensor? group_index=None, int? dst_type=None, "
      "str quant_mode=\"pertoken\", float dst_type_max=0.0) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, m) {
  m.impl("npu_moe_gating_top_k_softmax", moe_gating_top_k_softmax);
  m.impl("npu_dynamic_quant", dynamic_quant);
  m.impl("npu_dequant_swiglu_quant", dequant_swiglu_quant);
  m.impl("npu_quant_matmul", quant_matmul);
  m.impl("npu_trans_quant_param", trans_quant_param);
}

}  // namespace sk_torch
