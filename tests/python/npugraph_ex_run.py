"""Models compiled with backend="npugraph_ex" on the simulated device: misuse first, then results, ownership, options."""
import contextlib
import functools
import glob
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
from torch._dynamo.exc import BackendCompilerFailed  # noqa: E402

begin, end = torch.npu.super_kernel_scope_begin, torch.npu.super_kernel_scope_end
SK = {"super_kernel_optimize": True}
TESTS = []


def test(function):
    """Each test starts without compiled code, in an empty folder of its own."""
    @functools.wraps(function)
    def run():
        torch._dynamo.reset()
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with torch._dynamo.config.patch(debug_dir_root=os.path.join(folder, "torch_compile_debug")):
                    function()
            finally:
                os.chdir(before)
    TESTS.append(run)
    return run


def compiled(function, options=None, **kwargs):
    kwargs.setdefault("dynamic", False)
    return torch.compile(function, backend="npugraph_ex", options=options, **kwargs)


def rejected(function, *inputs, options=None, kind=RuntimeError, words=()):
    """The first call fails in the backend with an exception of that type and these words in its text."""
    try:
        compiled(function, options)(*inputs)
    except BackendCompilerFailed as error:
        assert type(error.inner_exception) is kind, repr(error.inner_exception)
        for word in words:
            assert word in str(error.inner_exception), str(error.inner_exception)
            assert word in str(error), str(error)
        return
    raise AssertionError("compiled")


def raises(kind, function, *words):
    try:
        function()
    except kind as error:
        for word in words:
            assert word in str(error), f"{word!r} is not in: {error}"
        return
    raise AssertionError(f"no {kind.__name__}")


