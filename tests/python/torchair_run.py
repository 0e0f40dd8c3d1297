"""GE graphs on the simulated NPU: wrong options first, then what is fused, streams, limits, custom operators."""
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
import torchair  # noqa: E402
from torchair._ge_concrete_graph.executor import Executor  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

scope = torchair.scope
X = torch.randn((64, 128), generator=torch.Generator().manual_seed(3)).to(torch.bfloat16)


def compile_(function, **more):
    torch._dynamo.reset()
    return torch.compile(function, backend=torchair.get_npu_backend(), **{"dynamic": False, **more})


def plans_of(function, *args, **more):
    """Results of one call, and what became of the launches of each graph."""
    seen, original = [], Executor._run_on_npu

    def watch(self, given):
        results = original(self, given)
        seen.append(self.plan)
        return results

    Executor._run_on_npu = watch
    try:
        return compile_(function, **more)(*args), seen
    finally:
        Executor._run_on_npu = original


def plan_of(function, *args, **more):
    results, (plan,) = plans_of(function, *args, **more)
    return results, plan


def same(first, second):
    return all(torch.equal(a.cpu(), b.cpu()) for a, b in zip(first, second, strict=True))


def gating(x, k=16):
    return torch_npu.npu_moe_gating_top_k_softmax(x, None, k)


# ---- misuse --------------------------------------------------------------------------------------

def wrong_options_name_the_key_and_the_line():
    for options, words in (("early-strat=1", ("early-strat", "'early-start'")),
                           ("feed-sync-all=2", ("feed-sync-all", "0|1")),
                           ("debug-aic-num=99", ("debug-aic-num", "24")),
                           ("debug-aic-num=24:debug-aiv-num=25", ("debug-aic-num",)),
                           ("strict-scope-check=maybe", ("strict-scope-check", "bypass, abort"))):
        def model(x):
            with scope.super_kernel("sp1", options):
                return gating(x)

        text = frontend.raised(RuntimeError, compile_(model), X.npu())
        for word in (*words, "cannot be compiled", Path(__file__).name):
            assert word in text, (word, text)


def a_strict_scope_stops_at_a_foreign_operator():
    def model(x, check):
        with scope.super_kernel("sp1", check):
            y = gating(x)[0]
        z = torch_npu.npu_dynamic_quant(y)
        with scope.super_kernel("sp1", check):
            return gating(x), z

    text = frontend.raised(RuntimeError, compile_(lambda x: model(x, "strict-scope-check=abort")), X.npu())
    assert "DynamicQuant" in text and "does not belong to it" in text, text
    _, plan = plan_of(lambda x: model(x, "strict-scope-check=bypass"), X.npu())
    assert "no SuperKernel" in plan, plan
    _, plan = plan_of(lambda x: model(x, ""), X.npu())
    assert "sk_sp1_split_0_2_start_MoeGatingTopKSoftmax_end_MoeGatingTopKSoftmax" in plan, plan


def wrong_core_limits():
    def limited(aic, aiv):
        def model(x):
            with scope.limit_core_num(aic, aiv):
                return gating(x)
        return compile_(model)

    text = frontend.raised(torch._dynamo.exc.BackendCompilerFailed, limited(0, 8), X.npu())
    assert "_op_aicore_num is '0'" in text and "from 1 on" in text, text
    text = frontend.raised(RuntimeError, limited(24, 49), X.npu())
    assert "49" in text and "1 to 48" in text and Path(__file__).name in text, text


def tensors_on_the_wrong_device():
    def model(x, y):
        with scope.super_kernel("sp1"):
            return torch_npu.npu_dynamic_quant(x, smooth_scales=y)

    try:
        compile_(model)(X.npu(), X[0])
    except RuntimeError as error:
        assert "smooth_scales" in str(error) or "device" in str(error), error
        return
    raise AssertionError("no error")


def an_operator_that_fails_on_another_stream():
    """Its own error is told, and the next run is as if nothing had been."""
    def model(x, y):
        with scope.npu_stream_switch("s1"):
            z = torch_npu.npu_dynamic_quant(x, smooth_scales=y)
        return z

    compiled = compile_(model)
    text = frontend.raised(RuntimeError, compiled, X.npu(), X[0, :64].npu())
    assert "smooth_scales" in text and "in model" in text, text
    assert same(torch_npu.npu_dynamic_quant(X.npu(), smooth_scales=X[0].npu()), compiled(X.npu(), X[0].npu()))


