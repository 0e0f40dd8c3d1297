"""Switches of backend="npugraph_ex" one by one: what the graph that runs looks like with each on and off, and what the
capture is given."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import close, compiled, operators, test, TESTS, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402


def both(key, function, *inputs):
    """Operators of the graph with the switch on and off; results are the same."""
    found = []
    for value in (True, False):
        torch._dynamo.reset()
        given = [one.clone() for one in inputs]
        results, names = operators(function, *given, options={key: value})
        wanted = function(*(again := [one.clone() for one in inputs]))
        assert close(results, wanted) and all(close(one, other) for one, other in zip(given, again)), (key, value)
        found.append(names)
    return found


def capturing(run):
    """Arguments of each capture while run() runs: (pool, capture_error_mode)."""
    seen, original = [], torch.npu.NPUGraph.capture_begin

    def watch(self, pool=None, capture_error_mode="global"):
        seen.append((pool, capture_error_mode))
        return original(self, pool=pool, capture_error_mode=capture_error_mode)
    torch.npu.NPUGraph.capture_begin = watch
    try:
        run()
    finally:
        torch.npu.NPUGraph.capture_begin = original
    return seen


@test
def inplace_pass_writes_intermediates_in_place():
    def model(x, y):
        z = x + y
        z.mul_(y)
        return z
    on, off = both("inplace_pass", model, x44(), x44())
    assert on == ["aten.add.Tensor", "aten.mul_.Tensor"] and off == ["aten.add.Tensor", "aten.mul.Tensor"], (on, off)


@test
def input_inplace_pass_writes_inputs_in_place():
    def model(x, y):
        x.add_(y)
        return y * 2
    on, off = both("input_inplace_pass", model, x44(), x44())
    assert "aten.add_.Tensor" in on and "aten.copy_.default" not in on, on
    assert "aten.add.Tensor" in off and "aten.copy_.default" in off, off


@test
def remove_noop_ops_takes_out_what_changes_nothing():
    on, off = both("remove_noop_ops", lambda x, y: (x.permute(0, 1) + y).pow(1) * 2, x44(), x44())
    assert on == ["aten.add.Tensor", "aten.mul_.Tensor"], on
    assert off == ["aten.permute.default", "aten.add.Tensor", "aten.pow.Tensor_Scalar", "aten.mul_.Tensor"], off


@test
def capture_error_mode_is_handed_on():
    for mode in ("global", "thread_local", "relaxed"):
        torch._dynamo.reset()
        [(_, given)] = capturing(lambda: compiled(lambda x: x + 1, {"capture_error_mode": mode})(x44()))
        assert given == mode


@test
def use_graph_pool_is_handed_on():
    pool = torch.npu.graph_pool_handle()
    [(given, _)] = capturing(lambda: compiled(lambda x: x + 1, {"use_graph_pool": pool})(x44()))
    assert given == pool


@test
def captures_of_one_graph_share_a_pool():
    for options, shared in (({}, True), ({"reuse_graph_pool_in_same_fx": False}, False)):
        torch._dynamo.reset()
        model = compiled(lambda x: x + 1, options, dynamic=True)
        (first, _), (second, _) = capturing(lambda: [model(torch.ones(rows, 7).npu()) for rows in (2, 3)])
        assert (first == second and first is not None) is shared, (first, second)


@test
def the_deciding_symbol_has_an_index():
    """Of two sizes the second one decides."""
    range_, index = "_vllm_aclnn_static_kernel_sym_range", "_vllm_aclnn_static_kernel_sym_index"
    for place, listed in ((0, False), (1, True)):
        torch._dynamo.reset()
        compiled(lambda x: x + 1, {"static_kernel_compile": True, range_: [5], index: place}, dynamic=True)(torch.ones(3, 5).npu())
        assert bool(list(Path(".").glob("static_kernel_compile_outputs/ts*"))) is listed, place


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
