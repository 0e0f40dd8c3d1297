"""superkernel: a simulated Ascend NPU for Python. `python -m superkernel SCRIPT.py` runs a torch_npu script."""
import os

# In a build directory the compiled parts stand beside the package, not in it.
_native = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "native")
if os.path.isdir(_native) and not os.path.exists(os.path.join(_native, "core.c")):
    __path__.append(_native)

_LAZY = {"Error": "_core", "Result": "_verify", "verify": "_verify"}


def __getattr__(name):
    if name in _LAZY:
        import importlib
        return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
