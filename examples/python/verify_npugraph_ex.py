"""Is an operator as good inside a SuperKernel as outside? The check by hand, for the graph mode npugraph_ex.

The same two operators are compiled twice, once with the first of them in a SuperKernel scope, and all results
are compared bit for bit. Run it with `skv run`, or let `skv verify` look inside the fused launch as well.
"""
import torch
import torch_npu

TOKENS, EXPERTS, TOP_K = 864, 2048, 1024


class Routing(torch.nn.Module):
    """Gating of a mixture of experts, then quantisation of the weights it gives."""

    def __init__(self, scope=False):
        super().__init__()
        self.scope = scope

    def gate(self, logits):
        return torch_npu.npu_moe_gating_top_k_softmax(logits, k=TOP_K)

    def forward(self, logits, smooth):
        if self.scope:
            torch.npu.super_kernel_scope_begin("gating")
            weights, experts, rows = self.gate(logits)
            torch.npu.super_kernel_scope_end("gating")
        else:
            weights, experts, rows = self.gate(logits)
        quantised, scale = torch_npu.npu_dynamic_quant(weights, smooth_scales=smooth)
        return {"quantised": quantised, "scale": scale, "weights": weights, "experts": experts, "rows": rows}


torch.manual_seed(1)
logits = torch.randn(TOKENS, EXPERTS, dtype=torch.bfloat16).npu()
smooth = torch.rand(TOP_K, dtype=torch.bfloat16).npu()

plain = torch.compile(Routing(), backend="npugraph_ex", dynamic=False)(logits, smooth)
fused = torch.compile(Routing(scope=True), backend="npugraph_ex", dynamic=False,
                      options={"super_kernel_optimize": True, "static_kernel_compile": True})(logits, smooth)

same = True
for name, want in plain.items():
    equal = torch.equal(want.cpu(), fused[name].cpu())
    same = same and equal
    print(f"{name:10} {str(tuple(want.shape)):14} {str(want.dtype):16} {'equal' if equal else 'DIFFERENT'}")
print("Precision ====== Success!!!" if same else "Precision ====== Failed.")
raise SystemExit(0 if same else 1)
