"""Private storage formats. Data stay as they are (ND); the storage remembers the format it is said to have."""
import enum

import torch
from superkernel import _device


class Format(enum.IntEnum):
    """acl format numbers."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47
    NZ_C0_16 = 50
    NZ_C0_32 = 51
    NZ_C0_2 = 52
    NZ_C0_4 = 53
    NZ_C0_8 = 54


def get_npu_format(tensor) -> Format:
    """Format of an npu tensor's storage; ND for everything else."""
    if tensor.device.type != "npu" or isinstance(tensor, torch._subclasses.FakeTensor):
        return Format.ND
    return Format(_device.format_of(tensor.untyped_storage().data_ptr()))


def get_storage_size(tensor) -> int:
    """Elements of the tensor's storage."""
    return tensor.untyped_storage().nbytes() // tensor.element_size()


def legal(number) -> Format:
    """The Format of a number; ValueError with the legal ones."""
    try:
        return Format(number)
    except ValueError:
        legal_numbers = ", ".join(f"{one.value} {one.name}" for one in Format if one.value >= 0)
        raise ValueError(f"npu_format_cast: acl_format {number}; legal: {legal_numbers}") from None
