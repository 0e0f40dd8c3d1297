"""Scopes: see docs/torchair.md."""
from torchair.scope._scope import data_dump, limit_core_num, npu_stream_switch, op_never_timeout, super_kernel
from torchair.ops._wait_tensor import npu_wait_tensor

__all__ = ["data_dump", "limit_core_num", "npu_stream_switch", "npu_wait_tensor", "op_never_timeout", "super_kernel"]
