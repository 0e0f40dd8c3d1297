"""Every operator of a scope as a SuperKernel of its own on all cores: what it would meet at worst.

An operator that counts its cores, or synchronises them, may work with few and fail with all. The option
debug_per_op_max_core_num launches each one on every core of the chip.
"""
import torch
import torch_npu


class Model(torch.nn.Module):
    """Two operators that use a few cores each."""

    def forward(self, logits, smooth):
        torch.npu.super_kernel_scope_begin("all cores")
        weights, experts, _ = torch_npu.npu_moe_gating_top_k_softmax(logits, k=8)
        quantised, scale = torch_npu.npu_dynamic_quant(weights, smooth_scales=smooth)
        torch.npu.super_kernel_scope_end("all cores")
        return quantised, scale, experts


def results(options):
    model = torch.compile(Model(), backend="npugraph_ex", options=options, dynamic=False, fullgraph=True)
    return [one.cpu() for one in model(logits, smooth)]


torch.manual_seed(2)
logits, smooth = torch.randn(5, 64, dtype=torch.float16).npu(), torch.rand(8, dtype=torch.float16).npu()
few = results({})
all_cores = results({"super_kernel_optimize": True, "super_kernel_debug_options": {"debug_per_op_max_core_num": 1}})
same = all(torch.equal(one, other) for one, other in zip(few, all_cores))
print("few cores and all cores:", "equal" if same else "DIFFERENT")
raise SystemExit(0 if same else 1)
