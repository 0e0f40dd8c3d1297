"""torchair: PyTorch models as GE graphs on the simulated NPU."""
from torchair.configs.compiler_config import CompilerConfig
from torchair.core.utils import logger
from torchair import scope, ops, ge
from torchair._ge_concrete_graph.converters import register_fx_node_ge_converter
from torchair.npu_fx_compiler import get_compiler, get_npu_backend

__all__ = ["CompilerConfig", "ge", "get_compiler", "get_npu_backend", "logger", "ops", "register_fx_node_ge_converter",
           "scope"]
