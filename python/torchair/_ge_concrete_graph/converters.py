"""From an operator of torch to operators of the GE graph: registered functions, tables, and a rule for the rest."""
import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch

from torchair import ge
from torchair._ge_concrete_graph import ir_library
from torchair._ge_concrete_graph.ge_graph import Tensor, TensorSpec, add_const, add_op
from torchair._ge_concrete_graph.types import attribute_dtype
from torchair.ge import attr

_CONVERTERS: Dict[str, Callable] = {}


def key_of(target: torch._ops.OpOverload) -> str:
    """ "aten::add.Tensor"; without the overload when it is the default one."""
    return target._schema.name + (f".{target._schema.overload_name}" if target._schema.overload_name else "")


def register_fx_node_ge_converter(op_overload: torch._ops.OpOverload) -> Callable[[Callable], Callable]:
    """Decorator: the function gets the operator's arguments, GE tensors in place of torch ones, and returns a GE
    tensor or a tuple. A parameter `meta_outputs` is given the TensorSpec of the result, a list for several."""
    if not isinstance(op_overload, torch._ops.OpOverload):
        raise TypeError(f"register_fx_node_ge_converter: {op_overload!r} is {type(op_overload).__name__}; "
                        "legal: an overload of an operator, such as torch.ops.npu.my_op.default")

    def register(function: Callable) -> Callable:
        _CONVERTERS[key_of(op_overload)] = function
        return function

    return register


def _converts(*keys: str) -> Callable[[Callable], Callable]:
    def register(function: Callable) -> Callable:
        for key in keys:
            _CONVERTERS[key] = function
        return function

    return register


# ---- torch_npu -----------------------------------------------------------------------------------

_ROUND_MODES = ("rint", "round", "floor", "ceil", "trunc")


@_converts("npu::npu_moe_gating_top_k_softmax")
def _moe_gating_top_k_softmax(x, finished=None, k=1):
    return ge.custom_op("MoeGatingTopKSoftmax", x, finished, k)


@_converts("npu::npu_moe_gating_top_k_softmax_v2")
def _moe_gating_top_k_softmax_v2(x, *, k=1, finished=None, renorm=0, output_softmax=False):
    return ge.custom_op("MoeGatingTopKSoftmaxV2", x, finished, k, renorm or 0, bool(output_softmax))


@_converts("npu::npu_moe_gating_top_k")
def _moe_gating_top_k(x, k, *, bias=None, input_ids=None, tid2eid=None, k_group=1, group_count=1, group_select_mode=0,
                      renorm=0, norm_type=0, out_flag=False, routed_scaling_factor=1.0, eps=1e-20):
    return ge.custom_op("MoeGatingTopK", x, bias, k, k_group, group_count, group_select_mode, renorm, norm_type,
                        out_flag, routed_scaling_factor, eps)


@_converts("npu::npu_dynamic_quant")
def _dynamic_quant(input, *, smooth_scales=None, group_index=None, dst_type=None, quant_mode="pertoken",
                   dst_type_max=0.0):
    number = attribute_dtype(torch.int8 if dst_type is None else dst_type)
    if quant_mode == "pertoken" and dst_type_max == 0:
        return ge.custom_op("DynamicQuant", input, smooth_scales, group_index, number)
    y, scale, _ = ge.custom_op("DynamicQuantV2", input, smooth_scales, group_index, number, True, quant_mode,
                               dst_type_max)
    return y, scale


@_converts("npu::npu_dequant_swiglu_quant")
def _dequant_swiglu_quant(x, *, weight_scale=None, activation_scale=None, bias=None, quant_scale=None,
                          quant_offset=None, group_index=None, activate_left=False, quant_mode=0, dst_type=None,
                          round_mode=None, activate_dim=None, swiglu_mode=0, clamp_limit=7.0, glu_alpha=1.702,
                          glu_bias=1.0):
    return ge.custom_op(
        "DequantSwigluQuant", x, weight_scale, activation_scale, bias, quant_scale, quant_offset, group_index,
        activate_left, "dynamic" if quant_mode == 1 else "static",
        attribute_dtype(torch.int8 if dst_type is None else dst_type), _ROUND_MODES[round_mode or 0],
        -1 if activate_dim is None else activate_dim, swiglu_mode, clamp_limit, glu_alpha, glu_bias)