# ---- what is fused -------------------------------------------------------------------------------

def the_first_operator_of_two():
    def model(x, smooth, scoped):
        if scoped:
            with scope.super_kernel("sp1", ""):
                y = gating(x)
        else:
            y = gating(x)
        return *torch_npu.npu_dynamic_quant(y[0], smooth_scales=smooth), *y

    smooth = X[0, :16].npu()
    plain, bare = plan_of(lambda x: model(x, smooth, False), X.npu())
    fused, plan = plan_of(lambda x: model(x, smooth, True), X.npu())
    assert same(plain, fused) and "no SuperKernel" in bare
    assert "sk_sp1_start_MoeGatingTopKSoftmax_end_MoeGatingTopKSoftmax" in plan and "MIX_AIV_1_0, 32 blocks" in plan, plan
    assert "DynamicQuant" in plan.split("not fused:")[1]


def several_operators_of_a_scope():
    def model(x):
        with scope.super_kernel("sp1"):
            y = gating(x)
            return torch_npu.npu_dynamic_quant(y[0])

    fused, plan = plan_of(model, X.npu())
    assert same(model(X.npu()), fused)
    assert "sk_sp1_start_MoeGatingTopKSoftmax_end_DynamicQuant" in plan and "of 2 operators" in plan, plan


def no_name_is_not_fused():
    def model(x):
        with scope.super_kernel("sp1"):
            y = gating(x)
            with scope.super_kernel(None):
                return torch_npu.npu_dynamic_quant(y[0])

    _, plan = plan_of(model, X.npu())
    assert "end_MoeGatingTopKSoftmax" in plan and "DynamicQuant" in plan.split("not fused:")[1], plan


def all_cores_can_be_forced():
    def model(x):
        with scope.super_kernel("sp1", "debug-aic-num=24:debug-aiv-num=48"):
            return gating(x)

    fused, plan = plan_of(model, X.npu())
    assert same(gating(X.npu()), fused) and "MIX_AIC_1_2, 24 blocks" in plan, plan


def limits_lower_the_block_count():
    def model(x):
        with scope.super_kernel("sp1"), scope.limit_core_num(4, 8):
            return gating(x)

    fused, plan = plan_of(model, X.npu())
    assert same(gating(X.npu()), fused) and "MIX_AIV_1_0, 8 blocks" in plan, plan
    assert torch.npu.get_stream_limit(torch.npu.current_stream())["vector_core_num"] == 48


def operators_without_a_kernel_cut_the_scope():
    def model(x):
        with scope.super_kernel("sp1"):
            y = gating(x)
            z = torch.special.i0e(y[0].float()).to(torch.bfloat16)
            return torch_npu.npu_dynamic_quant(z)

    fused, plan = plan_of(model, X.npu())
    assert same(model(X.npu()), fused)
    assert "sk_sp1_split_0_3_start_MoeGatingTopKSoftmax_end_Cast" in plan, plan
    assert "sk_sp1_split_3_6_start_Cast_1_end_DynamicQuant" in plan, plan
    assert "SpecialI0e" in plan.split("not fused:")[1] and plan.split("not fused:")[1].count("(node") == 1, plan


def dynamic_sizes_are_not_fused():
    def model(x):
        with scope.super_kernel("sp1"):
            return gating(x)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        compiled = compile_(model, dynamic=True)
        for rows in (64, 32):
            assert same(gating(X[:rows].npu()), compiled(X[:rows].npu()))
    assert any("dynamic sizes" in str(one.message) and "sp1" in str(one.message) for one in seen)


# ---- runs ----------------------------------------------------------------------------------------

def results_are_new_tensors_in_every_run():
    compiled = compile_(lambda x: x * 2)
    x = X.npu()
    first, second = compiled(x), compiled(x + 1)
    assert first.data_ptr() != second.data_ptr()
    assert torch.equal(first.cpu(), X * 2) and torch.equal(second.cpu(), (X + 1) * 2)


def memory_does_not_grow():
    compiled = compile_(lambda x: (x * 2 + 1) * 3)
    x = X.npu()
    for _ in range(3):
        compiled(x)
    torch.npu.synchronize()
    before = torch.npu.memory_allocated(), torch.npu.memory_reserved()
    for _ in range(20):
        compiled(x)
    torch.npu.synchronize()
    assert (torch.npu.memory_allocated(), torch.npu.memory_reserved()) == before


