/* aten_ops.cpp - aten operators that the operator library has a kernel for; what it does not take runs on the CPU. */
#include <ATen/ExpandUtils.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_int_mm_ops.h>
#include <ATen/ops/add.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/isinf_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/zero_ops.h>
#include <torch/library.h>

#include "formats.h"
#include "launch.h"
#include "views.h"

namespace sk_torch {
namespace {

template <class Op> using on_cpu = at::native::call_fallback_fn<&run_on_cpu, Op>;

bool on_device(const at::Tensor &tensor) { return tensor.device().type() == device_type; }
bool is_number(const at::Tensor &tensor) { return tensor.is_cpu() && tensor.dim() == 0; }

/* ---- sums, differences, products ---- */

/* self op other of one dtype, other a number or broadcast to the shape of self; false: not for the library. */
bool elementwise(operator_call &call, const at::Tensor &self, const at::Tensor &other, const at::Scalar *alpha) {
  if (!on_device(self) || self.numel() == 0) return false;
  bool whole = at::isIntegralType(self.scalar_type(), true);
  call.input(self);
  if (is_number(other)) {
    at::Scalar value = other.item();
    if (value.isComplex() || (whole && !value.isIntegral(true)) || self.scalar_type() == at::kBool) return false;
    if (!other.unsafeGetTensorImpl()->is_wrapped_number() && other.scalar_type() != self.scalar_type()) return false;
    if (whole) call.integer("scalar", value.toLong());
    else call.real("scalar", value.toDouble());
  } else {
    if (!on_device(other) || other.scalar_type() != self.scalar_type()) return false;
    if (other.dim() > self.dim()) return false;
    call.input(other);
  }
  if (alpha == nullptr) return call.legal();
  if (alpha->isComplex() || (whole && !alpha->isIntegral(true))) return false;
  if (whole) call.integer("alpha", alpha->toLong());
  else call.real("alpha", alpha->toDouble());
  return call.legal();
}

/* Sums and products may change sides, so that the one with more elements stands on the left. */
bool other_is_larger(const at::Tensor &self, const at::Tensor &other) { return on_device(other) && other.numel() > self.numel(); }

at::Tensor add(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha) {
  if (alpha.equal(1) && other_is_larger(self, other)) {
    operator_call swapped("Add");
    if (elementwise(swapped, other, self, nullptr)) return swapped.launch()[0];
  }
  operator_call call("Add");
  return elementwise(call, self, other, &alpha) ? call.launch()[0] : on_cpu<at::_ops::add_Tensor>::call(self, other, alpha);
}
at::Tensor sub(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha) {
  operator_call call("Sub");
  return elementwise(call, self, other, &alpha) ? call.launch()[0] : on_cpu<at::_ops::sub_Tensor>::call(self, other, alpha);
}
at::Tensor mul(const at::Tensor &self, const at::Tensor &other) {
  if (other_is_larger(self, other)) {
    operator_call swapped("Mul");
    if (elementwise(swapped, other, self, nullptr)) return swapped.launch()[0];
  }
  operator_call call("Mul");
  return elementwise(call, self, other, nullptr) ? call.launch()[0] : on_cpu<at::_ops::mul_Tensor>::call(self, other);
}

template <class F> at::Tensor &by_image(at::Tensor &self, F write) {
  written_image image(self);
  write(image.tensor);
  image.store();
  return self;
}

at::Tensor &add_(at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha) {
  if (is_private(self)) return by_image(self, [&](at::Tensor &image) { image.add_(other, alpha); });
  operator_call call("Add");
  if (!self.is_contiguous() || !elementwise(call, self, other, &alpha)) return on_cpu<at::_ops::add__Tensor>::call(self, other, alpha);
  call.launch(self);
  return self;
}
at::Tensor &sub_(at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha) {
  if (is_private(self)) return by_image(self, [&](at::Tensor &image) { image.sub_(other, alpha); });
  operator_call call("Sub");
  if (!self.is_contiguous() || !elementwise(call, self, other, &alpha)) return on_cpu<at::_ops::sub__Tensor>::call(self, other, alpha);
  call.launch(self);
  return self;
}
at::Tensor &mul_(at::Tensor &self, const at::Tensor &other) {
  if (is_private(self)) return by_image(self, [&](at::Tensor &image) { image.mul_(other); });
  operator_call call("Mul");
  if (!self.is_contiguous() || !elementwise(call, self, other, nullptr)) return on_cpu<at::_ops::mul__Tensor>::call(self, other);
  call.launch(self);
  return self;
}

/* Whether a result can be written there at once: memory of its shape and type, apart from what is read unless it is that. */
bool takes(const at::Tensor &out, at::IntArrayRef sizes, at::ScalarType type, std::initializer_list<at::Tensor> read) {
  if (!on_device(out) || is_private(out) || !out.is_contiguous() || out.sizes() != sizes || out.scalar_type() != type) return false;
  for (const at::Tensor &tensor : read)
    if (on_device(tensor) && tensor.is_alias_of(out) && !tensor.is_same(out)) return false;
  return true;
}

at::Tensor &add_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha, at::Tensor &out) {
  bool swap = alpha.equal(1) && other_is_larger(self, other);
  const at::Tensor &left = swap ? other : self, &right = swap ? self : other;
  operator_call call("Add");
  bool fits = takes(out, left.sizes(), left.scalar_type(), {self, other}) && elementwise(call, left, right, swap ? nullptr : &alpha);
  if (!fits) return on_cpu<at::_ops::add_out>::call(self, other, alpha, out);
  call.launch(out);
  return out;
}
at::Tensor &sub_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha, at::Tensor &out) {
  operator_call call("Sub");
  bool fits = takes(out, self.sizes(), self.scalar_type(), {self, other}) && elementwise(call, self, other, &alpha);
  if (!fits) return on_cpu<at::_ops::sub_out>::call(self, other, alpha, out);
  call.launch(out);
  return out;
}
at::Tensor &mul_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out) {
  bool swap = other_is_larger(self, other);
  const at::Tensor &left = swap ? other : self, &right = swap ? self : other;
  operator_call call("Mul");
  bool fits = takes(out, left.sizes(), left.scalar_type(), {self, other}) && elementwise(call, left, right, nullptr);
  if (!fits) return on_cpu<at::_ops::mul_out>::call(self, other, out);
  call.launch(out);
  return out;
}

