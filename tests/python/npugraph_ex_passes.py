"""Passes of the npugraph_ex backend on graphs of CPU tensors; the deadlock check on hand-made graphs."""
import pickle
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch_npu.npugraph_ex import deadlock, graph_file, passes, reinplace, scopes  # noqa: E402
from torch_npu.npugraph_ex.options import CompilerConfig  # noqa: E402

aten = torch.ops.aten


def traced(function, *inputs):
    return make_fx(function, tracing_mode="fake")(*inputs)


def targets(gm):
    return [str(node.target) for node in gm.graph.nodes if node.op == "call_function"]


def same(gm, function, *inputs):
    gm.graph.lint()
    gm.recompile()
    for got, want in zip(gm(*(one.clone() for one in inputs)), function(*inputs)):
        assert torch.equal(got, want)


class _Mark:
    """Stands for an operator of which only the name matters."""

    def __init__(self, name):
        self._schema = type("schema", (), {"name": name})
        self.__name__ = name

    def __call__(self, *args):
        return None


BEGIN, END = _Mark("npu::super_kernel_scope_begin"), _Mark("npu::super_kernel_scope_end")
ENTER, EXIT = _Mark("npugraph_ex::scope_enter"), _Mark("npugraph_ex::scope_exit")


def marks(*calls):
    graph = torch.fx.Graph()
    for target, *args in calls:
        node = graph.call_function(target, tuple(args))
        node.meta["stack_trace"] = f'  File "/user/model.py", line {len(graph.nodes)}, in forward\n    x\n'
    return graph


def fails(function, graph, *words):
    try:
        function(graph)
    except RuntimeError as error:
        for word in words:
            assert word in str(error), f"{word!r} is not in: {error}"
        return
    raise AssertionError("no RuntimeError")


def end_without_begin():
    fails(scopes.check_scopes, marks((END, "a")), "must first call the torch.npu.super_kernel_scope_begin", "'a'",
          "/user/model.py:1")
    fails(scopes.check_scopes, marks((BEGIN, "a"), (END, "a"), (END, "a")), "must first call", "/user/model.py:3")


def end_of_another_name():
    fails(scopes.check_scopes, marks((BEGIN, "a"), (BEGIN, "b"), (END, "c")),
          "No matching torch.npu.super_kernel_scope_begin", "Open scopes: 'a' (/user/model.py:1), 'b' (/user/model.py:2)",
          "(/user/model.py:3)")
    fails(scopes.check_scopes, marks((BEGIN, "a"), (END,)), "No matching")
    fails(scopes.check_scopes, marks((BEGIN, None), (END, "None")), "No matching")


def begin_without_end():
    fails(scopes.check_scopes, marks((BEGIN, "a"), (BEGIN, "b"), (END, "a")),
          "no paired call to the torch.npu.super_kernel_scope_end", "'b' (/user/model.py:2)", "graph break")


def scopes_may_interleave_nest_and_repeat():
    assert scopes.check_scopes(marks((BEGIN, "a"), (BEGIN, "b"), (END, "a"), (END, "b"))) == 2
    assert scopes.check_scopes(marks((BEGIN, "a"), (BEGIN, "a"), (END, "a"), (END, "a"), (BEGIN,), (END, None))) == 3
    assert scopes.check_scopes(marks()) == 0


def limits_must_pair():
    fails(scopes.check_limits, marks((EXIT,)), "scope_exit", "must first call", "/user/model.py:1")
    fails(scopes.check_limits, marks((ENTER, [], []), (ENTER, [], []), (EXIT,)), "no paired call", "/user/model.py:1")
    scopes.check_limits(marks((ENTER, [], []), (EXIT,)))


def noops_leave():
    def function(x):
        a = aten.slice.Tensor(x + 1, 0, 0, 4)
        b = aten.cat.default([a])
        c = aten.pow.Tensor_Scalar(b, 1)
        return aten.permute.default(aten.view.default(c, [4, 4]), [0, 1]) * 2, aten.constant_pad_nd.default(c, [0, 0])

    x = torch.randn(4, 4)
    gm = traced(function, x)
    passes.remove_noops(gm)
    assert targets(gm) == ["aten.add.Tensor", "aten.mul.Tensor"], targets(gm)
    same(gm, function, x)


def what_only_looks_like_a_noop_stays():
    def function(x):
        return (aten.constant_pad_nd.default(x, [1, -1]), aten.permute.default(x, [1, 0]), aten.slice.Tensor(x, 0, 1),
                aten.transpose.int(x, 0, 1), aten._to_copy.default(x, dtype=torch.float64), aten.cat.default([x, x]))

    x = torch.ones(2, 2)
    gm = traced(function, x)
    passes.remove_noops(gm)
    assert len(targets(gm)) == 6, targets(gm)
    same(gm, function, x)


