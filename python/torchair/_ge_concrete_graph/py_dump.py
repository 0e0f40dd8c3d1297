"""A GE graph as a Python program that builds it again."""
from typing import Any, Iterator, List

from torchair._ge_concrete_graph.ge_ir import AttrMap, GraphDef, Message, OpDef

_HEADER = '''# Builds the GE graph {name} again: graph.definition equals what was dumped.
from torchair._ge_concrete_graph import ge_ir
from torchair._ge_concrete_graph import raw_ops as ge
from torchair._ge_concrete_graph.ge_graph import GeGraph, building

graph = GeGraph({name!r})
with building(graph):
'''


def _literal(value: Any) -> str:
    if isinstance(value, Message):
        fields = [f"{name}={_literal(value._set[name])}" for name, _, _, _ in value.fields
                  if name in value._set and value._set[name] not in ([], {})]
        return f"ge_ir.{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, AttrMap):
        return "ge_ir.AttrMap({" + ", ".join(f"{key!r}: {_literal(item)}" for key, item in value.items()) + "})"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return repr(value)


def _variable(name: str) -> str:
    return "n_" + "".join(letter if letter.isalnum() else "_" for letter in name)


def _call(op: OpDef) -> Iterator[str]:
    names: List[str] = [desc.attr["_fx_tensor_name"].s.decode() for desc in op.output_desc if "_fx_tensor_name" in desc.attr]
    if names:
        yield f"    # {names[0].rsplit('.OUTPUT.', 1)[0]}"
    yield f"    {_variable(op.name)} = ge.{op.type}("
    yield f"        inputs={list(op.input)!r},"
    if op.attr:
        yield "        attrs={"
        for key, value in op.attr.items():
            yield f"            {key!r}: {_literal(value)},"
        yield "        },"
    for name, descs in (("input_desc", op.input_desc), ("output_desc", op.output_desc)):
        if descs:
            yield f"        {name}=["
            for desc in descs:
                yield f"            {_literal(desc)},"
            yield "        ],"
    yield f"        node_name={op.name!r})"


def to_python(graph: GraphDef) -> str:
    lines = [_HEADER.format(name=graph.name).rstrip("\n")]
    for op in graph.op:
        lines.extend(_call(op))
    for name in ("input", "output"):
        if getattr(graph, name):
            lines.append(f"graph.definition.{name}.extend({list(getattr(graph, name))!r})")
    for key, value in graph.attr.items():
        lines.append(f"graph.attr[{key!r}] = {_literal(value)}")
    return "\n".join(lines) + "\n"
