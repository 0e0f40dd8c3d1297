"""Scripts as users run them: skv run, skv verify, python -m superkernel."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402

SKV = str(frontend.BUILD / "skv")

# The way of the operator self-verification: one operator in a scope, its successor outside, against the same un-fused.
COMPARE = """
import numpy as np
import torch
import torch_npu

if __name__ == "__main__":
    class Model(torch.nn.Module):
        def __init__(self, k, scope):
            super().__init__()
            self.k, self.scope = k, scope

        def forward(self, x, smooth):
            if self.scope:
                torch.npu.super_kernel_scope_begin("sp1")
            gating = torch_npu.npu_moe_gating_top_k_softmax(x, None, self.k)
            if self.scope:
                torch.npu.super_kernel_scope_end("sp1")
            return torch_npu.npu_dynamic_quant(gating[0], smooth_scales=smooth), gating

    x = torch.randn((48, 256), dtype=torch.bfloat16)
    smooth = torch.randn((64,), dtype=torch.bfloat16)
    fused = torch.compile(Model(64, True), backend="npugraph_ex", dynamic=False,
                          options={"super_kernel_optimize": True, "super_kernel_debug_options": DEBUG})
    plain = torch.compile(Model(64, False), backend="npugraph_ex", dynamic=False)
    one, _ = fused(x.npu(), smooth.npu())
    two, _ = plain(x.npu(), smooth.npu())
    same = all(np.array_equal(a.cpu().numpy(), b.cpu().numpy()) for a, b in zip(one, two))
    print("Success" if same else "Failed")
"""


def skv(*words, folder):
    return subprocess.run([SKV, *words], cwd=folder, capture_output=True, text=True, timeout=500, check=False)


def written(folder, text):
    path = Path(folder) / "script.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def missing_and_failing_scripts_are_told():
    with tempfile.TemporaryDirectory() as folder:
        done = skv("run", "none.py", folder=folder)
        assert done.returncode == 2 and "'none.py'" in done.stderr, done
        done = skv("run", written(folder, "raise ValueError('from the script')"), folder=folder)
        assert done.returncode == 1 and "from the script" in done.stderr and "script.py\", line 1" in done.stderr, done
        done = skv("run", "--python", "/nowhere/python", written(folder, "pass"), folder=folder)
        assert done.returncode == 2 and "/nowhere/python" in done.stderr and "SKV_PYTHON" in done.stderr, done
        done = frontend.run("none.py", folder=folder)
        assert done.returncode == 2 and "'none.py' is no file" in done.stderr, done


def interpreters_that_cannot_run_scripts_are_told():
    """-S leaves site-packages out, so that torch is not there; a name of another Python, so that the compiled part is not."""
    with tempfile.TemporaryDirectory() as folder:
        package, script = str(frontend.BUILD / "python" / "superkernel"), written(folder, "print('ran')")
        done = subprocess.run([sys.executable, "-S", package, script], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr == f"superkernel: {sys.executable} has no torch; the front ends need torch 2.13 for the CPU\n", done
        other = Path(folder, "other")
        shutil.copytree(package, other / "superkernel")
        done = subprocess.run([sys.executable, other / "superkernel", script], capture_output=True, text=True, check=False)
        told = f"superkernel: the compiled part is not for {sys.executable} (Python {sys.version_info[0]}.{sys.version_info[1]}); build the front ends"
        assert done.returncode == 2 and done.stderr.startswith(told) and done.stderr.count("\n") == 1 and not done.stdout, done


def another_torch_is_told():
    with tempfile.TemporaryDirectory() as folder:
        text = "import torch\ntorch.__version__ = '2.12.1+cpu'\nimport torch_npu\n"
        done = frontend.script(text, folder=folder, env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
        told = "ImportError: torch_npu of superkernel was built with torch 2.13.0, this is torch 2.12.1+cpu; install torch 2.13.0"
        assert done.returncode == 1 and told in done.stderr, done
        done = frontend.script(text.replace("2.12.1", "2.13.1"), folder=folder, env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
        assert done.returncode == 0, done


def modules_are_visible_only_there():
    done = subprocess.run([sys.executable, "-c", "import torch_npu"], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "No module named 'torch_npu'" in done.stderr, done


def arguments_and_neighbours_reach_the_script():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "neighbour.py").write_text("value = 7\n", encoding="utf-8")
        done = frontend.script("import sys, neighbour; print(sys.argv[1:], neighbour.value, __name__)", "a", "-b", folder=folder)
        assert done.returncode == 0 and done.stdout == "['a', '-b'] 7 __main__\n", done


def a_script_runs():
    with tempfile.TemporaryDirectory() as folder:
        done = skv("run", "-q", written(folder, COMPARE.replace("DEBUG", "None")), folder=folder)
        assert done.returncode == 0 and done.stdout == "Success\n", done


def a_script_is_verified():
    with tempfile.TemporaryDirectory() as folder:
        done = skv("verify", "--json", "report.json", written(folder, COMPARE.replace("DEBUG", "None")), folder=folder)
        assert done.returncode == 0 and done.stdout.startswith("Success\n"), done
        document = json.loads(Path(folder, "report.json").read_text(encoding="utf-8"))
        assert document["verdict"] == "clean" and document["program"].endswith("script.py")
        assert "scope sp1: one SuperKernel" in done.stdout and "launched alone: dynamic_quant" in done.stdout, done.stdout
        assert any("sp1" in plan["listing"] and "moe_gating_top_k_softmax" in plan["listing"] for plan in document["plans"])


NOT_SIMULATED = """
import torch, torch_npu
x = torch.randn(8, 64).bfloat16().npu()
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    torch.npu.super_kernel_scope_begin("mixed")
    y = torch_npu.npu_moe_gating_top_k_softmax(x, None, 16)[0]
    z = torch.special.i0e(y.float()).bfloat16()
    q = torch_npu.npu_dynamic_quant(z)[0]
    torch.npu.super_kernel_scope_end("mixed")
