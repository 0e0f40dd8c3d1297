"""air::wait_tensor: a value that is not used before another one exists."""
import torch

_library = torch.library.Library("air", "FRAGMENT")
_library.define("wait_tensor(Tensor self, Tensor dependency) -> Tensor")


def _meta(self: torch.Tensor, dependency: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(self)


def _eager(self: torch.Tensor, dependency: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError("npu_wait_tensor orders operators of a compiled graph; outside of torch.compile there is none")


_library.impl("wait_tensor", _meta, "Meta")
_library.impl("wait_tensor", _eager, "CPU")
_library.impl("wait_tensor", _eager, "PrivateUse1")
# a wait whose result nobody uses still orders what comes behind it
torch.fx.node.has_side_effect(torch.ops.air.wait_tensor.default)


def npu_wait_tensor(self: torch.Tensor, dependency: torch.Tensor) -> torch.Tensor:
    """`self`, to be used only after `dependency` has been computed."""
    return torch.ops.air.wait_tensor(self, dependency)
