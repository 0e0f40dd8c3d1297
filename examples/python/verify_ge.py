"""Is an operator as good inside a SuperKernel as outside? The check by hand, for GE graph mode (torchair).

The same two operators are compiled three times: without a scope, with the first of them in one, and with it in a
SuperKernel that starts all cores. All results are compared bit for bit. The graphs are dumped where the script runs:
`_super_kernel_scope` stands on the operators of a scope. Run it with `skv run`, or let `skv verify` look inside the
fused launches as well.
"""
import torch
import torch_npu
import torchair
from torchair.configs.compiler_config import CompilerConfig

TOKENS, EXPERTS, TOP_K = 864, 2048, 1024


class Routing(torch.nn.Module):
    """Gating of a mixture of experts, then quantisation of the weights it gives."""

    def __init__(self, scope=None, options=""):
        super().__init__()
        self.scope, self.options = scope, options

    def forward(self, logits, smooth):
        with torchair.scope.super_kernel(self.scope, self.options):
            weights, experts, rows = torch_npu.npu_moe_gating_top_k_softmax(logits, k=TOP_K)
        quantised, scale = torch_npu.npu_dynamic_quant(weights, smooth_scales=smooth)
        return {"quantised": quantised, "scale": scale, "weights": weights, "experts": experts, "rows": rows}


config = CompilerConfig()
config.debug.graph_dump.type = "pbtxt"
backend = torchair.get_npu_backend(compiler_config=config)

torch.manual_seed(1)
logits = torch.randn(TOKENS, EXPERTS, dtype=torch.bfloat16).npu()
smooth = torch.rand(TOP_K, dtype=torch.bfloat16).npu()

plain = torch.compile(Routing(), backend=backend, dynamic=False)(logits, smooth)  # no name: nothing is fused
fused = torch.compile(Routing("gating"), backend=backend, dynamic=False)(logits, smooth)
all_cores = torch.compile(Routing("gating", "debug-aic-num=24:debug-aiv-num=48"), backend=backend, dynamic=False)(logits, smooth)

same = True
for name, want in plain.items():
    equal = torch.equal(want.cpu(), fused[name].cpu()) and torch.equal(want.cpu(), all_cores[name].cpu())
    same = same and equal
    print(f"{name:10} {str(tuple(want.shape)):14} {str(want.dtype):16} {'equal' if equal else 'DIFFERENT'}")
print("Precision ====== Success!!!" if same else "Precision ====== Failed.")
raise SystemExit(0 if same else 1)
