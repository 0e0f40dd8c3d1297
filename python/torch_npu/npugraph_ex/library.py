"""Operators of the namespace npugraph_ex that stand for something other than arithmetic in a graph."""
import torch
from torch.fx.node import has_side_effect

# Registrations vanish with this object.
_library = torch.library.Library("npugraph_ex", "FRAGMENT")

AICORE, VECTORCORE = "_op_aicore_num", "_op_vectorcore_num"

_library.define("scope_enter(str[] keys, str[] values, bool need_execute=False) -> ()")
_library.define("scope_exit(bool need_execute=False) -> ()")

# Limits of the scopes entered and not yet left, outermost first: (stream, limits before).
_entered = []


def _enter(keys, values, need_execute=False):
    if not need_execute:
        return
    attributes = dict(zip(keys, values))
    stream = torch.npu.current_stream()
    _entered.append((stream, torch.npu.get_stream_limit(stream)))
    torch.npu.set_stream_limit(stream, int(attributes[AICORE]), int(attributes[VECTORCORE]))


def _exit(need_execute=False):
    if not need_execute:
        return
    stream, before = _entered.pop()
    torch.npu.set_stream_limit(stream, before["cube_core_num"], before["vector_core_num"])


# Without tensor arguments a kernel is found through BackendSelect; Meta only traces.
for _key in ("CPU", "PrivateUse1", "BackendSelect"):
    _library.impl("scope_enter", _enter, _key)
    _library.impl("scope_exit", _exit, _key)
_library.impl("scope_enter", lambda keys, values, need_execute=False: None, "Meta")
_library.impl("scope_exit", lambda need_execute=False: None, "Meta")

scope_enter = torch.ops.npugraph_ex.scope_enter
scope_exit = torch.ops.npugraph_ex.scope_exit
has_side_effect(scope_enter.default)
has_side_effect(scope_exit.default)
