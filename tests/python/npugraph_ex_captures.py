"""What options of backend="npugraph_ex" do: how often is captured, what runs operator by operator, graph passes."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import begin, close, compiled, end, SK, test, TESTS, warned, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402


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
def custom_passes_see_the_graph():
    seen = []

    def look(gm, example_inputs, config):
        seen.append((config.mode.value, [str(node.target) for node in gm.graph.nodes if node.op == "call_function"]))
    x = x44()
    compiled(lambda x: x + 1, {"post_grad_custom_pre_pass": look, "post_grad_custom_post_pass": look})(x)
    assert seen == [("npugraph_ex", ["aten.add.Tensor"])] * 2, seen


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


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
