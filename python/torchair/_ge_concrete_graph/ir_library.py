"""Descriptions of the operator types that this project knows, in place of the vendor's library of them.

A type that is not here is accepted with the names its caller gives, since a user's operator runs through
its kernel in any case; SUPERKERNEL_STRICT_IR=1 refuses it as the real stack does.
"""
import difflib
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from torchair.ge import attr as ge_attr


class Description(NamedTuple):
    inputs: Tuple[str, ...]
    attrs: Tuple[Tuple[str, type], ...]
    outputs: Tuple[str, ...]


_I, _F, _B, _S, _LI = ge_attr.Int, ge_attr.Float, ge_attr.Bool, ge_attr.Str, ge_attr.ListInt
_UNARY, _BINARY = ("x",), ("x1", "x2")

KNOWN: Dict[str, Description] = {
    "Add": Description(_BINARY, (), ("y",)),
    "AddN": Description(("x",), (("N", _I),), ("y",)),
    "AddRmsNorm": Description(("x1", "x2", "gamma"), (("epsilon", _F),), ("y", "rstd", "x")),
    "BatchMatMul": Description(_BINARY, (("adj_x1", _B), ("adj_x2", _B)), ("y",)),
    "Cast": Description(_UNARY, (("dst_type", _I),), ("y",)),
    "DequantSwigluQuant": Description(
        ("x", "weight_scale", "activation_scale", "bias", "quant_scale", "quant_offset", "group_index"),
        (("activate_left", _B), ("quant_mode", _S), ("dst_type", _I), ("round_mode", _S), ("activate_dim", _I),
         ("swiglu_mode", _I), ("clamp_limit", _F), ("glu_alpha", _F), ("glu_bias", _F)), ("y", "scale")),
    "Div": Description(_BINARY, (), ("y",)),
    "DynamicQuant": Description(("x", "smooth_scales", "group_index"), (("dst_type", _I),), ("y", "scale")),
    "DynamicQuantV2": Description(("x", "smooth_scales", "group_index"),
                                  (("dst_type", _I), ("is_symmetrical", _B), ("quant_mode", _S), ("dst_type_max", _F)),
                                  ("y", "scale", "offset")),
    "GroupedMatmul": Description(
        ("x", "weight", "bias", "scale", "offset", "antiquant_scale", "antiquant_offset", "group_list",
         "per_token_scale"),
        (("split_item", _I), ("dtype", _I), ("transpose_weight", _B), ("transpose_x", _B), ("group_type", _I),
         ("group_list_type", _I), ("act_type", _I)), ("y",)),
    "Identity": Description(_UNARY, (), ("y",)),
    "IsInf": Description(_UNARY, (), ("y",)),
    "MatMul": Description(("x1", "x2", "bias"), (("transpose_x1", _B), ("transpose_x2", _B)), ("y",)),
    "MoeGatingTopK": Description(
        ("x", "bias"), (("k", _I), ("k_group", _I), ("group_count", _I), ("group_select_mode", _I), ("renorm", _I),
                        ("norm_type", _I), ("out_flag", _B), ("routed_scaling_factor", _F), ("eps", _F)),
        ("y", "expert_idx", "out")),
    "MoeGatingTopKSoftmax": Description(("x", "finished"), (("k", _I),), ("y", "expert_idx", "row_idx")),
    "MoeGatingTopKSoftmaxV2": Description(("x", "finished"), (("k", _I), ("renorm", _I), ("output_softmax_result_flag", _B)),
                                          ("y", "expert_idx", "softmax_result")),
    "Mul": Description(_BINARY, (), ("y",)),
    "Neg": Description(_UNARY, (), ("y",)),
    "Pow": Description(_BINARY, (), ("y",)),
    "QuantBatchMatmulV3": Description(
        ("x1", "x2", "scale", "offset", "bias", "pertoken_scale"),
        (("dtype", _I), ("transpose_x1", _B), ("transpose_x2", _B), ("group_size", _I)), ("y",)),
    "Relu": Description(_UNARY, (), ("y",)),
    "Reshape": Description(("x", "shape"), (), ("y",)),
    "RmsNorm": Description(("x", "gamma"), (("epsilon", _F),), ("y", "rstd")),
    "Sigmoid": Description(_UNARY, (), ("y",)),
    "SoftmaxV2": Description(_UNARY, (("axes", _LI),), ("y",)),
    "Sub": Description(_BINARY, (), ("y",)),
    "SwiGlu": Description(_UNARY, (("dim", _I),), ("y",)),
    "TensorMove": Description(_UNARY, (), ("y",)),
    "Transpose": Description(("x", "perm"), (), ("y",)),
}


def require(op_type: str) -> Optional[Description]:
    """The description, None for an unknown type; in strict mode a RuntimeError that names the nearest one."""
    known = KNOWN.get(op_type)
    if known is None and os.environ.get("SUPERKERNEL_STRICT_IR") == "1":
        near = difflib.get_close_matches(op_type, KNOWN, 1)
        raise RuntimeError(f"no such AscendIR: {op_type}" + (f" (did you mean {near[0]}?)" if near else ""))
    return known


_KINDS = ((bool, ge_attr.Bool), (int, ge_attr.Int), (float, ge_attr.Float), (str, ge_attr.Str))


def attribute(value: Any) -> Any:
    """A value of torchair.ge.attr for a plain Python value."""
    if hasattr(value, "definition"):
        return value
    for kind, made in _KINDS:
        if isinstance(value, kind):
            return made(value)
    if isinstance(value, (list, tuple)):
        for made in (ge_attr.ListBool, ge_attr.ListInt, ge_attr.ListFloat, ge_attr.ListStr, ge_attr.ListListInt):
            if made.accepts(value):
                return made(value)
    raise RuntimeError(f"{value!r} cannot be an attribute of a GE operator; legal: bool, int, float, str and lists of them")


def match(op_type: str, known: Optional[Description], args: Sequence[Any],
          is_tensor: Callable[[Any], bool]) -> Tuple[List[Tuple[str, Any]], Dict[str, Any], List[str]]:
    """Arguments by position: inputs, attributes, outputs. Unknown types get numbered names and one output."""
    if known is None:
        count = 0
        while count < len(args) and is_tensor(args[count]):
            count += 1
        inputs = [(f"x{index}", given) for index, given in enumerate(args[:count])]
        return inputs, {f"attr{index}": attribute(given) for index, given in enumerate(args[count:])}, ["y"]
    names = len(known.inputs)
    if len(args) > names + len(known.attrs):
        raise RuntimeError(f"custom_op '{op_type}': {len(args)} arguments; it has {names} inputs ({', '.join(known.inputs)})"
                           f" and {len(known.attrs)} attributes ({', '.join(name for name, _ in known.attrs)})")
    inputs = list(zip(known.inputs, args[:names]))
    attrs = {}
    for (name, kind), given in zip(known.attrs, args[names:]):
        if given is not None:
            attrs[name] = given if hasattr(given, "definition") else kind(given)
    return inputs, attrs, list(known.outputs)
