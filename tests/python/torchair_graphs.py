"""GE graphs of torchair on the CPU: scopes and their attributes, conversion, what compiled models take and give."""
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402
import torchair  # noqa: E402
from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

scope = torchair.scope
X, Y = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)


def graphs_of(function, *args, config=None, dynamic=False, **kwargs):
    """Compiles and runs; the GE graphs, and the results."""
    torch._dynamo.reset()
    seen, original = [], GeConcreteGraph.optimize_graph_without_runtime

    def watch(self, *sample_args, observer=None, aot_gm=None):
        seen.append(self)
        return original(self, *sample_args, observer=observer, aot_gm=aot_gm)

    GeConcreteGraph.optimize_graph_without_runtime = watch
    try:
        compiled = torch.compile(function, backend=torchair.get_npu_backend(compiler_config=config), dynamic=dynamic)
        results = compiled(*args, **kwargs)
    finally:
        GeConcreteGraph.optimize_graph_without_runtime = original
    return [one.graph for one in seen], results


def ops_of(function, *args, **more):
    graphs, _ = graphs_of(function, *args, **more)
    assert len(graphs) == 1, len(graphs)
    return {op.name: op for op in graphs[0].op}


def attribute(op, key="_super_kernel_scope"):
    return op.attr[key].s


def error_of(function, *args, **more) -> str:
    try:
        graphs_of(function, *args, **more)
    except torch._dynamo.exc.BackendCompilerFailed as error:
        return str(error)
    raise AssertionError("no error")


# ---- misuse of scopes ----------------------------------------------------------------------------

def a_scope_that_is_not_left():
    def model(x):
        torch.ops.air.scope_enter(["_super_kernel_scope"], ["left_open"])
        return x + 1

    text = error_of(model, X)
    assert "no paired call to the torch.ops.air.scope_exit" in text and "left_open" in text, text
    assert Path(__file__).name in text, text


def a_scope_that_was_not_entered():
    def model(x):
        torch.ops.air.scope_exit()
        return x + 1

    assert "must first call the torch.ops.air.scope_enter" in error_of(model, X)


def a_graph_break_inside_a_scope():
    def model(x):
        with scope.super_kernel("sp1"):
            y = x + 1
            torch._dynamo.graph_break()
            return y * 2

    text = error_of(model, X)
    assert "no paired call" in text and "graph break" in text and "sp1" in text, text
    assert Path(__file__).name in text and "in model" in text, text


def a_time_out_switch_is_a_bool():
    try:
        scope.op_never_timeout("yes")
    except TypeError as error:
        assert "str" in str(error)
        return
    raise AssertionError("no error")


def scope_arguments_are_text():
    for arguments in (("sp1", None), (5,), ("sp1", 3)):
        def model(x):
            with scope.super_kernel(*arguments):
                return x + 1

        for run in (model, torch.compile(model, backend=torchair.get_npu_backend(), dynamic=False)):
            torch._dynamo.reset()
            try:
                run(X)
            except RuntimeError as error:
                assert "List[str]" in str(error) and repr(arguments[-1]) in str(error), error
                continue
            raise AssertionError(f"{arguments} were taken")


def marks_of_captured_graphs_are_refused():
    if not hasattr(torch.ops.npu, "super_kernel_scope_begin"):
        library = torch.library.Library("npu", "FRAGMENT")
        for end in ("begin", "end"):
            library.define(f"super_kernel_scope_{end}(str? scope_name=None) -> ()")
            for key in ("CPU", "BackendSelect", "Meta"):
                library.impl(f"super_kernel_scope_{end}", lambda scope_name=None: None, key)
            torch.fx.node.has_side_effect(getattr(torch.ops.npu, f"super_kernel_scope_{end}").default)
        marks_of_captured_graphs_are_refused.library = library

    def model(x):
        torch.ops.npu.super_kernel_scope_begin("sp1")
        y = x + 1
        torch.ops.npu.super_kernel_scope_end("sp1")
        return y

    text = error_of(model, X)
    assert "no such AscendIR: SuperKernelScopeBegin" in text and "torchair.scope.super_kernel" in text, text


