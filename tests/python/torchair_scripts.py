"""GE graph mode as users run it: the example and the published script of the self-verification guide, by skv."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "python" / "verify_ge.py"
# Acceptance scripts are no part of the repository.
PUBLISHED = ROOT.parent / "shared" / "seed" / "verify_ge.py"
DUMP = re.compile(r"dynamo_(original|optimized)_graph_(\d+)_rank_0_pid_\d+_ts_\d{20}\.pbtxt")


class Run:
    """skv VERB on a script in a folder of its own: what it said, reported and wrote."""

    def __init__(self, verb, script, *options, code=0):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([str(frontend.BUILD / "skv"), verb, "--json", "report.json", *options, str(script)], cwd=folder,
                                  capture_output=True, text=True, timeout=600, check=False)
            assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}{done.stderr}"
            self.out, self.error = done.stdout, done.stderr
            self.files = {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}
        self.report = json.loads(self.files.pop("report.json"))

    def mode(self, name):
        return next(mode for mode in self.report["modes"] if mode["name"] == name)

    def listing(self):
        return "\n".join(plan["listing"] for plan in self.report.get("plans", []))


def published(*replacements):
    """The published script, with pieces replaced: a file."""
    if not PUBLISHED.exists():
        raise tap.Skip("the published script is not here")
    if not replacements:
        return PUBLISHED
    text = PUBLISHED.read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    path = Path(tempfile.mkdtemp(), "variant.py")
    path.write_text(text, encoding="utf-8")
    return path


SMALLER = (("token_num = 864", "token_num = 48"), ("expert_num = 2048", "expert_num = 256"), ("top_k = 1024", "top_k = 64"))
OPTIONS = 'super_kernel("sp1", "")'


def the_published_script_runs():
    run = Run("run", published())
    assert "run no sk" in run.out and "run sk" in run.out and "Precision ====== Success!!!" in run.out, run.out
    stages = sorted((DUMP.fullmatch(name)[1], DUMP.fullmatch(name)[2]) for name in run.files)
    assert stages == [("optimized", "1"), ("optimized", "2"), ("original", "1"), ("original", "2")], run.files.keys()
    with_scope = {DUMP.fullmatch(name)[2] for name, text in run.files.items() if "_super_kernel_scope" in text}
    assert with_scope == {"2"}, with_scope
    assert "(1 SK)" in run.out, run.out


def the_published_script_is_verified():
    run = Run("verify", published())
    assert "Precision ====== Success!!!" in run.out and run.report["verdict"] == "clean", run.out
    assert "sk_sp1_start_MoeGatingTopKSoftmax_end_MoeGatingTopKSoftmax" in run.listing(), run.listing()
    assert all(mode["result"] in ("reference", "identical") for mode in run.report["modes"])
    assert run.mode("fused")["launches"] == 4 and run.mode("fused")["superkernels"] == 1, run.mode("fused")


def published_with_all_cores():
    run = Run("verify", published(*SMALLER, (OPTIONS, 'super_kernel("sp1", "debug-aic-num=24:debug-aiv-num=48")')))
    assert "Precision ====== Success!!!" in run.out and run.report["verdict"] == "clean", run.out
    assert "MIX_AIC_1_2, 24 blocks" in run.listing(), run.listing()
    assert run.mode("fused")["cores"] == {"aic": 24, "aiv": 48}, run.mode("fused")


def published_with_both_operators_in_the_scope():
    run = Run("verify", published(*SMALLER, ("""                moe_gating_res = torch_npu.npu_moe_gating_top_k_softmax(gating_input, None, self.top_k)
            dynamic_quant_res = torch_npu.npu_dynamic_quant(
                moe_gating_res[0], smooth_scales=smooth_scales
            )
""", """                moe_gating_res = torch_npu.npu_moe_gating_top_k_softmax(gating_input, None, self.top_k)
                dynamic_quant_res = torch_npu.npu_dynamic_quant(
                    moe_gating_res[0], smooth_scales=smooth_scales
                )
""")))
    assert "Precision ====== Success!!!" in run.out and run.report["verdict"] == "clean", run.out
    assert "sk_sp1_start_MoeGatingTopKSoftmax_end_DynamicQuant" in run.listing(), run.listing()


def published_with_a_wrong_option():
    run = Run("run", published(*SMALLER, (OPTIONS, 'super_kernel("sp1", "early-strat=1")')), code=1)
    assert "did you mean 'early-start'?" in run.error and "variant.py\", line 3" in run.error, run.error


def the_example_is_verified():
    run = Run("verify", EXAMPLE)
    assert "Precision ====== Success!!!" in run.out and run.report["verdict"] == "clean", run.out
    assert len(run.files) == 6 and sum("_super_kernel_scope" in text for text in run.files.values()) == 4
    assert run.mode("fused")["superkernels"] == 2, run.mode("fused")


def dumps_are_planned_by_skv_plan():
    with tempfile.TemporaryDirectory() as folder:
        done = frontend.script(SMALL, folder=folder)
        assert done.returncode == 0, done.stderr
        for kind in ("pbtxt", "txt"):
            (dump,) = Path(folder).glob(f"dynamo_optimized_*.{kind}")
            done = subprocess.run([str(frontend.BUILD / "skv"), "plan", "--kernels", '{"MoeGatingTopKSoftmax": {"type": "AIV_ONLY", "blocks": 48}}',
                                   str(dump)], capture_output=True, text=True, check=False)
            assert done.returncode == 0 and "sk_sp1_start_MoeGatingTopKSoftmax_end_MoeGatingTopKSoftmax" in done.stdout, done
            assert "MIX_AIV_1_0, 48 blocks" in done.stdout and "DynamicQuant" in done.stdout, done


def torchair_alone_brings_the_device():
    text = ("import torch, torchair\n"
            "print(torch.compile(lambda x: x + 1, backend=torchair.get_npu_backend())(torch.ones(2).npu()).device)\n")
    with tempfile.TemporaryDirectory() as folder:
        done = frontend.script(text, folder=folder)
    assert done.returncode == 0 and done.stdout == "npu:0\n", done


SMALL = """
import torch, torch_npu, torchair

def model(x):
    with torchair.scope.super_kernel("sp1"):
        y = torch_npu.npu_moe_gating_top_k_softmax(x, None, 8)
    return torch_npu.npu_dynamic_quant(y[0])

for kind in ("pbtxt", "txt"):
    torch._dynamo.reset()
    config = torchair.CompilerConfig()
    config.debug.graph_dump.type = kind
    torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(torch.randn(8, 32).half().npu())
"""


if __name__ == "__main__":
    sys.exit(tap.run([the_published_script_runs, the_published_script_is_verified, published_with_all_cores,
                      published_with_both_operators_in_the_scope, published_with_a_wrong_option, the_example_is_verified,
                      dumps_are_planned_by_skv_plan, torchair_alone_brings_the_device]))
