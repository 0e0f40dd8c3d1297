"""A traced graph as plain records, for the compile cache.

Only what running and lowering need is kept: calls, their arguments, constants, streams, and the user's
lines for messages. A graph with parts that have no name of their own is refused.
"""
import builtins
import importlib

import torch
from torch.fx.node import map_arg


class NotStorable(Exception):
    """The graph holds something that cannot be written down; the text names it."""


class _Ref:
    """Stands for another node in stored arguments."""

    def __init__(self, name):
        self.name = name


def _resolve(name: str):
    """The object of a dotted name: the longest importable module, then attributes."""
    parts = name.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for part in parts[split:]:
            found = getattr(found, part)
        return found
    return getattr(builtins, name)


def _target_record(node):
    target = node.target
    if node.op != "call_function":
        return ("text", target)
    if isinstance(target, torch._ops.OpOverload):
        return ("overload", target._schema.name, target._overloadname)
    if isinstance(target, torch._ops.OpOverloadPacket):
        return ("packet", target._qualified_op_name)
    name = torch.fx.node._get_qualified_name(target)
    try:
        found = _resolve(name)
    except (AttributeError, ImportError):
        found = None
    if found is not target:
        raise NotStorable(f"{node.name} calls {target}, which has no importable name")
    return ("name", name)


def _target(record):
    kind = record[0]
    if kind == "text":
        return record[1]
    if kind == "name":
        return _resolve(record[1])
    namespace, name = record[1].split("::")
    packet = getattr(getattr(torch.ops, namespace), name)
    return packet if kind == "packet" else getattr(packet, record[2])


def _constant(gm, name: str):
    value = gm
    for part in name.split("."):
        value = getattr(value, part)
    if not isinstance(value, torch.Tensor):
        raise NotStorable(f"attribute {name} is a {type(value).__name__}")
    return value


def dump(gm) -> dict:
    """Records of a graph module as Dynamo made it; raises NotStorable."""
    nodes, constants = [], {}
    for node in gm.graph.nodes:
        if node.op == "call_module":
            raise NotStorable(f"{node.name} calls module {node.target}")
        if node.op == "get_attr":
            constants[node.target] = _constant(gm, node.target)
        nodes.append({
            "op": node.op, "name": node.name, "target": _target_record(node),
            "args": map_arg(node.args, lambda one: _Ref(one.name)),
            "kwargs": map_arg(node.kwargs, lambda one: _Ref(one.name)),
            "custom": dict(node.meta.get("custom") or {}), "stack_trace": node.meta.get("stack_trace"),
            "static": (node.meta.get("tensor_dict") or {}).get("_dynamo_static_input_type") is not None,
        })
    return {"nodes": nodes, "constants": constants}


def _with_nodes(value, made):
    if isinstance(value, _Ref):
        return made[value.name]
    if isinstance(value, (list, tuple)):
        given = [_with_nodes(one, made) for one in value]
        if hasattr(value, "_fields"):  # a named tuple
            return type(value)(*given)
        return given if isinstance(value, list) else tuple(given)
    if isinstance(value, dict):
        return {key: _with_nodes(one, made) for key, one in value.items()}
    if isinstance(value, slice):
        return slice(*(_with_nodes(one, made) for one in (value.start, value.stop, value.step)))
    return value


def load(records: dict) -> torch.fx.GraphModule:
    """The graph module of dump()'s records."""
    graph, made = torch.fx.Graph(), {}
    for record in records["nodes"]:
        node = graph.create_node(record["op"], _target(record["target"]), _with_nodes(record["args"], made),
                                 _with_nodes(record["kwargs"], made), record["name"])
        if record["custom"]:
            node.meta["custom"] = record["custom"]
        if record["stack_trace"]:
            node.meta["stack_trace"] = record["stack_trace"]
        made[record["name"]] = node
    root = torch.nn.Module()
    for name, value in records["constants"].items():
        root.register_buffer(name, value)
    return torch.fx.GraphModule(root, graph)


def static_inputs(records: dict) -> tuple:
    """Places of parameters and buffers among the inputs."""
    inputs = [record for record in records["nodes"] if record["op"] == "placeholder"]
    return tuple(place for place, record in enumerate(inputs) if record["static"])