# ---- attributes ----------------------------------------------------------------------------------

def names_and_options_reach_the_operators():
    def model(x, y):
        z = x + y
        with scope.super_kernel("sp1", "test_option"):
            z = z * y
        return z - y

    ops = ops_of(model, X, Y)
    assert attribute(ops["Mul"]) == b"sp1" and attribute(ops["Mul"], "_super_kernel_options") == b"test_option"
    for name in ("Add", "Sub"):
        assert attribute(ops[name]) == b"" and attribute(ops[name], "_super_kernel_options") == b""


def inner_scopes_win():
    def model(x, y):
        with scope.super_kernel("outer", "a"):
            z = x + y
            with scope.super_kernel("inner", "b"):
                z = z * y
            return z - y

    ops = ops_of(model, X, Y)
    assert [attribute(ops[name]) for name in ("Add", "Mul", "Sub")] == [b"outer", b"inner", b"outer"]
    assert attribute(ops["Mul"], "_super_kernel_options") == b"b"


def no_name_takes_operators_out():
    def model(x, y):
        with scope.super_kernel("outer"):
            z = x + y
            with scope.super_kernel(None, "ignored"):
                z = z * y
                with scope.super_kernel("deep"):
                    z = z.relu()
            return z - y

    ops = ops_of(model, X, Y)
    assert "_super_kernel_scope" not in ops["Mul"].attr and "_super_kernel_options" not in ops["Mul"].attr
    assert attribute(ops["Mul"]) == b""
    assert [attribute(ops[name]) for name in ("Add", "Relu", "Sub")] == [b"outer", b"deep", b"outer"]


def other_scopes_go_along():
    def model(x, y):
        with scope.npu_stream_switch("s1", 3):
            with scope.super_kernel("sp1"):
                with scope.limit_core_num(4, 8):
                    z = x + y
            with scope.op_never_timeout(True):
                z = z * y
        with scope.npu_stream_switch("s2", enable_inner_parallel=False):
            return z - y

    ops = ops_of(model, X, Y)
    add, mul, sub = ops["Add"].attr, ops["Mul"].attr, ops["Sub"].attr
    assert (add["_user_stream_label"].s, add["_user_stream_priority"].s, add["_super_kernel_scope"].s) == (b"s1", b"3", b"sp1")
    assert (add["_op_aicore_num"].s, add["_op_vectorcore_num"].s, add["_enable_inner_parallel"].b) == (b"4", b"8", True)
    assert mul["_op_exec_never_timeout"].b and "_op_aicore_num" not in mul and mul["_user_stream_label"].s == b"s1"
    assert sub["_user_stream_label"].s == b"s2" and sub["_enable_inner_parallel"].b is False


def a_switch_off_is_an_attribute_too():
    def model(x, y):
        with scope.op_never_timeout(False):
            return x + y

    ops = ops_of(model, X, Y)
    assert "_op_exec_never_timeout" in ops["Add"].attr and ops["Add"].attr["_op_exec_never_timeout"].b is False


def helper_operators_are_in_the_scope_and_ends_are_not():
    def model(x, y):
        with scope.super_kernel("sp1"):
            return x * 2 + y

    ops = ops_of(model, X, Y)
    assert attribute(ops["Const"]) == b"sp1"
    assert all("_super_kernel_scope" not in op.attr for op in ops.values() if op.type in ("Data", "NetOutput"))


def a_return_inside_the_block():
    class Model(torch.nn.Module):
        def forward(self, x, y):
            with scope.super_kernel("sp1", "stream-fusion=1"):
                return torch.relu(x - y)

    graphs, result = graphs_of(Model(), X, Y)
    assert torch.equal(result, torch.relu(X - Y))
    assert {op.type for op in graphs[0].op if "_super_kernel_scope" in op.attr} == {"Sub", "Relu"}


