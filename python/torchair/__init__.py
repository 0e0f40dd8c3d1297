"""torchair: PyTorch models as GE graphs on the simulated NPU."""
import importlib.util
import os
import sys

# A script may import torch and torchair only, and rely on torch to find the device.
if ("torch_npu" not in sys.modules and os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") != "0"
        and importlib.util.find_spec("superkernel") is not None
        and importlib.util.find_spec("superkernel._device") is not None and importlib.util.find_spec("torch_npu") is not None):
    import torch_npu as _torch_npu  # noqa: F401

from torchair.configs.compiler_config import CompilerConfig
from torchair.core.utils import logger
from torchair import scope, ops, ge
from torchair._ge_concrete_graph.converters import register_fx_node_ge_converter
from torchair.npu_fx_compiler import get_compiler, get_npu_backend
from torchair import inference
from torchair import experimental
from torchair.experimental.inference import npu_format_cast_via_cpu, patch_for_hcom, use_internal_format_weight
from torchair.npu_export import dynamo_export

__all__ = ["CompilerConfig", "dynamo_export", "experimental", "ge", "get_compiler", "get_npu_backend", "inference", "logger",
           "npu_format_cast_via_cpu", "ops", "patch_for_hcom", "register_fx_node_ge_converter", "register_replacement", "scope",
           "use_internal_format_weight"]


def register_replacement(search_fn, replace_fn, example_inputs, **more):
    """Adds a rewrite of operator patterns that graphs of both modes take; see torch_npu.npugraph_ex."""
    from torch_npu.npugraph_ex import patterns
    return patterns.register_replacement(search_fn, replace_fn, example_inputs, **more)
