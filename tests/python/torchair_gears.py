"""set_dim_gears: sizes that are legal for one graph, each of them fused as a graph whose sizes are known."""
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
import torchair  # noqa: E402
from frontend import raised  # noqa: E402
from torch._dynamo.exc import BackendCompilerFailed  # noqa: E402
from torchair._ge_concrete_graph.executor import Executor  # noqa: E402
from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

set_dim_gears = torchair.inference.set_dim_gears


def ones(*shape):
    return torch.ones(*shape).npu()


def geared(shape, gears):
    x = ones(*shape)
    set_dim_gears(x, gears)
    return x


class Compiled:
    """A compiled function that counts its graphs and keeps the plan of each run."""

    def __init__(self, function, policy="zip", **more):
        torch._dynamo.reset()
        config = CompilerConfig()
        config.inference_config.dynamic_gears_merge_policy = policy
        more.setdefault("dynamic", True)
        self.function = torch.compile(function, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True, **more)
        self.graphs, self.plans = 0, []

    def __call__(self, *args):
        convert, compile_ = GeConcreteGraph.convert, Executor._compile

        def count(graph, gm):
            self.graphs += 1
            return convert(graph, gm)

        def keep(executor, captured):
            self.plans.append(compile_(executor, captured))
            return self.plans[-1]

        GeConcreteGraph.convert, Executor._compile = count, keep
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a warning that scopes are not fused is a failure
                return self.function(*args)
        finally:
            GeConcreteGraph.convert, Executor._compile = convert, compile_


def fails(function, *args):
    """The text of the AssertionError of the first call."""
    try:
        function(*args)
    except BackendCompilerFailed as error:
        assert type(error.inner_exception) is AssertionError, repr(error.inner_exception)
        return str(error.inner_exception)
    raise AssertionError("compiled")


def model(x, y):
    with torchair.scope.super_kernel("sp"):
        return (x + y) * 2


def wrong_gears_are_named():
    x = torch.ones(2, 8)
    for gears, word in (({"0": [2, 4]}, "'0' is str"), ({2: [2, 4]}, "legal: 0 to 1"), ({-1: [2, 4]}, "dimension -1"),
                        ({0: 2}, "are int"), ({0: [2, "4"]}, "'4' of dimension 0 is str"), ({0: [2, 0]}, "gear 0"),
                        ({0: [2]}, "has 1 gears"), ({0: range(2, 200)}, "are range"), ({0: list(range(2, 200))}, "legal: 2 to 100")):
        text = raised(AssertionError, set_dim_gears, x, gears)
        assert word in text, text
        assert not hasattr(x, "dim_gears")


def gears_are_set_once():
    x = geared((2, 8), {0: [2, 4]})
    set_dim_gears(x, {0: [2, 4]})
    assert "{0: [2, 4]}" in raised(AssertionError, set_dim_gears, x, {0: [2, 6]})


def private_formats_have_no_gears():
    x = torch_npu.npu_format_cast(torch.ones(32, 32).half().npu(), 29)
    assert "private format FRACTAL_NZ; legal: ND" in raised(AssertionError, set_dim_gears, x, {0: [32, 64]})


def lists_of_one_length_unless_all_combinations_count():
    gears = {0: [2, 3, 4], 1: [8, 16]}
    text = fails(Compiled(lambda x: x + 1), geared((2, 8), gears))
    assert "'zip'" in text and "dimension 0 of x" in text, text
    assert Compiled(lambda x: x + 1, policy="product")(geared((2, 8), gears)).shape == (2, 8)


def too_many_combinations():
    text = fails(Compiled(lambda x: x + 1, policy="product"), geared((2, 8), {0: list(range(2, 13)), 1: list(range(2, 13))}))
    assert "121 combinations" in text and "100" in text, text
    many = {dim: list(range(2, 102)) for dim in range(5)}
    assert "10000000000 combinations" in fails(Compiled(lambda x: x + 1, policy="product"), geared((2, 3, 4, 5, 6), many))


