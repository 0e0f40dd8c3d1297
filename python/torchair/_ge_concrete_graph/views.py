"""Views that are not operators yet: what a permute, transpose or reshape makes is written down and becomes
Transpose and Reshape operators right before the first consumer that needs it."""
from typing import Any, List, Optional, Sequence, Tuple

import torch

from torchair._ge_concrete_graph import converters
from torchair._ge_concrete_graph.ge_graph import Tensor

Step = Tuple[str, List[Any]]  # ("permute", dims) or ("reshape", sizes)

KEYS = ("aten::permute", "aten::view", "aten::transpose.int", "aten::t", "aten::reshape")


class View:
    """A tensor and what is still to be done to it."""

    def __init__(self, base: Tensor, steps: List[Step], meta: Any):
        self.base, self.steps, self.meta = base, steps, meta
        self.made: Optional[Tensor] = None


def _permutation(key: str, rank: int, args: Sequence[Any]) -> List[int]:
    dims = list(range(rank))
    if key == "aten::permute":
        return [dim % rank for dim in args[0]]
    first, second = (0, 1) if key == "aten::t" else (args[0], args[1])
    if rank > 1:
        dims[first], dims[second] = dims[second], dims[first]
    return dims


def step_of(target: torch._ops.OpOverload, rank: int, args: Sequence[Any], value: torch.Tensor) -> Optional[Step]:
    """What the operator does; None: it is no view."""
    key = converters.key_of(target)
    if key not in KEYS:
        return None
    if key in ("aten::view", "aten::reshape"):
        return "reshape", list(value.size())
    return "permute", _permutation(key, rank, args)


def add_step(steps: List[Step], step: Step) -> List[Step]:
    """Neighbours of one kind become one step."""
    if steps and steps[-1][0] == step[0]:
        kind, before = steps[-1]
        merged = step[1] if kind == "reshape" else [before[dim] for dim in step[1]]
        return [*steps[:-1], (kind, merged)]
    return [*steps, step]


def materialise(view: View) -> Tensor:
    """Operators of the view, once for all its consumers."""
    if view.made is None:
        made = view.base
        for kind, arguments in view.steps:
            if kind == "permute" and arguments == sorted(arguments):
                continue
            made = converters.transpose(made, arguments) if kind == "permute" else converters.reshape(made, arguments)
        if made is not view.base:
            made.set_meta(view.meta)
        view.made = made
    return view.made
