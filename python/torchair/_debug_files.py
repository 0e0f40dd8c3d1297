"""Files for people who debug a compilation: with TORCH_COMPILE_DEBUG=1 graphs after each pass, below torch's own
directory of the run in torchair/model__<N>/."""
import itertools
import os
from typing import Optional

import torch

from torchair._ge_concrete_graph import graph_dump
from torchair._ge_concrete_graph.ge_ir import GraphDef

_numbers = itertools.count()


def new_model(gm: torch.fx.GraphModule) -> Optional[str]:
    """Directory of the next compiled model with the graph as Dynamo traced it; None: no files are wanted."""
    if os.environ.get("TORCH_COMPILE_DEBUG", "0") != "1":
        return None
    from torch._dynamo.utils import get_debug_dir
    directory = os.path.join(get_debug_dir(), "torchair", f"model__{next(_numbers)}")
    os.makedirs(directory, exist_ok=True)
    _write(os.path.join(directory, "dynamo_out_graph.txt"), _readable(gm))
    return directory


class PassFiles:
    """forward/NNN_aot_forward_<pass>.txt after each pass, and the GE graph in the form of graph_dump or as txt."""

    def __init__(self, directory: Optional[str]):
        self.directory = None if directory is None else os.path.join(directory, "forward")
        self.number = 0

    def _path(self, name: str, kind: str) -> str:
        os.makedirs(self.directory, exist_ok=True)
        path = os.path.join(self.directory, f"{self.number:03}_aot_forward_{name}.{kind}")
        self.number += 1
        return path

    def graph(self, gm: torch.fx.GraphModule, name: str) -> None:
        if self.directory is not None:
            _write(self._path(name, "txt"), _readable(gm))

    def ge_graph(self, graph: GraphDef, kind: Optional[str]) -> None:
        if self.directory is not None:
            kind = kind or "txt"
            _write(self._path("ge_graph", kind), graph_dump.FORMS[kind](graph))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _readable(gm: torch.fx.GraphModule) -> str:
    return gm.print_readable(print_output=False) + "\n" + str(gm.graph) + "\n"
