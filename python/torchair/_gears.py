"""Gears: the sizes that some dimensions of some inputs may have. A graph with gears runs for these sizes only, and for
each of them as a graph whose sizes are known."""
import itertools
import math
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import torch

LARGEST = 100


def set_dim_gears(t: torch.Tensor, dim_gears: Dict[int, Sequence[int]]) -> None:
    """dim_gears: {dimension: sizes it may have}. The tensor is given to the first call of the model that is compiled.

    Together with other dimensions the sizes count one by one or in all combinations, as
    inference_config.dynamic_gears_merge_policy says. Raises AssertionError for anything that is not legal.
    """
    before = gears_of(t)
    assert before is None or before == dim_gears, \
        f"set_dim_gears: the tensor has gears {before} already, other ones cannot be set: {dim_gears}"
    for dim, sizes in dim_gears.items():
        assert isinstance(dim, int), f"set_dim_gears: dimension {dim!r} is {type(dim).__name__}; legal: int"
        assert 0 <= dim < t.dim(), f"set_dim_gears: dimension {dim} of a tensor of {t.dim()}; legal: 0 to {t.dim() - 1}"
        assert isinstance(sizes, (list, tuple)), \
            f"set_dim_gears: gears of dimension {dim} are {type(sizes).__name__}; legal: list, tuple"
        for size in sizes:
            assert isinstance(size, int), f"set_dim_gears: gear {size!r} of dimension {dim} is {type(size).__name__}; legal: int"
            assert size > 0, f"set_dim_gears: gear {size} of dimension {dim}; legal: from 1 on"
        assert 2 <= len(sizes) <= LARGEST, f"set_dim_gears: dimension {dim} has {len(sizes)} gears; legal: 2 to {LARGEST}"
    _refuse_private(t)
    for dim in dim_gears:
        torch._dynamo.mark_dynamic(t, dim)
    t.dim_gears = dim_gears


def _refuse_private(t: torch.Tensor) -> None:
    if t.device.type != "npu":
        return
    import torch_npu
    number, known = torch_npu.get_npu_format(t), torch_npu.Format
    plain = (known.ND, known.NCHW, known.NHWC, known.HWCN, known.NCDHW, known.NDHWC, known.NC, known.NCL, known.UNDEFINED)
    assert number in plain, f"set_dim_gears: the tensor has the private format {number.name}; " \
        f"legal: {', '.join(each.name for each in plain)}"


def gears_of(t: Any) -> Optional[Dict[int, Sequence[int]]]:
    return getattr(t, "dim_gears", None) if isinstance(t, torch.Tensor) else None


class _Place(NamedTuple):
    input: int
    dim: int
    name: str
    sizes: Tuple[int, ...]


class Gears:
    """Those of one graph, by the places of its inputs."""

    def __init__(self, places: List[_Place], names: List[str], policy: str):
        """names: of all inputs."""
        self.places, self.names = places, names
        lists = [place.sizes for place in places]
        if policy == "zip":
            counts = {f"dimension {place.dim} of {place.name}": len(place.sizes) for place in places}
            assert len(set(counts.values())) == 1, \
                f"inference_config.dynamic_gears_merge_policy 'zip' needs as many gears everywhere; there are {counts}"
            self.legal = list(dict.fromkeys(zip(*lists)))
            count = len(self.legal)
        else:
            lists = [tuple(dict.fromkeys(sizes)) for sizes in lists]
            count = math.prod(len(sizes) for sizes in lists)  # which may be too many to write them down
            self.legal = list(itertools.product(*lists)) if count <= LARGEST else []
        assert count <= LARGEST, f"{count} combinations of gears; legal: up to {LARGEST}"

    def check(self, graph: str, args: Sequence[Any]) -> None:
        """RuntimeError for sizes that are no gear."""
        given = tuple(int(args[place.input].size(place.dim)) for place in self.places)
        if given not in self.legal:
            what = ", ".join(f"dimension {place.dim} of {place.name} is {size}" for place, size in zip(self.places, given))
            legal = "; ".join(",".join(map(str, one)) for one in self.legal)
            raise RuntimeError(f"{graph}: {what}: no gear; legal: {legal}")

    def fix(self, example_inputs: Sequence[Any]) -> Set[Any]:
        """Sizes without gears become constants of the graph, with guards. Returns the symbols of the others."""
        assert len(example_inputs) == len(self.names), \
            f"the lowered graph has {len(example_inputs)} inputs, the traced one {len(self.names)}: gears cannot be told apart"
        geared: Dict[Any, _Place] = {}
        for place in self.places:
            size = example_inputs[place.input].size(place.dim)
            if isinstance(size, torch.SymInt):
                geared.update(dict.fromkeys(size.node.expr.free_symbols, place))
        known = {(place.input, place.dim) for place in self.places}
        for index, value in enumerate(example_inputs):
            for dim, size in enumerate(value.size() if isinstance(value, torch.Tensor) else ()):
                if (index, dim) in known or not isinstance(size, torch.SymInt):
                    continue
                place = next((geared[symbol] for symbol in size.node.expr.free_symbols if symbol in geared), None)
                assert place is None, f"dimension {dim} of {self.names[index]} goes with dimension {place.dim} of {place.name}, " \
                    f"which has gears: set gears {list(place.sizes)} for it, too"
                int(size)
        return set(geared)

    def text(self) -> str:
        return ";".join(",".join(map(str, one)) for one in self.legal)


def _user_name(node: torch.fx.Node) -> str:
    """ "x" for Dynamo's L_x_."""
    found = re.fullmatch(r"[lL]_(.+?)_?", str(node.target))
    return found.group(1) if found else str(node.target)


def collect(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], policy: str) -> Optional[Gears]:
    """The gears that the inputs of Dynamo's graph carry, None without any."""
    names = [_user_name(node) for node in gm.graph.nodes if node.op == "placeholder"]
    places = [_Place(index, dim, names[index], tuple(sizes)) for index, value in enumerate(example_inputs)
              for dim, sizes in sorted((gears_of(value) or {}).items())]
    return Gears(places, names, policy) if places else None
