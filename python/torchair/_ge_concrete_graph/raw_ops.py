"""Operators by type with everything they hold given: what a dumped program calls. Any type is there."""
from typing import Callable, Dict, Optional, Sequence

from torchair._ge_concrete_graph.ge_graph import current_graph
from torchair._ge_concrete_graph.ge_ir import AttrDef, OpDef, TensorDescriptor


def __getattr__(op_type: str) -> Callable[..., OpDef]:
    if op_type.startswith("__"):
        raise AttributeError(op_type)

    def make(*, inputs: Sequence[str] = (), attrs: Optional[Dict[str, AttrDef]] = None,
             input_desc: Sequence[TensorDescriptor] = (), output_desc: Sequence[TensorDescriptor] = (),
             node_name: str) -> OpDef:
        op = current_graph().add(op_type, node_name)
        op.input.extend(inputs)
        op.attr.clear()
        op.attr.update(attrs or {})
        op.input_desc.extend(input_desc)
        op.output_desc.extend(output_desc)
        return op

    return make