def scopes_do_nothing_without_compiling():
    with scope.super_kernel("sp1"), scope.limit_core_num(1, 1), scope.data_dump():
        assert torch.equal(X + 1, torch.add(X, 1))


def scopes_of_one_graph_do_not_leak_into_the_next():
    def scoped(x):
        with scope.super_kernel("sp1"):
            return x + 1

    ops_of(scoped, X)
    assert not any("_super_kernel_scope" in op.attr for op in ops_of(lambda x: x + 2, X).values())


# ---- views ---------------------------------------------------------------------------------------

def views_belong_to_their_consumer():
    def model(x, y):
        with scope.super_kernel("before"):
            z = x + y
            v = z.t()
        with scope.super_kernel("behind"):
            return torch.mm(v, y)

    ops = ops_of(model, X, Y)
    assert attribute(ops["Transpose"]) == b"behind" and list(ops).index("Transpose") < list(ops).index("MatMul")


def views_for_other_scopes_carry_nothing():
    def model(x, y):
        v = x.t()
        with scope.super_kernel("sp1"):
            with scope.limit_core_num(2, 4):
                return torch.mm(v, y)

    ops = ops_of(model, X, Y)
    assert not any(key in ops["Transpose"].attr for key in ("_super_kernel_scope", "_op_aicore_num"))
    assert attribute(ops["MatMul"]) == b"sp1"


def views_under_other_scopes_stay_in_place():
    def model(x, y):
        with scope.npu_stream_switch("s1"):
            v = x.t()
        with scope.super_kernel("sp1"):
            return torch.mm(v, y)

    ops = ops_of(model, X, Y)
    assert ops["Transpose"].attr["_user_stream_label"].s == b"s1" and "_super_kernel_scope" not in ops["Transpose"].attr


def views_without_the_optimisation_stay_in_place():
    config = CompilerConfig()
    config.experimental_config.enable_view_optimize = False

    def model(x, y):
        with scope.super_kernel("sp1"):
            v = x.t()
        return torch.mm(v, y)

    ops = ops_of(model, X, Y, config=config)
    assert attribute(ops["Transpose"]) == b"sp1" and "_super_kernel_scope" not in ops["MatMul"].attr


def chains_of_views_are_one_operator():
    ops = ops_of(lambda x, y: torch.mm(x.reshape(6).reshape(3, 2), y), X, Y)
    assert sum(op.type == "Reshape" for op in ops.values()) == 1
    assert not any(op.type == "Transpose" for op in ops_of(lambda x, y: torch.mm(x.t().t().t(), y).t().t(), X, Y).values()
                   if op.name != "Transpose")


# ---- conversion ----------------------------------------------------------------------------------

def operators_without_results_are_constants():
    def model(x):
        with scope.super_kernel("sp"):
            return x[:, 3:] * 2, x * 2
    (graph,), results = graphs_of(model, X)
    ops = {op.name: op for op in graph.op}
    assert [op.type for op in graph.op if op.type not in ("Data", "Const", "NetOutput")] == ["Mul"], ops.keys()
    empty = {f"{op.name}:0" for op in graph.op if op.type == "Const" and list(op.attr["value"].t.desc.shape.dim) == [2, 0]}
    assert empty & set(graph.output), (empty, graph.output)
    assert results[0].shape == (2, 0) and torch.equal(results[1], X * 2)


def operators_are_named_by_type_and_number():
    ops = ops_of(lambda x, y: (x + y) + (y + 1) + x, X, Y)
    assert [name for name, op in ops.items() if op.type == "Add"] == ["Add", "Add_1", "Add_2", "Add_3"]


def types_of_common_operators():
    def model(x, y):
        return torch.mm(x, y.t()).relu() - 1, x * y, torch.bmm(x[None], y.t()[None])

    types = {op.type for op in ops_of(model, X, Y).values()}
    assert {"MatMul", "Relu", "Sub", "Mul", "BatchMatMul"} <= types, types


