"""Instead of running a compiled graph: operator by operator with what each takes and gives in files, or a table of
the operators."""
import collections
import csv
import os
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import torch
from torch.fx.node import Node

from torchair._ge_concrete_graph import converters, graph_dump
from torchair._ge_concrete_graph.dump_settings import folder
from torchair._ge_concrete_graph.executor import _Plain
from torchair.configs.compiler_config import CompilerConfig


class DataDumper(_Plain):
    """Files are <folder of the process>/<graph>/<run, from 0>/<node>-<operator>.<INPUT or OUTPUT>.<i>.<time>.npy;
    tensors in a list have two numbers."""

    def __init__(self, gm: torch.fx.GraphModule, config: CompilerConfig, name: str):
        super().__init__(gm)
        self.directory = os.path.join(folder(config.debug.data_dump.path.value or os.getcwd()), name)
        self.filter: Optional[Callable] = config.debug.data_dump.filter.value
        self.step = -1

    def run(self, *args: Any, **more: Any) -> Any:
        self.step += 1
        return super().run(*args, **more)

    def run_node(self, n: Node) -> Any:
        if n.op != "call_function" or not isinstance(n.target, torch._ops.OpOverload) or (self.filter and not self.filter(n)):
            return super().run_node(n)
        stamp = datetime.now(timezone.utc).strftime("%Y%m%d%H%M%S%f")
        self._write(n, "INPUT", self.fetch_args_kwargs_from_env(n)[0], stamp)  # before: an operator may write in place
        result = super().run_node(n)
        self._write(n, "OUTPUT", result if isinstance(result, (list, tuple)) else [result], stamp)
        return result

    def _write(self, node: Node, side: str, values: Any, stamp: str) -> None:
        for place, value in _arrays(values):
            directory = os.path.join(self.directory, str(self.step))
            os.makedirs(directory, exist_ok=True)
            _save(os.path.join(directory, f"{node.name}-{node.target}.{side}.{place}.{stamp}.npy"), value)


def _arrays(values: Any) -> Iterator[Tuple[str, Any]]:
    """Tensors and numbers with their places."""
    for index, value in enumerate(values):
        if isinstance(value, (torch.Tensor, bool, int, float)):
            yield str(index), value
        elif isinstance(value, (list, tuple)):
            yield from ((f"{index}.{place}", item) for place, item in _arrays(value))


def _save(path: str, value: Any) -> None:
    import numpy
    if isinstance(value, torch.Tensor):
        held = value.detach().cpu()
        # numpy has no bfloat16; float holds the same values
        value = (held.float() if held.dtype == torch.bfloat16 else held).numpy()
    numpy.save(path, value)


# ---- summary -------------------------------------------------------------------------------------

def _shape_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(_shape_text(item) for item in value) + ")"
    if isinstance(value, Node):
        return _shape_text(value.meta.get("val"))
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.size())}" if isinstance(value, torch.Tensor) else str(value)


def _conversion(target: Any) -> str:
    if not isinstance(target, torch._ops.OpOverload):
        return "function of Python"
    return "converter" if converters.converter_of(target) is not None else "by its schema"


def _counted(texts: Dict[str, int]) -> str:
    return "\n".join(f"{count} x {text}" for text, count in sorted(texts.items(), key=lambda item: -item[1]))


def summarise(gm: torch.fx.GraphModule, name: str) -> None:
    """A table with a row for each operator: how it is converted, how often it is called, with which shapes."""
    calls: Dict[Any, Tuple[Dict[str, int], Dict[str, int]]] = {}
    for node in gm.graph.nodes:
        if node.op == "call_function":
            taken, given = calls.setdefault(node.target, (collections.Counter(), collections.Counter()))
            taken[_shape_text((*node.args, *node.kwargs.values()))] += 1
            given[_shape_text(node.meta.get("val"))] += 1
    with open(graph_dump.file_name(f"fx_summary_{name}", "csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["target", "conversion", "calls", "inputs", "outputs"])
        for target, (taken, given) in calls.items():
            writer.writerow([str(target), _conversion(target), sum(given.values()), _counted(taken), _counted(given)])
