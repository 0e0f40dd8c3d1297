/* fallback.cpp - operators without a kernel of ours run by PyTorch's CPU kernels on device memory in place; in
 * a capture they become host tasks, which no SuperKernel takes in. */
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include <mutex>

#include "device.h"
#include "formats.h"
#include "superkernel/device.h"
#include "views.h"

namespace sk_torch {

/* ---- host operators of captured models ---- */

struct capture {
  uint64_t pool;
  std::vector<std::unique_ptr<host_op>> ops;
};

namespace {

thread_local capture *current_capture = nullptr;

std::mutex failures_mutex;
std::string first_failure;

void run_host_op(void *context) {
  auto *op = static_cast<host_op *>(context);
  std::string why;
  try {
    at::AutoDispatchBelowAutograd below;
    op->run();
    return;
  } catch (const c10::Error &error) {
    why = error.what_without_backtrace();
  } catch (const std::exception &error) {
    why = error.what();
  }
  std::lock_guard<std::mutex> hold(failures_mutex);
  if (first_failure.empty()) first_failure = op->name + ": " + why;
}

}  // namespace

void submit_host_op(std::unique_ptr<host_op> op) {
  TORCH_CHECK(current_capture != nullptr, op->name, " runs on the CPU; in a capture begun by aclmdlRICaptureBegin alone this is not possible");
  check_acl(aclrtLaunchHostFunc(current_handle(), run_host_op, op.get()), "aclrtLaunchHostFunc");
  current_capture->ops.push_back(std::move(op));
}

capture *begin_capture(uint64_t pool) {
  TORCH_CHECK(current_capture == nullptr, "this thread captures already");
  retain_pool(pool);
  exchange_pool(pool);
  return current_capture = new capture{pool, {}};
}

void end_capture(capture *of) {
  if (current_capture == of) current_capture = nullptr;
  exchange_pool(0);
}

void free_capture(capture *of) {
  end_capture(of);
  release_pool(of->pool);
  delete of;
}

void rethrow_host_errors() {
  std::string why;
  {
    std::lock_guard<std::mutex> hold(failures_mutex);
    why.swap(first_failure);
  }
  TORCH_CHECK(why.empty(), why);
}

void note_not_simulated(const std::string &name) { sk_device_not_simulated(name.c_str()); }

/* ---- one call, as the CPU sees it ---- */

at::Generator default_cpu_generator() {
  return cpu_generator_of(at::detail::getPrivateUse1Hooks().getDefaultGenerator(0));
}

at::Tensor cpu_call::view_of(const at::Tensor &tensor, bool written) {
  for (const auto &known : views)
    if (known.first.is_same(tensor)) return known.second;
  if (written && tensor.numel() == 0) { /* a result that the operator gives its size */
    at::Tensor result = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
    fresh.emplace_back(tensor, result);
    views.emplace_back(tensor, result);
    return result;
  }
  at::Tensor view = cpu_view(tensor);
  views.emplace_back(tensor, view);
  return view;
}

c10::IValue cpu_call::convert(const c10::IValue &value, const c10::Argument &argument) {
  bool written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  auto one = [&](const at::Tensor &tensor) {
    if (!tensor.defined() || tensor.device().type() != device_type) return tensor;
    return view_of(tensor, written);
  };
  if (value.isTensor()) {
    const at::Tensor &tensor = value.toTensor();
    mixed = mixed || (tensor.defined() && tensor.is_cpu() && tensor.dim() > 0);
    return one(tensor);
  }
  if (std::optional<c10::IValue> list = each_tensor(value, one)) return *list;
  if (value.isDevice() && value.toDevice().type() == device_type) return c10::Device(at::kCPU);
  if (value.isGenerator()) return cpu_generator_of(value.toGenerator());
  if (value.isNone() && argument.name() == "generator") return default_cpu_generator();
  return value;
}

void cpu_call::bind(const torch::jit::Stack &device_arguments) {
  const auto &schema = op.schema().arguments();
  arguments.reserve(schema.size());
  for (size_t i = 0; i < schema.size(); i++) arguments.push_back(convert(device_arguments[i], schema[i]));
  TORCH_CHECK(!mixed || views.empty(), "Expected all tensors to be on the same device, but ", op.schema().name(),
              " got tensors on npu:0 and on the CPU; move the others with .npu()");
}

void cpu_call::run() {
  const auto &schema = op.schema().arguments();
  for (size_t i = 0; i < schema.size(); i++) {
    if (schema[i].alias_info() == nullptr || !schema[i].alias_info()->isWrite()) continue;
    for (const auto &view : views) {
      bool here = arguments[i].isTensor() && arguments[i].toTensor().is_same(view.second);
      if (arguments[i].isTensorList())
        for (const at::Tensor &tensor : arguments[i].toTensorVector()) here = here || tensor.is_same(view.second);
      if (here) note_host_write(view.first);
    }
  }
  results = arguments;
  op.callBoxed(&results);
  for (const auto &view : views) /* a result that was larger than what the operator made of it */
    if (view.second.sizes() != view.first.sizes()) view.first.resize_(view.second.sizes());
  for (const auto &made : fresh) {
    if (made.second.sizes() != made.first.sizes()) made.first.resize_(made.second.sizes());
    if (made.second.numel() == 0) continue;
    note_host_write(made.first);
    cpu_view(made.first).copy_(made.second);
  }
}

at::Tensor cpu_call::tensor_to_device(const at::Tensor &result) const {
  if (!result.defined()) return result;
  for (const auto &known : views)
    if (known.second.is_same(result)) return known.first;
  for (const auto &known : views)
    if (known.second.storage().is_alias_of(result.storage()))
      return known.first.as_strided(result.sizes(), result.strides(), result.storage_offset());
  at::Tensor out = at::empty_strided(result.sizes(), result.strides(), result.options().device(c10::Device(device_type, 0)));
  return out.copy_(result);
}

c10::IValue cpu_call::to_device(const c10::IValue &result) const {
  if (result.isTensor()) return tensor_to_device(result.toTensor());
  if (!result.isTensorList()) return result;
  c10::List<at::Tensor> out;
  for (const at::Tensor &tensor : result.toTensorVector()) out.push_back(tensor_to_device(tensor));
  return out;
}

/* ---- in a capture ---- */

namespace {

/* The call is made at each replay; its results land in the memory the capture gave them. */
struct captured_call final : host_op {
  explicit captured_call(const c10::OperatorHandle &handle) : op(handle) {}
  c10::OperatorHandle op;
  torch::jit::Stack arguments, outputs;

