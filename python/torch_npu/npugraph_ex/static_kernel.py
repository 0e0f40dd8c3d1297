"""The list of operators with fixed shapes that static_kernel_compile makes before the first capture.

The vendor's tool compiles kernels for these shapes. Kernels of the simulator take any shape, so here the
list itself is the result: a directory as the tool would read it, and a cache of what was listed before.
Shapes come from running the graph on fake tensors; no operator is executed.
"""
import contextlib
import datetime
import fcntl
import hashlib
import json
import os

import torch

from . import sk_options
from .messages import warn

ROOT = "static_kernel_compile_outputs"


def _describe(value):
    if isinstance(value, torch.Tensor):
        return {"shape": list(value.shape), "dtype": str(value.dtype).removeprefix("torch."), "device": value.device.type}
    if isinstance(value, (list, tuple)):
        return [_describe(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


class _Lister(torch.fx.Interpreter):
    """Runs a graph on fake tensors and notes each operator with the shapes it got and gave."""

    def __init__(self, gm):
        super().__init__(gm)
        self.operators = []

    def call_function(self, target, args, kwargs):
        overload = isinstance(target, torch._ops.OpOverload)
        if not overload and getattr(target, "__module__", "").endswith("npugraph_ex.streams"):
            return None  # stream switches act on real streams
        if overload and (target.namespace in ("npugraph_ex", "streams") or "super_kernel_scope" in target.name()):
            return None
        result = super().call_function(target, args, kwargs)
        if overload:
            names = [argument.name for argument in target._schema.arguments]
            given = {**dict(zip(names, args)), **kwargs}
            self.operators.append({"op": target.name(), "arguments": {k: _describe(v) for k, v in given.items()},
                                   "results": _describe(result)})
        return result


def operators(gm, args) -> list:
    """The operators of the graph with the shapes they have for these inputs."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode(allow_non_fake_inputs=True) as mode, torch.no_grad():
        fakes = [mode.from_tensor(one) if isinstance(one, torch.Tensor) else one for one in args]
        lister = _Lister(gm)
        lister.run(*fakes)
    return lister.operators


def _wanted(args, config) -> bool:
    """Whether the deciding symbol, if a range is given, has one of its values."""
    allowed = config._vllm_aclnn_static_kernel_sym_range.value
    if allowed is None:
        return True
    symbols = [one for one in args if isinstance(one, int)]
    index = config._vllm_aclnn_static_kernel_sym_index.value
    return index < len(symbols) and symbols[index] in allowed


@contextlib.contextmanager
def _cache(device: str):
    """The cache file as a dict, under its lock; written back at the end."""
    directory = os.path.join(ROOT, "static_kernel_cache")
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, f"CANN-simulated_{device}.json")
    with open(path + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                known = json.load(file)
        yield known
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1)
        os.replace(path + ".new", path)


def _write_list(directory: str, listed: list, device: str, config) -> None:
    pid = os.getpid()
    jsons = os.path.join(directory, str(pid))
    os.makedirs(jsons)
    for number, one in enumerate(listed):
        with open(os.path.join(jsons, f"{number:04}_{one['op'].replace('::', '.')}.json"), "w", encoding="utf-8") as file:
            json.dump(one, file, indent=1)
    command = {"device": device, "enable_super_kernel": bool(config.super_kernel_optimize)}
    if config.super_kernel_optimize:
        command["super_kernel_options"] = sk_options.to_text(config.super_kernel_optimize_options.value,
                                                             config.super_kernel_debug_options.value)
    with open(os.path.join(directory, f"{pid}_opcompile.json"), "w", encoding="utf-8") as file:
        json.dump(command, file, indent=1)


def compile_for(gm, args, config) -> None:
    """Writes the list for these inputs below the current directory, unless the cache knows it."""
    if not _wanted(args, config):
        return
    listed = operators(gm, args)
    if not listed:
        return
    device = torch.npu.get_device_name()
    text = json.dumps(listed, sort_keys=True)
    flags = f"{torch.are_deterministic_algorithms_enabled()} {bool(config.super_kernel_optimize)}"
    key = hashlib.sha256(f"{text} {flags}".encode()).hexdigest()
    with _cache(device) as known:
        if key in known and os.path.isdir(known[key]) and not config.disable_static_kernel_compile_cache:
            return
        stamp = datetime.datetime.now().strftime("%Y%m%d%H%M%S%f")
        directory = os.path.abspath(os.path.join(ROOT, f"ts{stamp}_pid{os.getpid()}_outputs"))
        _write_list(directory, listed, device, config)
        known[key] = directory
    warn(f"npugraph_ex: static kernel compile: the operators and their shapes are listed in {directory}; "
                  "torch.npu.npugraph_ex.inference.cache_compile keeps a compiled model for the next start")
