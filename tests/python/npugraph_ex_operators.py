"""Operators of users and private formats in compiled models."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import begin, close, compiled, dumped, end, launches, raises, SK, test, TESTS, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402


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