@contextlib.contextmanager
def warned(*words):
    """The block gives a warning with these words."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    texts = [str(one.message) for one in seen]
    assert any(all(word in text for word in words) for text in texts), texts


def line_of(function, text):
    """'FILE:LINE' of the line of a function that holds the text."""
    import inspect
    lines, first = inspect.getsourcelines(function)
    return f"{os.path.basename(__file__)}:{first + next(i for i, line in enumerate(lines) if text in line)}"


def close(one, other, tolerance=1e-3):
    return torch.allclose(one.cpu().float(), other.cpu().float(), rtol=tolerance, atol=tolerance)


def x44(dtype=torch.float32):
    return torch.randn(4, 4, dtype=dtype).npu()


# ---- scopes --------------------------------------------------------------------------------------

@test
def end_without_begin_fails_at_the_first_call():
    def model(x):
        y = x + 1
        end("sp")
        return y
    rejected(model, x44(), words=["must first call the torch.npu.super_kernel_scope_begin", "'sp'", line_of(model, 'end("sp")')])


@test
def misnamed_end_fails_and_lists_the_open_ones():
    def model(x):
        begin("one")
        begin("two")
        y = x + 1
        end("tow")
        end("one")
        return y
    rejected(model, x44(), words=["No matching torch.npu.super_kernel_scope_begin", "'one'", "'two'",
                                  line_of(model, 'end("tow")'), line_of(model, 'begin("two")')])


@test
def begin_left_open_fails():
    def model(x):
        begin("sp")
        return x + 1
    rejected(model, x44(), words=["no paired call to the torch.npu.super_kernel_scope_end", line_of(model, 'begin("sp")')])


@test
def a_graph_break_inside_a_scope_is_diagnosed():
    def model(x):
        begin("sp")
        y = x + 1
        torch._dynamo.graph_break()
        y = y * 2
        end("sp")
        return y
    rejected(model, x44(), words=["graph break", "no paired call", line_of(model, 'begin("sp")')])


@test
def a_graph_break_right_behind_begin_is_diagnosed():
    def model(x):
        begin("sp")
        torch._dynamo.graph_break()
        y = x * 2
        end("sp")
        return y
    rejected(model, x44(), words=["graph break", "'sp'"])


@test
def a_graph_break_outside_scopes_is_none_of_its_business():
    def model(x):
        begin("a")
        y = x + 1
        end("a")
        torch._dynamo.graph_break()
        begin("a")
        y = y * 2
        end("a")
        return y
    x = x44()
    assert close(compiled(model, SK)(x), (x.cpu() + 1) * 2)


@test
def blank_names_are_errors():
    for name in ("", "  ", "\t"):
        for function in (begin, end):
            raises(RuntimeError, lambda: function(name), "non-empty string")

    def model(x):
        begin(" ")
        y = x + 1
        end(" ")
        return y
    raises(RuntimeError, lambda: compiled(model)(x44()), "non-empty string")


@test
def scopes_interleave():
    def model(x, y):
        begin("a")
        z = x + y
        begin("b")
        w = z * y
        end("a")
        v = w - x
        end("b")
        return v, z
    x, y = x44(), x44()
    v, z = compiled(model, SK)(x, y)
    assert close(v, (x.cpu() + y.cpu()) * y.cpu() - x.cpu()) and close(z, x.cpu() + y.cpu())


@test
def unnamed_scopes_work():
    def model(x):
        begin()
        y = x + 1
        end(None)
        begin("a")
        z = y * 2
        end("a")
        return z
    x = x44()
    assert close(compiled(model, SK)(x), (x.cpu() + 1) * 2)


@test
def names_nest_in_a_captured_graph():
    x, graph = x44(), torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        begin("outer")
        y = x + 1
        begin("inner")
        z = y * 2
        end("inner")
        w = z - x
        end("outer")
    graph.super_kernel_optimize()
    graph.replay()
    assert close(w, (x.cpu() + 1) * 2 - x.cpu())


@test
def an_error_of_an_operator_names_the_line():
    def model(x):
        y = x + 1
        return torch_npu.npu_dynamic_quant(y, smooth_scales=torch.ones(64, dtype=torch.float16))
    x = torch.randn(5, 64, dtype=torch.float16)
    place = line_of(model, "npu_dynamic_quant")
    for options in ({}, {"force_eager": True}):
        torch._dynamo.reset()
        raises(RuntimeError, lambda: compiled(model, options)(x.npu()), "npu_dynamic_quant", "smooth_scales is on cpu", place)
    torch._dynamo.reset()
    raises(NotImplementedError, lambda: compiled(model)(x), "npu::npu_dynamic_quant", "CPU", place)
    # What does not even have a shape fails when it is traced.
    torch._dynamo.reset()
    raises(RuntimeError, lambda: compiled(model)(x.npu()[0]), "input must have at least 2 dimensions", os.path.basename(__file__))


# ---- options -------------------------------------------------------------------------------------

@test
def a_wrong_key_is_named_with_the_nearest():
    rejected(lambda x: x + 1, x44(), options={"super_kernel_optimise": True}, kind=ValueError,
             words=["Invalid option 'super_kernel_optimise'", "Did you mean 'super_kernel_optimize'?", os.path.basename(__file__)])


@test
def wrong_values_are_named():
    for options, kind, word in (
            ({"clone_input": "yes"}, ValueError, "clone_input: 'yes' not in optional list"),
            ({"capture_limit": 0}, ValueError, "capture_limit"),
            ({"capture_error_mode": "globl"}, ValueError, "Did you mean 'global'?"),
            ({"super_kernel_debug_options": "x"}, TypeError, "super_kernel_debug_options: must be dict or None"),
            ({"post_grad_custom_pre_pass": 1}, TypeError, "post_grad_custom_pre_pass: must be Callable or None"),
            ({"data_dump_dir": "missing"}, FileNotFoundError, "data_dump_dir")):
        torch._dynamo.reset()
        rejected(lambda x: x + 1, x44(), options=options, kind=kind, words=[word])


@test
def torch_modes_are_refused():
    raises(Exception, lambda: torch.compile(lambda x: x + 1, backend="npugraph_ex", mode="reduce-overhead")(x44()),
           "mode='reduce-overhead'")


@test
def wrong_sk_options_fail_at_run_time_unwrapped():
    for options, word in (({"early-start": 1}, "Did you mean 'early_start'?"), ({"early_start": "1"}, "must be int, got str"),
                          ({"dcci_after_kernel_end": [1]}, "[0] must be str")):
        torch._dynamo.reset()
        model = compiled(lambda x: x + 1, {**SK, "super_kernel_optimize_options": options})
        try:
            model(x44())
        except RuntimeError as error:
            assert type(error) is RuntimeError and word in str(error), repr(error)
        else:
            raise AssertionError(options)


@test
def sk_options_are_checked_before_the_capture_is():
    graph = torch.npu.NPUGraph()
    for optimize, debug, word in (([], None, "must be dict or None"), ({"x": 1}, None, "Invalid optimize_options param key"),
                                  (None, {"x": 1}, "Invalid debug_options param key"), ({"early_start": "1"}, None, "must be int"),
                                  ({"aggressive_opt_strategies": {"x": 1}}, None, "Invalid sub_key"),
                                  ({"dcci_disable_on_kernel": [1]}, None, "['dcci_disable_on_kernel'][0] must be str")):
        raises(RuntimeError, lambda: graph.super_kernel_optimize(optimize, debug), word)
    raises(RuntimeError, lambda: graph.super_kernel_optimize({"early_start": 1}, {"debug_sync_all": 1}),
           "without a preceding successful capture")


@test
def the_whole_valid_set_is_accepted_after_capture():
    from torch_npu.npugraph_ex import sk_options
    values = {"int": 1, "str": "a=b", "list": [".*"]}
    given = [{key: values.get(one.type) or {sub: 1 for sub in one.sub_keys} for key, one in table.items()}
             for table in (sk_options.OPTIMIZE, sk_options.DEBUG)]
    x, graph = x44(), torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        begin("a")
        y = x + 1
        end("a")
    graph.super_kernel_optimize(*given)
    graph.replay()
    assert close(y, x.cpu() + 1)


# ---- results -------------------------------------------------------------------------------------

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
def streams_and_events_are_arguments():
    def model(x, stream, ready, done):
        y = x + 1
        ready.record()
        with torch.npu.stream(stream):
            ready.wait(stream)
            z = y * 2
            done.record(stream)
        w = x - 1
        done.wait()
        return z + w
    x, stream = x44(), torch.npu.Stream()
    model = compiled(model, fullgraph=True)
    for _ in range(2):
        got = model(x, stream, torch.npu.Event(), torch.npu.Event())
        assert close(got, (x.cpu() + 1) * 2 + x.cpu() - 1)


@test
def streams_and_events_of_the_model_itself():
    def model(x):
        side, ready = torch.npu.Stream(), torch.npu.Event()
        y = x + 1
        ready.record()
        with torch.npu.stream(side):
            side.wait_event(ready)
            z = y * 2
        torch.npu.current_stream().wait_stream(side)
        with torch.npu.stream(None):
            return z - x
    x = x44()
    model = compiled(model, fullgraph=True)
    for _ in range(2):
        assert close(model(x), (x.cpu() + 1) * 2 - x.cpu())


@test
def several_streams_tied_by_events():
    def model(a, b):
        one, two, first, second = torch.npu.Stream(), torch.npu.Stream(), torch.npu.Event(), torch.npu.Event()
        x = a + b
        y = a * b
        first.record()
        with torch.npu.stream(one):
            first.wait(one)
            z = y - x
            second.record()
            y.record_stream(one)
        w = a - b
        with torch.npu.stream(two):
            second.wait(two)
            v = z * 2
        return x, z, w, v
    a, b = x44(), x44()
    model = compiled(model, fullgraph=True)
    ha, hb = a.cpu(), b.cpu()
    [graph] = dumped(lambda: [model(a, b) for _ in range(2)])
    kinds = [node["nodeType"] for stream in graph["streams"] for node in stream["nodes"]]
    # The two events of the model, one for each stream to begin, one for each to come back.
    assert graph["totalStreams"] == 3 and kinds.count("NOTIFY") == kinds.count("WAIT") == 6, kinds
    want = ha + hb, ha * hb - (ha + hb), ha - hb, (ha * hb - (ha + hb)) * 2
    assert all(close(one, other) for one, other in zip(model(a, b), want))


@test
def lists_of_ints_with_symbolic_sizes():
    def model(x, sizes):
        return [part * 2 for part in torch.split(x, sizes)]
    x = torch.randn(6, 2).npu()
    model = compiled(model, SK, dynamic=True, fullgraph=True)
    for sizes in ([2, 4], [3, 3]):
        for got, want in zip(model(x, sizes), torch.split(x.cpu(), sizes)):
            assert close(got, want * 2)


def dumped(run):
    """The graphs that run() captures, as JSON after optimising; `launches` of each: (name, blocks, scopes or None)."""
    graphs, original = [], torch.npu.NPUGraph.replay

    def replay(self):
        if not getattr(self, "seen", False):
            self.seen = True
            self.debug_dump("dumped.json")
            graphs.append(json.loads(Path("dumped.json").read_text(encoding="utf-8")))
        return original(self)
    torch.npu.NPUGraph.replay = replay
    try:
        run()
    finally:
        torch.npu.NPUGraph.replay = original
    return graphs


def launches(graph):
    """Kind, and the scope of a SuperKernel, of each launch left in a graph, in order."""
    nodes = [node for stream in graph["streams"] for node in stream["nodes"] if not node["isScopeNode"]]
    return [(node["taskInfo"][0]["taskType"], (node.get("skinfos") or {}).get("scopeName")) for node in nodes
            if node["taskInfo"][0]["taskType"] in ("kernel", "SuperKernel")]


def gating(x, smooth, name="sp"):
    """Two operators in a scope, a third outside."""
    begin(name)
    w, experts, _ = torch_npu.npu_moe_gating_top_k_softmax(x, k=8)
    q, scale = torch_npu.npu_dynamic_quant(w, smooth_scales=smooth)
    end(name)
    return q, scale, experts, torch_npu.npu_dynamic_quant(x)[0]


def gating_inputs():
    return torch.randn(5, 64, dtype=torch.float16).npu(), torch.rand(8, dtype=torch.float16).npu()


@test
def a_scope_becomes_one_launch():
    inputs, results = gating_inputs(), []
    [plain] = dumped(lambda: results.append([one.cpu() for one in compiled(gating)(*inputs)]))
    [fused] = dumped(lambda: results.append([one.cpu() for one in compiled(gating, SK)(*inputs)]))
    assert launches(plain) == [("kernel", None)] * 3, launches(plain)
    assert launches(fused) == [("SuperKernel", "sp"), ("kernel", None)], launches(fused)
    assert all(torch.equal(one, other) for one, other in zip(*results))


@test
def unnamed_scopes_keep_operators_out():
    [graph] = dumped(lambda: compiled(lambda x, smooth: gating(x, smooth, None), SK)(*gating_inputs()))
    assert sorted(launches(graph)) == [("SuperKernel", "none"), ("kernel", None), ("kernel", None)], launches(graph)


@test
def each_operator_alone_on_all_cores():
    options = {"super_kernel_debug_options": {"debug_per_op_max_core_num": 1}}
    inputs, results = gating_inputs(), []
    [plain] = dumped(lambda: results.append([one.cpu() for one in compiled(gating)(*inputs)]))
    [graph] = dumped(lambda: results.append([one.cpu() for one in compiled(gating, {**SK, **options})(*inputs)]))
    assert [kind for kind, _ in launches(graph)] == ["SuperKernel", "SuperKernel", "kernel"], launches(graph)
    assert all(torch.equal(one, other) for one, other in zip(*results))
    # How many cores they get is in the plan of the same graph.
    Path("plain.json").write_text(json.dumps(plain), encoding="utf-8")
    plan = subprocess.run([frontend.BUILD / "skv", "plan", "--options", json.dumps(options), "plain.json"],
                          capture_output=True, text=True, check=True).stdout
    assert plan.count("24 cube and 48 vector cores") == 2, plan


@test
def streams_of_a_model_are_streams_of_the_graph():
    def model(x):
        side = torch.npu.Stream()
        y = x + 1
        with torch.npu.stream(side):
            z = y * 2
        return z - x, y
    [graph] = dumped(lambda: compiled(model)(x44()))
    assert graph["totalStreams"] == 2, graph["totalStreams"]


@test
def what_breaks_a_capture_off_is_the_error():
    x, side = x44(), torch.npu.Stream()

    def broken():
        with torch.npu.graph(torch.npu.NPUGraph()):
            side.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(side):
                torch_npu.npu_dynamic_quant(x.half())
            raise KeyError("mine")  # the side stream has not come back
    raises(KeyError, broken, "mine")
    assert not torch.npu.is_current_stream_capturing()
    assert close(compiled(lambda x: x + 1)(x), x.cpu() + 1)


# ---- whose memory --------------------------------------------------------------------------------

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


# ---- what options do -----------------------------------------------------------------------------

def captures(function):
    """How many graphs are captured while function runs."""
    count, original = 0, torch.npu.NPUGraph.capture_begin

    def counting(self, *args, **kwargs):
        nonlocal count
        count += 1
        return original(self, *args, **kwargs)
    torch.npu.NPUGraph.capture_begin = counting
    try:
        function()
    finally:
        torch.npu.NPUGraph.capture_begin = original
    return count


@test
def one_capture_serves_all_calls():
    model = compiled(lambda x: x + 1)
    assert captures(lambda: [model(x44()) for _ in range(3)]) == 1


@test
def force_recapture_captures_each_time():
    model = compiled(lambda x: x + 1, {"force_recapture": True})
    assert captures(lambda: [model(x44()) for _ in range(3)]) == 3


@test
def capture_limit_ends_in_operator_by_operator():
    model = compiled(lambda x: x + 1, {"capture_limit": 2}, dynamic=True)

    def run():
        for rows in (2, 3, 4, 5, 3):
            x = torch.randn(rows, 7).npu()
            assert close(model(x), x.cpu() + 1)
    with warned("capture_limit 2 is reached"):
        assert captures(run) == 2


@test
def force_eager_does_not_capture():
    model, x = compiled(lambda x: x + 1, {"force_eager": True, **SK}), x44()
    with warned("force_eager", "eager"):
        assert captures(lambda: model(x)) == 0
    assert close(model(x), x.cpu() + 1)


@test
def a_force_eager_model_can_be_captured_by_hand():
    def function(x):
        begin("a")
        y = x + 1
        end("a")
        return y * 2
    model, x = compiled(function, {"force_eager": True}, fullgraph=True), x44()
    model(x)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        y = model(x)
    graph.super_kernel_optimize(optimize_options={"dcci_after_kernel_end": [".*"]})
    graph.replay()
    assert close(y, (x.cpu() + 1) * 2)


@test
def frozen_parameters_are_not_looked_at():
    linear, x = torch.nn.Linear(4, 3).npu(), torch.randn(2, 4).npu()
    with torch.no_grad():
        for options, count in (({}, 2), ({"frozen_parameter": True}, 1)):
            torch._dynamo.reset()
            model = compiled(linear, options)

            def run():
                model(x)
                linear.weight.data = linear.weight.data.clone()
                model(x)
            assert captures(run) == count, options
    with warned("frozen_parameter"):
        torch._dynamo.reset()
        compiled(linear, {"frozen_parameter": True})(x)


@test
def graphs_of_the_host_run_operator_by_operator():
    with warned("operator by operator", "no operation of it is on device npu"):
        assert torch.equal(compiled(lambda x: x + 1)(torch.ones(2)), torch.full((2,), 2.0))

    def mixed(x):
        return (x * 2).cpu() + 1
    with warned("operator by operator", "host memory", os.path.basename(__file__)):
        x = x44()
        assert torch.equal(compiled(mixed)(x), x.cpu() * 2 + 1)


@test
def the_static_list_holds_shapes_and_is_cached():
    def function(x, y):
        begin("a")
        z = x + y
        end("a")
        return z
    options = {"static_kernel_compile": True, **SK, "super_kernel_optimize_options": {"early_start": 1}}
    with warned("static_kernel_compile_outputs", "cache_compile"):
        compiled(function, options)(x44(), x44())
    lists = glob.glob("static_kernel_compile_outputs/ts*_pid*_outputs")
    assert len(lists) == 1, lists
    [operator] = glob.glob(f"{lists[0]}/{os.getpid()}/*.json")
    content = json.loads(Path(operator).read_text(encoding="utf-8"))
    assert content["op"] == "aten::add.Tensor" and content["results"]["shape"] == [4, 4], content
    command = json.loads(Path(f"{lists[0]}/{os.getpid()}_opcompile.json").read_text(encoding="utf-8"))
    assert command["enable_super_kernel"] and command["super_kernel_options"] == "early_start=1", command
    for more, count in (({}, 1), ({"disable_static_kernel_compile_cache": True}, 2)):
        torch._dynamo.reset()
        compiled(function, {**options, **more})(x44(), x44())
        assert len(glob.glob("static_kernel_compile_outputs/ts*")) == count


@test
def a_symbol_can_decide_on_the_static_list():
    options = {"static_kernel_compile": True, "_vllm_aclnn_static_kernel_sym_range": [4]}
    for rows, count in ((3, 0), (4, 1)):
        torch._dynamo.reset()
        model = compiled(lambda x: x + 1, options, dynamic=True)
        model(torch.randn(rows, 16).npu())
        assert len(glob.glob("static_kernel_compile_outputs/ts*")) == count


@test
def custom_passes_see_the_graph():
    seen = []

    def look(gm, example_inputs, config):
        seen.append((config.mode.value, [str(node.target) for node in gm.graph.nodes if node.op == "call_function"]))
    x = x44()
    compiled(lambda x: x + 1, {"post_grad_custom_pre_pass": look, "post_grad_custom_post_pass": look})(x)
    assert seen == [("npugraph_ex", ["aten.add.Tensor"])] * 2, seen


@test
def a_pass_that_takes_a_mark_away_is_found():
    def remove_end(gm, example_inputs, config):
        for node in list(gm.graph.nodes):
            if "super_kernel_scope_end" in str(node.target):
                gm.graph.erase_node(node)

    def model(x):
        begin("a")
        y = x + 1
        end("a")
        return y
    rejected(model, x44(), options={"post_grad_custom_post_pass": remove_end}, words=["no paired call", "custom pass"])


@test
def registered_replacements_are_applied():
    def search(x, y):
        return torch.relu(x * y)

    def replace(x, y):
        return torch.neg(x * y)
    x = x44()
    torch.npu.npugraph_ex.register_replacement(search, replace, [torch.randn(4, 4), torch.randn(4, 4)])

    def function(x, y):
        return torch.relu(x * y) + 1
    assert close(compiled(function)(x, x44() * 0 - 1), x.cpu() + 1)
    torch._dynamo.reset()
    assert close(compiled(function, {"pattern_fusion_pass": False})(x, x44() * 0 - 1), torch.relu(-x.cpu()) + 1)


@test
def results_can_be_saved():
    def function(x):
        return torch.relu(x + 1)
    x = x44()
    for options, suffix in (({}, "pt"), ({"force_eager": True}, "npy"), ({"data_dump_stage": "original"}, "pt")):
        torch._dynamo.reset()
        os.makedirs(suffix + str(len(options)))
        options = {"dump_tensor_data": True, "data_dump_dir": suffix + str(len(options)), **options}
        assert close(compiled(function, options)(x), torch.relu(x.cpu() + 1))
        torch.npu.synchronize()
        files = sorted(glob.glob(options["data_dump_dir"] + f"/worldsize1_global_rank0/*.{suffix}"))
        assert len(files) == 2, files
        assert all(("_device_0_0.pt" in name) == ("data_dump_stage" not in options and suffix == "pt") for name in files), files
        if suffix == "pt":
            assert close(torch.load(files[1]), torch.relu(x.cpu() + 1))
    torch._dynamo.reset()
    with warned("dump_tensor_data has no effect"):
        compiled(function, {"dump_tensor_data": True, **SK})(x)
    assert not glob.glob("worldsize*")


@test
def tensors_are_shown_at_each_replay():
    def model(x):
        y = x * 2
        torch_npu.print_npugraph_tensor(y, tensor_name="doubled")
        torch_npu.save_npugraph_tensor(y, save_path="y.pt")
        return y + 1
    model, out = compiled(model, fullgraph=True), io.StringIO()
    with contextlib.redirect_stdout(out):
        for value in (1.0, 2.0):
            model(torch.full((2,), value).npu())
            torch.npu.synchronize()
    assert out.getvalue() == "doubled: tensor([2., 2.])\ndoubled: tensor([4., 4.])\n", out.getvalue()
    assert torch.equal(torch.load("y_device_0_1.pt"), torch.full((2,), 4.0)), os.listdir()


@test
def the_deadlock_check_reports():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        compiled(lambda x: x + 1, {"deadlock_check": True})(x44())
    assert "No deadlock risks detected." in out.getvalue(), out.getvalue()
    assert glob.glob("torch_compile_debug/run_*/npugraph_ex/model__*/graph_1_id_*.json")


@test
def debug_files_are_written_when_asked_for():
    os.environ["TORCH_COMPILE_DEBUG"] = "1"
    try:
        compiled(lambda x: torch.relu(x + 1))(x44())
    finally:
        del os.environ["TORCH_COMPILE_DEBUG"]
    [folder] = glob.glob("torch_compile_debug/run_*/npugraph_ex/model__*")
    names = {os.path.basename(name) for name in glob.glob(folder + "/*") + glob.glob(folder + "/forward/*")}
    assert {"dynamo_out_graph.txt", "output_code.py", "000_aot_forward_graph.txt"} <= names, names
    assert any(name.startswith("001_aot_forward_graph_after_") for name in names), names
    assert any(name.startswith("graph_1_id_") and name.endswith(".json") for name in names), names


@test
def limits_of_cores_hold_inside_the_block_only():
    scope = torch.npu.npugraph_ex.scope
    seen = []


    def model(x):
        with scope.limit_core_num(4, 5):
            y = x + 1
        return y * 2
    original = torch.npu.set_stream_limit

    def recording(stream, cube_num=-1, vector_num=-1):
        seen.append((cube_num, vector_num))
        return original(stream, cube_num, vector_num)
    x = x44()
    torch.npu.set_stream_limit = recording
    try:
        assert close(compiled(model, fullgraph=True)(x), (x.cpu() + 1) * 2)
    finally:
        torch.npu.set_stream_limit = original
    assert seen == [(4, 5), (24, 48)], seen
    for wrong in ((0, 1), (1, 0), ("4", 4)):
        raises(ValueError, lambda: scope.limit_core_num(*wrong), "int of 1 or more")


@test
def a_graph_break_inside_a_limit_is_diagnosed():
    scope = torch.npu.npugraph_ex.scope

    def model(x):
        with scope.limit_core_num(4, 5):
            y = x + 1
            torch.npu.npugraph_ex.library.scope_exit()
        return y
    rejected(model, x44(), words=["scope_exit", "must first call"])


# ---- by way of torchair --------------------------------------------------------------------------

def nested(mode="npugraph_ex"):
    from torchair.configs.compiler_config import CompilerConfig
    config = CompilerConfig()
    config.mode = mode
    return config


@test
def torchair_selects_this_backend_by_its_mode():
    import torchair
    for mode in ("npugraph_ex", "reduce-overhead"):
        torch._dynamo.reset()
        config = nested(mode)
        config.experimental_config.aclgraph._super_kernel_optimize = True
        config.experimental_config.aclgraph._super_kernel_debug_options = {"debug_sync_all": 1}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            model = torch.compile(gating, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)
            [graph] = dumped(lambda: model(*gating_inputs()))
        assert launches(graph) == [("SuperKernel", "sp"), ("kernel", None)], launches(graph)


@test
def nested_options_are_these_options():
    from torch_npu.npugraph_ex import options
    from torchair import _capture_mode
    config = nested()
    assert options.CompilerConfig().apply(_capture_mode.options(config)) == options.CompilerConfig()
    config.debug.run_eagerly = True
    config.debug.aclgraph.clone_input = False
    config.debug.aclgraph.disable_reinplace_inplaceable_ops_pass = True
    config.debug.aclgraph.static_capture_size_limit = 3
    config.experimental_config.frozen_parameter = True
    seen = []
    config.post_grad_custom_pre_pass = lambda gm, inputs, given: seen.append(given)
    flat = options.CompilerConfig().apply(_capture_mode.options(config))
    assert flat.force_eager and not flat.clone_input and not flat.inplace_pass and flat.input_inplace_pass
    assert flat.capture_limit.value == 3 and flat.frozen_parameter
    flat.post_grad_custom_pre_pass.value(None, [], None)
    assert seen == [config]


@test
def torchair_scopes_do_not_fuse_captured_graphs():
    import torchair

    def model(x, smooth):
        with torchair.scope.super_kernel("sp", ""):
            w, _, _ = torch_npu.npu_moe_gating_top_k_softmax(x, k=8)
            return torch_npu.npu_dynamic_quant(w, smooth_scales=smooth)
    [graph] = dumped(lambda: compiled(model)(*gating_inputs()))
    assert launches(graph) == [("kernel", None)] * 2, launches(graph)


# ---- the cache -----------------------------------------------------------------------------------

class Cached(torch.nn.Module):
    """A module with two cached methods. Classes inside functions cannot be cached."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 1)
        self.cached_prompt = torch.npu.npugraph_ex.inference.cache_compile(self.prompt, options=SK)
        self.cached_decode = torch.npu.npugraph_ex.inference.cache_compile(self.decode, dynamic=False)

    def forward(self, x, kv, is_prompt):
        return self.cached_prompt(x, kv) if is_prompt else self.cached_decode(x, kv)

    def both(self, x, kv):
        begin("a")
        y = self.linear(x["data"]) + self.linear(kv[0])
        end("a")
        return y

    def prompt(self, x, kv):
        return self.both(x, kv)

    def decode(self, x, kv):
        return self.both(x, kv)


