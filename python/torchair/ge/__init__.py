"""Building blocks for converters of custom operators."""
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from torchair._ge_concrete_graph import ir_library
from torchair._ge_concrete_graph.ge_graph import Tensor, TensorSpec, add_const, add_op
from torchair._ge_concrete_graph.types import DataType, Format, torch_dtype
from torchair.ge import attr

__all__ = ["Cast", "Clone", "Const", "DataType", "Format", "Tensor", "TensorSpec", "attr", "custom_op"]


def _is_tensor(given: Any) -> bool:
    return given is None or isinstance(given, Tensor) or (
        isinstance(given, (list, tuple)) and len(given) > 0 and all(isinstance(item, Tensor) for item in given))


def _named_outputs(outputs: Sequence[Union[str, Tuple[str, int]]]) -> Tuple[List[str], List[Union[int, slice]]]:
    """Names of all outputs, and which of them each asked for gives: one, or a list of a dynamic one."""
    names: List[str] = []
    places: List[Union[int, slice]] = []
    for output in outputs:
        if isinstance(output, str):
            places.append(len(names))
            names.append(output)
        else:
            name, count = output
            places.append(slice(len(names), len(names) + count))
            names.extend(f"{name}{index}" for index in range(count))
    return names, places


def custom_op(op_type: str, *args, inputs: Optional[Dict[str, Any]] = None,
              outputs: Optional[Sequence[Union[str, Tuple[str, int]]]] = None,
              attrs: Optional[Dict[str, Any]] = None, node_name: Optional[str] = None):
    """Adds an operator of that type to the graph being converted.

    By position: tensors, then attributes, matched to the operator's description. By name: inputs={name: tensor,
    list of tensors or None}, outputs=["y"] or [("y", n)] for n outputs of one name, attrs={name: attr.Int(...)}.
    Returns a tensor, or a tuple of several.
    """
    by_name = inputs is not None or outputs is not None or attrs is not None
    if by_name and args:
        raise RuntimeError(f"custom_op '{op_type}': arguments by position and inputs, outputs or attrs by name at once")
    known = ir_library.require(op_type)
    if by_name:
        given_inputs, given_attrs = list((inputs or {}).items()), dict(attrs or {})
        wanted = list(outputs if outputs is not None else known.outputs if known else ["y"])
    else:
        given_inputs, given_attrs, wanted = ir_library.match(op_type, known, args, _is_tensor)
    for name, given in given_inputs:
        if not _is_tensor(given):
            raise RuntimeError(f"custom_op '{op_type}': input '{name}' is {type(given).__name__}; "
                               "legal: a tensor of torchair.ge, a list of them, None")
    for name, given in given_attrs.items():
        if not hasattr(given, "definition"):
            raise RuntimeError(f"custom_op '{op_type}': attribute '{name}' is {type(given).__name__}; "
                               "legal: a value of torchair.ge.attr")
    names, places = _named_outputs(wanted)
    made = add_op(op_type, given_inputs, names, [(name, given.definition()) for name, given in given_attrs.items()],
                  node_name)
    results = tuple(made[place] if isinstance(place, int) else list(made[place]) for place in places)
    return results[0] if len(results) == 1 else results


def Const(v: Any, dtype: Optional[int] = None, node_name: Optional[str] = None, readable: bool = True) -> Tensor:
    """A constant. dtype: of torchair.ge.DataType."""
    return add_const(v, torch_dtype(dtype) if dtype is not None else None, node_name)


def Cast(x: Tensor, *, dst_type: int, dependencies: Sequence[Tensor] = (), node_name: Optional[str] = None) -> Tensor:
    """x in another dtype of torchair.ge.DataType."""
    return add_op("Cast", [("x", x)], ["y"], [("dst_type", attr.Int(int(dst_type)).definition())], node_name,
                  dependencies)[0]


def Clone(x: Tensor, *, dependencies: Sequence[Tensor] = (), node_name: Optional[str] = None) -> Tensor:
    """A copy of x."""
    return add_op("TensorMove", [("x", x)], ["y"], (), node_name, dependencies)[0]