if OPTIMIZE:
    graph.super_kernel_optimize()
graph.replay()
print(torch.equal(q.cpu(), torch_npu.npu_dynamic_quant(torch.special.i0e(torch_npu.npu_moe_gating_top_k_softmax(x, None, 16)[0].float()).bfloat16())[0].cpu()))
"""


def operators_without_a_kernel_cut_scopes_and_are_told():
    with tempfile.TemporaryDirectory() as folder:
        for optimize in ("True", "False"):
            done = skv("verify", "--json", "report.json", written(folder, NOT_SIMULATED.replace("OPTIMIZE", optimize)), folder=folder)
            assert done.returncode == 0 and done.stdout.startswith("True\n"), done
            document = json.loads(Path(folder, "report.json").read_text(encoding="utf-8"))
            assert "aten::special_i0e" in document["not_simulated"], document["not_simulated"]
            assert "run on the CPU, never in a SuperKernel: " in done.stdout, done.stdout
            inside = [sk["kernels"] for plan in document["plans"] for sk in plan["superkernels"]]
            halves = [["moe_gating_top_k_softmax", "cast_elementwise"], ["cast_elementwise", "dynamic_quant"]]
            assert inside == halves, inside


def scripts_without_scopes_prove_nothing_unless_asked():
    text = "import torch, torch_npu\nprint(torch_npu.npu_dynamic_quant(torch.randn(4, 64).half().npu())[1].shape)\n"
    with tempfile.TemporaryDirectory() as folder:
        done = skv("verify", written(folder, text), folder=folder)
        assert done.returncode == 2 and "--all takes all work" in done.stdout, done
        done = skv("verify", "--all", written(folder, text), folder=folder)
        assert done.returncode == 0 and "verdict: clean" in done.stdout, done


AT_EXIT = """
import torch, torch_npu
library = torch.library.Library("npu", "FRAGMENT")
library.define("slow(Tensor x) -> Tensor")
library.impl("slow", lambda x: print("ran") or x + 1, "CPU")
torch.library.register_fake("npu::slow", lambda x: torch.empty_like(x), lib=library)
x, graph = torch.ones(3, device="npu"), torch.npu.NPUGraph()
with torch.npu.graph(graph):
    y = torch_npu.slow(x)
graph.replay()
print("end")
"""


def torch_alone_brings_device_and_backends():
    text = """
import torch
x = torch.arange(4.0).npu()
for backend in ("npugraph_ex", "npu"):
    print(torch.compile(lambda x: x + 1, backend=backend, dynamic=False)(x).tolist())
try:
    torch.compile(lambda x: x + 2, backend="npu", options={"mode": 1})(x)
except Exception as error:
    print(type(error.inner_exception).__name__, "get_npu_backend(compiler_config=...)" in str(error))
"""
    with tempfile.TemporaryDirectory() as folder:
        done = skv("run", "-q", written(folder, text), folder=folder)
        assert done.returncode == 0 and done.stdout == "[1.0, 2.0, 3.0, 4.0]\n" * 2 + "ValueError True\n", done
        done = frontend.script(text, folder=folder, env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
        assert done.returncode == 1 and "has no attribute 'npu'" in done.stderr, done


def pending_work_runs_at_exit():
    with tempfile.TemporaryDirectory() as folder:
        done = frontend.script(AT_EXIT, folder=folder)
        assert done.returncode == 0 and done.stdout == "end\nran\n", done
        done = frontend.script(AT_EXIT.replace('print("ran") or x + 1', "1 / 0"), folder=folder)
        assert "pending at exit failed" in done.stderr and "npu::slow" in done.stderr and "ZeroDivisionError" in done.stderr, done


def every_operator_on_all_cores():
    with tempfile.TemporaryDirectory() as folder:
        text = COMPARE.replace("DEBUG", "{'debug_per_op_max_core_num': 1}")
        done = skv("run", "--json", "report.json", written(folder, text), folder=folder)
        assert done.returncode == 0 and done.stdout.startswith("Success\n"), done


if __name__ == "__main__":
    sys.exit(tap.run([missing_and_failing_scripts_are_told, interpreters_that_cannot_run_scripts_are_told, another_torch_is_told, modules_are_visible_only_there,
                      arguments_and_neighbours_reach_the_script, a_script_runs, a_script_is_verified,
                      operators_without_a_kernel_cut_scopes_and_are_told, scripts_without_scopes_prove_nothing_unless_asked,
                      pending_work_runs_at_exit, torch_alone_brings_device_and_backends,
                      every_operator_on_all_cores]))
