"""Passes over the lowered FX graph, in the order of `run`.

Every pass keeps the order of nodes: scope marks carry no tensors, so their place is all they have.
"""
import torch

from . import cat, debug, reinplace, scopes, streams

aten = torch.ops.aten


def value(node):
    """The fake result recorded for a node, None without one."""
    return node.meta.get("val") if isinstance(node, torch.fx.Node) else None


def _same_layout(a, b) -> bool:
    return (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.shape == b.shape
            and a.dtype == b.dtype and a.device == b.device and a.layout == b.layout and a.stride() == b.stride())


def _is_noop(node) -> bool:
    """Whether the result of a call equals its first argument in values and layout."""
    target = node.target
    if target in (aten.view.default, aten.reshape.default, aten._unsafe_view.default, aten.expand.default,
                  aten.permute.default, aten.transpose.int, aten.alias.default, aten.slice.Tensor,
                  aten._to_copy.default, aten.repeat.default, aten.constant_pad_nd.default):
        source = node.args[0]
        if not _same_layout(value(source), value(node)):
            return False
        if target is aten.permute.default:
            return list(node.args[1]) == list(range(len(node.args[1])))
        if target is aten.transpose.int:
            rank = value(node).dim()
            return rank == 0 or node.args[1] % rank == node.args[2] % rank
        # Equal shape means equal values for the rest: a slice or pad of the same size starts at 0,
        # unless the pad shifts by a negative amount.
        return target is not aten.constant_pad_nd.default or not any(node.args[1])
    if target is aten.pow.Tensor_Scalar:
        return node.args[1] == 1 and _same_layout(value(node.args[0]), value(node))
    return False


def _noop_source(node):
    if node.op != "call_function":
        return None
    if node.target is aten.cat.default and len(node.args[0]) == 1:
        source = node.args[0][0]
        return source if _same_layout(value(source), value(node)) else None
    return node.args[0] if _is_noop(node) else None


def remove_noops(gm) -> None:
    """Takes out operations that change nothing."""
    output = next(iter(reversed(gm.graph.nodes)))
    written = reinplace.written_placeholders(gm.graph)
    for node in list(gm.graph.nodes):
        source = _noop_source(node)
        if source is None:
            continue
        # A result of its own must not turn into an alias of an input, nor of another result.
        if output in node.users and (source.op == "placeholder" or output in source.users):
            continue
        if source in written:
            continue
        node.replace_all_uses_with(source)
        gm.graph.erase_node(node)


def view_to_reshape(gm) -> None:
    """Views become reshapes: input buffers of a captured graph may have another layout than the example."""
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is aten.view.default:
            node.target = aten.reshape.default


def enforce_limits(gm) -> None:
    """Core limits take effect when the graph runs, not when the marks are traced."""
    for node in gm.graph.nodes:
        name = scopes.schema_name(node)
        if name == "npugraph_ex::scope_enter":
            node.args = (*node.args[:2], True)
        elif name == "npugraph_ex::scope_exit":
            node.args = (True,)


def refresh_values(gm, example_inputs) -> None:
    """Fake results for nodes that custom passes added."""
    if all("val" in node.meta for node in gm.graph.nodes if node.op == "call_function"):
        return
    from torch._guards import detect_fake_mode
    from torch.fx.passes.fake_tensor_prop import FakeTensorProp
    inputs = [value(node) for node in gm.graph.nodes if node.op == "placeholder"]
    if any(one is None for one in inputs):
        inputs = example_inputs
    mode = detect_fake_mode(inputs)
    gm.graph.lint()
    gm.recompile()
    if mode is None:
        FakeTensorProp(gm).propagate(*inputs)
    else:
        FakeTensorProp(gm, mode).propagate_dont_convert_inputs(*inputs)


def _call_custom(function, gm, example_inputs, config) -> None:
    if function is not None:
        function(gm, example_inputs, config)
        gm.recompile()


def run(gm, example_inputs, config, after=lambda gm, name: None) -> None:
    """All passes on one lowered graph, in place; after(gm, name) is called behind each."""
    def do(name, function, *args):
        function(*args)
        after(gm, name)

    do("streams", streams.unwrap, gm)
    do("post_grad_custom_pre_pass", _call_custom, config.post_grad_custom_pre_pass.value, gm, example_inputs, config)
    if config.remove_noop_ops:
        do("remove_noop_ops", remove_noops, gm)
    if config.pattern_fusion_pass:
        from . import patterns
        do("pattern_fusion_pass", patterns.apply, gm)
    do("view_to_reshape", view_to_reshape, gm)
    do("post_grad_custom_post_pass", _call_custom, config.post_grad_custom_post_pass.value, gm, example_inputs, config)
    scopes.check_scopes(gm.graph)
    scopes.check_limits(gm.graph)
    do("refresh_values", refresh_values, gm, example_inputs)
    if config.remove_cat_ops:
        do("remove_cat_ops", cat.remove, gm, debug.logger.debug)
    do("eliminate_dead_code", gm.graph.eliminate_dead_code)
    if config.inplace_pass:
        do("inplace_pass", reinplace.intermediates, gm)
    if config.input_inplace_pass:
        do("input_inplace_pass", reinplace.inputs, gm)
    do("custom_inplace", reinplace.functionalized_calls, gm)
    do("limit_core_num", enforce_limits, gm)
    do("stream_closure", streams.switch, gm)
    gm.graph.lint()
    gm.recompile()
