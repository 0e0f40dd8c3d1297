"""Data types and formats: torch's, the graph description's and those of attribute values."""
from enum import IntEnum

import torch

from torchair._ge_concrete_graph.ge_ir import DATA_TYPES


class DataType(IntEnum):
    """Numbers that attribute values hold; the graph description's own numbers are others."""

    DT_FLOAT = 0
    DT_FLOAT16 = 1
    DT_INT8 = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 6
    DT_UINT16 = 7
    DT_UINT32 = 8
    DT_INT64 = 9
    DT_UINT64 = 10
    DT_DOUBLE = 11
    DT_BOOL = 12
    DT_BF16 = 27
    DT_UNDEFINED = 28


class Format(IntEnum):
    FORMAT_NCHW = 0
    FORMAT_NHWC = 1
    FORMAT_ND = 2
    FORMAT_NC1HWC0 = 3
    FORMAT_FRACTAL_Z = 4
    FORMAT_HWCN = 16
    FORMAT_NDHWC = 27
    FORMAT_FRACTAL_NZ = 29
    FORMAT_NCDHW = 30
    FORMAT_NDC1HWC0 = 32
    FORMAT_FRACTAL_Z_3D = 33
    FORMAT_NC = 35
    FORMAT_NCL = 47


_NAMES = {
    torch.float32: "FLOAT", torch.float16: "FLOAT16", torch.int8: "INT8", torch.uint8: "UINT8", torch.int16: "INT16",
    torch.uint16: "UINT16", torch.int32: "INT32", torch.int64: "INT64", torch.uint32: "UINT32",
    torch.uint64: "UINT64", torch.bool: "BOOL", torch.float64: "DOUBLE", torch.bfloat16: "BF16",
    torch.complex64: "COMPLEX64", torch.complex128: "COMPLEX128", torch.complex32: "COMPLEX32",
    torch.float8_e5m2: "FLOAT8_E5M2", torch.float8_e4m3fn: "FLOAT8_E4M3FN",
}

# What a parameter typed int for a dtype holds: torch's scalar type, from 285 on the pseudo types.
_SCALAR_TYPES = {
    0: "UINT8", 1: "INT8", 2: "INT16", 3: "INT32", 4: "INT64", 5: "FLOAT16", 6: "FLOAT", 7: "DOUBLE", 11: "BOOL",
    15: "BF16", 23: "FLOAT8_E5M2", 24: "FLOAT8_E4M3FN", 285: "INT4", 290: "HIFLOAT8", 291: "FLOAT8_E5M2",
    292: "FLOAT8_E4M3FN", 293: "FLOAT8_E8M0", 296: "FLOAT4_E2M1", 297: "FLOAT4_E1M2",
}


def description_number(dtype: torch.dtype) -> int:
    """The number of the graph description; refuses what it cannot hold."""
    name = _NAMES.get(dtype)
    if name is None:
        legal = ", ".join(str(known) for known in _NAMES)
        raise RuntimeError(f"dtype {dtype} cannot be in a GE graph; legal: {legal}")
    return DATA_TYPES["DT_" + name]


def _attribute_number(name: str) -> int:
    """Types that DataType does not list stand one above their number in the graph description."""
    member = DataType.__members__.get("DT_" + name)
    return int(member) if member is not None else DATA_TYPES["DT_" + name] + 1


def attribute_dtype(given) -> int:
    """The number of torchair.ge.DataType for a torch dtype or for its number in an operator's schema."""
    if isinstance(given, torch.dtype):
        return _attribute_number(_NAMES[given])
    name = _SCALAR_TYPES.get(int(given))
    if name is None:
        raise RuntimeError(f"{given} is no dtype number; legal: {', '.join(str(known) for known in _SCALAR_TYPES)}")
    return _attribute_number(name)


def torch_dtype(number: int) -> torch.dtype:
    """The torch dtype of a number of torchair.ge.DataType."""
    for dtype, name in _NAMES.items():
        if _attribute_number(name) == int(number):
            return dtype
    raise RuntimeError(f"{number} is no dtype; legal: {', '.join(f'{kind.name} {int(kind)}' for kind in DataType)}")
