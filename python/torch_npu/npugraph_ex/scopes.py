"""Pairing of SuperKernel scopes and of core limits over an FX graph.

Called when a graph is compiled, on the graph after all passes before code generation. An end closes the
first open begin of the same name, so scopes may interleave. A graph break between begin and end leaves
one half in each graph; each half fails here, with the line it stands in.
"""
from .messages import at, node_line

_BEGIN = "npu::super_kernel_scope_begin"
_END = "npu::super_kernel_scope_end"
_ENTER = "npugraph_ex::scope_enter"
_EXIT = "npugraph_ex::scope_exit"

_HINT = ("A graph break between begin and end splits the pair over two graphs (fullgraph=True shows where); "
         "a custom pass may also have removed or moved one of them.")


def schema_name(node) -> str:
    """'namespace::operator' of a call, '' for any other node."""
    if node.op != "call_function":
        return ""
    schema = getattr(node.target, "_schema", None)
    return schema.name if schema is not None else ""


def scope_name(node):
    """The name given to a begin or end: None for an unnamed scope."""
    if node.args:
        return node.args[0]
    return node.kwargs.get("scope_name")


def _listed(begins) -> str:
    return ", ".join(f"{scope_name(begin)!r}{at(node_line(begin))}" for begin in begins)


def check_scopes(graph) -> int:
    """Raises RuntimeError for unpaired or misnamed scopes; returns the number of paired scopes."""
    open_begins, paired = [], 0
    for node in graph.nodes:
        called = schema_name(node)
        if called == _BEGIN:
            open_begins.append(node)
        elif called == _END:
            name, place = scope_name(node), at(node_line(node))
            if not open_begins:
                raise RuntimeError(f"torch.npu.super_kernel_scope_end({name!r}){place}: must first call the "
                                   f"torch.npu.super_kernel_scope_begin. {_HINT}")
            match = next((begin for begin in open_begins if scope_name(begin) == name), None)
            if match is None:
                raise RuntimeError(f"torch.npu.super_kernel_scope_end({name!r}){place}: No matching "
                                   f"torch.npu.super_kernel_scope_begin. Open scopes: {_listed(open_begins)}. {_HINT}")
            open_begins.remove(match)
            paired += 1
    if open_begins:
        raise RuntimeError(f"torch.npu.super_kernel_scope_begin: no paired call to the "
                           f"torch.npu.super_kernel_scope_end for {_listed(open_begins)}. {_HINT}")
    return paired


def check_limits(graph) -> None:
    """Raises RuntimeError for scope_enter without scope_exit and the other way round."""
    entered = []
    for node in graph.nodes:
        called = schema_name(node)
        if called == _ENTER:
            entered.append(node)
        elif called == _EXIT:
            if not entered:
                raise RuntimeError(f"torch.ops.npugraph_ex.scope_exit{at(node_line(node))}: must first call the "
                                   f"torch.ops.npugraph_ex.scope_enter. {_HINT}")
            entered.pop()
    if entered:
        places = ", ".join(node_line(node) or node.name for node in entered)
        raise RuntimeError(f"torch.ops.npugraph_ex.scope_enter: no paired call to the "
                           f"torch.ops.npugraph_ex.scope_exit for {places}. {_HINT}")
