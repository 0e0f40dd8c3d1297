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


def _check_names(op_type: str, inputs: Any, outputs: Any, attrs: Any) -> None:
    """Kinds of what custom_op is given by name."""
    assert inputs is None or isinstance(inputs, dict), \
        f"custom_op '{op_type}': inputs is {type(inputs).__name__}; legal: None, a dict"
    assert outputs is None or isinstance(outputs, (list, tuple)), \
        f"custom_op '{op_type}': outputs is {type(outputs).__name__}; legal: None, a list or tuple"
    for name, given in (inputs or {}).items():
        assert _is_tensor(given), f"custom_op '{op_type}': input '{name}' is {type(given).__name__}; " \
            "legal: a tensor of torchair.ge, a list of them, None"
    for output in outputs or ():
        named = isinstance(output, tuple) and len(output) == 2 and isinstance(output[0], str) and isinstance(output[1], int)
        assert isinstance(output, str) or named, f"custom_op '{op_type}': output {output!r}; legal: a name, (name, number)"
    for name, given in (attrs or {}).items():
        assert hasattr(given, "definition"), f"custom_op '{op_type}': attribute '{name}' is {type(given).__name__}; " \
            "legal: a value of torchair.ge.attr"


def custom_op(op_type: str, *args, inputs: Optional[Dict[str, Any]] = None,
              outputs: Optional[Sequence[Union[str, Tuple[str, int]]]] = None,
              attrs: Optional[Dict[str, Any]] = None, node_name: Optional[str] = None):
    """Adds an operator of that type to the graph being converted.

    By position: tensors, then attributes, matched to the operator's description. By name: inputs={name: tensor,
    list of tensors or None}, outputs=["y"] or [("y", n)] for n outputs of one name, attrs={name: attr.Int(...)}.
    Returns a tensor, a tuple of several, None without outputs. An argument of another kind is an AssertionError.
    """
    known = ir_library.require(op_type)
    if args:
        assert inputs is None and outputs is None and attrs is None, \
            f"custom_op '{op_type}': arguments by position, and inputs, outputs or attrs by name at once"
        given_inputs, given_attrs, wanted = ir_library.match(op_type, known, args, _is_tensor)
    else:
        _check_names(op_type, inputs, outputs, attrs)
        given_inputs, given_attrs, wanted = list((inputs or {}).items()), dict(attrs or {}), list(outputs or ())
    names, places = _named_outputs(wanted)
    made = add_op(op_type, given_inputs, names, [(name, given.definition()) for name, given in given_attrs.items()],
                  node_name)
    results = tuple(made[place] if isinstance(place, int) else list(made[place]) for place in places)
    if len(results) < 2:
        return results[0] if results else None
    return results


def Const(v: Any, dtype: Optional[int] = None, node_name: Optional[str] = None, readable: bool = True) -> Tensor:
    """A constant. dtype: of torchair.ge.DataType."""
    return add_const(v, torch_dtype(dtype) if dtype is not None else None, node_name, readable)


def Cast(x: Tensor, *, dst_type: int, dependencies: Sequence[Tensor] = (), node_name: Optional[str] = None) -> Tensor:
    """x in another dtype of torchair.ge.DataType."""
    return add_op("Cast", [("x", x)], ["y"], [("dst_type", attr.Int(int(dst_type)).definition())], node_name,
                  dependencies)[0]


def Clone(x: Tensor, *, dependencies: Sequence[Tensor] = (), node_name: Optional[str] = None) -> Tensor:
    """A copy of x."""
    return add_op("TensorMove", [("x", x)], ["y"], (), node_name, dependencies)[0]