@_converts("npu::npu_quant_matmul")
def _quant_matmul(x1, x2, scale, *, offset=None, pertoken_scale=None, bias=None, output_dtype=None, x1_dtype=None,
                  x2_dtype=None, pertoken_scale_dtype=None, scale_dtype=None, group_sizes=None, y_scale=None):
    number = attribute_dtype(torch.int8 if output_dtype is None else output_dtype)
    return ge.custom_op("QuantBatchMatmulV3", x1, x2, scale, offset, bias, pertoken_scale, number, False, False)


@_converts("npu::npu_rms_norm")
def _rms_norm(self, gamma, epsilon=1e-6):
    return ge.custom_op("RmsNorm", self, gamma, epsilon)


@_converts("npu::npu_add_rms_norm")
def _add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    return ge.custom_op("AddRmsNorm", x1, x2, gamma, epsilon)


@_converts("npu::npu_swiglu")
def _swiglu(self, dim=-1):
    return ge.custom_op("SwiGlu", self, dim)


@_converts("npu::npu_format_cast")
def _format_cast(self, acl_format, customize_dtype=None, input_dtype=None):
    return add_op("Identity", [("x", self)], ["y"], [("_acl_format", attr.Int(int(acl_format)).definition())])[0]


# ---- aten ----------------------------------------------------------------------------------------

@_converts("air::wait_tensor")
def _wait_tensor(self, dependency):
    return add_op("Identity", [("x", self)], ["y"], (), dependencies=[dependency])[0]


def _operand(given: Any, like: Any) -> Tensor:
    """A number becomes a constant of the other operand's dtype."""
    if isinstance(given, Tensor):
        return given
    dtype = like.dtype if isinstance(like, Tensor) else None
    if isinstance(given, float) and dtype is not None and not dtype.is_floating_point:
        dtype = None
    return add_const(given, dtype)


def _binary(op_type: str, first: Any, second: Any) -> Tensor:
    return add_op(op_type, [("x1", _operand(first, second)), ("x2", _operand(second, first))], ["y"])[0]


def _scaled(other: Any, alpha: Any, like: Any) -> Any:
    return other if alpha == 1 else _binary("Mul", _operand(other, like), alpha)


@_converts("aten::add.Tensor", "aten::add.Scalar")
def _add(self, other, *, alpha=1):
    return _binary("Add", self, _scaled(other, alpha, self))


@_converts("aten::sub.Tensor", "aten::sub.Scalar")
def _sub(self, other, *, alpha=1):
    return _binary("Sub", self, _scaled(other, alpha, self))


@_converts("aten::rsub.Scalar", "aten::rsub.Tensor")
def _rsub(self, other, alpha=1):
    return _binary("Sub", other, _scaled(self, alpha, self))


def _table(make: Callable, entries: Dict[str, str]) -> None:
    for key, op_type in entries.items():
        _CONVERTERS[key] = make(op_type)


_table(lambda op_type: lambda self, other: _binary(op_type, self, other), {
    "aten::mul.Tensor": "Mul", "aten::mul.Scalar": "Mul", "aten::div.Tensor": "Div", "aten::div.Scalar": "Div",
    "aten::maximum": "Maximum", "aten::minimum": "Minimum", "aten::pow.Tensor_Scalar": "Pow",
    "aten::pow.Tensor_Tensor": "Pow", "aten::eq.Tensor": "Equal", "aten::eq.Scalar": "Equal",
    "aten::gt.Scalar": "Greater", "aten::gt.Tensor": "Greater", "aten::lt.Scalar": "Less", "aten::lt.Tensor": "Less"})