/* ---- one argument ---- */

at::Tensor isinf(const at::Tensor &self) {
  operator_call call("IsInf");
  call.input(self);
  return self.numel() > 0 && call.legal() ? call.launch()[0] : on_cpu<at::_ops::isinf>::call(self);
}

at::Tensor pow(const at::Tensor &self, const at::Scalar &exponent) {
  operator_call call("Pows");
  bool real = !exponent.isComplex() && self.numel() > 0;
  if (real) call.input(self).real("exponent", exponent.toDouble());
  return real && call.legal() ? call.launch()[0] : on_cpu<at::_ops::pow_Tensor_Scalar>::call(self, exponent);
}

at::Tensor &zero_(at::Tensor &self) {
  if (self.numel() == 0) return self;
  if (is_private(self)) return by_image(self, [](at::Tensor &image) { image.zero_(); });
  if (!self.is_non_overlapping_and_dense()) return on_cpu<at::_ops::zero_>::call(self);
  check_acl(aclrtMemsetAsync(self.mutable_data_ptr(), self.nbytes(), 0, self.nbytes(), current_handle()), "aclrtMemsetAsync");
  return self;
}

/* ---- products of matrices ---- */

/* The tensor the library reads: the matrix itself, or the one it is the transpose of. */
at::Tensor stored(const at::Tensor &matrix, int64_t *transposed) {
  at::Tensor other = matrix.transpose(-2, -1);
  *transposed = !matrix.is_contiguous() && other.is_contiguous();
  return *transposed ? other : matrix;
}

bool product(operator_call &call, const at::Tensor &self, const at::Tensor &mat2, bool whole) {
  if (!on_device(self) || !on_device(mat2) || self.numel() == 0 || mat2.numel() == 0) return false;
  if (self.scalar_type() != mat2.scalar_type() || (self.scalar_type() == at::kChar) != whole) return false;
  int64_t x1 = 0, x2 = 0;
  at::Tensor a = stored(self, &x1), b = stored(mat2, &x2);
  if (b.scalar_type() == at::kFloat) b = row_major(b); /* FRACTAL_NZ is for narrower types */
  call.input(a).input(b).integer("transpose_x1", x1).integer("transpose_x2", x2);
  return call.legal();
}

