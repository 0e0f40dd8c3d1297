/* views.h - operators on device tensors, run by PyTorch's CPU kernels on the same bytes. */
#ifndef SK_PYTHON_VIEWS_H
#define SK_PYTHON_VIEWS_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "device.h"

namespace sk_torch {

at::Generator cpu_generator_of(const at::Generator &of);
at::Generator default_cpu_generator();

/* A list with each of its tensors replaced; nothing when the value is no list of tensors. */
template <typename Replace>
std::optional<c10::IValue> each_tensor(const c10::IValue &value, const Replace &replace) {
  if (value.isTensorList()) {
    c10::List<at::Tensor> out;
    for (const at::Tensor &tensor : value.toTensorVector()) out.push_back(replace(tensor));
    return out;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> out;
    for (const std::optional<at::Tensor> &tensor : value.toOptionalTensorVector())
      out.push_back(tensor.has_value() ? std::optional<at::Tensor>(replace(*tensor)) : tensor);
    return out;
  }
  return std::nullopt;
}

/* Arguments of one call, as the CPU sees them. */
struct cpu_call {
  explicit cpu_call(const c10::OperatorHandle &op) : op(op) {}
  /* Converts the arguments; refuses CPU tensors where the device's are meant. */
  void bind(const torch::jit::Stack &device_arguments);
  /* Runs the operator; results on the CPU. What was pending must have run. */
  void run();
  /* The result as a device tensor: an argument, a view of one, or a copy. */
  c10::IValue to_device(const c10::IValue &result) const;

  const c10::OperatorHandle op;
  std::vector<std::pair<at::Tensor, at::Tensor>> views; /* of the device, of the CPU */
  torch::jit::Stack arguments, results;

 private:
  at::Tensor view_of(const at::Tensor &tensor, bool written);
  c10::IValue convert(const c10::IValue &value, const c10::Argument &argument);
  at::Tensor tensor_to_device(const at::Tensor &result) const;
  std::vector<std::pair<at::Tensor, at::Tensor>> fresh; /* results that the operator may resize */
  bool mixed = false;
};

/* The boxed fallback for everything without a kernel of its own. */
void run_on_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack);

}  // namespace sk_torch

#endif