_table(lambda op_type: lambda self: add_op(op_type, [("x", self)], ["y"])[0], {
    "aten::relu": "Relu", "aten::sigmoid": "Sigmoid", "aten::tanh": "Tanh", "aten::exp": "Exp", "aten::neg": "Neg",
    "aten::abs": "Abs", "aten::sqrt": "Sqrt", "aten::rsqrt": "Rsqrt", "aten::isinf": "IsInf",
    "aten::reciprocal": "Reciprocal", "aten::detach": "Identity", "aten::alias": "Identity"})


@_converts("aten::mm")
def _mm(self, mat2):
    return add_op("MatMul", [("x1", self), ("x2", mat2)], ["y"],
                  [("transpose_x1", attr.Bool(False).definition()), ("transpose_x2", attr.Bool(False).definition())])[0]


@_converts("aten::bmm")
def _bmm(self, mat2):
    return add_op("BatchMatMul", [("x1", self), ("x2", mat2)], ["y"],
                  [("adj_x1", attr.Bool(False).definition()), ("adj_x2", attr.Bool(False).definition())])[0]


@_converts("aten::addmm")
def _addmm(self, mat1, mat2, *, beta=1, alpha=1):
    product = _mm(mat1, mat2)
    product.meta = mat1.meta
    return _binary("Add", _scaled(product, alpha, mat1), _scaled(self, beta, mat1))


