"""Passes over a finished GE graph before it runs."""
from typing import Any, List, Sequence

import torch

from torchair._ge_concrete_graph.ge_graph import Tensor
from torchair._ge_concrete_graph.ge_ir import DATA_TYPES, GraphDef, OpDef, VALUE_TYPES
from torchair._ge_concrete_graph.types import Format, description_number

_CPU, _NPU = 0, 1
# What an input may be stored as; anything else the graph compiler does not take.
FORMATS = (Format.FORMAT_NCHW, Format.FORMAT_NHWC, Format.FORMAT_ND, Format.FORMAT_NC1HWC0, Format.FORMAT_FRACTAL_Z,
           Format.FORMAT_NDHWC, Format.FORMAT_FRACTAL_NZ, Format.FORMAT_NCDHW, Format.FORMAT_NDC1HWC0,
           Format.FORMAT_FRACTAL_Z_3D, Format.FORMAT_NC, Format.FORMAT_NCL)
# Names of row-major storage by its rank: ND in a description.
_ROW_MAJOR = (Format.FORMAT_ND, Format.FORMAT_NCHW, Format.FORMAT_NHWC, Format.FORMAT_NCDHW)


def run(graph: GraphDef, sample_args: Sequence[Any]) -> None:
    _drop_unused_data(graph)
    _order_side_effects(graph)
    _name_graph_attributes(graph, sample_args)
    _normalise(graph)


def _drop_unused_data(graph: GraphDef) -> None:
    used = {source.lstrip("^").rsplit(":", 1)[0] for op in graph.op for source in op.input}
    kept = [op for op in graph.op if op.type != "Data" or op.name in used]
    graph.op[:] = kept
    index = 0
    for op in kept:
        if op.type == "Data":
            op.attr["index"].i = index
            index += 1


# What does more than give results: writes an input of the graph, prints, saves.
_SIDE_EFFECTS = ("Assign", "PrintNpugraphTensor", "SaveNpugraphTensor")


def _behind(op: OpDef, before: OpDef) -> None:
    control = f"{before.name}:-1"
    if control not in op.input and all(source.rsplit(":", 1)[0] != before.name for source in op.input):
        op.input.append(control)


def _order_side_effects(graph: GraphDef) -> None:
    """Control edges keep them in the order of the program, behind those who read what they write, before the end."""
    ordered = [op for op in graph.op if op.type in _SIDE_EFFECTS]
    for before, op in zip(ordered, ordered[1:]):
        _behind(op, before)
    for place, op in enumerate(graph.op):
        if op.type != "Assign":
            continue
        written = op.input[0]
        for other, reader in enumerate(graph.op):
            if reader is not op and reader.type != "NetOutput" and written in reader.input:
                _behind(op, reader) if other < place else _behind(reader, op)
    if ordered:
        _behind(graph.op[-1], ordered[-1])


def _name_graph_attributes(graph: GraphDef, sample_args: Sequence[Any]) -> None:
    data = [op for op in graph.op if op.type == "Data"]
    placements = [_NPU if op.output_desc[0].device_type == "NPU" else _CPU for op in data]
    outputs = {f"{op.name}:{index}": desc.dtype for op in graph.op for index, desc in enumerate(op.output_desc)}
    for name, values in (("_input_placements", placements), ("_output_dtypes", [outputs[name] for name in graph.output])):
        graph.attr[name].list.i.extend(values)
        graph.attr[name].list.val_type = VALUE_TYPES["INT"]
    graph.attr["_executor_type"].i = _NPU if _NPU in placements or not placements else _CPU


def _list_attr(op: Any, name: str, values: List[Any], field: str, kind: str) -> None:
    getattr(op.attr[name].list, field).extend(values)
    op.attr[name].list.val_type = VALUE_TYPES[kind]


def _normalise(graph: GraphDef) -> None:
    for op in graph.op:
        for prefix, descs in (("_input_name", op.input_desc), ("_output_name", op.output_desc)):
            if descs:
                _list_attr(op, prefix + "_key", [desc.name.encode() for desc in descs], "s", "STRING")
                _list_attr(op, prefix + "_value", list(range(len(descs))), "i", "INT")
            for desc in descs:
                desc.layout = desc.layout or "ND"
                if desc.dtype == DATA_TYPES["DT_UNDEFINED"] and "_is_unfed_optional" not in desc.attr:
                    desc.dtype = DATA_TYPES["DT_FLOAT"]


def _format_of(tensor: Any) -> int:
    if not isinstance(tensor, torch.Tensor) or tensor.device.type != "npu":
        return int(Format.FORMAT_ND)
    import torch_npu
    return int(torch_npu.get_npu_format(tensor))


def set_formats(inputs: Sequence[Tensor], args: Sequence[Any]) -> None:
    """Private formats of the tensors that come in stand in the descriptors of their inputs."""
    for data, given in zip(inputs, args):
        number = _format_of(given)
        if number not in FORMATS:
            legal = ", ".join(f"{known.name} {int(known)}" for known in FORMATS)
            raise RuntimeError(f"input {data.node.name} has format {number}, which a GE graph does not take; legal: {legal}")
        if number in _ROW_MAJOR or number == data.desc.attr["format_for_int"].i:
            continue
        for desc in (data.node.input_desc[0], data.node.output_desc[0]):
            desc.attr["format_for_int"].i = number
            desc.attr["origin_format_for_int"].i = int(Format.FORMAT_ND)
            desc.attr["origin_shape"].list.i.extend(int(size) for size in given.size())
            desc.attr["origin_shape"].list.val_type = VALUE_TYPES["INT"]
