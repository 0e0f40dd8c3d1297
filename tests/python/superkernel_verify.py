"""superkernel.verify and the pytest fixture: misuse first."""
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
from frontend import raised  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
import superkernel  # noqa: E402


def gating(x, smooth):
    weights, experts, _ = torch_npu.npu_moe_gating_top_k_softmax(x, k=8)
    quantised, scale = torch_npu.npu_dynamic_quant(weights, smooth_scales=smooth)
    return quantised, scale, experts


INPUTS = torch.randn(5, 64, dtype=torch.float16), torch.rand(8, dtype=torch.float16)


def wrong_modes_are_named():
    text = raised(superkernel.Error, superkernel.verify, gating, *INPUTS, modes="fused,nonsense")
    assert "'nonsense'" in text and "per-op" in text, text
    assert superkernel.verify(gating, *INPUTS)  # and nothing is left behind


def wrong_arguments_are_named():
    text = raised(TypeError, superkernel.verify, 3, *INPUTS)
    assert "fn is of type int; legal: a function" in text, text
    text = raised(TypeError, superkernel.verify, gating, *INPUTS, modes=["fused"])
    assert "modes is of type list; legal: text" in text, text
    assert superkernel.verify(gating, *INPUTS)


def a_stream_that_is_captured_is_refused():
    def capture():
        with torch.npu.graph(torch.npu.NPUGraph()):
            superkernel.verify(gating, *inputs)
    inputs = [one.npu() for one in INPUTS]
    assert "is being captured" in raised(superkernel.Error, capture)
    assert superkernel.verify(gating, *inputs)


def what_the_function_raises_is_raised():
    def fails(x):
        torch_npu.npu_dynamic_quant(x)
        raise KeyError("mine")
    assert "mine" in raised(KeyError, superkernel.verify, fails, INPUTS[0])
    assert superkernel.verify(gating, *INPUTS)


def verifications_do_not_nest():
    text = raised(superkernel.Error, superkernel.verify, lambda x: superkernel.verify(gating, *INPUTS), INPUTS[0])
    assert "going on already" in text, text


def eager_operators_are_fused_and_compared():
    result = superkernel.verify(gating, *INPUTS)
    assert result and result.verdict == "clean" and result.findings == [] and result.check() is result
    assert result.modes["fused"]["superkernels"] == 1 and result.modes["fused"]["result"] == "identical", result.modes["fused"]
    assert "verdict: clean" in str(result) and "gating" in str(result), str(result)
    assert result.document["schema"] == "superkernel.verify/1"


def results_are_those_of_the_function():
    result = superkernel.verify(gating, *INPUTS, modes="unfused,fused")
    want = gating(*(one.npu() for one in INPUTS))
    assert all(torch.equal(one.cpu(), other.cpu()) for one, other in zip(result.outputs, want))
    assert list(result.modes) == ["unfused", "fused"]


def compiled_models_are_verified_by_their_scopes():
    def model(x, smooth):
        torch.npu.super_kernel_scope_begin("sp")
        weights, _, _ = torch_npu.npu_moe_gating_top_k_softmax(x, k=8)
        torch.npu.super_kernel_scope_end("sp")
        return torch_npu.npu_dynamic_quant(weights, smooth_scales=smooth)
    compiled = torch.compile(model, backend="npugraph_ex", options={"super_kernel_optimize": True}, dynamic=False)
    result = superkernel.verify(compiled, *INPUTS)
    assert result, str(result)
    assert any("sp" in plan["listing"] for plan in result.document["plans"]), result.document["plans"]


def nested_inputs_are_moved():
    result = superkernel.verify(lambda pair, more: gating(pair[0], more["smooth"]), list(INPUTS[:1]), more={"smooth": INPUTS[1]})
    assert result and result.outputs[0].device.type == "npu"


def operators_by_themselves():
    result = superkernel.verify(gating, *INPUTS, modes="alone,twice,neighbour,per-op")
    assert result and set(result.modes) == {"unfused", "alone", "twice", "neighbour", "per-op"}, str(result)


def a_process_under_skv_verify_is_refused():
    text = ("import superkernel, torch, torch_npu\n"
            "try:\n    superkernel.verify(lambda x: torch_npu.npu_dynamic_quant(x), torch.ones(2, 8, dtype=torch.float16))\n"
            "except superkernel.Error as error:\n    print(error)\n")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "script.py").write_text(text, encoding="utf-8")
        for verb, words in (("verify", "skv verifies the whole process"), ("run", "")):
            done = subprocess.run([frontend.BUILD / "skv", verb, "-q", "script.py"], cwd=folder, capture_output=True, text=True, check=False)
            assert words in done.stdout if words else done.returncode == 0 and not done.stdout, done


def pytest_finds_the_fixture():
    if importlib.util.find_spec("pytest") is None:
        raise tap.Skip("pytest is not installed")
    text = ("import torch\n\n"
            "def test_quant(superkernel_verify):\n"
            "    import torch_npu\n"
            "    result = superkernel_verify(lambda x: torch_npu.npu_dynamic_quant(x), torch.ones(2, 8, dtype=torch.float16))\n"
            "    assert result.check().modes['fused']['result'] == 'identical'\n\n"
            "def test_wrong_modes(superkernel_verify):\n"
            "    superkernel_verify(lambda x: x, torch.ones(2), modes='nonsense')\n")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "superkernel.pytest_plugin", "test_it.py"], cwd=folder,
                              env={**os.environ, "PYTHONPATH": str(frontend.BUILD / "python")}, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout and "'nonsense'" in done.stdout, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run([wrong_modes_are_named, wrong_arguments_are_named, a_stream_that_is_captured_is_refused, what_the_function_raises_is_raised, verifications_do_not_nest,
                      eager_operators_are_fused_and_compared, results_are_those_of_the_function,
                      compiled_models_are_verified_by_their_scopes, nested_inputs_are_moved, operators_by_themselves,
                      a_process_under_skv_verify_is_refused, pytest_finds_the_fixture]))