@_converts("aten::_to_copy")
def _to_copy(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    if dtype is None:
        return ge.Clone(self)
    return ge.Cast(self, dst_type=attribute_dtype(dtype))


@_converts("npu::_npu_dtype_cast", "npu::npu_dtype_cast", "prims::convert_element_type")
def _dtype_cast(self, dtype):
    return ge.Cast(self, dst_type=attribute_dtype(dtype))


@_converts("aten::clone")
def _clone(self, *, memory_format=None):
    return ge.Clone(self)


@_converts("aten::copy_", "aten::copy")
def _copy(self, src, non_blocking=False):
    return add_op("Assign", [("ref", self), ("value", src)], ["ref"])[0]


@_converts("aten::_softmax")
def _softmax(self, dim, half_to_float):
    return add_op("SoftmaxV2", [("x", self)], ["y"], [("axes", attr.ListInt([dim]).definition())])[0]


# ---- views ---------------------------------------------------------------------------------------

def transpose(x: Tensor, perm: Sequence[int]) -> Tensor:
    return add_op("Transpose", [("x", x), ("perm", add_const(list(perm), torch.int64))], ["y"])[0]


def reshape(x: Tensor, shape: Sequence[Any]) -> Tensor:
    sizes = [size if isinstance(size, int) else -1 for size in shape]
    return add_op("Reshape", [("x", x), ("shape", add_const(sizes, torch.int64))], ["y"])[0]


# ---- everything else -----------------------------------------------------------------------------

_PYTHON = {"add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "RealDiv", "floordiv": "FloorDiv", "mod": "FloorMod",
           "neg": "Neg", "pow": "Pow", "eq": "Equal", "ge": "GreaterEqual", "gt": "Greater", "le": "LessEqual",
           "lt": "Less", "sym_int": "Identity", "sym_float": "Identity", "sym_max": "Maximum", "sym_min": "Minimum"}


def camel_case(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.removesuffix("_functional").split("_") if part)


def _contains_tensor(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        return any(isinstance(item, Tensor) for item in given)
    return isinstance(given, Tensor)


def _attributes(named: Sequence[Tuple[str, Any]]) -> List[Tuple[str, Any]]:
    found = []
    for name, given in named:
        if isinstance(given, torch.dtype):
            found.append((name, attr.Int(attribute_dtype(given)).definition()))
        elif isinstance(given, (torch.device, torch.layout, torch.memory_format)):
            found.append((name, attr.Str(str(given)).definition()))
        elif given is not None:
            found.append((name, ir_library.attribute(given).definition()))
    return found


def _outputs(value: Any) -> List[str]:
    count = len(value) if isinstance(value, (list, tuple)) else 1
    return ["y"] if count == 1 else [f"y{index}" for index in range(count)]


def _by_schema(target: torch._ops.OpOverload, args: Sequence[Any], kwargs: Dict[str, Any], value: Any) -> Any:
    """Inputs and attributes under the names of the schema; the type is the operator's name in camel case."""
    op_type = camel_case(target._schema.name.split("::")[1])
    ir_library.require(op_type)
    parameters = target._schema.arguments
    named = [(parameter.name, args[index] if index < len(args) else kwargs.get(parameter.name, parameter.default_value))
             for index, parameter in enumerate(parameters)]
    tensors = {parameter.name for parameter in parameters if "Tensor" in str(parameter.type)}
    inputs = [(name, given) for name, given in named if name in tensors or _contains_tensor(given)]
    # a list of sizes may hold symbols: then it is an input, its numbers are constants
    inputs = [(name, [_operand(item, None) for item in given] if isinstance(given, (list, tuple)) else given)
              for name, given in inputs]
    taken = {name for name, _ in inputs}
    made = add_op(op_type, inputs, _outputs(value), _attributes([pair for pair in named if pair[0] not in taken]))
    return list(made) if isinstance(value, (list, tuple)) else made[0]


def _python_function(target: Callable, args: Sequence[Any], value: Any) -> Any:
    name = getattr(target, "__name__", str(target))
    op_type = _PYTHON.get(name, camel_case(name))
    inputs = [(f"x{index + 1}", _operand(given, None)) for index, given in enumerate(args)]
    made = add_op(op_type, inputs, _outputs(value))
    return list(made) if isinstance(value, (list, tuple)) else made[0]


def _mutating(args: Sequence[Any], kwargs: Dict[str, Any], value: Any) -> Any:
    """An operator that writes its arguments, as functionalisation has it: copies go in, what was written comes out."""
    op = args[0]
    op_type = camel_case(op._schema.name.split("::")[1])
    ir_library.require(op_type)
    tensors = [(name, given) for name, given in kwargs.items() if name != "_all_bases" and _contains_tensor(given)]
    tensors += [(f"base{index}", given) for index, given in enumerate(kwargs.get("_all_bases", ()))]
    names = {parameter.name for parameter in op._schema.arguments}
    attributes = _attributes([(name, given) for name, given in kwargs.items() if name in names and not _contains_tensor(given)])
    return list(add_op(op_type, tensors, [f"y{index}" for index in range(len(value))], attributes))


def _specs(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return TensorSpec(value)
    if isinstance(value, (list, tuple)):
        return [_specs(item) for item in value]
    return value


def convert(target: Any, args: Sequence[Any], kwargs: Dict[str, Any], value: Any) -> Any:
    """GE tensors of one FX call; args hold GE tensors. value: what the FX node's meta says of the result."""
    if isinstance(target, torch._ops.HigherOrderOperator):
        if target.name().startswith("auto_functionalized"):
            return _mutating(args, kwargs, value)
        raise RuntimeError(f"operator {target.name()} has no converter and no GE operator")
    if not isinstance(target, torch._ops.OpOverload):
        return _python_function(target, [*args, *kwargs.values()], value)
    function = _CONVERTERS.get(key_of(target))
    if function is None:
        return _by_schema(target, args, kwargs, value)
    if "meta_outputs" in inspect.signature(function).parameters:
        kwargs = {**kwargs, "meta_outputs": _specs(value)}
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        raise RuntimeError(f"converter of {key_of(target)}: {error}") from error


def converter_of(target: torch._ops.OpOverload) -> Optional[Callable]:
    return _CONVERTERS.get(key_of(target))