  void store(const c10::IValue &from, const c10::IValue &to) const {
    if (from.isTensor() && from.toTensor().defined()) {
      const at::Tensor &source = from.toTensor(), &target = to.toTensor();
      if (source.storage().data() == target.storage().data() && source.numel() > 0) return; /* in place */
      TORCH_CHECK(source.sizes() == target.sizes(), op.schema().name(), ": the shape of a result changed from ", target.sizes(), " to ",
                  source.sizes(), " between capture and replay");
      if (source.numel() == 0) return;
      note_host_write(target);
      cpu_view(target).copy_(source);
    } else if (from.isTensorList()) {
      auto sources = from.toTensorVector(), targets = to.toTensorVector();
      for (size_t i = 0; i < sources.size(); i++) store(sources[i], targets[i]);
    }
  }
  void run() override {
    cpu_call call(op);
    call.bind(arguments);
    call.run();
    for (size_t i = 0; i < call.results.size(); i++) store(call.results[i], outputs[i]);
  }
};

/* Shapes of results, without running anything. */
struct meta_call {
  std::vector<std::pair<at::Tensor, at::Tensor>> views;

  at::Tensor one(const at::Tensor &tensor) {
    if (!tensor.defined()) return tensor;
    for (const auto &known : views)
      if (known.first.is_same(tensor)) return known.second;
    at::Tensor meta = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
    views.emplace_back(tensor, meta);
    return meta;
  }
  c10::IValue convert(const c10::IValue &value) {
    if (value.isTensor()) return one(value.toTensor());
    if (std::optional<c10::IValue> list = each_tensor(value, [&](const at::Tensor &tensor) { return one(tensor); })) return *list;
    if (value.isDevice()) return c10::Device(at::kMeta);
    return value;
  }
  at::Tensor output(const at::Tensor &meta) {
    if (!meta.defined()) return meta;
    for (const auto &known : views)
      if (known.second.is_same(meta)) return known.first;
    return at::empty_strided(meta.sizes(), meta.strides(), meta.options().device(c10::Device(device_type, 0)));
  }
  c10::IValue output(const c10::IValue &meta, const std::string &name) {
    if (meta.isTensor()) return output(meta.toTensor());
    TORCH_CHECK(meta.isTensorList(), name, " gives a value that is not a tensor; in a captured graph there is none before replay()");
    c10::List<at::Tensor> out;
    for (const at::Tensor &tensor : meta.toTensorVector()) out.push_back(output(tensor));
    return out;
  }
};

void capture_call(const c10::OperatorHandle &op, torch::jit::Stack &arguments, torch::jit::Stack &outputs) {
  std::string name = op.schema().name();
  meta_call shapes;
  torch::jit::Stack metas;
  for (const c10::IValue &value : arguments) metas.push_back(shapes.convert(value));
  try {
    op.callBoxed(&metas);
  } catch (const c10::NotImplementedError &) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, name, " has no kernel on the simulated NPU and none for device 'meta' that would tell its shapes, so it "
                                "cannot be captured; register one with torch.library.register_fake");
  }
  for (const auto &view : shapes.views) /* a result that the operator gives its size */
    if (view.first.sizes() != view.second.sizes()) view.first.resize_(view.second.sizes());
  auto call = std::make_unique<captured_call>(op);
  call->name = name;
  call->arguments = arguments;
  for (const c10::IValue &meta : metas) call->outputs.push_back(shapes.output(meta, name));
  outputs = call->outputs;
  submit_host_op(std::move(call));
}

}  // namespace

void run_on_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  size_t count = op.schema().arguments().size();
  torch::jit::Stack arguments(std::make_move_iterator(stack->end() - long(count)), std::make_move_iterator(stack->end()));
  stack->resize(stack->size() - count);
  note_not_simulated(op.schema().name());
  row_major_arguments images(op.schema(), arguments);
  torch::jit::Stack outputs;
  if (capturing()) {
    capture_call(op, arguments, outputs);
  } else {
    cpu_call call(op);
    call.bind(arguments);
    synchronize();
    call.run();
    for (const c10::IValue &result : call.results) outputs.push_back(call.to_device(result));
  }
  images.store();
  for (const c10::IValue &result : outputs) stack->push_back(images.of_given(result));
}

}  // namespace sk_torch
