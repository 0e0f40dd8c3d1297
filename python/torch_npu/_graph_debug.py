"""Operators that show a tensor each time a captured graph is replayed: print it, or save it to a file.

They have kernels for the CPU only: on the device they run as host tasks, eagerly and in captured graphs.
"""
import itertools
import os
import threading

import torch

_library = torch.library.Library("npu", "FRAGMENT")
_library.define("print_npugraph_tensor(Tensor input, *, str? tensor_name=None) -> ()")
_library.define("save_npugraph_tensor(Tensor input, *, str? save_path=None, bool overwrite=False) -> ()")
_library.define("save_npugraph_tensor.tensor_list(Tensor[] input, *, str? save_path=None, bool overwrite=False) -> ()")

_numbers, _lock = {}, threading.Lock()


def _print(input, *, tensor_name=None):
    name = "" if tensor_name is None else f"{tensor_name}: "
    print(f"{name}{input}", flush=True)


def _path(save_path, overwrite) -> str:
    """<stem>_device_<device>_<n>.pt, n counting from 0 for each stem; with overwrite always 0."""
    stem = os.path.splitext(save_path)[0] if save_path is not None else "npugraph_tensor"
    with _lock:
        number = 0 if overwrite else next(_numbers.setdefault(stem, itertools.count()))
    return f"{stem}_device_0_{number}.pt"


def _save(input, *, save_path=None, overwrite=False):
    # A view would take its whole storage into the file.
    held = [one.clone() for one in input] if isinstance(input, (list, tuple)) else input.clone()
    torch.save(held, _path(save_path, overwrite))


for _name, _kernel in (("print_npugraph_tensor", _print), ("save_npugraph_tensor", _save), ("save_npugraph_tensor.tensor_list", _save)):
    _library.impl(_name, _kernel, "CPU")
    torch.library.register_fake(f"npu::{_name}", lambda input, **_: None, lib=_library)
    _packet, _, _overload = _name.partition(".")
    torch.fx.node.has_side_effect(getattr(getattr(torch.ops.npu, _packet), _overload or "default"))
