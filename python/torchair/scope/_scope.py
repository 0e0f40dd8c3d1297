"""Context managers that mark the operators of a block: SuperKernel, stream, core limit, time-out, data dump."""
from typing import List, Optional, Tuple

import torch

_library = torch.library.Library("air", "FRAGMENT")
_library.define("scope_enter(str[] keys, str[] values, bool need_execute=False) -> ()")
_library.define("scope_exit(bool need_execute=False) -> ()")


def _enter(keys: List[str], values: List[str], need_execute: bool = False) -> None:
    """Marks only: what a converter executes is the scope stack, see _attributes."""
    if need_execute:
        from torchair.scope import _attributes
        _attributes.push(keys, values)


def _exit(need_execute: bool = False) -> None:
    if need_execute:
        from torchair.scope import _attributes
        _attributes.pop()


for _key in ("Meta", "CPU", "PrivateUse1", "BackendSelect"):
    _library.impl("scope_enter", _enter, _key)
    _library.impl("scope_exit", _exit, _key)
torch.fx.node.has_side_effect(torch.ops.air.scope_enter.default)
torch.fx.node.has_side_effect(torch.ops.air.scope_exit.default)


class Scope:
    """Operators inside the block get the attributes. Outside of torch.compile nothing happens."""

    def __init__(self, attributes: List[Tuple[str, str]]):
        self._keys = [key for key, _ in attributes]
        self._values = [value for _, value in attributes]

    def __enter__(self):
        torch.ops.air.scope_enter(self._keys, self._values)
        return self

    def __exit__(self, exception_type, exception, trace):
        torch.ops.air.scope_exit()
        return None


def super_kernel(scope: Optional[str], options: str = "") -> Scope:
    """Operators of one name become one SuperKernel. None: those inside are not fused, whatever is around.
    options: "key=value:key=value", see docs/torchair.md; the graph compiler reads it, not this call."""
    return Scope([("_super_kernel_scope", "" if scope is None else scope), ("_super_kernel_options", options)])


def npu_stream_switch(stream_tag: str, stream_priority: int = 0, enable_inner_parallel: bool = True) -> Scope:
    """Operators run on the stream of that tag, beside those of other tags."""
    return Scope([("_user_stream_label", stream_tag), ("_user_stream_priority", str(stream_priority)),
                  ("_enable_inner_parallel", str(enable_inner_parallel))])


def limit_core_num(op_aicore_num: int, op_vectorcore_num: int) -> Scope:
    """Operators use at most that many cube and vector cores."""
    return Scope([("_op_aicore_num", str(op_aicore_num)), ("_op_vectorcore_num", str(op_vectorcore_num))])


def op_never_timeout(enable: bool = True) -> Scope:
    """Operators may run as long as they want."""
    if not isinstance(enable, bool):
        raise TypeError(f"op_never_timeout() argument 'enable' must be bool, got {type(enable).__name__}; legal: True, False")
    return Scope([("_op_exec_never_timeout", str(enable))])


def data_dump() -> Scope:
    """Results of these operators are dumped when debug.data_dump is on."""
    return Scope([("torchair_enable_data_dump", "True")])
