"""Several operators in one scope, an operator left out of it, and two scopes in one model."""
import torch
import torch_npu

begin, end = torch.npu.super_kernel_scope_begin, torch.npu.super_kernel_scope_end


class Model(torch.nn.Module):
    """Without `scopes` the same arithmetic without a mark."""

    def __init__(self, scopes):
        super().__init__()
        self.scopes = scopes

    def begin(self, name):
        if self.scopes:
            begin(name)

    def end(self, name):
        if self.scopes:
            end(name)

    def forward(self, x, bias, smooth):
        self.begin("front")  # two kernels, one launch
        y = x + bias
        y = y * bias
        self.end("front")
        self.begin("back")
        z = y - x
        self.begin(None)  # runs on its own, although "back" is open
        z = z + bias
        self.end(None)
        quantised, scale = torch_npu.npu_dynamic_quant(z, smooth_scales=smooth)
        self.end("back")
        return z, quantised, scale


def results(scopes, options):
    model = torch.compile(Model(scopes), backend="npugraph_ex", options=options, dynamic=False, fullgraph=True)
    return [one.cpu() for one in model(x, bias, smooth)]


torch.manual_seed(3)
x, bias = torch.randn(40, 128, dtype=torch.float16).npu(), torch.randn(40, 128, dtype=torch.float16).npu()
smooth = torch.rand(128, dtype=torch.float16).npu()
plain = results(False, {})
fused = results(True, {"super_kernel_optimize": True,
                       "super_kernel_optimize_options": {"dcci_after_kernel_end": [".*"], "early_start": 1}})
same = all(torch.equal(one, other) for one, other in zip(plain, fused))
print("un-fused and fused:", "equal" if same else "DIFFERENT")
raise SystemExit(0 if same else 1)
