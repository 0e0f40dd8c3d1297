"""Context managers that a model uses inside a compiled graph: limits of cores."""
from . import library


class _Limit:
    """Enters and leaves a scope with core limits; both become nodes of a traced graph."""

    def __init__(self, op_aicore_num, op_vectorcore_num):
        self.keys = [library.AICORE, library.VECTORCORE]
        self.values = [str(op_aicore_num), str(op_vectorcore_num)]

    def __enter__(self):
        library.scope_enter(self.keys, self.values)
        return self

    def __exit__(self, kind, value, trace):
        library.scope_exit()


def limit_core_num(op_aicore_num: int, op_vectorcore_num: int, stream=None):
    """Limits the cores of the operators inside the `with` block, in a compiled graph.

    op_aicore_num: 1 to the chip's number of cube cores; op_vectorcore_num: 1 to that of vector cores.
    The limits hold on the stream that is current at the block; `stream` must be None: put the block inside
    `with torch.npu.stream(stream)` instead. Eager calls are not limited.
    Raises ValueError for anything but positive ints. A graph break inside the block is an error.
    """
    if stream is not None:
        raise ValueError("limit_core_num: stream must be None, put the block inside torch.npu.stream(stream)")
    for name, number in (("op_aicore_num", op_aicore_num), ("op_vectorcore_num", op_vectorcore_num)):
        if not isinstance(number, int) or number < 1:
            raise ValueError(f"limit_core_num: {name} must be an int of 1 or more, got {number!r}")
    return _Limit(op_aicore_num, op_vectorcore_num)