def unused_inputs_go_and_the_rest_is_numbered_anew():
    from torchair._ge_concrete_graph import optimize
    from torchair._ge_concrete_graph.ge_graph import GeGraph, add_data, add_op, building
    with building(GeGraph("g")) as graph:
        first, second = (add_data(f"arg{index}_1", index, X, "CPU") for index in range(2))
        (sum_,) = add_op("Add", [("x1", second), ("x2", second)], ["y"])
        add_op("NetOutput", [("input0", sum_)], [])
    optimize.run(graph.definition, [X, Y])
    assert [(op.name, op.attr["index"].i) for op in graph.op if op.type == "Data"] == [("arg1_1", 0)]
    assert list(graph.attr["_input_placements"].list.i) == [0] and graph.attr["_executor_type"].i == 0


def results_are_listed_once():
    graphs, results = graphs_of(lambda x: (x + 1, x * 2, x + 1), X)
    output = next(op for op in graphs[0].op if op.type == "NetOutput")
    assert len(output.input) == len(set(output.input)) and [desc.name for desc in output.input_desc][:1] == ["input0"]
    assert torch.equal(results[2], X + 1)


def graphs_are_numbered_in_the_process():
    (first,), _ = graphs_of(lambda x: x + 1, X)
    (second,), _ = graphs_of(lambda x: x + 2, X)
    assert int(second.name.removeprefix("graph_")) == int(first.name.removeprefix("graph_")) + 1


def a_wait_is_an_identity_with_a_control_edge():
    def model(x, y):
        a = x + 1
        b = y * 2
        return scope.npu_wait_tensor(b, a) - 1

    graphs, result = graphs_of(model, X, Y)
    identity = next(op for op in graphs[0].op if op.type == "Identity")
    assert identity.input == ["Mul:0", "Add:-1"], identity.input
    assert torch.equal(result, Y * 2 - 1)


def descriptors_tell_what_fx_knows():
    ops = ops_of(lambda x, y: x + y, X, Y)
    desc = ops["Add"].output_desc[0]
    assert desc.attr["_fx_tensor_name"].s == b"add-aten.add.Tensor.OUTPUT.0", desc.attr["_fx_tensor_name"].s
    assert b"torch.float32" in desc.attr["_meta"].s and b"[2, 3]" in desc.attr["_meta"].s
    assert (desc.dtype, desc.layout, list(desc.shape.dim)) == (1, "ND", [])
    data = ops["arg0_1"].output_desc[0]
    assert list(data.shape.dim) == [2, 3] and data.device_type == "CPU" and data.attr["format_for_int"].i == 2


# ---- custom operators ----------------------------------------------------------------------------

_library = torch.library.Library("tests", "FRAGMENT")
_library.define("scaled(Tensor x, Tensor? bias, float alpha=1.0) -> Tensor")
_library.define("halves(Tensor x) -> (Tensor, Tensor)")
_library.impl("scaled", lambda x, bias, alpha=1.0: x * alpha if bias is None else x * alpha + bias, "CPU")
_library.impl("scaled", lambda x, bias, alpha=1.0: torch.empty_like(x), "Meta")
_library.impl("halves", lambda x: (x[..., :1].clone(), x[..., 1:].clone()), "CPU")
_library.impl("halves", lambda x: (x.new_empty(x[..., :1].shape), x.new_empty(x[..., 1:].shape)), "Meta")


def custom_operators_need_no_converter():
    graphs, result = graphs_of(lambda x: torch.ops.tests.scaled(x, None, 3.0), X)
    (op,) = [op for op in graphs[0].op if op.type == "Scaled"]
    assert torch.equal(result, X * 3) and op.attr["alpha"].f == 3.0 and op.input == ["arg0_1:0"]
    missing = next(desc for desc in op.input_desc if desc.name == "bias")
    assert missing.attr["_is_unfed_optional"].i == 1 and missing.dtype == 0


