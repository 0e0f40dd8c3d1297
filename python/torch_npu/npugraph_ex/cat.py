"""Takes concatenations out: each part is computed where it belongs in the result, nothing is copied.

Only for parts along the first dimension, of the result's type, made by operators that the device can let write into given
memory. A concatenation that stays runs on the host and cuts a SuperKernel.
"""
import torch

aten = torch.ops.aten


def _value(node):
    return node.meta.get("val") if isinstance(node, torch.fx.Node) else None


def _out_form(target):
    """The overload that writes into `out`, if the device has a kernel for it."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        return None
    wanted = [(argument.name, str(argument.type)) for argument in target._schema.arguments]
    packet = target.overloadpacket
    for name in packet.overloads():
        schema = getattr(packet, name)._schema
        given = [(argument.name, str(argument.type)) for argument in schema.arguments if not argument.is_out]
        if given == wanted and len(schema.arguments) == len(wanted) + 1 and schema.arguments[-1].is_out:
            full = f"{schema.name}.{schema.overload_name}"
            return getattr(packet, name) if torch._C._dispatch_has_kernel_for_dispatch_key(full, "PrivateUse1") else None
    return None


def _stream(node):
    return (node.meta.get("custom") or {}).get("stream") or 0


def _why_not(node, parts, output) -> str:
    """Why the concatenation stays, '' when it need not."""
    result = _value(node)
    if not isinstance(result, torch.Tensor) or result.device.type != "npu":
        return "it is not on the device"
    dim = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)
    if not isinstance(dim, int) or dim % result.dim() != 0:
        return f"it is along dimension {dim}"
    if len(parts) < 2 or len(set(parts)) < len(parts):
        return "a part is there twice, or it is the only one"
    for part in parts:
        value = _value(part)
        if part.op != "call_function" or not isinstance(value, torch.Tensor) or _out_form(part.target) is None:
            return f"{part.name} cannot be computed into given memory"
        if value.dtype != result.dtype or value.dim() != result.dim() or not value.is_contiguous():
            return f"{part.name} has another type, rank or layout"
        if not all(isinstance(size, int) for size in value.shape):
            return f"{part.name} has sizes that are known at run time only"
        if output in part.users or any(user is not node and user.target is aten.cat.default for user in part.users):
            return f"{part.name} is a result of its own or belongs to another concatenation"
        if _stream(part) != _stream(node):
            return f"{part.name} is computed on another stream"
    return ""


def _take_out(gm, node, parts) -> None:
    graph, result = gm.graph, _value(node)
    order = {each: place for place, each in enumerate(graph.nodes)}
    with graph.inserting_before(min(parts, key=order.get)):
        memory = graph.call_function(aten.empty.memory_format, (list(result.shape),),
                                     {"dtype": result.dtype, "device": result.device})
    memory.meta.update(node.meta)
    start = 0
    for part in parts:
        end = start + _value(part).shape[0]
        with graph.inserting_before(part):
            place = graph.call_function(aten.slice.Tensor, (memory, 0, start, end))
            written = graph.call_function(_out_form(part.target), part.args, {**part.kwargs, "out": place})
        for made in (place, written):
            made.meta.update(part.meta)
            # of the result's own memory: passes that write in place look at who shares it
            made.meta["val"] = result[start:end]
        part.replace_all_uses_with(written)
        start = end
    node.replace_all_uses_with(memory)
    graph.erase_node(node)
    for part in parts:
        graph.erase_node(part)


def remove(gm, told=lambda text: None) -> int:
    """How many concatenations left the graph; told(text) is called for each that stays."""
    output, count = next(iter(reversed(gm.graph.nodes))), 0
    for node in [each for each in gm.graph.nodes if each.op == "call_function" and each.target is aten.cat.default]:
        parts = list(node.args[0])
        why = _why_not(node, parts, output)
        if why:
            told(f"remove_cat_ops: {node.name} stays: {why}")
            continue
        _take_out(gm, node, parts)
        count += 1
    return count