at::Tensor mm(const at::Tensor &self, const at::Tensor &mat2) {
  operator_call call("BatchMatMulV3");
  return product(call, self, mat2, false) ? call.launch()[0] : on_cpu<at::_ops::mm>::call(self, mat2);
}
at::Tensor bmm(const at::Tensor &self, const at::Tensor &mat2) {
  operator_call call("BatchMatMulV3");
  return product(call, self, mat2, false) ? call.launch()[0] : on_cpu<at::_ops::bmm>::call(self, mat2);
}
at::Tensor &mm_out(const at::Tensor &self, const at::Tensor &mat2, at::Tensor &out) {
  operator_call call("BatchMatMulV3");
  bool apart = !self.is_alias_of(out) && !mat2.is_alias_of(out);
  bool fits = apart && takes(out, {self.size(0), mat2.size(-1)}, self.scalar_type(), {}) && product(call, self, mat2, false);
  if (!fits) return on_cpu<at::_ops::mm_out>::call(self, mat2, out);
  call.launch(out);
  return out;
}
at::Tensor &bmm_out(const at::Tensor &self, const at::Tensor &mat2, at::Tensor &out) {
  operator_call call("BatchMatMulV3");
  bool apart = !self.is_alias_of(out) && !mat2.is_alias_of(out);
  bool fits = apart && takes(out, {self.size(0), self.size(1), mat2.size(-1)}, self.scalar_type(), {}) && product(call, self, mat2, false);
  if (!fits) return on_cpu<at::_ops::bmm_out>::call(self, mat2, out);
  call.launch(out);
  return out;
}
at::Tensor int_mm(const at::Tensor &self, const at::Tensor &mat2) {
  operator_call call("BatchMatMulV3");
  return product(call, self, mat2, true) ? call.launch()[0] : on_cpu<at::_ops::_int_mm>::call(self, mat2);
}
/* Factors are launches of their own, each with its rounding. */
at::Tensor addmm(const at::Tensor &self, const at::Tensor &mat1, const at::Tensor &mat2, const at::Scalar &beta, const at::Scalar &alpha) {
  operator_call call("BatchMatMulV3");
  bool fits = self.scalar_type() == mat1.scalar_type() && !alpha.isComplex() && !beta.isComplex() && product(call, mat1, mat2, false) &&
              at::is_expandable_to(self.sizes(), {mat1.size(0), mat2.size(1)});
  if (!fits) return on_cpu<at::_ops::addmm>::call(self, mat1, mat2, beta, alpha);
  at::Tensor result = call.launch()[0];
  if (!alpha.equal(1)) result = at::mul(result, alpha);
  return beta.equal(0) ? result : at::add(result, self, beta);
}

}  // namespace

/* Whether it was done: a contiguous copy with a change of type. */
bool cast_on_device(const at::Tensor &from, const at::Tensor &to) {
  sk_dtype type = SK_FLOAT;
  bool plain = from.numel() > 0 && from.is_contiguous() && to.is_contiguous() && from.sizes() == to.sizes() &&
               from.scalar_type() != to.scalar_type() && library_dtype(to.scalar_type(), &type);
  if (!plain) return false;
  operator_call call("Cast");
  call.input(from).integer("dst_type", int64_t(type));
  if (!call.legal()) return false;
  call.launch(to);
  return true;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("add.Tensor", add);
  m.impl("sub.Tensor", sub);
  m.impl("mul.Tensor", mul);
  m.impl("add_.Tensor", add_);
  m.impl("sub_.Tensor", sub_);
  m.impl("mul_.Tensor", mul_);
  m.impl("add.out", add_out);
  m.impl("sub.out", sub_out);
  m.impl("mul.out", mul_out);
  m.impl("mm.out", mm_out);
  m.impl("bmm.out", bmm_out);
  m.impl("isinf", isinf);
  m.impl("pow.Tensor_Scalar", pow);
  m.impl("zero_", zero_);
  m.impl("mm", mm);
  m.impl("bmm", bmm);
  m.impl("_int_mm", int_mm);
  m.impl("addmm", addmm);
}

}  // namespace sk_torch