def converters_replace_the_rule():
    from torchair._ge_concrete_graph import converters
    specs = []

    @torchair.register_fx_node_ge_converter(torch.ops.tests.halves.default)
    def convert_halves(x, meta_outputs=None):
        specs.extend(meta_outputs)
        return torchair.ge.custom_op("Halves", inputs={"x": torchair.ge.Clone(x), "none": None}, outputs=["low", "high"],
                                     attrs={"at": torchair.ge.attr.Int(1), "list": torchair.ge.attr.ListInt([1, 2])})

    def model(x):
        with scope.super_kernel("sp1"):
            low, high = torch.ops.tests.halves(x)
        return low + high

    try:
        graphs, result = graphs_of(model, X)
    finally:
        del converters._CONVERTERS["tests::halves"]
    ops = {op.name: op for op in graphs[0].op}
    assert torch.equal(result, X[:, :1] + X[:, 1:])
    assert ops["Halves"].input == ["TensorMove:0"] and [desc.name for desc in ops["Halves"].output_desc] == ["low", "high"]
    assert ops["Add"].input == ["Halves:0", "Halves:1"]
    assert attribute(ops["TensorMove"]) == b"sp1" and list(ops["Halves"].attr["list"].list.i) == [1, 2]
    assert [spec.size for spec in specs] == [[2, 1], [2, 2]] and specs[0].dtype is torch.float32


def converters_are_for_overloads():
    try:
        torchair.register_fx_node_ge_converter(torch.ops.tests.halves)
    except TypeError as error:
        assert "overload" in str(error)
        return
    raise AssertionError("no error")


def a_node_name_is_used_once():
    from torchair._ge_concrete_graph import converters

    @torchair.register_fx_node_ge_converter(torch.ops.tests.scaled.default)
    def convert_scaled(x, bias, alpha=1.0):
        return torchair.ge.custom_op("Scaled", inputs={"x": x}, outputs=["y"], node_name="mine")

    try:
        text = error_of(lambda x: torch.ops.tests.scaled(torch.ops.tests.scaled(x, None), None), X)
    finally:
        del converters._CONVERTERS["tests::scaled"]
    assert "'mine' is used twice" in text, text


def unknown_types_can_be_refused():
    import os
    os.environ["SUPERKERNEL_STRICT_IR"] = "1"
    try:
        text = error_of(lambda x: torch.ops.tests.scaled(x, None), X)
    finally:
        del os.environ["SUPERKERNEL_STRICT_IR"]
    assert "no such AscendIR: Scaled" in text, text


def custom_op_by_name_is_checked():
    from torchair._ge_concrete_graph.ge_graph import GeGraph, add_data, building
    with building(GeGraph("g")):
        x = add_data("x", 0, X, "CPU")
        for more in ({"inputs": 3}, {"inputs": {"x": 3}}, {"inputs": {"x": [3]}}, {"attrs": {"a": 3}}, {"outputs": 3},
                     {"outputs": [3]}, {"outputs": [("y",)]}):
            try:
                torchair.ge.custom_op("Mine", **more)
            except AssertionError as error:
                assert "custom_op 'Mine'" in str(error) and "legal:" in str(error)
                continue
            raise AssertionError(f"{more} was taken")
        assert torchair.ge.custom_op("Mine", inputs={"x": [x, x]}) is None
        one, some = torchair.ge.custom_op("Mine", inputs={"x": x}, outputs=["y", ("z", 2)])
        assert one.tensor == "Mine_1:0" and [item.tensor for item in some] == ["Mine_1:1", "Mine_1:2"]
        const = torchair.ge.Const(10, dtype=torchair.ge.DataType.DT_FLOAT, node_name="ten")
        assert const.node.name == "ten" and const.node.attr["_readable_value"].s == b"10" and const.desc.dtype == 1


