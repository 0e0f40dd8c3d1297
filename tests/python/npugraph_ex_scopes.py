"""Scopes of models compiled with backend="npugraph_ex": misuse first, then which launches they become."""
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import begin, close, compiled, dumped, end, gating, gating_inputs, launches, line_of, raises, rejected, SK, test, TESTS, x44  # noqa: E402
import frontend  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402


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


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
