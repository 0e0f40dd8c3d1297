"""An operator of one's own, kernel and all, alone and next to a library operator in one SuperKernel scope.

The kernel is own_operator.c, compiled by skcc into a shared object; its path is the only argument.
"""
import ctypes
import sys

import torch
import torch_npu

if len(sys.argv) != 2:
    sys.exit("usage: own_operator.py OWN_OPERATOR.so")
kernels = ctypes.CDLL(sys.argv[1])
kernels.launch_squared_relu.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]

# The object must live as long as the operator.
library = torch.library.Library("npu", "FRAGMENT")
library.define("squared_relu(Tensor x) -> Tensor")


def squared_relu(x):
    """Launches the kernel on the current stream; in a capture it is recorded there."""
    if x.dtype != torch.float32:
        raise RuntimeError(f"squared_relu: x has dtype {x.dtype}; legal: torch.float32")
    x = x.contiguous()
    y = torch.empty_like(x)
    error = kernels.launch_squared_relu(x.data_ptr(), y.data_ptr(), x.numel(), torch.npu.current_stream().npu_stream)
    if error != 0:
        raise RuntimeError(f"squared_relu: launch failed with acl error {error}")
    return y


library.impl("squared_relu", squared_relu, "PrivateUse1")
torch.library.register_fake("npu::squared_relu", lambda x: torch.empty_like(x), lib=library)


class Alone(torch.nn.Module):
    """The operator as a SuperKernel of one."""

    def forward(self, x):
        torch.npu.super_kernel_scope_begin("alone")
        y = torch_npu.squared_relu(x)
        torch.npu.super_kernel_scope_end("alone")
        return y


class Together(torch.nn.Module):
    """The operator between two others: three kernels, one launch."""

    def forward(self, x, bias):
        torch.npu.super_kernel_scope_begin("together")
        y = torch_npu.squared_relu(x + bias) * bias
        torch.npu.super_kernel_scope_end("together")
        return y


x, bias = torch.randn(100, 321), torch.randn(100, 321)
options = {"super_kernel_optimize": True}
for model, inputs, want in ((Alone(), (x,), torch.relu(x) ** 2),
                            (Together(), (x, bias), torch.relu(x + bias) ** 2 * bias)):
    fused = torch.compile(model, backend="npugraph_ex", options=options, dynamic=False, fullgraph=True)
    got = fused(*(one.npu() for one in inputs)).cpu()
    print(f"{type(model).__name__}: {'equal' if torch.equal(got, want) else 'DIFFERENT'}")
    if not torch.equal(got, want):
        sys.exit(1)