@test
def methods_are_cached_in_files():
    inference = torch.npu.npugraph_ex.inference
    x, kv = {"data": torch.randn(2, 2).npu()}, [torch.randn(2, 2).npu()]
    traced = []
    for _ in range(2):  # the second model starts from the files
        model = Cached().npu()
        torch._dynamo.reset()
        with torch.no_grad():
            for is_prompt in (True, False, True):
                assert close(model(x, kv, is_prompt), model.both(x, kv))
        traced.append([type(one.compiled._artifacts.compiled_fn.compiled).__name__
                       for one in (model.cached_prompt, model.cached_decode)])
    assert "NoneType" not in traced[0] and traced[1] == ["NoneType"] * 2, traced
    [prompt] = glob.glob(".torchair_cache/Cached_dynamic_aclgraphcache_*/prompt/compiled_module")
    [decode] = glob.glob(".torchair_cache/Cached_static_aclgraphcache_*/decode/compiled_module")
    assert os.stat(prompt).st_mode & 0o777 == 0o600
    text = inference.readable_cache(prompt, print_output=False, file="prompt.py")
    assert "super_kernel_scope_begin('a')" in text and Path("prompt.py").read_text(encoding="utf-8") == text
    os.chmod(decode, 0o644)
    raises(PermissionError, lambda: inference.readable_cache(decode), "600")
    raises(ValueError, lambda: inference.readable_cache("nothing"), "does not exist")


