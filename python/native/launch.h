/* launch.h - a call of the operator library on tensors of PyTorch. */
#ifndef SK_PYTHON_LAUNCH_H
#define SK_PYTHON_LAUNCH_H

#include <deque>

#include "device.h"
#include "superkernel/ops.h"

namespace sk_torch {

/* The library's number of a dtype, and back; false for what it does not have. */
bool library_dtype(at::ScalarType type, sk_dtype *out);
at::ScalarType torch_dtype(sk_dtype type);

/* One use of an operator: inputs and attributes in, outputs of the library's shape and type out. */
class operator_call {
 public:
  /* name: GE type. Throws where the library has no such operator. */
  explicit operator_call(const char *name);
  /* Made contiguous, and row-major unless the operator reads the private format; not defined = not given. */
  operator_call &input(const at::Tensor &tensor);
  operator_call &input(const std::optional<at::Tensor> &tensor) { return input(tensor.value_or(at::Tensor())); }
  operator_call &integer(const char *name, int64_t value);
  operator_call &real(const char *name, double value);
  /* Whether the library takes this call; nothing is launched. */
  bool legal();
  /* Queues it. Results are new tensors, except the first when `into` is given, which must be contiguous and stored as the
   * plan says. */
  std::vector<at::Tensor> launch(const at::Tensor &into = {});

 private:
  int plan();
  const sk_operator *op;
  std::vector<at::Tensor> tensors;
  std::deque<sk_tensor> described;
  std::vector<const sk_tensor *> inputs;
  std::vector<sk_attribute> attributes;
  std::vector<sk_tensor> outputs;
  sk_call call = {};
  std::string foreign; /* what of an argument the library does not have */
};

}  // namespace sk_torch

#endif