def a_result_never_becomes_an_input():
    def function(x):
        y = x + 1
        return aten._to_copy.default(x), aten._to_copy.default(y), y

    x = torch.ones(2)
    gm = traced(function, x)
    passes.remove_noops(gm)
    assert targets(gm).count("aten._to_copy.default") == 2, targets(gm)


def views_become_reshapes():
    gm = traced(lambda x: (x.view(8),), torch.ones(2, 4))
    passes.view_to_reshape(gm)
    assert targets(gm) == ["aten.reshape.default"]


def written_inputs_are_known():
    gm = traced(lambda x, y: (aten.copy_.default(x, y),), torch.ones(2), torch.ones(2))
    assert [node.name for node in reinplace.written_placeholders(gm.graph)] == ["x_1"]


library = torch.library.Library("skpasses", "FRAGMENT")
library.define("add_into(Tensor(a!) x, Tensor y) -> ()")
library.define("add_and_double(Tensor(a!) x, Tensor y) -> Tensor")
library.impl("add_into", lambda x, y: x.add_(y) is None or None, "CPU")
library.impl("add_and_double", lambda x, y: x.add_(y) * 2, "CPU")
torch.library.register_fake("skpasses::add_into")(lambda x, y: None)
torch.library.register_fake("skpasses::add_and_double")(lambda x, y: torch.empty_like(x))


