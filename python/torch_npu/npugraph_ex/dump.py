"""dump_tensor_data: the result of every operation goes into a file, at each call.

A captured graph gets operators that save. The graph before all passes, and one with force_eager, is interpreted.
"""
import os

import torch


def directory(config) -> str:
    """Where files go: below data_dump_dir, one directory per process of a distributed run."""
    world, rank = 1, 0
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        world, rank = torch.distributed.get_world_size(), torch.distributed.get_rank()
    path = os.path.join(config.data_dump_dir.value, f"worldsize{world}_global_rank{rank}")
    os.makedirs(path, exist_ok=True)
    return path


def insert(gm, config) -> None:
    """Behind each operation one that saves its result: <position>_<node>_device_<i>_<call>.pt."""
    folder, position = directory(config), 0
    for node in list(gm.graph.nodes):
        if node.op != "call_function" or not isinstance(node.meta.get("val"), torch.Tensor):
            continue
        position += 1
        with gm.graph.inserting_after(node):
            saving = gm.graph.call_function(torch.ops.npu.save_npugraph_tensor.default, (node,),
                                            {"save_path": os.path.join(folder, f"{position:04}_{node.name}.pt")})
        saving.meta["stack_trace"] = node.meta.get("stack_trace")
        saving.meta["custom"] = node.meta.get("custom")
    gm.recompile()


class _Saver(torch.fx.Interpreter):
    """Interprets a graph; files are <call>_<position>_<node>[_<result>].pt or .npy."""

    def __init__(self, gm, path: str, call: int, as_numpy: bool):
        super().__init__(gm)
        self.path, self.call, self.as_numpy, self.position = path, call, as_numpy, 0

    def run_node(self, node):
        result = super().run_node(node)
        if node.op == "call_function":
            self.position += 1
            several = isinstance(result, (tuple, list))
            for index, one in enumerate(result if several else [result]):
                if isinstance(one, torch.Tensor):
                    self._save(f"{self.call:04}_{self.position:04}_{node.name}" + (f"_{index}" if several else ""), one)
        return result

    def _save(self, stem: str, value) -> None:
        value = value.detach().cpu()
        if not self.as_numpy:
            torch.save(value, os.path.join(self.path, stem + ".pt"))
            return
        import numpy
        if value.dtype == torch.bfloat16:  # numpy has no such type; the widened value is the same number
            value = value.float()
        numpy.save(os.path.join(self.path, stem + ".npy"), value.numpy())


def run(gm, args, config, call: int):
    """Runs the graph for these inputs, saves each result, returns the outputs."""
    return _Saver(gm, directory(config), call, bool(config.force_eager)).run(*args)
