"""A GE graph while it is built: operators with unique names, tensors as their outputs, the current graph."""
import threading
from contextlib import contextmanager
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import torch
from torch.utils._python_dispatch import _disable_current_modes

from torchair._ge_concrete_graph.ge_ir import AttrDef, GraphDef, OpDef, TensorDef, TensorDescriptor
from torchair._ge_concrete_graph.types import Format, description_number
from torchair.scope import _attributes


class TensorSpec:
    """What a converter is told of a result: dtype, rank and sizes (symbolic ones stay symbolic)."""

    def __init__(self, value: torch.Tensor):
        self.dtype, self.rank, self.size = value.dtype, value.dim(), list(value.size())

    def __repr__(self) -> str:
        return f"TensorSpec({self.dtype}, {self.size})"


class Tensor:
    """One output of an operator."""

    def __init__(self, node: OpDef, index: int):
        self.node, self.index = node, index
        self.meta: Optional[torch.Tensor] = None

    @property
    def tensor(self) -> str:
        return f"{self.node.name}:{self.index}"

    @property
    def controller(self) -> str:
        return f"{self.node.name}:-1"

    @property
    def desc(self) -> TensorDescriptor:
        return self.node.output_desc[self.index]

    @property
    def dtype(self) -> Optional[torch.dtype]:
        return None if self.meta is None else self.meta.dtype

    @property
    def rank(self) -> int:
        return -1 if self.meta is None else self.meta.dim()

    def set_meta(self, value: Any) -> None:
        """value: the fake tensor of the FX node, or a number."""
        if not isinstance(value, torch.Tensor):
            self.desc.attr["_meta"].s = str(value).encode()
            return
        self.meta = value
        self.desc.dtype = description_number(value.dtype)
        self.desc.attr["_meta"].s = f"Tensor(dtype={value.dtype}, shape={list(value.size())})".encode()

    def __repr__(self) -> str:
        return f"Tensor({self.tensor})"


Argument = Union[Tensor, Sequence[Tensor], None]


class GeGraph:
    def __init__(self, name: str):
        self.definition = GraphDef(name=name)
        self._counts: Dict[str, int] = {}
        self._names: set = set()

    @property
    def op(self) -> List[OpDef]:
        return self.definition.op

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def attr(self) -> Dict[str, AttrDef]:
        return self.definition.attr

    def _unique(self, op_type: str) -> str:
        while True:
            number = self._counts.get(op_type, 0)
            self._counts[op_type] = number + 1
            name = op_type if number == 0 else f"{op_type}_{number}"
            if name not in self._names:
                return name

    def add(self, op_type: str, node_name: Optional[str] = None) -> OpDef:
        assert node_name is None or node_name not in self._names, f"node name '{node_name}' is used twice in {self.name}"
        name = node_name or self._unique(op_type)
        self._names.add(name)
        op = OpDef(name=name, type=op_type)
        self.op.append(op)
        _attributes.apply(op)
        return op


class _Current(threading.local):
    graph: Optional[GeGraph] = None


_current = _Current()


@contextmanager
def building(graph: GeGraph):
    before, _current.graph = _current.graph, graph
    try:
        yield graph
    finally:
        _current.graph = before


def current_graph() -> GeGraph:
    """The graph being converted; outside of a conversion a graph that is thrown away."""
    return _current.graph if _current.graph is not None else GeGraph("no_graph")


# ---- operators -----------------------------------------------------------------------------------

def _input_desc(op: OpDef, name: str, source: Optional[Tensor]) -> None:
    desc = TensorDescriptor(name=name, layout="ND")
    if source is None:
        desc.attr["_is_unfed_optional"].i = 1
    else:
        desc.dtype = source.desc.dtype
        desc.layout = source.desc.layout
        op.input.append(source.tensor)
    op.input_desc.append(desc)


def add_op(op_type: str, inputs: Sequence[Tuple[str, Argument]], outputs: Sequence[str],
           attrs: Sequence[Tuple[str, AttrDef]] = (), node_name: Optional[str] = None,
           dependencies: Sequence[Tensor] = ()) -> Tuple[Tensor, ...]:
    """Adds one operator to the current graph; a list of tensors is a dynamic input, `name0`, `name1` ..."""
    op = current_graph().add(op_type, node_name)
    for name, given in inputs:
        if isinstance(given, (list, tuple)):
            for index, source in enumerate(given):
                _input_desc(op, f"{name}{index}", source)
        else:
            _input_desc(op, name, given)
    for source in dependencies:
        op.input.append(source.controller)
    for name, definition in attrs:
        op.attr[name] = definition
    for name in outputs:
        op.output_desc.append(TensorDescriptor(name=name, layout="ND"))
    return tuple(Tensor(op, index) for index in range(len(outputs)))


def add_data(name: str, index: int, value: Any, device_type: str) -> Tensor:
    """The operator that stands for one input of the graph."""
    op = current_graph().add("Data", name)
    op.attr["index"].i = index
    for descs, desc_name in ((op.input_desc, "x"), (op.output_desc, "y")):
        desc = TensorDescriptor(name=desc_name, layout="ND", device_type=device_type)
        if isinstance(value, torch.Tensor):
            desc.dtype = description_number(value.dtype)
            desc.shape.dim.extend(size if isinstance(size, int) else -1 for size in value.size())
        else:
            desc.dtype = description_number(torch.int64)
        desc.attr["format_for_int"].i = int(Format.FORMAT_ND)
        descs.append(desc)
    data = Tensor(op, 0)
    data.set_meta(value)
    if not isinstance(value, torch.Tensor):
        data.desc.dtype = description_number(torch.int64)
    return data


def add_const(value: Any, dtype: Optional[torch.dtype] = None, node_name: Optional[str] = None, readable: bool = True) -> Tensor:
    """readable: the value also stands in the graph as people read it, unless it is a tensor of many elements."""
    with _disable_current_modes():  # the compiler runs this with fake tensors
        held = torch.as_tensor(value, dtype=dtype).contiguous().cpu()
        # through bytes: numpy has no bfloat16
        data = bytes(held.reshape(-1).view(torch.uint8).tolist()) if held.numel() > 0 else b""
    (result,) = add_op("Const", [], ["y"], node_name=node_name)
    desc = TensorDescriptor(dtype=description_number(held.dtype), layout="ND")
    desc.shape.dim.extend(held.size())
    result.node.attr["value"].t = TensorDef(desc=desc, data=data)
    if readable and held.numel() <= 16:
        result.node.attr["_readable_value"].s = repr(value).encode()
    result.set_meta(held)
    return result