@test
def a_cached_method_called_otherwise_is_compiled_again():
    x, kv = {"data": torch.randn(2, 2).npu()}, [torch.randn(2, 2).npu()]
    model = Cached().npu()
    with torch.no_grad():
        model(x, kv, False)
        wider = {"data": torch.randn(3, 2).npu()}, [torch.randn(3, 2).npu()]
        with warned("decode", "compiled again"):
            assert close(model(*wider, False), model.both(*wider))


@test
def a_class_inside_a_function_is_compiled_without_a_file():
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1)
            self.cached = torch.npu.npugraph_ex.inference.cache_compile(self.run)

        def run(self, x):
            return self.linear(x)
    model = Inner().npu()
    with warned("not cached", "Inner"), torch.no_grad():
        for rows in (2, 3):
            x = torch.randn(rows, 2).npu()
            assert close(model.cached(x), model.run(x))
    assert not glob.glob(".torchair_cache/*")


@test
def cache_compile_checks_its_arguments():
    cache_compile = torch.npu.npugraph_ex.inference.cache_compile
    raises(TypeError, lambda: cache_compile(torch.nn.Linear(2, 2)), "method or a function")
    raises(TypeError, lambda: cache_compile(close, option={}), "Did you mean 'options'?")
    raises(ValueError, lambda: cache_compile(close, options={"clone": 1}), "Invalid option 'clone'")


