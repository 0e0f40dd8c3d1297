"""Storage formats. FRACTAL_NZ is laid out on the device; values, shape and strides of a tensor do not show it."""
import enum

import torch
from superkernel import _device


class _Named(enum.IntEnum):
    def __str__(self):
        return self.name


Format = _Named("Format", _device.formats(), module=__name__)
Format.__doc__ = "acl format numbers."


def get_npu_format(tensor) -> Format:
    """Format of an npu tensor's storage; ND for everything else."""
    if tensor.device.type != "npu" or isinstance(tensor, torch._subclasses.FakeTensor):
        return Format.ND
    return Format(_device.format_of(tensor.untyped_storage().data_ptr()))


def get_storage_size(tensor) -> int:
    """Elements of the tensor's storage, in FRACTAL_NZ with their padding."""
    return tensor.untyped_storage().nbytes() // tensor.element_size()
