"""Devices: one simulated NPU, its properties and limits."""
import os
import warnings

import torch
from superkernel import _core, _device

_CUBE_CORES, _VECTOR_CORES, _TOTAL_MEMORY, _L2_BYTES = 102, 201, 301, 302
_MAIN_PROCESS = os.getpid()


def _lazy_init():
    """Makes the device on first use."""
    _device.initialise()


def init():
    """Makes the device now."""
    _device.initialise()


def is_initialized() -> bool:
    return _device.is_initialised()


def _is_in_bad_fork() -> bool:
    """A process that forked off after the device was made has none."""
    return _device.is_initialised() and os.getpid() != _MAIN_PROCESS


def device_count() -> int:
    """1, unless ASCEND_RT_VISIBLE_DEVICES hides it or is not an ascending list of numbers."""
    visible = os.environ.get("ASCEND_RT_VISIBLE_DEVICES")
    if visible is None:
        return 1
    parts = [part.strip() for part in visible.split(",")]
    if not all(part.isdigit() for part in parts):
        return 0
    numbers = [int(part) for part in parts]
    ascending = all(one < other for one, other in zip(numbers, numbers[1:]))
    return int(ascending and 0 in numbers)


def is_available() -> bool:
    return device_count() > 0


def _index(given, call) -> int:
    if given is None:
        return 0
    if isinstance(given, int):
        return given
    made = torch.device(given)
    if made.type != "npu":
        raise ValueError(f"{call}: Expected a npu device, but got: {made}")
    return made.index if made.index is not None else 0


def set_device(device) -> None:
    """Makes a device the current one: an int, "npu:0" or torch.device."""
    index = _index(device, "set_device")
    if index != 0:
        raise RuntimeError(f"set_device: device {index} does not exist; legal: 0")
    _device.initialise()


def current_device() -> int:
    _device.initialise()
    return 0


class device:
    """Context manager: the current device inside. With one device it only checks."""

    def __init__(self, device):
        self.idx = _index(device, "torch.npu.device")

    def __enter__(self):
        if self.idx > 0:
            raise RuntimeError(f"torch.npu.device: device {self.idx} does not exist; legal: 0")
        return self

    def __exit__(self, kind, value, trace):
        return False


class device_of(device):
    """The same for the device of a tensor; anything else changes nothing."""

    def __init__(self, tensor):
        super().__init__(tensor.get_device() if tensor.is_npu else None)


def synchronize(device=None) -> None:
    """Runs everything that is pending on the device."""
    _index(device, "synchronize")
    _device.synchronize()


class _Properties:
    """What get_device_properties tells."""

    def __init__(self):
        self.name = get_device_name()
        self.total_memory = _core.device_info(_TOTAL_MEMORY)
        self.cube_core_num = _core.device_info(_CUBE_CORES)
        self.vector_core_num = _core.device_info(_VECTOR_CORES)
        self.L2_cache_size = _core.device_info(_L2_BYTES)
        self.multi_processor_count = self.cube_core_num

    def __repr__(self):
        return (f"_NPUDeviceProperties(name='{self.name}', total_memory={self.total_memory // (1 << 20)}MB, "
                f"cube_core_num={self.cube_core_num}, vector_core_num={self.vector_core_num}, "
                f"L2_cache_size={self.L2_cache_size // (1 << 20)}MB)")


def get_device_properties(device=None):
    index = _index(device, "get_device_properties")
    if index != 0:
        raise AssertionError(f"Invalid device id {index}; legal: 0")
    return _Properties()


def get_device_name(device=None) -> str:
    """Name of the chip profile, spelt as the vendor does."""
    _index(device, "get_device_name")
    name = _core.soc_name()
    return name[0].upper() + name[1:]


def get_device_capability(device=None):
    """(major, minor) of TORCH_NPU_DEVICE_CAPABILITY; None and a warning without it."""
    text = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY")
    if text is not None:
        major, dot, minor = text.partition(".")
        if dot and major.isdigit() and minor.isdigit():
            return int(major), int(minor)
        raise ValueError(f"TORCH_NPU_DEVICE_CAPABILITY '{text}'; legal: major.minor")
    warnings.warn("torch.npu.get_device_capability isn't implemented!")
    return None


_device_limit = {}


def set_device_limit(device=None, cube_num=-1, vector_num=-1) -> None:
    """Cores that operators may use from now on, on streams without a limit of their own; -1 = as they were."""
    from .streams import _checked
    _index(device, "set_device_limit")
    _device_limit.update(_checked("set_device_limit", cube_num, vector_num))
    _device.set_core_limit(-1, _device_limit.get("cube_core_num", 0), _device_limit.get("vector_core_num", 0))


def get_device_limit(device=None) -> dict:
    _index(device, "get_device_limit")
    return {"cube_core_num": _device_limit.get("cube_core_num", _core.device_info(_CUBE_CORES)),
            "vector_core_num": _device_limit.get("vector_core_num", _core.device_info(_VECTOR_CORES))}