def lowered(function, *inputs):
    """The graph of `function` as AOTAutograd gives it to the backend."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd
    kept = []

    def compiler(gm, example_inputs):
        reinplace.functionalized_calls(gm)
        gm.graph.lint()
        gm.recompile()
        kept.append(gm)
        return make_boxed_func(gm.forward)

    backend = aot_autograd(fw_compiler=compiler, keep_inference_input_mutations=True, decompositions={})
    with torch._functorch.config.patch(enable_autograd_cache=False):
        results = torch.compile(function, backend=backend, fullgraph=True, dynamic=False)(*inputs)
    return kept[0], results


def check_lowered(function, clones, *inputs):
    eager, compiled = [one.clone() for one in inputs], [one.clone() for one in inputs]
    want = function(*eager)
    gm, got = lowered(function, *compiled)
    assert not any("auto_functionalized" in name for name in targets(gm)), targets(gm)
    assert targets(gm).count("aten.clone.default") == clones, targets(gm)
    for one, other in zip((*want, *eager), (*got, *compiled)):
        assert torch.equal(one, other)


def a_custom_operator_writes_its_argument_again():
    ops = torch.ops.skpasses

    def on_intermediate(x, y):
        t = x + 1
        ops.add_into(t, y)
        return (t * 2,)

    def on_input(x, y):
        ops.add_into(x, y)
        return (x * 2,)

    def with_result(x, y):
        t = x + 1
        r = ops.add_and_double(t, y)
        return t, r

    def old_value_needed(x, y):
        t = x + 1
        u = t * 3
        ops.add_into(t, y)
        return t, u

    def old_view_needed(x, y):
        t = x + 1
        ops.add_into(x, y)
        return (t + x,)

    for function in (on_intermediate, on_input, with_result, old_value_needed, old_view_needed):
        check_lowered(function, 0, torch.randn(4), torch.randn(4))


def in_place_forms_need_a_kernel_of_the_device():
    gm = traced(lambda x: (((x + 1) * 2),), torch.ones(4))
    before = targets(gm)
    had = torch._C._dispatch_has_kernel_for_dispatch_key("aten::mul_.Tensor", "PrivateUse1")
    reinplace.intermediates(gm)
    assert targets(gm) == (["aten.add.Tensor", "aten.mul_.Tensor"] if had else before), targets(gm)


def custom_passes_are_called_in_order():
    seen = []
    config = CompilerConfig().apply({
        "post_grad_custom_pre_pass": lambda gm, inputs, given: seen.append(("pre", len(inputs), given is config)),
        "post_grad_custom_post_pass": lambda gm, inputs, given: seen.append(("post", len(inputs), given is config))})
    x = torch.ones(2, 2)
    passes.run(traced(lambda x: (x.view(4),), x), [x], config, after=lambda gm, name: seen.append(name))
    assert [one for one in seen if isinstance(one, tuple)] == [("pre", 1, True), ("post", 1, True)]
    order = [one if isinstance(one, str) else one[0] for one in seen]
    assert order.index("pre") < order.index("remove_noop_ops") < order.index("view_to_reshape") < order.index("post"), order


def nodes_of_a_custom_pass_get_values():
    def add_relu(gm, inputs, config):
        output = next(iter(reversed(gm.graph.nodes)))
        with gm.graph.inserting_before(output):
            relu = gm.graph.call_function(aten.relu.default, (output.args[0][0],))
        output.args = ((relu,),)

    x = torch.tensor([-1.0, 1.0])
    gm = traced(lambda x: (x + 0.5,), x)
    passes.run(gm, [x], CompilerConfig().apply({"post_grad_custom_post_pass": add_relu}))
    assert torch.equal(gm(x)[0], torch.tensor([0.0, 1.5]))
    assert all("val" in node.meta for node in gm.graph.nodes if node.op == "call_function")


def graphs_survive_the_file():
    kept = []
    torch.compile(lambda x, y: torch.nn.functional.relu(torch.split(x, [1, 1])[0][..., 1:] + y.to(torch.float64).sum(dim=0)),
                  backend=lambda gm, inputs: kept.append(gm) or gm.forward, fullgraph=True)(torch.ones(2, 3), torch.ones(2))
    again = graph_file.load(pickle.loads(pickle.dumps(graph_file.dump(kept[0]))))
    calls = [[(node.op, node.target) for node in gm.graph.nodes if node.op.startswith("call")] for gm in (kept[0], again)]
    assert calls[0] == calls[1] and len(calls[0]) >= 5, calls
    x, y = torch.randn(2, 3), torch.randn(2)
    assert torch.equal(again(x, y)[0], kept[0](x, y)[0])
    assert [node.meta["stack_trace"] for node in again.graph.nodes if node.op == "call_function"][0]


def graphs_with_nameless_parts_are_refused():
    graph = torch.fx.Graph()
    graph.output(graph.call_function(lambda: 1))
    try:
        graph_file.dump(torch.fx.GraphModule({}, graph))
    except graph_file.NotStorable as why:
        assert "no importable name" in str(why)
        return
    raise AssertionError("stored")


def _graph(*streams):
    """The JSON of a captured graph; a node is (id, 'KERNEL', type, blocks, batch) or (id, 'NOTIFY'|'WAIT', event)."""
    made = []
    for index, nodes in enumerate(streams):
        out = []
        for place, (number, kind, *rest) in enumerate(nodes):
            task = {"eventParams": {"eventId": rest[0]}} if kind != "KERNEL" else \
                {"kernelParams": {"funcName": f"k{number}", "kernelType": rest[0], "numBlocks": rest[1], "schedMode": {"launch": rest[2]}}}
            out.append({"nodeId": number, "streamIdxInGraph": index, "nodeIdxInStream": place, "nodeType": kind, "taskInfo": [task]})
        made.append({"nodes": out})
    return {"device": {"aic": 24, "aiv": 48}, "streams": made}


def batch_kernels_of_two_streams_conflict():
    found = deadlock.conflicts(_graph([(0, "KERNEL", "AIV_ONLY", 32, 1)], [(1, "KERNEL", "MIX_1_2", 12, 1)]))
    assert [(one["nodeId"], other["nodeId"], kind, cores) for one, other, kind, cores in found] == [(0, 1, "AIV", 56)]


def kernels_that_fit_or_do_not_wait_are_no_conflict():
    assert not deadlock.conflicts(_graph([(0, "KERNEL", "AIV_ONLY", 24, 1)], [(1, "KERNEL", "AIV_ONLY", 24, 1)]))
    assert not deadlock.conflicts(_graph([(0, "KERNEL", "AIV_ONLY", 48, 1)], [(1, "KERNEL", "AIV_ONLY", 48, 0)]))
    assert not deadlock.conflicts(_graph([(0, "KERNEL", "AIV_ONLY", 48, 1)], [(1, "KERNEL", "AIC_ONLY", 24, 1)]))
    assert not deadlock.conflicts(_graph([(0, "KERNEL", "AIV_ONLY", 48, 1), (1, "KERNEL", "AIV_ONLY", 48, 1)]))


def events_order_kernels():
    ordered = _graph([(0, "KERNEL", "AIV_ONLY", 48, 1), (1, "NOTIFY", 7)], [(2, "WAIT", 7), (3, "KERNEL", "AIV_ONLY", 48, 1)])
    assert not deadlock.conflicts(ordered)
    over_a_third = _graph([(0, "KERNEL", "AIV_ONLY", 48, 1), (1, "NOTIFY", 7)], [(2, "WAIT", 7), (3, "NOTIFY", 8)],
                          [(4, "WAIT", 8), (5, "KERNEL", "AIV_ONLY", 48, 1)])
    assert not deadlock.conflicts(over_a_third)
    too_late = _graph([(0, "NOTIFY", 7), (1, "KERNEL", "AIV_ONLY", 48, 1)], [(2, "WAIT", 7), (3, "KERNEL", "AIV_ONLY", 48, 1)])
    assert len(deadlock.conflicts(too_late)) == 1


HELPERS = {"traced", "targets", "same", "marks", "fails", "lowered", "check_lowered", "_graph", "_Mark"}

if __name__ == "__main__":
    sys.exit(tap.run([function for name, function in list(globals().items())
                      if callable(function) and getattr(function, "__module__", "") == "__main__"
                      and name not in HELPERS and not isinstance(function, _Mark)]))
