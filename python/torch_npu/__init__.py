"""torch_npu: PyTorch's device "npu", here a simulated one."""
import os as _os

# torch may be loading us as a backend; it must not start again from inside.
_autoload_before = _os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD")
_os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402

if _autoload_before is None:
    del _os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"]
else:
    _os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = _autoload_before

from superkernel import _core  # noqa: E402

if torch.__version__.split(".")[:2] != _core.torch_version.split(".")[:2]:
    raise ImportError(f"torch_npu of superkernel was built with torch {_core.torch_version}, this is torch {torch.__version__}; "
                      f"install torch {_core.torch_version}, or build the front ends for this one")

from . import _registration  # noqa: E402  (registers the device first)
from . import npu  # noqa: E402
from . import _ops, _formats, _graph_debug  # noqa: E402, F401
from ._formats import Format, get_npu_format, get_storage_size  # noqa: E402

__version__ = torch.__version__.split("+")[0] + "+superkernel"

# Dtypes that torch does not have, by number (`int? dst_type` and the like take them).
int4, hifloat8, float8_e5m2, float8_e4m3fn, float8_e8m0fnu = 285, 290, 291, 292, 293
float4_e2m1fn_x2, float4_e1m2fn_x2 = 296, 297

_registration.finish(npu)
_ops.export(globals())


def __getattr__(name):
    """Operators that somebody registered after the import; Dynamo sees the packet itself."""
    if not name.startswith("_") and hasattr(torch.ops.npu, name):
        globals()[name] = getattr(torch.ops.npu, name)
        return globals()[name]
    if name == "dynamo":
        import importlib
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _autoload():
    """Entry point of the group torch.backends."""
