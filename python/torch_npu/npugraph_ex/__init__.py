"""torch.npu.npugraph_ex: the graph backend of torch.compile and what belongs to it."""
import importlib

_LAZY = {"compile_fx": "backend", "npugraph_ex": "backend", "CompilerConfig": "options",
         "register_replacement": "patterns"}
_MODULES = ("backend", "capture", "inference", "options", "passes", "patterns", "scope", "scopes", "sk_options")

__all__ = ["CompilerConfig", "compile_fx", "inference", "register_replacement", "scope"]


def __getattr__(name):
    # Nothing of torch._dynamo is imported before somebody compiles.
    if name in _LAZY:
        return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