# ---- operators -----------------------------------------------------------------------------------

@test
def an_own_operator_is_found_in_torch_npu():
    library = torch.library.Library("npu", "FRAGMENT")
    library.define("sk_test_own_op(Tensor x, float alpha=1.0) -> Tensor")
    library.impl("sk_test_own_op", lambda x, alpha=1.0: x * alpha, "PrivateUse1")
    torch.library.register_fake("npu::sk_test_own_op", lambda x, alpha=1.0: torch.empty_like(x), lib=library)

    def alone(x):
        begin("sp")
        y = torch_npu.sk_test_own_op(x, 3.0)
        end("sp")
        return y
    x = x44()
    assert close(compiled(alone, SK, fullgraph=True)(x), x.cpu() * 3)


@test
def an_own_operator_is_followed_by_one_of_the_library():
    library = torch.library.Library("npu", "FRAGMENT")
    library.define("sk_test_front_op(Tensor x) -> Tensor")
    library.impl("sk_test_front_op", lambda x: x * 2 + 1, "PrivateUse1")
    torch.library.register_fake("npu::sk_test_front_op", lambda x: torch.empty_like(x), lib=library)
    x, scale = torch.randn(8, 128, dtype=torch.bfloat16).npu(), torch.rand(8, 128).npu()
    for quant_mode in ({}, {"quant_mode": 1}):
        def model(x, scale):
            begin("sp")
            y = torch_npu.sk_test_front_op(x)
            out = torch_npu.npu_dequant_swiglu_quant(y, weight_scale=scale, **quant_mode)
            end("sp")
            return out
        results = []
        torch._dynamo.reset()
        dumped(lambda: results.append([one.cpu() for one in compiled(model)(x, scale)]))
        torch._dynamo.reset()
        [graph] = dumped(lambda: results.append([one.cpu() for one in compiled(model, SK)(x, scale)]))
        assert launches(graph) == [("SuperKernel", "sp")], launches(graph)
        assert all(torch.equal(one, other) for one, other in zip(*results))
    raises(RuntimeError, lambda: torch_npu.npu_dequant_swiglu_quant(x, weight_scale=torch.ones(3).npu()), "weight_scale has shape [3]")


@test
def a_private_format_stays_with_its_memory():
    x, w = torch.randn(4, 32, dtype=torch.float16).npu(), torch_npu.npu_format_cast(torch.randn(32, 32, dtype=torch.float16).npu(), 29)
    model = compiled(lambda x, w: x @ w)
    for _ in range(2):
        assert close(model(x, w), x.cpu().float() @ w.cpu().float(), 5e-2)


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
