"""Weights in the private format that matrix products read fastest."""
import sys
import warnings
from typing import Optional

import torch

_FRACTAL_NZ = 29


def _torch_npu(who: str):
    if "torch_npu" not in sys.modules:
        raise RuntimeError(f"{who} needs torch_npu: import it before torchair")
    return sys.modules["torch_npu"]


def use_internal_format_weight(model: torch.nn.Module) -> None:
    """Casts weights of Linear to FRACTAL_NZ in place; values and shapes stay.

    Weights of Conv2d stay as they are, with a warning where the real one makes them FRACTAL_Z (float16, no groups), which
    no kernel here reads. Raises RuntimeError for a weight on the CPU, which has no private formats.
    """
    torch_npu = _torch_npu("use_internal_format_weight")
    linear = [(name, module) for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)]
    convolutions = [name for name, module in model.named_modules() if isinstance(module, torch.nn.Conv2d)
                    and module.groups == 1 and module.weight.dtype == torch.float16]
    for name, module in linear:
        if module.weight.device.type != "npu":
            raise RuntimeError(f"use_internal_format_weight: {name + '.' if name else ''}weight is on "
                               f"{module.weight.device.type}; legal: npu, call model.npu() before")
    if convolutions:
        warnings.warn("use_internal_format_weight: FRACTAL_Z is not simulated, weights of Conv2d stay as they are: "
                      f"{', '.join(convolutions)}", UserWarning, stacklevel=2)
    for _, module in linear:
        module.weight.data = torch_npu.npu_format_cast(module.weight.data, _FRACTAL_NZ)


def npu_format_cast_via_cpu(self: torch.Tensor, acl_format: int, customize_dtype: Optional[int] = None,
                            input_dtype: Optional[int] = None) -> torch.Tensor:
    """npu_format_cast computed on the host. There is no other computation here: the result is the same one."""
    return _torch_npu("npu_format_cast_via_cpu").npu_format_cast(self, acl_format, customize_dtype=customize_dtype,
                                                                 input_dtype=input_dtype)


def patch_for_hcom() -> None:
    """Does nothing: it lets torch before 2.3 trace collectives, which later ones do by themselves."""