def attribute_values_are_checked():
    for kind, value in (("Int", 1.5), ("Int", True), ("Bool", 1), ("Str", b"x"), ("ListInt", [1, "2"]), ("ListListFloat", [1.0])):
        try:
            getattr(torchair.ge.attr, kind)(value)
        except TypeError as error:
            assert kind in str(error) and "legal:" in str(error)
            continue
        raise AssertionError(f"{kind}({value!r}) was taken")


# ---- compiled models -----------------------------------------------------------------------------

def a_compiled_module_can_be_compiled_again():
    torch._dynamo.reset()
    module = torch.nn.ReLU()
    for _ in range(4):
        module = torch.compile(module, backend=torchair.get_npu_backend(), dynamic=False)
        assert torch.equal(module(-X), torch.relu(-X))


def arguments_of_many_kinds():
    def model(tensors, table, nothing, number, sizes, *, last):
        assert nothing is None
        return tensors[0] * number + table["a"].reshape(sizes) - last

    _, result = graphs_of(model, [X, Y], {"a": Y}, None, 3, [2, 3], last=X)
    assert torch.equal(result, X * 3 + Y - X)


def sizes_may_be_dynamic():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: (x * 2).reshape(-1, 3), backend=torchair.get_npu_backend(), dynamic=True)
    for rows in (2, 5):
        x = torch.randn(rows, 3)
        assert torch.equal(compiled(x), x * 2)


def parameters_with_gradients_compile():
    torch._dynamo.reset()
    linear = torch.nn.Linear(3, 2)
    result = torch.compile(linear, backend=torchair.get_npu_backend(), dynamic=False)(X)
    assert torch.allclose(result, linear(X))
    result.sum().backward()
    assert linear.weight.grad is not None


def inputs_are_written_in_place():
    x = X.clone()
    graphs_of(lambda t: t.add_(1), x)
    assert torch.equal(x, X + 1)


def writes_to_inputs_come_behind_their_readers():
    def model(x, y):
        z = x * 2
        x.add_(y)
        y.mul_(3)
        return z
    ops = ops_of(model, X.clone(), Y.clone())
    first, second = ops["Assign"], ops["Assign_1"]
    assert first.input == ["arg0_1:0", "Add:0", "Mul:-1"], first.input  # Add reads it, too, but stands in its inputs
    assert second.input[:2] == ["arg1_1:0", "Mul_1:0"] and {"Assign:-1", "Add:-1"} == set(second.input[2:]), second.input
    assert ops["NetOutput"].input == ["Mul:0", "Assign_1:-1"], ops["NetOutput"].input
    assert not any(source.endswith(":-1") for op in ops_of(lambda x: x * 2, X).values() for source in op.input)


def own_passes_run_before_and_behind():
    seen = []
    config = CompilerConfig()
    config.post_grad_custom_pre_pass = lambda gm, inputs, given: seen.append(("pre", given is config))
    config.post_grad_custom_post_pass = lambda gm, inputs, given: seen.append(("post", given is config))
    graphs_of(lambda x: x + 1, X, config=config)
    assert seen == [("pre", True), ("post", True)]


def a_compiler_serves_a_backend_of_ones_own():
    from torch._functorch.aot_autograd import aot_module_simplified
    torch._dynamo.reset()

    def backend(gm, example_inputs):
        return aot_module_simplified(gm, example_inputs, fw_compiler=torchair.get_compiler())

    assert torch.equal(torch.compile(lambda x: x + 1, backend=backend)(X), X + 1)


def running_eagerly_is_told():
    config = CompilerConfig()
    config.debug.run_eagerly = True
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        graphs, result = graphs_of(lambda x: x + 1, X, config=config)
    assert torch.equal(result, X + 1) and not graphs
    assert any("run_eagerly" in str(one.message) for one in seen)


if __name__ == "__main__":
    sys.exit(tap.run([value for name, value in list(globals().items())
                      if callable(value) and getattr(value, "__module__", "") == "__main__" and value.__code__.co_argcount == 0
                      and not name.startswith("_")]))
