"""Brings in-place operations back that functionalisation took apart.

A call is only turned where the in-place operator has a kernel of its own on the device: a detour over
another path would cost more than the memory it saves, and would end a SuperKernel.
"""
import torch

aten = torch.ops.aten


def _value(node):
    return node.meta.get("val") if isinstance(node, torch.fx.Node) else None


def _storage(node):
    held = _value(node)
    return held.untyped_storage()._cdata if isinstance(held, torch.Tensor) else None


def _same_storage(graph) -> dict:
    """{storage: nodes whose result lies in it}."""
    groups = {}
    for node in graph.nodes:
        key = _storage(node)
        if key is not None:
            groups.setdefault(key, []).append(node)
    return groups


def written_placeholders(graph) -> set:
    """Inputs of the graph that it writes."""
    found = set()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            continue
        for position, argument in enumerate(schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            given = node.args[position] if position < len(node.args) else node.kwargs.get(argument.name)
            if isinstance(given, torch.fx.Node) and given.op == "placeholder":
                found.add(given)
    return found


def _inplace_form(node):
    """The in-place overload of a functional aten call that the device has a kernel for, or None."""
    target = node.target
    if node.op != "call_function" or not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        return None
    packet = getattr(aten, target._schema.name.split("::")[1] + "_", None)
    form = getattr(packet, target._overloadname, None) if packet is not None else None
    if form is None or len(form._schema.arguments) != len(target._schema.arguments):
        return None
    name = form._schema.name + ("." + form._schema.overload_name if form._schema.overload_name else "")
    return form if torch._C._dispatch_has_kernel_for_dispatch_key(name, "PrivateUse1") else None


def _fits(node, target_node) -> bool:
    into, result = _value(target_node), _value(node)
    return (isinstance(into, torch.Tensor) and isinstance(result, torch.Tensor) and into.shape == result.shape
            and into.dtype == result.dtype and into.device == result.device and into.stride() == result.stride())


def _other_uses(node, group, order) -> bool:
    """Whether anything of `group` is used beside or after `node`, or twice by it."""
    for member in group:
        for user in member.users:
            if user is not node and order[user] > order[node]:
                return True
    return sum(1 for argument in node.all_input_nodes if argument in group) > 1 or \
        list(node.args).count(node.args[0]) > 1


def intermediates(gm) -> None:
    """x2 = op(x1) becomes x2 = op_(x1) where x1 is made in the graph and not needed any more."""
    order = {node: place for place, node in enumerate(gm.graph.nodes)}
    groups = _same_storage(gm.graph)
    for node in gm.graph.nodes:
        form = _inplace_form(node)
        if form is None or not node.args or not isinstance(node.args[0], torch.fx.Node):
            continue
        source = node.args[0]
        group = groups.get(_storage(source), [])
        if not group or any(member.op != "call_function" for member in group):
            continue
        if not _fits(node, source) or _other_uses(node, group, order):
            continue
        node.target = form
        merged = groups.pop(_storage(node), [node])
        group.extend(merged)
        for member in merged:
            groups[_storage(member)] = group


def inputs(gm) -> None:
    """copy_(input, op(input, ...)) at the end becomes op_(input, ...)."""
    graph = gm.graph
    order = {node: place for place, node in enumerate(graph.nodes)}
    groups = _same_storage(graph)
    for copy in list(graph.nodes):
        if copy.op != "call_function" or copy.target is not aten.copy_.default:
            continue
        target, made = copy.args[0], copy.args[1]
        if target.op != "placeholder" or not isinstance(made, torch.fx.Node):
            continue
        form = _inplace_form(made)
        if form is None or made.args[0] is not target or not _fits(made, target):
            continue
        users = [user for member in groups[_storage(target)] for user in member.users
                 if user is not made and user is not copy]
        if any(order[user] > order[made] for user in users) or list(made.args).count(target) > 1:
            continue
        if len(groups[_storage(target)]) > 2:  # the input and the copy's own result; more are views of it
            continue
        made.target = form
        copy.replace_all_uses_with(made)
        graph.erase_node(copy)


def _writes_of(schema):
    return [argument.name for argument in schema.arguments
            if argument.alias_info is not None and argument.alias_info.is_write]


def functionalized_calls(gm) -> None:
    """auto_functionalized custom operators become the operators themselves, on copies where needed."""
    from torch._higher_order_ops.auto_functionalize import auto_functionalized, auto_functionalized_v2
    graph = gm.graph
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if node.target is auto_functionalized_v2:
            kwargs, written = _v2_arguments(node)
        elif node.target is auto_functionalized:
            kwargs = dict(node.kwargs)
            written = [(name, kwargs[name]) for name in _writes_of(node.args[0]._schema)]
        else:
            continue
        if kwargs is not None:
            _expand(graph, node, kwargs, written)
    graph.eliminate_dead_code()


def _v2_arguments(node):
    """(arguments of the operator, [(name, base)] of what it writes), or (None, None) for views of a base."""
    kwargs = dict(node.kwargs)
    bases = kwargs.pop("_all_bases")
    names = _writes_of(node.args[0]._schema)
    written = []
    for name in names:
        index = kwargs.pop(f"_{name}_base_index", None)
        extra = [key for key in kwargs if key.startswith(f"_{name}_")]
        whole = [key for key in extra if key in (f"_{name}_alias",)]
        if index is None or len(extra) != len(whole):
            return None, None
        for key in whole:
            kwargs.pop(key)
        kwargs[name] = bases[index]
        written.append((name, bases[index]))
    if [base for _, base in written] != list(bases):
        return None, None
    return kwargs, written


def _may_write(graph, node, base) -> bool:
    """Whether the operator of `node` can write `base` itself: nothing reads the old contents later."""
    order = {one: place for place, one in enumerate(graph.nodes)}
    group = _same_storage(graph).get(_storage(base), [base])
    copies = [user for user in base.users if user.op == "call_function"
              and user.target is aten.copy_.default and user.args[0] is base]
    later = [user for member in group for user in member.users
             if user is not node and order[user] > order[node] and user not in copies]
    if later or any(member.op == "get_attr" for member in group):
        return False
    inputs_in_group = [member for member in group if member.op == "placeholder"]
    return not inputs_in_group or (inputs_in_group == [base] and len(copies) == 1)


def _expand(graph, node, kwargs, written) -> None:
    operator_ = node.args[0]
    results = len(operator_._schema.returns)
    targets = {}
    with graph.inserting_before(node):
        for name, base in written:
            if base is None:
                continue
            if _may_write(graph, node, base):
                targets[name] = base
            else:
                targets[name] = graph.call_function(aten.clone.default, (base,))
                targets[name].meta["val"] = _value(base)
        call = graph.call_function(operator_, (), {**kwargs, **targets})
        call.meta.update({key: item for key, item in node.meta.items() if key != "val"})
        made = _value(node)
        call.meta["val"] = (made[0] if results == 1 else made[:results]) if isinstance(made, (tuple, list)) else None
    shift = max(results, 1)  # the first result is None for an operator without results
    for user in list(node.users):
        index = user.args[1]
        if index >= shift:
            user.replace_all_uses_with(targets.get(written[index - shift][0]))
        elif results > 1:
            user.args = (call, index)
            continue
        else:
            user.replace_all_uses_with(call)
        graph.erase_node(user)
    graph.erase_node(node)
    for name, base in written:
        if base is None or targets[name] is not base:
            continue
        for user in list(base.users):  # a copy of an input onto itself
            if user.op == "call_function" and user.target is aten.copy_.default and user.args[0] is user.args[1]:
                user.replace_all_uses_with(base)
                graph.erase_node(user)