def inputs_are_written_in_place():
    x = X.npu()
    compile_(lambda t: t.add_(1))(x)
    assert torch.equal(x.cpu(), X + 1)


def streams_by_label():
    def model(a, b):
        c = a + b
        with scope.npu_stream_switch("s1"):
            d = c * 2
        with scope.npu_stream_switch("s2"):
            e = c - b
        return d + scope.npu_wait_tensor(e, d), d

    def plain(a, b):
        c = a + b
        return c * 2 + (c - b), c * 2

    y = X.flip(0)
    compiled = compile_(model)
    for _ in range(2):
        assert same(plain(X, y), compiled(X.npu(), y.npu()))


def streams_meet_where_data_crosses():
    """A pick of a result, and a write to what another stream reads. Run by a checker: no access is unordered."""
    import json
    import os
    import subprocess
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "script.py")
        path.write_text(CROSSING, encoding="utf-8")
        done = subprocess.run([str(frontend.BUILD / "skv"), "run", "--json", "report.json", str(path)], cwd=folder, timeout=300,
                              capture_output=True, text=True, env=dict(os.environ), check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(Path(folder, "report.json").read_text())["findings"] == [], done.stdout


CROSSING = """
import torch, torch_npu, torchair

def model(x, y):
    with torchair.scope.npu_stream_switch("s1"):
        weights, experts, _ = torch_npu.npu_moe_gating_top_k_softmax(x, None, 16)
    quantised, scale = torch_npu.npu_dynamic_quant(weights)
    with torchair.scope.npu_stream_switch("s2"):
        other = torch_npu.npu_dynamic_quant(y)[0]
    y.add_(1)
    return quantised, other

x = torch.randn(64, 128).half()
got = torch.compile(model, backend=torchair.get_npu_backend(), dynamic=False)(x.npu(), y := x.npu())
want = torch_npu.npu_dynamic_quant(torch_npu.npu_moe_gating_top_k_softmax(x.npu(), None, 16)[0])[0]
assert torch.equal(got[0].cpu(), want.cpu()) and torch.equal(got[1].cpu(), torch_npu.npu_dynamic_quant(x.npu())[0].cpu())
assert torch.equal(y.cpu(), x + 1)
"""


def streams_inside_a_superkernel():
    def model(x, y):
        with scope.super_kernel("sp1", "stream-fusion=1"):
            a = gating(x)
            with scope.npu_stream_switch("s1"):
                b = torch_npu.npu_dynamic_quant(y)
            return *a, *b, *torch_npu.npu_dynamic_quant(a[0])

    fused, plan = plan_of(model, X.npu(), X.flip(0).npu())
    assert same((*gating(X.npu()), *torch_npu.npu_dynamic_quant(X.flip(0).npu()),
                 *torch_npu.npu_dynamic_quant(gating(X.npu())[0])), fused)
    assert "of 3 operators" in plan, plan


def a_single_stream_by_config():
    config = CompilerConfig()
    config.ge_config.enable_single_stream = True
    torch._dynamo.reset()

    def model(x):
        with scope.npu_stream_switch("s1"):
            y = gating(x)[0]
        return torch_npu.npu_dynamic_quant(y)

    result = torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X.npu())
    assert same(torch_npu.npu_dynamic_quant(gating(X.npu())[0]), result)


# ---- custom operators ----------------------------------------------------------------------------

_library = torch.library.Library("npu", "FRAGMENT")
_library.define("my_custom_op(Tensor x, float alpha=1.0) -> Tensor")
_library.define("my_bump(Tensor(a!) x) -> ()")
_library.impl("my_custom_op", lambda x, alpha=1.0: x * alpha, "PrivateUse1")
_library.impl("my_bump", lambda x: [x.add_(1)] and None, "PrivateUse1")
torch.library.register_fake("npu::my_custom_op")(lambda x, alpha=1.0: torch.empty_like(x))
torch.library.register_fake("npu::my_bump")(lambda x: None)


def a_custom_operator_and_its_successor():
    def model(x):
        with scope.super_kernel("sp1"):
            y = torch_npu.my_custom_op(x, 2.0)
            return torch_npu.npu_dynamic_quant(y)

    fused, plan = plan_of(model, X.npu())
    assert same(torch_npu.npu_dynamic_quant((X * 2).npu()), fused)
    assert "MyCustomOp" in plan, plan
    assert torch.equal(compile_(lambda x: torch_npu.my_custom_op(x))(X.npu()).cpu(), X)


