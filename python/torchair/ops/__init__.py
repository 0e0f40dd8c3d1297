"""Operators of graph mode."""
from torchair.ops._wait_tensor import npu_wait_tensor

__all__ = ["npu_wait_tensor"]
