"""Files for people who debug a compilation: graphs after each pass, code, the captured graph.

Written with TORCH_COMPILE_DEBUG=1 below torch's own directory of the run, in npugraph_ex/model__<N>/.
"""
import datetime
import itertools
import logging
import os

from . import deadlock

logger = logging.getLogger("torch_npu.npugraph_ex")
_numbers = {"model": itertools.count(), "compile": itertools.count()}
_logged = set()


def enabled() -> bool:
    """Whether TORCH_COMPILE_DEBUG asks for files."""
    return os.environ.get("TORCH_COMPILE_DEBUG", "0") == "1"


def _root() -> str:
    from torch._dynamo.utils import get_debug_dir
    return os.path.join(get_debug_dir(), "npugraph_ex")


def _make(directory: str) -> str:
    os.makedirs(directory, exist_ok=True)
    root = _root()
    if enabled() and root not in _logged:
        _logged.add(root)
        handler = logging.FileHandler(os.path.join(root, "debug.log"))
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
    return directory


def new_model(kind: str):
    """Directory of the next compiled model, made only if files are wanted; None otherwise."""
    number = next(_numbers[kind])
    return _make(os.path.join(_root(), f"{kind}__{number}")) if enabled() else None


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _readable(gm) -> str:
    return gm.print_readable(print_output=False) + "\n" + str(gm.graph) + "\n"


def dynamo_graph(gm, directory) -> None:
    """The graph as Dynamo traced it."""
    if directory is not None:
        _write(os.path.join(directory, "dynamo_out_graph.txt"), _readable(gm))


class PassLog:
    """Called after each pass: NNN_aot_forward_graph[_after_<pass>].txt in forward/."""

    def __init__(self, directory):
        self.directory = os.path.join(directory, "forward") if directory is not None else None
        self.number = 0

    def __call__(self, gm, name: str) -> None:
        if self.directory is None:
            return
        os.makedirs(self.directory, exist_ok=True)
        stem = "aot_forward_graph" if self.number == 0 else f"aot_forward_graph_after_{name}"
        _write(os.path.join(self.directory, f"{self.number:03}_{stem}.txt"), _readable(gm))
        logger.debug("graph after %s:\n%s", name, gm.graph)
        self.number += 1

    def code(self, gm) -> None:
        """The Python code the captured graph is made by."""
        if self.directory is not None:
            _write(os.path.join(self.directory, "output_code.py"), gm.code)


def captured(graph, number: int, directory, config) -> None:
    """Dumps a captured graph as JSON; with deadlock_check also reports on it on stdout."""
    import torch
    if directory is None:
        directory = _make(os.path.join(_root(), f"model__{next(_numbers['model'])}"))
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d%H%M%S%f")
    path = os.path.join(directory, f"graph_{number}_id_{id(graph)}_rank_{torch.npu.current_device()}"
                                   f"_pid_{os.getpid()}_ts_{stamp}.json")
    graph.debug_dump(path)
    if config.deadlock_check:
        print(deadlock.report(path))
