"""Writes a graph as files that need no PyTorch: dynamo.pbtxt for people, <name>.air for the offline compiler.

Weights of the model become constants of the graph. Where all of them together would not fit into one protobuf
message they stand in files of their own beside it, and the graph names these files.
"""
import copy
import os
from typing import Any, Dict, Sequence

import torch

from torchair._ge_concrete_graph import ge_binary, graph_dump
from torchair._ge_concrete_graph.ge_graph import GeGraph, Tensor, add_const, add_op, building
from torchair._ge_concrete_graph.ge_ir import AttrDef, GraphDef, ModelDef, OpDef
from torchair._ge_concrete_graph.types import attribute_dtype, description_number
from torchair.configs.compiler_config import Export

# A protobuf message ends at 2 GiB; this much is left for everything but weights.
LARGEST_BYTES = (2048 - 200) * 1024 * 1024


class ExportSuccess(Exception):
    """Ends the run of a model that is exported: there are files instead of results."""


def weight_names(model: torch.nn.Module) -> Dict[int, str]:
    """{id of a parameter or buffer: its name in the model}."""
    names = {id(held): name for name, held in model.named_buffers()}
    names.update((id(held), name) for name, held in model.named_parameters())
    return names


def _initialised() -> bool:
    return torch.distributed.is_available() and torch.distributed.is_initialized()


def _constant(op: OpDef, held: torch.Tensor) -> OpDef:
    with building(GeGraph("weight")):
        return add_const(held.detach(), node_name=op.name, readable=False).node


def _file_constant(op: OpDef, held: torch.Tensor, path: str) -> OpDef:
    shape = AttrDef()
    shape.list.i.extend(held.size())
    shape.list.val_type = 2
    attrs = [("shape", shape), ("dtype", AttrDef(i=attribute_dtype(held.dtype))), ("file_path", AttrDef(s=path.encode()))]
    with building(GeGraph("weight")):
        (made,) = add_op("FileConstant", [], ["y"], attrs, node_name=op.name)
    made.desc.dtype = description_number(held.dtype)
    made.desc.attr["format_for_int"].i = 2
    return made.node


def _write_weight(held: torch.Tensor, path: str) -> None:
    data = held.detach().contiguous().cpu().reshape(-1).view(torch.uint8)
    with open(path, "wb") as file:
        file.write(bytes(data.numpy()))


def _take_weights_in(graph: GraphDef, weights: Dict[str, Any], directory: str) -> None:
    """weights: {name of a Data operator: (name in the model, tensor)}. Data that are left are numbered anew."""
    total = len(ge_binary.to_bytes(graph)) + sum(held.nbytes for _, held in weights.values())
    index = 0
    for place, op in enumerate(graph.op):
        if op.type == "Data" and op.name in weights:
            name, held = weights[op.name]
            if total > LARGEST_BYTES:
                path = os.path.join(directory, name.replace(".", "_"))
                _write_weight(held, path)
                graph.op[place] = _file_constant(op, held, path)
            else:
                graph.op[place] = _constant(op, held)
        elif op.type == "Data":
            op.attr["index"].i = index
            index += 1


def write(graph: GraphDef, inputs: Sequence[Tensor], args: Sequence[Any], options: Export) -> None:
    """inputs: the Data operators' results in the order of args, which are the values of this run."""
    known = options.weight_name.raw or {}
    weights = {data.node.name: (known[id(given)], given) for data, given in zip(inputs, args) if id(given) in known}
    root = options.export_path_dir.raw
    rank = torch.distributed.get_rank() if _initialised() else None
    directory = root if rank is None else os.path.join(root, f"rank_{rank}")
    os.makedirs(directory, exist_ok=True)
    exported = copy.deepcopy(graph)
    _take_weights_in(exported, weights, directory)
    with open(os.path.join(directory, "dynamo.pbtxt"), "w", encoding="utf-8") as file:
        file.write(graph_dump.to_pbtxt(exported))
    name = options.export_name.raw or "export"
    with open(os.path.join(root, f"{name}{'' if rank is None else rank}.air"), "wb") as file:
        file.write(ge_binary.to_bytes(ModelDef(name=name, graph=[exported])))
