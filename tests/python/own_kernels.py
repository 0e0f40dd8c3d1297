"""Operators of users whose kernels skcc compiles: run and verified alone and beside library operators, in both graph modes.

The hazard that a verification must find stands first, its repaired twin behind it.
"""
import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
import superkernel  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
OWN_OPERATOR = frontend.BUILD / "examples" / "python" / "own_operator.so"

# `produce` leaves what it wrote in the data cache of its core; built with -DREPAIRED it flushes it.
KERNELS = """
#include "acl/acl.h"
#include "c_api/asc_simd.h"
#define LINE 16u
__aicore__ static inline uint32_t core(void) { return (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id()); }
__global__ __vector__ void produce(__gm__ int32_t *to) {
  asc_init();
  to[core() * LINE] = (int32_t)core() + 1;
#ifdef REPAIRED
  asc_dcci_single(to + core() * LINE);
  asc_sync_data_barrier(DSB_ALL);
#endif
  asc_sync();
}
__attribute__((visibility("default"))) int launch_produce(void *to, uint32_t cores, void *stream) {
  (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  produce<<<cores, 0, stream>>>((__gm__ int32_t *)to);
  return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
}
"""

# The operator's name, its library and the graph mode are arguments; MODEL is what is compiled.
SCRIPT = """
import ctypes, sys
import torch, torch_npu, torchair
kernels = ctypes.CDLL(sys.argv[1])
kernels.launch_squared_relu.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]

def launch(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    assert kernels.launch_squared_relu(x.data_ptr(), y.data_ptr(), x.numel(), torch.npu.current_stream().npu_stream) == 0
    return y

library = torch.library.Library("npu", "FRAGMENT")
library.define("my_custom_op(Tensor x) -> Tensor")
library.impl("my_custom_op", launch, "PrivateUse1")
torch.library.register_fake("npu::my_custom_op", lambda x: torch.empty_like(x), lib=library)

class Alone(torch.nn.Module):
    def __init__(self, mark):
        super().__init__()
        self.mark = mark

    def work(self, x, scale):
        return torch_npu.my_custom_op(x), scale

    def forward(self, x, scale):
        if self.mark == "ge":
            with torchair.scope.super_kernel("sp1", OPTIONS):
                return self.work(x, scale)
        if self.mark:
            torch.npu.super_kernel_scope_begin("sp1")
        out = self.work(x, scale)
        if self.mark:
            torch.npu.super_kernel_scope_end("sp1")
        return out

class Followed(Alone):
    def work(self, x, scale):
        return torch_npu.npu_dequant_swiglu_quant(torch_npu.my_custom_op(x).to(torch.bfloat16), weight_scale=scale, quant_mode=1)

def compiled(mark):
    if sys.argv[3] == "ge":
        return torch.compile(MODEL(mark), backend=torchair.get_npu_backend(), dynamic=False)
    options = {"static_kernel_compile": False, "super_kernel_optimize": True, "super_kernel_debug_options": DEBUG} if mark else {}
    return torch.compile(MODEL(mark), backend="npugraph_ex", dynamic=False, options=options)

MODEL, DEBUG, OPTIONS = globals()[sys.argv[2]], {}, ""
if "full" in sys.argv:
    DEBUG, OPTIONS = {"debug_per_op_max_core_num": 1}, "debug-aic-num=24:debug-aiv-num=48"
torch.manual_seed(4)
x, scale = torch.randn(24, 128).npu(), torch.rand(24, 128).npu()
plain = [one.cpu() for one in compiled(None)(x, scale)]
fused = [one.cpu() for one in compiled(sys.argv[3])(x, scale)]
print("Success" if all(torch.equal(one, other) for one, other in zip(plain, fused)) else "Failed")
"""


def library(*defines):
    """A shared object of KERNELS, and the function that launches `produce` on the current stream."""
    folder = Path(FOLDER.name)
    source, made = folder / "kernels.c", folder / ("kernels" + "".join(defines) + ".so")
    source.write_text(KERNELS, encoding="utf-8")
    if not made.exists():
        done = subprocess.run([frontend.BUILD / "skcc", "-shared", source, "-o", made, *defines, f"-L{frontend.BUILD}", f"-Wl,-rpath,{frontend.BUILD}"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    kernels = ctypes.CDLL(str(made))
    kernels.launch_produce.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]

    def produce(to):
        assert kernels.launch_produce(to.data_ptr(), to.size(0), torch.npu.current_stream().npu_stream) == 0
        return to
    return produce


def skv(verb, *arguments):
    """(standard output, report) of skv VERB on SCRIPT."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "script.py").write_text(SCRIPT, encoding="utf-8")
        done = subprocess.run([frontend.BUILD / "skv", verb, "--json", "report.json", "script.py", OWN_OPERATOR, *arguments], cwd=folder,
                              capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout, json.loads(Path(folder, "report.json").read_text(encoding="utf-8"))


def scripts(model, *more, launched):
    """SCRIPT in both graph modes, run and verified: equal, clean, with the launches in its SuperKernels."""
    for mode in ("npugraph_ex", "ge"):
        for verb in ("run", "verify"):
            out, report = skv(verb, model, mode, *more)
            assert out.startswith("Success\n") and report["verdict"] == "clean", (mode, verb, out)
            if verb == "verify":
                listing = "\n".join(plan["listing"] for plan in report["plans"])
                assert all(word in listing for word in launched[mode]), (mode, listing)


def a_cache_that_is_not_flushed_is_found():
    produce = library()

    def model(to):
        return produce(to) + 0
    result = superkernel.verify(model, torch.zeros(8, 16, dtype=torch.int32))
    assert result.verdict in ("mismatch", "findings") and not result, str(result)
    [finding] = result.findings
    assert finding["id"] == "H11" and "no-flush" in finding["modes"], finding
    line = next(number for number, text in enumerate(KERNELS.splitlines(), 1) if text.startswith("  to[core()"))
    assert any(end["file"].endswith("kernels.c") and end["line"] == line for end in finding["ends"]), finding["ends"]
    text = frontend.raised(AssertionError, result.check)
    assert "produce" in text and f"verdict: {result.verdict}" in text, text


def its_repaired_twin_is_clean():
    produce = library("-DREPAIRED")
    result = superkernel.verify(lambda to: produce(to) + 0, torch.zeros(8, 16, dtype=torch.int32)).check()
    assert result.findings == [] and result.outputs.cpu()[:, 0].tolist() == list(range(1, 9))


def alone_in_both_graph_modes():
    scripts("Alone", launched={"npugraph_ex": ["squared_relu"], "ge": ["sk_sp1_start_MyCustomOp_end_MyCustomOp"]})


def alone_on_all_cores():
    scripts("Alone", "full", launched={"npugraph_ex": ["squared_relu"], "ge": ["MIX_AIC_1_2, 24 blocks"]})


def followed_by_an_operator_of_the_library():
    scripts("Followed", launched={"npugraph_ex": ["squared_relu", "dequant_swiglu_quant"], "ge": ["sk_sp1_start_MyCustomOp_end_DequantSwigluQuant"]})


def followed_on_all_cores():
    scripts("Followed", "full", launched={"npugraph_ex": ["squared_relu", "dequant_swiglu_quant"], "ge": ["MIX_AIC_1_2, 24 blocks"]})


if __name__ == "__main__":
    code = tap.run([a_cache_that_is_not_flushed_is_found, its_repaired_twin_is_clean, alone_in_both_graph_modes, alone_on_all_cores,
                    followed_by_an_operator_of_the_library, followed_on_all_cores])
    FOLDER.cleanup()
    sys.exit(code)