def a_gear_that_is_there_twice_counts_once():
    compiled = Compiled(lambda x: x * 2, policy="product")
    compiled(geared((2, 8), {0: [2, 4, 2, 4], 1: list(range(2, 50))}))  # 96 of them
    assert compiled(ones(4, 49)).shape == (4, 49)


def sizes_that_go_together_have_gears_together():
    text = fails(Compiled(model), geared((2, 8), {0: [2, 4]}), ones(2, 8))
    assert "dimension 0 of y goes with dimension 0 of x" in text and "set gears [2, 4]" in text, text


def sizes_that_are_no_gear():
    compiled = Compiled(model)
    compiled(geared((2, 8), {0: [2, 4]}), geared((2, 8), {0: [2, 4]}))
    for rows in (3, 5):
        text = raised(RuntimeError, compiled, ones(rows, 8), ones(rows, 8))
        assert f"dimension 0 of x is {rows}" in text and "legal: 2,2; 4,4" in text, text
    torch._dynamo.reset()
    gears = {0: [2, 4]}
    assert "no gear" in raised(RuntimeError, Compiled(model), geared((3, 8), gears), geared((3, 8), gears))


def one_graph_serves_all_gears_and_is_fused():
    compiled = Compiled(model)
    for rows in (2, 4, 2, 6):
        x = ones(rows, 8) if compiled.graphs else geared((rows, 8), {0: [2, 4, 6]})
        y = ones(rows, 8) if compiled.graphs else geared((rows, 8), {0: [2, 4, 6]})
        assert torch.equal(compiled(x, y).cpu(), torch.full((rows, 8), 4.0))
    assert compiled.graphs == 1 and all("sk_sp_start_Add_end_Mul" in plan for plan in compiled.plans), compiled.plans


def sizes_without_gears_are_fixed():
    compiled = Compiled(model)
    compiled(geared((2, 8), {0: [2, 4]}), geared((2, 8), {0: [2, 4]}))
    wide = compiled(geared((2, 16), {0: [2, 4]}), geared((2, 16), {0: [2, 4]}))
    assert wide.shape == (2, 16) and compiled.graphs == 2


def all_combinations():
    def both(x, w):
        return torch.mm(x, w)
    compiled = Compiled(both, policy="product")
    compiled(geared((2, 8), {0: [2, 4]}), geared((8, 3), {1: [3, 5]}))
    for rows in (2, 4):
        for columns in (3, 5):
            assert compiled(ones(rows, 8), ones(8, columns)).shape == (rows, columns)
    assert compiled.graphs == 1
    assert "no gear" in raised(RuntimeError, compiled, ones(2, 8), ones(8, 4))


def pairs_one_by_one():
    compiled = Compiled(lambda x: x * 2)
    compiled(geared((2, 8), {0: [2, 4], 1: [8, 16]}))
    assert compiled(ones(4, 16)).shape == (4, 16)
    assert "dimension 0 of x is 4, dimension 1 of x is 8: no gear" in raised(RuntimeError, compiled, ones(4, 8))


def numbers_beside_gears_stay_open():
    """A number that is an argument is a size that no gear tells: such a graph is dynamic, which is said."""
    def scaled(x, n):
        with torchair.scope.super_kernel("sp"):
            return x * n
    compiled = Compiled(scaled)
    x = geared((2, 8), {0: [2, 4]})
    text = raised(BackendCompilerFailed, compiled, x, 7)
    assert "its scopes (sp) are not fused" in text, text


if __name__ == "__main__":
    sys.exit(tap.run([
        wrong_gears_are_named, gears_are_set_once, private_formats_have_no_gears, lists_of_one_length_unless_all_combinations_count,
        too_many_combinations, a_gear_that_is_there_twice_counts_once, sizes_that_go_together_have_gears_together,
        sizes_that_are_no_gear, one_graph_serves_all_gears_and_is_fused,
        sizes_without_gears_are_fixed, all_combinations, pairs_one_by_one, numbers_beside_gears_stay_open]))
