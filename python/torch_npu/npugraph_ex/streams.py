"""Streams and events inside a lowered graph.

Dynamo marks each node with the index of the stream it stands on and emits operators `streams.*` for
records and waits; AOTAutograd wraps those into control_deps. Here they become plain calls in program
order, with a switch of the current stream wherever the index changes. Index 0 is the stream the graph
runs on: the capture stream.
"""
import operator

import torch
from torch.fx.node import has_side_effect


def _objects():
    from torch._dynamo import graph_bytecode_inputs
    return graph_bytecode_inputs


def use(stream_index: int) -> None:
    """Makes the stream of that index the current one."""
    torch.npu.set_stream(_objects().get_external_object_by_index(stream_index))


def wait(waiting_index: int, other_index: int) -> None:
    """The first stream waits for what the second has been given so far."""
    get = _objects().get_external_object_by_index
    get(waiting_index).wait_stream(get(other_index))


has_side_effect(use)
has_side_effect(wait)


def bind_current() -> None:
    """Index 0 is from now on the current stream."""
    objects = _objects()
    if objects.index_to_external_object_weakref:
        objects.set_external_object_by_index(objects.CURRENT_STREAM_INDEX, torch.npu.current_stream())


def _is_sync(node) -> bool:
    target = getattr(node.target, "_schema", None)
    return node.op == "call_function" and target is not None and target.name.startswith("streams::")


def unwrap(gm) -> None:
    """Replaces each control_deps around a record or wait by the record or wait itself."""
    wrappers = [node for node in gm.graph.nodes if node.op == "call_function" and str(node.target) == "control_deps"]
    for node in wrappers:
        inner = getattr(gm, node.args[1].target)
        passed = node.args[2:]
        with gm.graph.inserting_before(node):
            for call in inner.graph.nodes:
                if _is_sync(call):
                    made = gm.graph.call_function(call.target, call.args, call.kwargs)
                    made.meta.update(call.meta)
        for user in list(node.users):
            if user.op == "call_function" and user.target is operator.getitem and user.args[1] > 0:
                user.replace_all_uses_with(passed[user.args[1] - 1])
                gm.graph.erase_node(user)
    for node in reversed(wrappers):  # later ones name earlier ones as what they wait for
        inner = node.args[1]
        for user in list(node.users):  # what the record or wait itself returns: nothing
            gm.graph.erase_node(user)
        gm.graph.erase_node(node)
        if not inner.users:
            gm.graph.erase_node(inner)


def _stream_of(node) -> int:
    return (node.meta.get("custom") or {}).get("stream") or 0


def switch(gm) -> None:
    """Inserts stream switches, and the waits that tie side streams to the graph's own stream."""
    graph, current, used = gm.graph, 0, []
    for node in list(graph.nodes):
        if node.op == "output":
            with graph.inserting_before(node):
                if current != 0:
                    graph.call_function(use, (0,))
                for index in used:
                    graph.call_function(wait, (0, index))
            break
        if node.op != "call_function" or _is_sync(node) or node.target is operator.getitem:
            continue
        wanted = _stream_of(node)
        if wanted == current:
            continue
        with graph.inserting_before(node):
            if wanted not in used and wanted != 0:
                graph.call_function(wait, (wanted, current))
                used.append(wanted)
            graph.call_function(use, (wanted,))
        current = wanted