def an_operator_with_a_kernel_of_ones_own():
    """Its launches are the graph's: it becomes part of a SuperKernel."""
    import ctypes
    kernels = ctypes.CDLL(str(frontend.BUILD / "examples" / "python" / "own_operator.so"))
    kernels.launch_squared_relu.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]

    def launch(x):
        y = torch.empty_like(x)
        assert kernels.launch_squared_relu(x.data_ptr(), y.data_ptr(), x.numel(), torch.npu.current_stream().npu_stream) == 0
        return y

    _library.define("squared_relu(Tensor x) -> Tensor")
    _library.impl("squared_relu", launch, "PrivateUse1")
    torch.library.register_fake("npu::squared_relu", lambda x: torch.empty_like(x), lib=_library)

    def model(x):
        with scope.super_kernel("sp1"):
            y = torch_npu.squared_relu(x)
            return *gating(y), y

    x = X.float()
    fused, plan = plan_of(model, x.npu())
    assert torch.equal(fused[3].cpu(), torch.relu(x) ** 2) and same(gating((torch.relu(x) ** 2).npu()), fused[:3])
    assert "sk_sp1_start_SquaredRelu_end_MoeGatingTopKSoftmax" in plan and "of 2 operators" in plan, plan


def a_custom_operator_before_dequant_swiglu_quant():
    weight_scale = torch.rand(64, 128).npu()

    def model(x):
        with scope.super_kernel("sp1"):
            y = torch_npu.my_custom_op(x, 2.0)
            return torch_npu.npu_dequant_swiglu_quant(y, weight_scale=weight_scale, quant_mode=1)

    fused, plan = plan_of(model, X.npu())
    assert same(torch_npu.npu_dequant_swiglu_quant((X * 2).npu(), weight_scale=weight_scale, quant_mode=1), fused)
    assert "sk_sp1_start_MyCustomOp_end_DequantSwigluQuant" in plan, plan


def a_custom_operator_that_writes_its_argument():
    def model(x):
        y = x * 2
        torch.ops.npu.my_bump(y)
        return y

    assert torch.equal(compile_(model)(X.npu()).cpu(), X * 2 + 1)


# ---- what models take ----------------------------------------------------------------------------

def private_formats_stand_in_the_inputs():
    import os
    import tempfile
    torch._dynamo.reset()
    config = CompilerConfig()
    config.debug.graph_dump.type = "txt"
    weight = torch_npu.npu_format_cast(X.npu(), 29)
    with tempfile.TemporaryDirectory() as folder:
        config.debug.graph_dump.path = folder
        result = torch.compile(lambda x, w: x + w, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X.npu(), weight)
        (name,) = [name for name in os.listdir(folder) if "optimized" in name]
        text = Path(folder, name).read_text(encoding="utf-8")
    assert torch.equal(result.cpu(), X + X) and torch.equal(weight.cpu(), X)
    blocks = text.split("op {\n")
    (block,) = [block for block in blocks if 'key: "format_for_int"\n      value {\n        i: 29' in block]
    assert 'type: "Data"' in block and 'key: "origin_format_for_int"\n      value {\n        i: 2' in block, block


