"""remove_cat_ops: which concatenations leave a compiled graph, what stays, and that results are those of eager mode."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import SK, TESTS, begin, compiled, dumped, end, launches, operators, test, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402

X = torch.arange(32.0).reshape(4, 8)


def stays(function, *inputs, **more):
    results, names = operators(function, *inputs, **more)
    wanted = function(*inputs)
    pairs = zip(results, wanted) if isinstance(wanted, tuple) else [(results, wanted)]
    assert "aten.cat.default" in names and not any(name.endswith("out") for name in names), names
    assert all(torch.equal(one.cpu(), other.cpu()) for one, other in pairs)


def leaves(function, *inputs, **more):
    results, names = operators(function, *inputs, **more)
    wanted = function(*inputs)
    pairs = zip(results, wanted) if isinstance(wanted, tuple) else [(results, wanted)]
    assert "aten.cat.default" not in names, names
    assert all(torch.equal(one.cpu(), other.cpu()) for one, other in pairs)
    return names


@test
def other_dimensions_stay():
    stays(lambda x, y: torch.cat([x + y, x * y], 1), X.npu(), X.npu())


@test
def inputs_and_other_operators_stay():
    stays(lambda x, y: torch.cat([x, x * y]), X.npu(), X.npu())
    stays(lambda x, y: torch.cat([torch.relu(x), x * y]), X.npu(), X.npu())


@test
def a_part_that_is_there_twice_stays():
    def twice(x, y):
        z = x + y
        return torch.cat([z, z])

    def shared(x, y):
        z = x + y
        return torch.cat([z, x * y]), torch.cat([z, x - y])
    stays(twice, X.npu(), X.npu())
    stays(shared, X.npu(), X.npu())


@test
def results_of_their_own_stay():
    def model(x, y):
        z = x + y
        return torch.cat([z, x * y]), z
    stays(model, X.npu(), X.npu())


@test
def parts_of_another_type_stay():
    stays(lambda x, y: torch.cat([x + x, y * y]), X.npu(), X.half().npu())


@test
def open_sizes_stay():
    stays(lambda x, y: torch.cat([x + y, x * y]), X.npu(), X.npu(), dynamic=True)


@test
def the_option_keeps_them():
    stays(lambda x, y: torch.cat([x + y, x * y]), X.npu(), X.npu(), options={"remove_cat_ops": False})


@test
def parts_are_computed_in_the_result():
    names = leaves(lambda x, y: torch.cat([x + y, x - y, x * y, y + 1], 0), X.npu(), X.npu())
    assert [name for name in names if name.endswith("out")] == ["aten.add.out", "aten.sub.out", "aten.mul.out", "aten.add.out"], names


@test
def matrix_products_of_any_height():
    x, y, z = (torch.randn(n, 8).half().npu() for n in (3, 5, 8))
    leaves(lambda x, y, z: torch.cat([torch.mm(x, z), torch.mm(y, z)], -2), x, y, z)
    a, b = torch.randn(2, 3, 8).half().npu(), torch.randn(2, 8, 4).half().npu()
    leaves(lambda a, b: torch.cat([torch.bmm(a, b), torch.bmm(a, b) * 2]), a, b)


@test
def parts_that_use_each_other_and_are_used_behind():
    def model(x, y):
        first = x + y
        second = first * y
        both = torch.cat([second, first])
        return both * 2, second - first + 1
    leaves(model, X.npu(), X.npu())


@test
def writing_in_place_leaves_the_result_alone():
    """A part is not needed any more by anything but the result: no pass may use its memory for something else."""
    def model(x, y):
        part = x + y
        both = torch.cat([part, x * y])
        return both, part * 3, (part - 1) * 2
    leaves(model, X.npu(), X.npu())


@test
def a_result_that_is_written_again():
    def model(x, y):
        both = torch.cat([x + y, x * y])
        both.mul_(2)
        return both
    leaves(model, X.npu(), X.npu())


@test
def replays_read_the_inputs_of_their_call():
    run = compiled(lambda x, y: torch.cat([x + y, x * y]), {"clone_output": True})
    for k in (1.0, 2.0, 3.0):
        assert torch.equal(run(X.npu() * k, X.npu()).cpu(), torch.cat([X * k + X, X * k * X]))


@test
def a_scope_is_not_cut():
    def model(x, y):
        begin("sp")
        both = torch.cat([x + y, x * y])
        z = both * 2
        end("sp")
        return z
    [graph] = dumped(lambda: compiled(model, SK)(X.npu(), X.npu()))
    assert launches(graph) == [("SuperKernel", "sp")], launches(graph)
    [graph] = dumped(lambda: compiled(model, {**SK, "remove_cat_ops": False})(X.npu(), X.npu()))
    assert len(launches(graph)) > 1, launches(graph)


@test
def operators_write_where_out_says():
    """The kernels behind it, called by hand: in place, elsewhere, and what only PyTorch's own kernels take."""
    x, y = (torch.randint(-8, 9, (4, 4)).float().npu() for _ in range(2))  # whole numbers: sums are exact in any order
    whole = torch.zeros(8, 4).npu()
    for function in (torch.add, torch.sub, torch.mul, torch.mm):
        wanted = function(x, y).cpu()
        assert function(x, y, out=whole[4:]).data_ptr() == whole[4:].data_ptr()
        assert torch.equal(whole.cpu(), torch.cat([torch.zeros(4, 4), wanted]))
        turned = torch.zeros(4, 4).npu().t()
        assert torch.equal(function(x, y, out=turned).cpu(), wanted) and turned.t().is_contiguous()
        same = x.clone()
        if function is not torch.mm:  # which PyTorch does not define
            function(same, y, out=same)
            assert torch.equal(same.cpu(), wanted), function
    assert torch.equal(torch.add(x, 2, alpha=3, out=whole[:4]).cpu(), x.cpu() + 6)
    empty = torch.empty(0).npu()
    assert torch.equal(torch.mul(x, y, out=empty).cpu(), (x.cpu() * y.cpu()))


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
