"""Device npu: misuse first, then memory, copies, streams, random numbers, captured graphs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402

raised = frontend.raised


# ---- misuse --------------------------------------------------------------------------------------

def cpu_tensor_for_an_npu_operator_is_refused():
    text = raised(NotImplementedError, torch_npu.npu_dynamic_quant, torch.randn(2, 8).half())
    assert "npu::npu_dynamic_quant" in text and "CPU" in text, text


def mixed_devices_are_refused():
    x = torch.randn(2, 8).half()
    text = raised(RuntimeError, torch_npu.npu_dynamic_quant, x.npu(), smooth_scales=x[0])
    assert "npu_dynamic_quant" in text and "smooth_scales is on cpu" in text, text
    text = raised(RuntimeError, lambda: torch.randn(3).npu() + torch.randn(3))
    assert "same device" in text, text
    text = raised(RuntimeError, lambda: torch.special.i0e(torch.randn(3).npu(), out=torch.empty(3)))
    assert "same device" in text, text


def wrong_ranks_and_dtypes_name_the_argument():
    op = torch_npu.npu_moe_gating_top_k_softmax
    text = raised(RuntimeError, op, torch.randn(8).npu(), None, 2)
    assert "x must be 2-D or 3-D, got 1-D" in text, text
    text = raised(RuntimeError, op, torch.randn(2, 8).double().npu(), None, 2)
    assert "x has dtype Double" in text, text
    text = raised(RuntimeError, op, torch.randn(2, 8).npu(), None, 9)
    assert "k is 9; legal: 1 to" in text, text
    text = raised(RuntimeError, op, torch.randn(2, 8).npu(), torch.zeros(3, dtype=torch.bool).npu(), 2)
    assert "finished has shape [3]" in text, text
    text = raised(RuntimeError, torch_npu.npu_dynamic_quant, torch.randn(2, 8).npu())
    assert "input has dtype Float; legal: float16, bfloat16" in text, text


def out_of_memory_is_its_own_error():
    text = raised(torch.OutOfMemoryError, torch.empty, 1 << 50, dtype=torch.uint8, device="npu")
    assert "NPU out of memory" in text and str(1 << 50) in text, text
    assert torch.ones(2, device="npu").sum().item() == 2  # the device goes on


def another_device_is_refused():
    raised(RuntimeError, torch.npu.set_device, 1)
    assert "Expected a npu device" in raised(ValueError, torch.npu.set_device, "cpu")
    assert "Invalid device id 3" in raised(AssertionError, torch.npu.get_device_properties, 3)
    assert "npu:1 does not exist" in raised(RuntimeError, torch.ones, 2, device="npu:1")


def reading_during_a_capture_is_refused():
    x = torch.ones(3, device="npu")
    graph = torch.npu.NPUGraph()

    def capture():
        with torch.npu.graph(graph):
            (x + 1).cpu()
    assert "while a graph is captured" in raised(RuntimeError, capture)
    assert not torch.npu.is_current_stream_capturing()


def torch_name_of_an_operator_tells_the_right_one():
    assert "torch_npu.npu_dynamic_quant" in raised(RuntimeError, torch.npu_dynamic_quant, None)


# ---- tensors -------------------------------------------------------------------------------------

def tensors_move_there_and_back():
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int8, torch.int64, torch.bool, torch.complex64):
        x = (torch.randn(5, 7) * 10).to(dtype)
        y = x.npu()
        assert y.device == torch.device("npu:0") and y.is_npu and torch.equal(y.cpu(), x)
        assert torch.equal(y.t().contiguous().cpu(), x.t()) and torch.equal(y.t().cpu(), x.t())
    assert torch.equal(torch.arange(6).npu()[::2].cpu(), torch.arange(6)[::2])
    assert y.npu() is y and y.to("npu") is y


def factories_and_operators_agree_with_the_cpu():
    x, w = torch.randn(6, 8), torch.randn(8, 8)
    d, v = x.to("npu"), w.to("npu:0")
    for name, function in {
        "matmul": lambda a, b: a @ b, "softmax": lambda a, b: torch.softmax(a, -1), "index": lambda a, b: a[a > 0],
        "sort": lambda a, b: torch.sort(a).values, "cat": lambda a, b: torch.cat([a, b]), "split": lambda a, b: a.split(2)[1],
        "where": lambda a, b: torch.where(a > 0, a, 0), "masked": lambda a, b: a.masked_fill(a > 0, 2.0),
        "einsum": lambda a, b: torch.einsum("ij,jk->ik", a, b), "unfold": lambda a, b: a.unfold(1, 2, 2),
        "topk": lambda a, b: torch.topk(a, 2)[1], "out": lambda a, b: torch.add(a, 1, out=torch.empty(0, device=a.device)),
        "inplace": lambda a, b: a.clone().mul_(2).add_(a), "slice": lambda a, b: a.clone()[:, 1:3].zero_(),
        "to": lambda a, b: a.to(torch.float16).to(torch.float32), "unique": lambda a, b: torch.unique((a * 2).int()),
        "foreach": lambda a, b: torch._foreach_add([a, b], 1)[1], "arange": lambda a, b: torch.arange(7, device=a.device),
        "tril": lambda a, b: torch.tril_indices(3, 3, device=a.device), "linear": torch.nn.functional.linear,
    }.items():
        got, want = function(d, v), function(x, w)
        assert got.device.type == "npu" and got.shape == want.shape and got.dtype == want.dtype, name
        # Only the order of additions in a product of matrices is the device's own.
        exact = name not in ("matmul", "einsum", "linear")
        assert torch.equal(got.cpu(), want) if exact else torch.allclose(got.cpu(), want, 1e-5, 1e-5), name


def library_operators_agree_with_the_cpu():
    torch.manual_seed(2)
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int8):
        x, y = (torch.randn(6, 40) * 9).to(dtype), (torch.randn(6, 40) * 9).to(dtype)
        for function in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a + 3, lambda a, b: a * 2,
                         lambda a, b: torch.add(a, b, alpha=2), lambda a, b: a.clone().add_(b).sub_(1).mul_(b),
                         lambda a, b: a + b[0, 0], lambda a, b: a + b[0], lambda a, b: a * b[:, :1], lambda a, b: b[0] - a, lambda a, b: b[0] + a, lambda a, b: b[:, :1] * a,
                         lambda a, b: b[:3].reshape(3, 1, 40) + a, lambda a, b: torch.isinf(a), lambda a, b: a.to(torch.float32),
                         lambda a, b: a.to(torch.bool), lambda a, b: a.float().to(torch.bfloat16)):
            got, want = function(x.npu(), y.npu()), function(x, y)
            assert got.dtype == want.dtype and torch.equal(got.cpu(), want), (dtype, got.cpu() - want)
    x = torch.tensor([1.0, float("inf"), -float("inf"), float("nan")])
    assert torch.isinf(x.npu()).tolist() == [False, True, True, False]
    assert torch.allclose((x[:1].npu() * 3).pow(2).cpu(), torch.tensor([9.0])) and (x.npu()[:1] ** 5).item() == 1.0
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        a, b, bias = torch.randn(5, 64).to(dtype), torch.randn(64, 33).to(dtype), torch.randn(33).to(dtype)
        for function in (lambda a, b, c: a @ b, lambda a, b, c: a @ b.t().contiguous().t(), lambda a, b, c: torch.addmm(c, a, b),
                         lambda a, b, c: torch.bmm(a.expand(2, 5, 64), b.expand(2, 64, 33))):
            torch.testing.assert_close(function(a.npu(), b.npu(), bias.npu()).cpu(), function(a, b, bias), rtol=1e-2, atol=2e-2)
    a, b = torch.randint(-128, 128, (20, 64), dtype=torch.int8), torch.randint(-128, 128, (64, 32), dtype=torch.int8)
    assert torch.equal(torch._int_mm(a.npu(), b.npu()).cpu(), a.int() @ b.int())


def addmm_is_launched_whatever_its_bias():
    a, b = torch.randn(5, 64), torch.randn(64, 33)
    for shape in ((33,), (1, 33), (5, 1), (5, 33), (1,), ()):
        bias = torch.randn(shape)
        d, da, db = bias.npu(), a.npu(), b.npu()
        for factors, kernels in (({}, 2), ({"beta": 2}, 2), ({"alpha": 3}, 3), ({"beta": 0}, 1), ({"beta": 0.5, "alpha": 0.25}, 3)):
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph):
                got = torch.addmm(d, da, db, **factors)
            graph.replay()
            torch.testing.assert_close(got.cpu(), torch.addmm(bias, a, b, **factors), rtol=1e-4, atol=1e-4)
            assert frontend.launches(graph) == ["matmul", "binary_elementwise", "binary_elementwise"][:kernels], (shape, factors)
    raised(RuntimeError, lambda: torch.addmm(torch.ones(2, 5, 33).npu(), a.npu(), b.npu()))


def quantised_operators_follow_their_rules():
    torch.manual_seed(3)
    x1, x2 = torch.randint(-128, 128, (24, 64), dtype=torch.int8), torch.randint(-128, 128, (64, 48), dtype=torch.int8)
    scale, rows = torch.rand(48) * 1e-3, torch.rand(24)
    want = (x1.int() @ x2.int()).double() * scale.double() * rows.double()[:, None]
    nz = torch_npu.npu_format_cast(x2.npu(), 29)
    for weight in (x2.npu(), nz, x2.t().contiguous().npu().t()):
        got = torch_npu.npu_quant_matmul(x1.npu(), weight, scale.npu(), pertoken_scale=rows.npu(), output_dtype=torch.bfloat16)
        torch.testing.assert_close(got.cpu().double(), want, rtol=1e-2, atol=1e-3)
    assert "output_dtype 7 is not simulated" in raised(RuntimeError, torch_npu.npu_quant_matmul, x1.npu(), x2.npu(), scale.npu(),
                                                      output_dtype=torch.float64)
    words = torch_npu.npu_trans_quant_param(scale.npu(), round_mode=1)
    assert words.dtype == torch.int64 and (words.cpu() >> 46).tolist() == [1] * 48
    got = torch_npu.npu_quant_matmul(x1.npu(), x2.npu(), words, output_dtype=torch.float16)
    torch.testing.assert_close(got.cpu().double(), (x1.int() @ x2.int()).double() * scale.double(), rtol=2e-3, atol=1e-3)
    assert "round_mode is 3" in raised(RuntimeError, torch_npu.npu_trans_quant_param, scale.npu(), round_mode=3)
    x, weight_scale, token = torch.randint(-999, 999, (8, 128), dtype=torch.int32), torch.rand(128) * 1e-2, torch.rand(8, 1)
    y, s = torch_npu.npu_dequant_swiglu_quant(x.npu(), weight_scale=weight_scale.npu(), activation_scale=token.npu(),
                                              activate_left=True, quant_mode=1)
    v = x.double() * weight_scale.double() * token.double()
    v = torch.nn.functional.silu(v[:, :64]) * v[:, 64:]
    torch.testing.assert_close(s.cpu().double(), v.abs().amax(-1) / 127, rtol=1e-4, atol=1e-9)
    assert (y.cpu().double() - v / (v.abs().amax(-1, keepdim=True) / 127)).abs().max() <= 0.51
    assert "activate_dim" in raised(RuntimeError, torch_npu.npu_dequant_swiglu_quant, x.npu(), activate_dim=0)


def values_copies_and_pickles():
    import copy
    import io
    x = torch.arange(4.0, device="npu")
    assert x.sum().item() == 6.0 and "device='npu:0'" in repr(x) and torch.equal(copy.deepcopy(x), x)
    file = io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    assert torch.equal(torch.load(file)["x"], x)
    file.seek(0)
    assert torch.load(file, map_location="cpu")["x"].device.type == "cpu"


def modules_and_backward():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).npu()
    x = torch.randn(3, 4).npu()
    model(x).sum().backward()
    grads = [one.grad.cpu() for one in model.parameters()]
    other = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    other.load_state_dict({k: v.cpu() for k, v in model.state_dict().items()})
    other(x.cpu()).sum().backward()
    assert all(torch.allclose(g, p.grad, 1e-5, 1e-5) for g, p in zip(grads, other.parameters()))
    torch.optim.SGD(model.parameters(), lr=0.1).step()


def views_share_and_aliases_stay():
    x = torch.zeros(4, 4, device="npu")
    x.view(16)[5] = 3
    x.t()[0, 2] = 4
    assert x[1, 1].item() == 3 and x[2, 0].item() == 4
    y = torch.zeros(0, device="npu").resize_(2, 3)
    assert y.shape == (2, 3) and y.fill_(1).sum().item() == 6


# ---- streams, events, random numbers, memory -----------------------------------------------------

def streams_and_events_order_work():
    side, event = torch.npu.Stream(), torch.npu.Event(enable_timing=True)
    x = torch.randn(4, 16).bfloat16().npu()
    begin = torch.npu.current_stream().record_event(torch.npu.Event(enable_timing=True))
    with torch.npu.stream(side):
        side.wait_event(begin)
        y = torch_npu.npu_moe_gating_top_k_softmax(x, None, 4)[0]
        event.record()
        assert torch.npu.current_stream() == side
    torch.npu.current_stream().wait_event(event)
    q = torch_npu.npu_dynamic_quant(y)[0]
    event.synchronize()
    assert event.query() and begin.elapsed_time(event) > 0 and q.abs().max().item() == 127
    assert torch.npu.current_stream() == torch.npu.default_stream() and isinstance(side, torch.Stream)


def limits_of_cores_belong_to_streams():
    side = torch.npu.Stream()
    torch.npu.set_stream_limit(side, 4, 6)
    assert torch.npu.get_stream_limit(side) == {"cube_core_num": 4, "vector_core_num": 6}
    torch.npu.reset_stream_limit(side)
    assert torch.npu.get_stream_limit(side)["vector_core_num"] == torch.npu.get_device_properties(0).vector_core_num
    raised(AssertionError, torch.npu.set_stream_limit, None, 1, 1)
    assert "legal: 1 to" in raised(RuntimeError, torch.npu.set_stream_limit, side, 1000, 1)


def random_numbers_repeat_with_their_seed():
    torch.manual_seed(5)
    one = torch.randn(8, device="npu")
    state = torch.npu.get_rng_state()
    two = torch.rand(8, device="npu")
    torch.npu.set_rng_state(state)
    assert torch.equal(torch.rand(8, device="npu"), two)
    torch.npu.manual_seed(5)
    assert torch.equal(torch.randn(8, device="npu"), one) and torch.npu.initial_seed() == 5
    generator = torch.Generator(device="npu").manual_seed(5)
    assert torch.equal(torch.randn(8, device="npu", generator=generator), one)


def memory_is_counted_and_given_back():
    torch.npu.synchronize()
    before = torch.npu.memory_allocated()
    torch.npu.reset_peak_memory_stats()
    x = torch.empty(1 << 20, dtype=torch.uint8, device="npu")
    assert torch.npu.memory_allocated() - before == 1 << 20
    free = torch.npu.mem_get_info()[0]
    del x
    torch.npu.empty_cache()
    assert torch.npu.memory_allocated() == before and torch.npu.max_memory_allocated() >= before + (1 << 20)
    assert torch.npu.mem_get_info()[0] - free >= 1 << 20


# ---- captured graphs -----------------------------------------------------------------------------

def replay_reads_what_inputs_hold_then():
    x, w = torch.randn(4, 8).npu(), torch.randn(8, 8).npu()
    layer = torch.nn.Linear(8, 8).npu()
    graph = torch.npu.NPUGraph()
    with torch.no_grad(), torch.npu.graph(graph):
        z = torch.relu(torch.matmul(x, w) * 2 + 1)
        y = layer(z)
    for _ in range(2):
        x.copy_(torch.randn(4, 8))
        graph.replay()
        want = torch.relu(torch.matmul(x.cpu(), w.cpu()) * 2 + 1)
        torch.testing.assert_close(z.cpu(), want, rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(y.cpu(), torch.nn.functional.linear(want, layer.weight.cpu(), layer.bias.cpu()), rtol=1e-3, atol=1e-3)


def misuse_of_graphs_is_refused():
    graph = torch.npu.NPUGraph()
    for call in (graph.replay, graph.super_kernel_optimize):
        assert "without a preceding successful capture" in raised(RuntimeError, call)
    assert "auto_dispatch_capture=True" in raised(RuntimeError, graph.update, [{}])
    assert "must be dict or None" in raised(RuntimeError, graph.super_kernel_optimize, [])
    assert "non-default stream" in raised(RuntimeError, graph.capture_begin)
    with torch.npu.stream(torch.npu.Stream()):
        assert "legal: global" in raised(RuntimeError, graph.capture_begin, capture_error_mode="some")


def graphs_become_superkernels():
    x, smooth = torch.randn(64, 256).bfloat16().npu(), torch.randn(64).bfloat16().npu()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        torch.npu.super_kernel_scope_begin("outer")
        torch.npu.super_kernel_scope_begin("inner")
        y = torch_npu.npu_moe_gating_top_k_softmax(x, None, 64)[0]
        torch.npu.super_kernel_scope_end("inner")
        q, scale = torch_npu.npu_dynamic_quant(y, smooth_scales=smooth)
        torch.npu.super_kernel_scope_end("outer")
    graph.super_kernel_optimize({"preload_code": 1, "dcci_after_kernel_end": [".*"], "opt_extend": "a=b",
                                 "aggressive_opt_strategies": {"value_breaker_bypass": 1}}, {"debug_sync_all": 1})
    graph.replay()
    y2 = torch_npu.npu_moe_gating_top_k_softmax(x, None, 64)[0]
    q2, scale2 = torch_npu.npu_dynamic_quant(y2, smooth_scales=smooth)
    assert torch.equal(y, y2) and torch.equal(q, q2) and torch.equal(scale, scale2)


def scope_names_are_checked_anywhere():
    for call in (torch.npu.super_kernel_scope_begin, torch.npu.super_kernel_scope_end):
        assert "non-empty string" in raised(RuntimeError, call, "  ")
        assert call() is None and call(None) is None and call("name") is None


def a_users_operator_is_there_after_registration():
    library = torch.library.Library("npu", "FRAGMENT")
    library.define("my_late_op(Tensor x, float alpha=1.0) -> Tensor")
    library.impl("my_late_op", lambda x, alpha=1.0: x * alpha, "PrivateUse1")
    torch.library.register_fake("npu::my_late_op", lambda x, alpha=1.0: torch.empty_like(x), lib=library)
    assert torch_npu.my_late_op(torch.ones(2).npu(), 3.0).sum().item() == 6.0
    assert torch_npu.my_late_op is torch.ops.npu.my_late_op


def dynamo_traces_the_device():
    @torch.compile(backend="aot_eager", fullgraph=True)
    def function(x):
        with torch.no_grad():
            y, index, row = torch_npu.npu_moe_gating_top_k_softmax(x, None, 4)
            return torch_npu.npu_dynamic_quant(y * 2)[0]
    x = torch.randn(4, 16).half().npu()
    y = torch_npu.npu_moe_gating_top_k_softmax(x, None, 4)[0]
    assert torch.equal(function(x), torch_npu.npu_dynamic_quant(y * 2)[0])
    with torch.inference_mode():
        assert torch.equal(function(x), torch_npu.npu_dynamic_quant(y * 2)[0])


if __name__ == "__main__":
    sys.exit(tap.run([
        cpu_tensor_for_an_npu_operator_is_refused, mixed_devices_are_refused, wrong_ranks_and_dtypes_name_the_argument,
        out_of_memory_is_its_own_error, another_device_is_refused, reading_during_a_capture_is_refused,
        torch_name_of_an_operator_tells_the_right_one, tensors_move_there_and_back, factories_and_operators_agree_with_the_cpu,
        library_operators_agree_with_the_cpu, addmm_is_launched_whatever_its_bias, quantised_operators_follow_their_rules,
        values_copies_and_pickles, modules_and_backward, views_share_and_aliases_stay,
        streams_and_events_order_work, limits_of_cores_belong_to_streams, random_numbers_repeat_with_their_seed,
        memory_is_counted_and_given_back, replay_reads_what_inputs_hold_then, misuse_of_graphs_is_refused, graphs_become_superkernels, scope_names_are_checked_anywhere,
        a_users_operator_is_there_after_registration, dynamo_traces_the_device,
    ]))
