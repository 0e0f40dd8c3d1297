"""One PyTorch script, whole, after its imports: prints the seconds it took, wall and CPU.

    script_side.py npu SCRIPT.py     as it is, on the simulated device
    script_side.py plain SCRIPT.py   on CPU tensors, operators written plainly, backend aot_eager
"""
import contextlib
import io
import re
import sys
import time

import numpy  # noqa: F401  (the script's imports are not measured)
import torch

torch.set_num_threads(1)


def gating(x, finished=None, k=1):
    weights, experts = torch.sort(torch.softmax(x.float(), -1), dim=-1, descending=True, stable=True)
    rows = torch.arange(x.shape[0] * k, dtype=torch.int32).reshape(k, x.shape[0]).t().contiguous()
    return weights[:, :k].to(x.dtype), experts[:, :k].to(torch.int32), rows


def quantise(x, smooth_scales=None):
    scaled = x.float() if smooth_scales is None else x.float() * smooth_scales.float()
    scale = scaled.abs().amax(-1) / 127
    return torch.round(scaled / scale[..., None]).to(torch.int8), scale


class Plain:
    """torch_npu with nothing behind it."""

    npu_moe_gating_top_k_softmax = staticmethod(gating)
    npu_dynamic_quant = staticmethod(quantise)


class Nothing:
    """torchair and its configuration: whatever is asked for is there and does nothing."""

    def __getattr__(self, name):
        return self

    def __setattr__(self, name, value):
        pass

    def __call__(self, *args, **kwargs):
        return self


def plain_text(text):
    """The script on the CPU: no device, no scopes, torch's own backend without code generation."""
    text = re.sub(r"^ *(import torch_npu|import torchair.*|from torchair.*)$", "", text, flags=re.MULTILINE)
    text = text.replace(".npu()", "")
    text = re.sub(r"torch\.npu\.super_kernel_scope_\w+\([^)]*\)", "pass", text)
    text = re.sub(r"with torchair\.scope\.super_kernel\([^)]*\):", "if True:", text)
    text = re.sub(r",\s*options=\{[^}]*\}", "", text)
    return re.sub(r"backend=(\"npugraph_ex\"|\w+)", 'backend="aot_eager"', text)


def main():
    kind, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = {"__name__": "__main__"}
    if kind == "plain":
        text = plain_text(text)
        names.update(torch_npu=Plain, torchair=Nothing(), CompilerConfig=Nothing())
    else:
        from superkernel.__main__ import make_visible
        make_visible()
        import torch_npu  # noqa: F401
    code = compile(text, path, "exec")
    out, start, cpu = io.StringIO(), time.monotonic(), time.process_time()
    with contextlib.redirect_stdout(out):
        try:
            exec(code, names)
        except SystemExit as end:
            if end.code:
                sys.exit(f"{path}: {out.getvalue()}")
    print(time.monotonic() - start, time.process_time() - cpu)


main()
