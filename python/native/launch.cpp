/* launch.cpp - tensors as the operator library describes them; planning, memory, launch. */
#include "launch.h"

#include "formats.h"

#include <cstring>

namespace sk_torch {

#define DTYPES(X)                                                                                                    \
  X(SK_FLOAT, at::kFloat) X(SK_FLOAT16, at::kHalf) X(SK_INT8, at::kChar) X(SK_INT32, at::kInt) X(SK_UINT8, at::kByte) \
  X(SK_INT16, at::kShort) X(SK_INT64, at::kLong) X(SK_UINT64, at::kUInt64) X(SK_BOOL, at::kBool) X(SK_BF16, at::kBFloat16)

bool library_dtype(at::ScalarType type, sk_dtype *out) {
  switch (type) {
#define X(library, torch) \
  case torch: *out = library; return true;
    DTYPES(X)
#undef X
    default: return false;
  }
}

at::ScalarType torch_dtype(sk_dtype type) {
  switch (type) {
#define X(library, torch) \
  case library: return torch;
    DTYPES(X)
#undef X
  }
  TORCH_CHECK(false, "dtype ", int(type), " of the operator library is unknown");
}

operator_call::operator_call(const char *name) : op(sk_operator_find(name)) {
  TORCH_CHECK(op != nullptr, "the operator library has no ", name);
}

operator_call &operator_call::input(const at::Tensor &tensor) {
  if (!tensor.defined()) {
    inputs.push_back(nullptr);
    return *this;
  }
  sk_tensor t = {};
  at::Tensor dense = tensor.contiguous();
  if (inputs.size() < op->input_count && op->inputs[inputs.size()].may_be_nz && describe_private(dense, &t)) {
    tensors.push_back(dense);
    described.push_back(t);
    inputs.push_back(&described.back());
    return *this;
  }
  dense = row_major(dense);
  if (!library_dtype(dense.scalar_type(), &t.dtype)) foreign = c10::str("is ", dense.scalar_type());
  if (dense.dim() > SK_MAX_RANK) foreign = c10::str("has ", dense.dim(), " dimensions");
  if (dense.is_conj() || dense.is_neg()) foreign = "is a lazy conjugate or negative";
  t.data = const_cast<void *>(dense.const_data_ptr());
  t.format = SK_ND;
  t.rank = uint32_t(dense.dim());
  for (uint32_t i = 0; i < t.rank && i < SK_MAX_RANK; i++) t.shape[i] = dense.size(i);
  tensors.push_back(dense);
  described.push_back(t);
  inputs.push_back(&described.back());
  return *this;
}

operator_call &operator_call::integer(const char *name, int64_t value) {
  attributes.push_back({name, SK_INTEGER, value, 0.0});
  return *this;
}

operator_call &operator_call::real(const char *name, double value) {
  attributes.push_back({name, SK_REAL, 0, value});
  return *this;
}

int operator_call::plan() {
  outputs.assign(op->output_count, sk_tensor{});
  core_limit limit = current_limit();
  call = {};
  call.inputs = inputs.data();
  call.input_count = uint32_t(inputs.size());
  call.outputs = outputs.data();
  call.output_count = op->output_count;
  call.attributes = attributes.data();
  call.attribute_count = uint32_t(attributes.size());
  call.blocks = std::strncmp(op->kernel_type, "AIV", 3) == 0 ? limit.aiv : limit.aic;
  call.stream = current_handle();
  return sk_operator_plan(op, &call);
}

bool operator_call::legal() {
  if (!foreign.empty()) return false;
  bool good = plan() == ACL_SUCCESS;
  if (!good) (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  return good;
}

/* Memory for a result as the plan describes it. */
static at::Tensor new_output(const sk_tensor &out) {
  at::IntArrayRef sizes(out.shape, out.rank);
  if (!is_private_format(out.format)) return empty_on_device(sizes, torch_dtype(out.dtype));
  at::Tensor padded = empty_on_device({int64_t(sk_tensor_bytes(&out) / sk_dtype_bytes(out.dtype))}, torch_dtype(out.dtype));
  padded.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  set_layout(padded.storage().data(), {out.format, padded.scalar_type(), sizes.vec()});
  return padded;
}

std::vector<at::Tensor> operator_call::launch(const at::Tensor &into) {
  TORCH_CHECK(foreign.empty(), op->torch_name, ": an argument ", foreign, ", which is not simulated");
  check_acl(plan(), op->torch_name);
  std::vector<at::Tensor> made;
  for (sk_tensor &out : outputs) {
    at::Tensor result = made.empty() && into.defined() ? into : new_output(out);
    out.data = result.mutable_data_ptr();
    made.push_back(result);
  }
  at::Tensor workspace;
  if (call.workspace_bytes > 0) {
    workspace = empty_on_device({int64_t(call.workspace_bytes)}, at::kByte);
    call.workspace = workspace.mutable_data_ptr();
  }
  check_acl(sk_operator_launch(op, &call), op->torch_name);
  return made;
}

}  // namespace sk_torch
