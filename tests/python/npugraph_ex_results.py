"""Results of models compiled with backend="npugraph_ex": values, arguments of all kinds, whose memory they are."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import close, compiled, raises, SK, test, TESTS, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402


@test
def captured_operators_give_eager_results():
    a, b = torch.randn(32, 48, dtype=torch.float16).npu(), torch.randn(48, 16, dtype=torch.float16).npu()
    x, y, linear = x44(), x44(), torch.nn.Linear(4, 3).npu()
    with torch.no_grad():
        want = [torch.matmul(a, b), x + y, x * y, torch.relu(x), linear(x)]
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph):
            got = [torch.matmul(a, b), x + y, x * y, torch.relu(x), linear(x)]
        graph.replay()
    for one, other in zip(got, want):
        assert close(one, other)


@test
def int32_without_input_copies():
    class Model(torch.nn.Module):
        def forward(self, x, y):
            return x + y
    ones = torch.ones([2, 2], dtype=torch.int32).npu()
    model = compiled(Model().npu(), {"clone_input": False}, fullgraph=True)
    assert torch.equal(model(ones, ones).cpu(), torch.full([2, 2], 2, dtype=torch.int32))


@test
def compile_fx_compiles_a_lowered_graph():
    from torch._functorch.aot_autograd import aot_module_simplified

    def backend(gm, example_inputs):
        return aot_module_simplified(gm, example_inputs, fw_compiler=lambda gm, inputs: torch.npu.npugraph_ex.compile_fx(
            gm, inputs, {"clone_input": False}))
    ones = torch.ones([2, 2], dtype=torch.int32).npu()
    model = torch.compile(lambda x, y: x + y, backend=backend, fullgraph=True, dynamic=False)
    assert torch.equal(model(ones, ones).cpu(), torch.full([2, 2], 2, dtype=torch.int32))
    raises(ValueError, lambda: torch.npu.npugraph_ex.compile_fx(None, [], {"clone": 1}), "Invalid option 'clone'")


@test
def sizes_may_be_symbolic():
    model = compiled(lambda x, y: (torch.relu(x + y), x.shape[0]), SK, dynamic=True, fullgraph=True)
    for rows in (3, 8, 3):
        x, y = torch.randn(rows, 16).npu(), torch.randn(rows, 16).npu()
        z, n = model(x, y)
        assert n == rows and close(z, torch.relu(x.cpu() + y.cpu()))


@test
def lists_of_ints_with_symbolic_sizes():
    def model(x, sizes):
        return [part * 2 for part in torch.split(x, sizes)]
    x = torch.randn(6, 2).npu()
    model = compiled(model, SK, dynamic=True, fullgraph=True)
    for sizes in ([2, 4], [3, 3]):
        for got, want in zip(model(x, sizes), torch.split(x.cpu(), sizes)):
            assert close(got, want * 2)


@test
def training_graphs_run_forward_and_backward():
    linear = torch.nn.Linear(4, 3)
    reference = torch.nn.Linear(4, 3)
    reference.load_state_dict(linear.state_dict())
    linear = linear.npu()
    x = torch.randn(2, 4)
    model = compiled(linear)
    for _ in range(2):
        y = model(x.npu())
        y.sum().backward()
        reference(x).sum().backward()
    assert close(y, reference(x)) and close(linear.weight.grad, reference.weight.grad)


@test
def inference_mode_and_no_grad_work():
    linear, x = torch.nn.Linear(4, 3).npu(), torch.randn(2, 4).npu()
    model = compiled(linear)
    for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
        with mode():
            assert close(model(x), linear(x))


@test
def compiling_the_compiled_works_again_and_again():
    model, x = torch.nn.Linear(4, 3).npu(), torch.randn(2, 4).npu()
    want = model(x)
    for _ in range(4):
        model = compiled(model, SK)
        assert close(model(x), want)


@test
def arguments_of_many_kinds():
    def model(xs, ds, nothing, n, sizes, *, scale):
        y = xs[0] + xs[1] * n
        if nothing is None:
            y = y + ds["bias"]
        return {"y": y.reshape(sizes), "n": n}, [ds["bias"] * scale]
    xs, bias = [x44(), x44()], x44()
    got, (scaled,) = compiled(model)(xs, {"bias": bias}, None, 3, [2, 8], scale=2.0)
    want = (xs[0].cpu() + xs[1].cpu() * 3 + bias.cpu()).reshape(2, 8)
    assert got["n"] == 3 and close(got["y"], want) and close(scaled, bias.cpu() * 2)


@test
def the_next_call_overwrites_results():
    model, x = compiled(lambda x: x + 1), x44()
    first = model(x)
    kept = first.cpu()
    second = model(x * 3)
    assert first.data_ptr() == second.data_ptr() and not torch.equal(first.cpu(), kept)
    assert close(second, x.cpu() * 3 + 1)


@test
def clone_output_gives_copies():
    model, x = compiled(lambda x: x + 1, {"clone_output": True}), x44()
    first = model(x)
    kept = first.cpu()
    second = model(x * 3)
    assert first.data_ptr() != second.data_ptr() and torch.equal(first.cpu(), kept) and close(second, x.cpu() * 3 + 1)


@test
def models_do_not_share_results():
    def function(x):
        return x + 1
    one, other, x = compiled(function), compiled(function, SK), x44()
    a, b = one(x), other(x * 2)
    assert a.data_ptr() != b.data_ptr() and close(a, x.cpu() + 1) and close(b, x.cpu() * 2 + 1)


@test
def inputs_are_read_at_each_call():
    for options in ({}, {"clone_input": False}):
        torch._dynamo.reset()
        model, x = compiled(lambda x: x * 2, options), x44()
        assert close(model(x), x.cpu() * 2)
        x.add_(1)
        assert close(model(x), x.cpu() * 2)
        other = x44()  # another address
        assert close(model(other), other.cpu() * 2)


@test
def strided_and_expanded_inputs():
    def function(x):
        return x + 1, x.t() * 2
    base = torch.randn(4, 8).npu()
    model = compiled(function)
    for x in (base[:, ::2], base.t(), base[:1].expand(4, 8)):
        for _ in range(2):
            for got, want in zip(model(x), function(x.cpu())):
                assert close(got, want)


@test
def written_inputs_are_written_wherever_they_are():
    def function(x, y):
        x.add_(y)
        return x * 2
    model, y = compiled(function), x44()
    for _ in range(2):
        x = x44()
        want = x.cpu() + y.cpu()
        got = model(x, y)
        assert close(x, want) and close(got, want * 2)
        got = model(x, y)
        assert close(x, want + y.cpu()) and close(got, (want + y.cpu()) * 2)


@test
def results_may_be_views_of_inputs():
    def function(x):
        return x, x[1:], x + 1
    x = x44()
    same, view, more = compiled(function)(x)
    assert same.data_ptr() == x.data_ptr() and view.data_ptr() == x[1:].data_ptr() and close(more, x.cpu() + 1)


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
