"""Switches of the vendor's stack that change nothing on a simulated device; they are remembered."""
import torch

_options = {}
_jit_compile = False


class _Config:
    """torch.npu.config: attributes that scripts set. Casts to private formats happen whatever it says."""

    __slots__ = ("allow_internal_format",)

    def __init__(self):
        self.allow_internal_format = False

    def __setattr__(self, name, value):
        if name not in self.__slots__:
            raise AttributeError(f"torch.npu.config has no '{name}'; legal: {', '.join(self.__slots__)}")
        if not isinstance(value, bool):
            raise TypeError(f"torch.npu.config.{name} is a bool, got {type(value).__name__}")
        object.__setattr__(self, name, value)


config = _Config()


def set_option(options) -> None:
    if not isinstance(options, dict):
        raise TypeError(f"set_option: options must be a dict, got {type(options).__name__}")
    _options.update(options)


def set_compile_mode(jit_compile=False) -> None:
    global _jit_compile
    _jit_compile = bool(jit_compile)


def is_jit_compile_false() -> bool:
    return not _jit_compile


def set_op_timeout_ms(milliseconds) -> None:
    """A hang is found at once, so no limit is needed."""
    _options["op_timeout_ms"] = int(milliseconds)


def set_deterministic_level(level) -> None:
    _options["deterministic_level"] = int(level)


def set_sync_debug_mode(mode) -> None:
    _options["sync_debug_mode"] = mode


def get_amp_supported_dtype() -> list:
    return [torch.float16, torch.bfloat16, torch.float32]
