/* formats.h - tensors whose storage is in a private format, FRACTAL_NZ. Operators that know it read it as it is; all
 * others get a row-major image that TransData makes, and what they wrote there is brought back by TransData. */
#ifndef SK_PYTHON_FORMATS_H
#define SK_PYTHON_FORMATS_H

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "device.h"
#include "superkernel/ops.h"

namespace sk_torch {

/* Every format that has a name: X(name, aclFormat number). */
#define SK_TORCH_FORMATS(X)                                                                                                       \
  X(UNDEFINED, -1) X(NCHW, 0) X(NHWC, 1) X(ND, 2) X(NC1HWC0, 3) X(FRACTAL_Z, 4) X(NC1HWC0_C04, 12) X(HWCN, 16) X(NDHWC, 27)        \
  X(FRACTAL_NZ, 29) X(NCDHW, 30) X(NDC1HWC0, 32) X(FRACTAL_Z_3D, 33) X(NC, 35) X(NCL, 47) X(NZ_C0_16, 50) X(NZ_C0_32, 51)           \
  X(NZ_C0_2, 52) X(NZ_C0_4, 53) X(NZ_C0_8, 54)

bool is_private(const at::Tensor &tensor);

/* The same values, sizes and strides in row-major storage; a tensor that is row-major is returned as it is. */
at::Tensor row_major(const at::Tensor &tensor);

/* Fills data, format and shape for an operator that reads FRACTAL_NZ; false where the tensor is not in it, or not made
 * of whole matrices of its storage. */
bool describe_private(const at::Tensor &tensor, sk_tensor *out);

/* A tensor in a private format, for somebody who writes it row-major. */
class written_image {
 public:
  /* Holds the old values too, unless all of them will be written. */
  explicit written_image(const at::Tensor &of, bool all_written = false);
  /* Sizes and strides of the tensor, row-major. */
  at::Tensor tensor;
  /* Brings the image's values back. */
  void store();

 private:
  c10::Storage target;
  at::Tensor whole;
};

/* Arguments of an operator that knows no private format: images stand in their places. */
class row_major_arguments {
 public:
  row_major_arguments(const c10::FunctionSchema &schema, torch::jit::Stack &arguments);
  /* Brings back what the operator wrote. */
  void store();
  /* A result in terms of the arguments that were given, where it is one of them or a view of one. */
  c10::IValue of_given(const c10::IValue &result) const;

 private:
  struct replaced {
    at::Tensor given, whole, stand_in;
    bool written;
  };
  at::Tensor replace(const at::Tensor &given, bool written);
  at::Tensor of_given(const at::Tensor &result) const;
  std::vector<replaced> all;
};

}  // namespace sk_torch

#endif
