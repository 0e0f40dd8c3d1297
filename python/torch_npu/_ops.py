"""Operators of the namespace npu: shapes for tracing, scope marks, and their names in torch_npu."""
import torch
from superkernel import _core, _device

from .npu import graphs

# Registrations vanish with this object. Schemas of what has a kernel in C++ stand there.
_library = torch.library.Library("npu", "FRAGMENT")

_INT8, _QUINT4X2, _INT4 = 1, 16, 285


@torch.library.register_fake("npu::npu_moe_gating_top_k_softmax", lib=_library)
def _(x, finished=None, k=1):
    torch._check(x.dim() in (2, 3), lambda: f"npu_moe_gating_top_k_softmax: x must be 2-D or 3-D, got {x.dim()}-D")
    shape = [*x.shape[:-1], k]
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int32), x.new_empty(shape, dtype=torch.int32)


@torch.library.register_fake("npu::npu_dynamic_quant", lib=_library)
def _(input, *, smooth_scales=None, group_index=None, dst_type=None, quant_mode="pertoken", dst_type_max=0.0):
    torch._check(input.dim() >= 2, lambda: f"npu_dynamic_quant: input must have at least 2 dimensions, got {input.dim()}")
    scale = input.new_empty(input.shape[:-1], dtype=torch.float32)
    if dst_type in (_QUINT4X2, _INT4):
        return input.new_empty([*input.shape[:-1], input.shape[-1] // 8], dtype=torch.int32), scale
    return input.new_empty(input.shape, dtype=torch.int8), scale


_SCALAR_TYPES = {0: torch.uint8, 1: torch.int8, 3: torch.int32, 5: torch.float16, 6: torch.float32, 15: torch.bfloat16}


@torch.library.register_fake("npu::npu_dequant_swiglu_quant", lib=_library)
def _(x, *, weight_scale=None, activation_scale=None, bias=None, quant_scale=None, quant_offset=None, group_index=None,
      activate_left=False, quant_mode=0, dst_type=None, round_mode=None, activate_dim=None, swiglu_mode=0, clamp_limit=7.0,
      glu_alpha=1.702, glu_bias=1.0):
    torch._check(x.dim() >= 2, lambda: f"npu_dequant_swiglu_quant: x must have at least 2 dimensions, got {x.dim()}")
    return x.new_empty([*x.shape[:-1], x.shape[-1] // 2], dtype=torch.int8), x.new_empty(x.shape[:-1], dtype=torch.float32)


@torch.library.register_fake("npu::npu_quant_matmul", lib=_library)
def _(x1, x2, scale, *, offset=None, pertoken_scale=None, bias=None, output_dtype=None, x1_dtype=None, x2_dtype=None,
      pertoken_scale_dtype=None, scale_dtype=None, group_sizes=None, y_scale=None):
    torch._check(x1.dim() >= 2 and x2.dim() >= 2, lambda: "npu_quant_matmul: x1 and x2 must have at least 2 dimensions")
    batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    return x1.new_empty([*batch, x1.shape[-2], x2.shape[-1]], dtype=_SCALAR_TYPES.get(output_dtype, torch.int8))


@torch.library.register_fake("npu::npu_trans_quant_param", lib=_library)
def _(scale, offset=None, round_mode=0):
    shape = scale.shape if offset is None else [max(scale.numel(), offset.numel())]
    return scale.new_empty(shape, dtype=torch.int64)


# ---- scopes --------------------------------------------------------------------------------------

def _check_name(scope_name=None):
    if scope_name is not None and not scope_name.strip():
        raise RuntimeError("Super kernel scope name must be None or a non-empty string.", "[ERROR] ERR01001 OPS invalid parameter")


def _mark(core_call, begins):
    def call(scope_name=None):
        _check_name(scope_name)
        # Outside a capture there is nothing to mark.
        if _device.capturing():
            core_call(scope_name, _device.current_handle())
            graphs.note_mark(begins, scope_name)
    return call


for _name, _call in (("super_kernel_scope_begin", _core.scope_begin), ("super_kernel_scope_end", _core.scope_end)):
    _library.define(f"{_name}(str? scope_name=None) -> ()")
    for _key in ("PrivateUse1", "BackendSelect", "CPU"):
        _library.impl(_name, _mark(_call, _call is _core.scope_begin), _key)
    torch.library.register_fake(f"npu::{_name}", _check_name, lib=_library)
    torch.fx.node.has_side_effect(getattr(torch.ops.npu, _name).default)


# ---- formats -------------------------------------------------------------------------------------

@torch.library.register_fake("npu::npu_format_cast", lib=_library)
def _(self, acl_format, *, customize_dtype=None, input_dtype=None):
    return self.new_empty(self.shape)


@torch.library.register_fake("npu::npu_format_cast.Tensor", lib=_library)
def _(self, dst):
    return self.new_empty(self.shape)


@torch.library.register_fake("npu::npu_format_cast_", lib=_library)
def _(self, acl_format):
    return self


# ---- names ---------------------------------------------------------------------------------------

def _refuse(name):
    def call(*args, **kwargs):
        raise RuntimeError(f"torch.{name} is not there, use torch_npu.{name}")
    call.__name__ = name
    return call


def export(module):
    """Each operator there is becomes torch_npu.<name>; torch.<name> says where it is."""
    names = {schema.name.split("::")[1] for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("npu::")}
    for name in sorted(names):
        module.setdefault(name, getattr(torch.ops.npu, name))
        if name.startswith("npu_") and not hasattr(torch, name):
            setattr(torch, name, _refuse(name))
