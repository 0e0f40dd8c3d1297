"""dump_config: what the operators of a run took and gave, written when the run is over.

A capture hands no memory out twice, so the tensors of all operators are there at its end as they were computed,
also inside a SuperKernel. Only an input that the graph writes is copied before the run.
"""
import csv
import os
import re
import warnings
from datetime import datetime
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

import torch
from torch.fx.node import Node

from torchair._ge_concrete_graph.dump_settings import Settings, settings
from torchair._ge_concrete_graph.ge_ir import OpDef
from torchair.configs._options import near
from torchair.configs.compiler_config import CompilerConfig

_SCOPE = "torchair_enable_data_dump"


class _Item(NamedTuple):
    """One tensor to write."""

    op_type: str
    op_name: str
    task: int
    side: str  # input or output
    index: int
    value: torch.Tensor


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)


def _on_host(value: torch.Tensor) -> torch.Tensor:
    held = value.detach().cpu()
    # numpy has no bfloat16; float holds the same values
    return held.float() if held.dtype == torch.bfloat16 else held


class OperatorDump:
    """Of one graph. `begin` before a run, `see` for each node while it is recorded, `end` when it is over."""

    def __init__(self, wanted: Settings, name: str, gm: torch.fx.GraphModule, operators: Dict[str, OpDef]):
        """operators: per FX node, the GE operator its results belong to."""
        self.wanted, self.name, self.gm, self.operators = wanted, name, gm, operators
        self.chosen = self._choose()
        self.order = {node: place for place, node in enumerate(gm.graph.nodes)}
        self.written = self._written()
        self.step = -1
        self.started: Optional[str] = None
        self.values: Dict[Node, Any] = {}
        self.before: Dict[Node, torch.Tensor] = {}

    def _choose(self) -> Set[str]:
        """Names of operators: those listed together with those under torchair.scope.data_dump; without either all."""
        scoped = {op.name for op in self.operators.values() if _SCOPE in op.attr}
        if self.wanted.layers is None and not scoped:
            return {op.name for op in self.operators.values()}
        names = [op.name for op in self.operators.values()]
        for missing in sorted(set(self.wanted.layers or ()) - set(names)):
            warnings.warn(f"dump_config: {self.name} has no operator {missing!r}{near(missing, names)}", UserWarning, stacklevel=2)
        return scoped | set(self.wanted.layers or ())

    def _written(self) -> Dict[Node, int]:
        """{input that the graph writes: place of the first node that does}."""
        found: Dict[Node, int] = {}
        for node in self.gm.graph.nodes:
            schema = getattr(node.target, "_schema", None)
            if node.op != "call_function" or schema is None or not schema.is_mutable:
                continue
            for given, parameter in zip(node.args, schema.arguments):
                writes = parameter.alias_info is not None and parameter.alias_info.is_write
                if writes and isinstance(given, Node) and given.op == "placeholder":
                    found.setdefault(given, self.order[node])
        return found

    # ---- a run ----

    def begin(self, args: Sequence[Any]) -> bool:
        """Whether this run is dumped."""
        self.step += 1
        if not self.wanted.due(self.step):
            return False
        self.values.clear()
        placeholders = [node for node in self.gm.graph.nodes if node.op == "placeholder"]
        self.before = {node: given.clone() for node, given in zip(placeholders, args) if node in self.written}
        return True

    def see(self, node: Node, value: Any) -> None:
        self.values[node] = value

    def end(self) -> None:
        directory = self._directory()
        os.makedirs(directory, exist_ok=True)
        if self.wanted.statistics:
            _write_statistics(os.path.join(directory, "statistics.csv"), self._items())
        else:
            stamp = datetime.now().strftime("%Y%m%d%H%M%S%f")
            for item in self._items():
                _write_tensor(directory, stamp, item)
        self.values.clear()
        self.before.clear()

    def _directory(self) -> str:
        if self.started is None:
            self.started = datetime.now().strftime("%Y%m%d%H%M%S")
        return os.path.join(self.wanted.directory, self.started, "0", self.name, self.name.rsplit("_", 1)[-1], str(self.step))

    def _value(self, source: Node, reader: Node) -> Any:
        if source in self.before and self.order[reader] <= self.written[source]:
            return self.before[source]
        return self.values.get(source)

    def _items(self) -> Iterator[_Item]:
        shown: Set[Node] = set()
        for node in self.gm.graph.nodes:
            op = self.operators.get(node.name)
            if op is None or op.name not in self.chosen:
                continue
            yield from self._data(node, shown)
            for side, values in self._sides(node):
                if self.wanted.mode in ("all", side):
                    for index, value in enumerate(values):
                        yield _Item(op.type, op.name, self.order[node], side, index, value)

    def _sides(self, node: Node) -> Tuple[Tuple[str, List[torch.Tensor]], ...]:
        sources: List[Node] = []
        torch.fx.map_arg((node.args, node.kwargs), sources.append)  # one that is taken twice is there twice
        taken = [value for source in sources for value in _tensors(self._value(source, node))]
        return ("input", taken), ("output", list(_tensors(self.values.get(node))))

    def _data(self, node: Node, shown: Set[Node]) -> Iterator[_Item]:
        """With operators that were chosen by name go the inputs of the graph that they take."""
        if self.wanted.layers is None or self.wanted.mode == "input":
            return
        for source in node.all_input_nodes:
            if source.op == "placeholder" and source not in shown:
                shown.add(source)
                for value in _tensors(self._value(source, node)):
                    yield _Item("Data", source.name, self.order[source], "output", 0, value)


def _write_tensor(directory: str, stamp: str, item: _Item) -> None:
    import numpy
    name = re.sub(r"[./\\ ]", "_", item.op_name)
    file = f"{item.op_type}.{name}.{item.task}.0.{stamp}.{item.side}.{item.index}.npy"
    numpy.save(os.path.join(directory, file), _on_host(item.value).numpy())


_COLUMNS = ("op_type", "op_name", "task", "side", "index", "dtype", "shape", "max", "min", "mean", "nan", "inf")


def _write_statistics(path: str, items: Iterator[_Item]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for item in items:
            held = _on_host(item.value)
            whole = held.double() if not held.is_complex() else torch.view_as_real(held).double()
            finite = whole[torch.isfinite(whole)]
            numbers = (finite.max().item(), finite.min().item(), finite.mean().item()) if finite.numel() else ("", "", "")
            writer.writerow([item.op_type, item.op_name, item.task, item.side, item.index,
                             str(item.value.dtype).removeprefix("torch."), list(item.value.shape), *numbers,
                             int(torch.isnan(whole).sum()), int(torch.isinf(whole).sum())])


def of(config: CompilerConfig, name: str, gm: torch.fx.GraphModule, operators: Dict[str, OpDef]) -> Optional[OperatorDump]:
    """The dump of a graph, None: nothing is wanted."""
    wanted = settings(config.dump_config, name)
    return None if wanted is None else OperatorDump(wanted, name, gm, operators)