class Quantised(torch.nn.Module):
    """A quantised product with a weight in a private format, then an activation, returned from inside the block."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def forward(self, x1, x2, scale, offset, bias, pertoken_scale, weight_scale):
        with scope.super_kernel(self.name, ""):
            product = torch_npu.npu_quant_matmul(x1, x2, scale, offset=offset, bias=bias, pertoken_scale=pertoken_scale,
                                                 output_dtype=torch.bfloat16)
            return torch_npu.npu_dequant_swiglu_quant(product, weight_scale=weight_scale), product


def a_weight_in_a_private_format():
    seed = torch.Generator().manual_seed(5)
    x1 = torch.randint(-10, 10, (48, 256), dtype=torch.int8, generator=seed)
    x2 = torch.randint(-10, 10, (256, 128), dtype=torch.int8, generator=seed)
    scale, pertoken = torch.rand(128, generator=seed), torch.rand(48, generator=seed)
    weight = torch_npu.npu_format_cast(x2.npu(), 29)
    assert torch_npu.get_npu_format(weight) == 29 and torch.equal(weight.cpu(), x2)
    arguments = (x1.npu(), weight, scale.npu(), None, None, pertoken.npu(), torch.rand(48, 128, generator=seed).npu())
    (plain, product), bare = plan_of(Quantised(None), *arguments)
    (fused, again), plan = plan_of(Quantised("sp1"), *arguments)
    assert same((*plain, product), (*fused, again)) and "no SuperKernel" in bare
    assert "sk_sp1_start_QuantBatchMatmulV3_end_DequantSwigluQuant" in plan and "of 2 operators" in plan, plan
    exact = (x1.double() @ x2.double()) * scale.double() * pertoken.double()[:, None]
    assert torch.allclose(product.cpu().double(), exact, rtol=2**-8), (product.cpu().double() - exact).abs().max()


def arguments_of_many_kinds():
    def model(tensors, table, nothing, number, sizes, stream, event, *, last):
        assert nothing is None
        return tensors[0] * number + table["a"].reshape(sizes) - last

    x = X.npu()
    result = compile_(model)([x, x], {"a": x}, None, 3, [64, 128], torch.npu.Stream(), torch.npu.Event(), last=x)
    assert torch.equal(result.cpu(), X * 3 + X - X)


def a_compiled_module_can_be_compiled_again():
    torch._dynamo.reset()
    module = torch.nn.ReLU()
    for _ in range(4):
        module = torch.compile(module, backend=torchair.get_npu_backend(), dynamic=False)
        assert torch.equal(module(X.npu()).cpu(), torch.relu(X))


def a_return_inside_the_block():
    class Model(torch.nn.Module):
        def forward(self, x):
            with scope.super_kernel("sp1", "stream-fusion=1"):
                return gating(x)

    assert same(gating(X.npu()), compile_(Model())(X.npu()))


def parameters_and_gradients():
    linear = torch.nn.Linear(128, 4).npu()
    x = X.float().npu()
    result = compile_(linear)(x)
    assert torch.allclose(result.cpu(), linear(x).cpu(), atol=1e-3)
    result.sum().backward()
    assert linear.weight.grad is not None
    with torch.inference_mode():
        assert torch.allclose(compile_(linear)(x).cpu(), result.detach().cpu(), atol=1e-3)


# ---- other modes and names -----------------------------------------------------------------------

def captured_graphs_by_nested_options():
    config = CompilerConfig()
    config.mode = "npugraph_ex"
    config.experimental_config.aclgraph._super_kernel_optimize = True
    config.experimental_config.aclgraph._super_kernel_debug_options = {"debug_per_op_max_core_num": 1}
    config.debug.aclgraph.disable_mempool_reuse_in_same_fx = True
    from torchair import _capture_mode
    assert _capture_mode.options(config) == {
        "super_kernel_optimize": True, "super_kernel_debug_options": {"debug_per_op_max_core_num": 1},
        "reuse_graph_pool_in_same_fx": False}
    torch._dynamo.reset()

    def model(x):
        torch.npu.super_kernel_scope_begin("sp1")
        y = gating(x)
        torch.npu.super_kernel_scope_end("sp1")
        return y

    result = torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X.npu())
    assert same(gating(X.npu()), result)


def scopes_of_graph_mode_do_nothing_to_captured_graphs():
    config = CompilerConfig()
    config.mode = "npugraph_ex"
    config.experimental_config.aclgraph._super_kernel_optimize = True
    torch._dynamo.reset()

    def model(x):
        with scope.super_kernel("sp1"):
            return gating(x)

    result = torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X.npu())
    assert same(gating(X.npu()), result)


def the_old_name_of_the_mode_is_deprecated():
    config = CompilerConfig()
    config.mode = "reduce-overhead"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch._dynamo.reset()
        torch.compile(lambda x: x + 1, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X.npu())
    assert any(one.category is DeprecationWarning and "npugraph_ex" in str(one.message) for one in seen)


def replacements_are_applied():
    torchair.register_replacement(lambda a, b: torch.ops.npu.my_custom_op(a, 4.0) - b, lambda a, b: b - a,
                                  [torch.ones(2, device="npu"), torch.ones(2, device="npu")])
    result = compile_(lambda a, b: torch.ops.npu.my_custom_op(a, 4.0) - b)(X.npu(), X.flip(0).npu())
    assert torch.equal(result.cpu(), X.flip(0) - X)


if __name__ == "__main__":
    sys.exit(tap.run([value for name, value in list(globals().items())
                      if callable(value) and getattr(value, "__module__", "") == "__main__" and hasattr(value, "__code__")
                      and value.__code__.co_argcount == 0 and not name.startswith("_") and name != "<lambda>"]))
