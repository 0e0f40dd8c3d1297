"""dump_config: which operators, which of their tensors, at which steps, into which directory.

A JSON file (dump_config_path) in the form of the runtime's own may say the same; an option set beside it wins.
"""
import json
import os
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

import torch

from torchair.configs._options import near
from torchair.configs.compiler_config import DumpConfig

# key of the file: legal values as text, or how they are told
_FILE_KEYS: Dict[str, str] = {
    "dump_path": "the text of a path", "dump_mode": "input, output, all", "dump_data": "tensor, stats",
    "dump_step": "step numbers and ranges joined by '|'", "dump_list": "a list of {model_name, layer}",
    "dump_op_switch": "on, off", "dump_debug": "off", "dump_scene": "none"}


class Settings(NamedTuple):
    directory: str                          # below it stand date, device, graph and step
    mode: str                               # input, output, all
    statistics: bool                        # a table of them instead of the tensors
    steps: Optional[List[Tuple[int, int]]]  # ranges with both ends; None: every step
    layers: Optional[FrozenSet[str]]        # names of operators; None: every one

    def due(self, step: int) -> bool:
        return self.steps is None or any(low <= step <= high for low, high in self.steps)


def _steps(text: str) -> Optional[List[Tuple[int, int]]]:
    ranges = [part.split("-") for part in text.split("|") if part]
    return [(int(part[0]), int(part[-1])) for part in ranges] or None


def _refuse(path: Optional[str], key: str, given: Any) -> None:
    raise ValueError(f"dump_config.dump_config_path: {path}: {key} is {given!r}; legal: {_FILE_KEYS[key]}")


def _choice(path: Optional[str], table: Dict[str, Any], key: str) -> Optional[str]:
    given = table.get(key)
    if given is not None and given not in _FILE_KEYS[key].split(", "):
        _refuse(path, key, given)
    return given


def _of_file(path: Optional[str], table: Dict[str, Any], graph: str) -> Tuple[bool, Optional[FrozenSet[str]]]:
    """Whether the file is about the graph of that name, and of which operators; None: all."""
    entries = table.get("dump_list", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        _refuse(path, "dump_list", entries)
    mine = [entry for entry in entries if entry.get("model_name") in (None, graph)]
    if mine and all("layer" in entry for entry in mine):
        return True, frozenset(name for entry in mine for name in entry["layer"])
    return bool(mine) or not entries, None


def _read(path: str) -> Dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        try:
            table = json.load(file)["dump"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"dump_config.dump_config_path: {path} is no JSON file with an object 'dump': {error}") from error
    for key in table:
        if key not in _FILE_KEYS:
            raise ValueError(f"dump_config.dump_config_path: {path} has the unknown key {key!r}{near(key, _FILE_KEYS)}; "
                             f"legal: {', '.join(_FILE_KEYS)}")
    if "dump_path" not in table:
        raise ValueError(f"dump_config.dump_config_path: {path} has no dump_path; legal: {_FILE_KEYS['dump_path']}")
    if table.get("dump_debug", "off") != "off" or "dump_scene" in table:
        key = "dump_scene" if "dump_scene" in table else "dump_debug"
        raise NotImplementedError(f"dump_config.dump_config_path: {path}: {key} = {table[key]!r} is not modelled; "
                                  f"legal: {_FILE_KEYS[key]}")
    return table


def folder(directory: str) -> str:
    """Where a process of a distributed run writes below a directory."""
    world, rank = 1, 0
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        world, rank = torch.distributed.get_world_size(), torch.distributed.get_rank()
    return os.path.join(os.path.abspath(directory), f"worldsize{world}_global_rank{rank}")


def settings(options: DumpConfig, graph: str) -> Optional[Settings]:
    """What is wanted of the graph of that name; None: nothing is dumped."""
    file = options.dump_config_path.raw
    if not options.enable_dump and file is None:
        return None
    table = {} if file is None else _read(file)
    about, layers = _of_file(file, table, graph)
    if not about:
        return None
    set_here = {name: option.raw for name, option in options._options.items() if option != option._declaration.default}
    mode = set_here.get("dump_mode") or _choice(file, table, "dump_mode") or "all"
    data = set_here.get("dump_data") or _choice(file, table, "dump_data") or "tensor"
    directory = set_here.get("dump_path") or table.get("dump_path") or options.dump_path.raw
    if options.dump_layer.raw:
        layers = frozenset(options.dump_layer.raw.split())
    return Settings(folder(directory), mode, data == "stats", _steps(set_here.get("dump_step") or table.get("dump_step", "")),
                    layers)
