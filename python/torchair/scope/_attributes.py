"""The stack of scope attributes while a graph is converted, and what operators get from it."""
import threading
from typing import Dict, List

from torchair._ge_concrete_graph.ge_ir import OpDef

SUPER_KERNEL_SCOPE = "_super_kernel_scope"
SUPER_KERNEL_OPTIONS = "_super_kernel_options"
STREAM_LABEL = "_user_stream_label"
AICORE_NUM = "_op_aicore_num"
VECTORCORE_NUM = "_op_vectorcore_num"
_SUPER_KERNEL = (SUPER_KERNEL_SCOPE, SUPER_KERNEL_OPTIONS)
_BOOLS = ("_op_exec_never_timeout", "_enable_inner_parallel")
_BARE_TYPES = ("Data", "NetOutput")


class _Stack(threading.local):
    def __init__(self):
        self.frames: List[Dict[str, str]] = []


_stack = _Stack()


def push(keys: List[str], values: List[str]) -> None:
    _stack.frames.append(dict(zip(keys, values)))


def pop() -> None:
    _stack.frames.pop()


def clear() -> None:
    _stack.frames.clear()


def only_super_kernel() -> bool:
    """No scope is open, or SuperKernel scopes only."""
    return all(SUPER_KERNEL_SCOPE in frame for frame in _stack.frames)


def current() -> Dict[str, str]:
    """All open scopes, outermost first, so inner values overwrite. A SuperKernel scope without a name takes
    away what outer ones set, and the rest of its frame does not count."""
    merged: Dict[str, str] = {}
    for frame in _stack.frames:
        if frame.get(SUPER_KERNEL_SCOPE) == "":
            for key in _SUPER_KERNEL:
                merged.pop(key, None)
        else:
            merged.update(frame)
    return merged


def apply(op: OpDef) -> None:
    """Puts the attributes of the open scopes on an operator."""
    if op.type in _BARE_TYPES:
        return
    for key, value in current().items():
        if key in _BOOLS:
            op.attr[key].b = value in ("True", "1")
        else:
            op.attr[key].s = value.encode("utf-8")
