"""One operator of a model by itself, twice in a row, between good ones, on all cores: `skv verify --modes` on scripts of both
graph modes. An operator that ends while its last instruction is still running is found beside others, and its line is told;
with the missing wait it is clean."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402

KERNEL = """
#include "acl/acl.h"
#include "c_api/asc_simd.h"
#define ROW 64u
__global__ __vector__ void doubled(__gm__ float *x, __gm__ float *y) {
  __ubuf__ float row[ROW];
  asc_init();
  uint32_t at = (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id()) * ROW;
  asc_copy_gm2ub_align(row, x + at, ROW * sizeof(float));
  asc_sync();
  asc_add(row, row, row, ROW);
  asc_sync();
  asc_copy_ub2gm_align(y + at, row, ROW * sizeof(float));
  asc_sync();
  asc_mul(row, row, row, ROW); /* for the next row, if there were one */
#ifdef REPAIRED
  asc_sync();
#endif
}
__attribute__((visibility("default"))) int launch_doubled(void *x, void *y, uint32_t rows, void *stream) {
  (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  doubled<<<rows, 0, stream>>>((__gm__ float *)x, (__gm__ float *)y);
  return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
}
"""

SCRIPT = """
import ctypes, sys
import torch, torch_npu, torchair
kernels = ctypes.CDLL(sys.argv[1])
kernels.launch_doubled.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]

def launch(x):
    y = torch.empty_like(x)
    assert kernels.launch_doubled(x.data_ptr(), y.data_ptr(), x.size(0), torch.npu.current_stream().npu_stream) == 0
    return y

library = torch.library.Library("npu", "FRAGMENT")
library.define("my_doubled(Tensor x) -> Tensor")
library.impl("my_doubled", launch, "PrivateUse1")
torch.library.register_fake("npu::my_doubled", lambda x: torch.empty_like(x), lib=library)

def in_ge(x):
    with torchair.scope.super_kernel("sp1"):
        return torch_npu.my_doubled(x)

def captured(x):
    torch.npu.super_kernel_scope_begin("sp1")
    y = torch_npu.my_doubled(x)
    torch.npu.super_kernel_scope_end("sp1")
    return y

if sys.argv[2] == "ge":
    model = torch.compile(in_ge, backend=torchair.get_npu_backend(), dynamic=False)
else:
    model = torch.compile(captured, backend="npugraph_ex", options={"super_kernel_optimize": True}, dynamic=False)
x = torch.arange(8.0 * 64).reshape(8, 64)
assert torch.equal(model(x.npu()).cpu(), x * 2)
"""

FOLDER = tempfile.TemporaryDirectory()
MODES = "unfused,fused,alone,twice,neighbour,per-op"
WAYS = ("npugraph_ex", "ge")


def library(*defines) -> Path:
    source, made = Path(FOLDER.name, "doubled.c"), Path(FOLDER.name, "doubled" + "".join(defines) + ".so")
    source.write_text(KERNEL, encoding="utf-8")
    if not made.exists():
        done = subprocess.run([frontend.BUILD / "skcc", "-shared", source, "-o", made, *defines, f"-L{frontend.BUILD}",
                               f"-Wl,-rpath,{frontend.BUILD}"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return made


def verified(way, modes, *defines):
    """(exit code, what was printed, the report)."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "script.py").write_text(SCRIPT, encoding="utf-8")
        done = subprocess.run([frontend.BUILD / "skv", "verify", "--no-diagnose", "--modes", modes, "--json", "report.json", "script.py",
                               library(*defines), way], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done.returncode, done.stdout, json.loads(Path(folder, "report.json").read_text(encoding="utf-8"))


def an_unknown_mode_is_named():
    done = subprocess.run([frontend.BUILD / "skv", "verify", "--modes", "twicee", "script.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "twicee" in done.stderr and "twice" in done.stderr, done.stderr


def an_operator_that_does_not_wait_is_found_beside_good_ones():
    line = next(number for number, text in enumerate(KERNEL.splitlines(), 1) if "asc_mul" in text)
    for way in WAYS:
        code, out, report = verified(way, MODES)
        assert code == 1 and report["verdict"] != "clean", (way, out)
        assert {finding["id"] for finding in report["findings"]} == {"H19"}, (way, out)
        found = {mode for finding in report["findings"] for mode in finding["modes"]}
        assert {"twice", "neighbour"} <= found and not found & {"unfused", "fused", "alone", "per-op"}, (way, found)
        ends = [end for finding in report["findings"] for end in finding["ends"]]
        assert any(end.get("file", "").endswith("doubled.c") and end["line"] == line for end in ends), (way, ends)
        neighbours = [end for end in ends if end["kernel"] == "known_good_neighbour"]
        assert neighbours and all("file" not in end for end in neighbours), neighbours  # it is nobody's line
        assert "sp1" in out and "doubled" in out, (way, out)


def by_itself_it_is_clean():
    for way in WAYS:
        code, out, report = verified(way, "unfused,alone,per-op")
        assert code == 0 and report["verdict"] == "clean", (way, out)


def with_the_wait_it_is_clean_in_all_of_them():
    for way in WAYS:
        code, out, report = verified(way, MODES, "-DREPAIRED")
        assert code == 0 and report["verdict"] == "clean" and report["findings"] == [], (way, out)
        modes = {mode["name"]: mode for mode in report["modes"]}
        assert set(modes) == set(MODES.split(",")) and all(mode["superkernels"] >= 1 for name, mode in modes.items() if name != "unfused"), modes
        assert modes["per-op"]["result"] == modes["twice"]["result"] == "identical", (way, modes)
        assert "scope sp1: one SuperKernel" in out and "doubled" in out, (way, out)


if __name__ == "__main__":
    code = tap.run([an_unknown_mode_is_named, an_operator_that_does_not_wait_is_found_beside_good_ones, by_itself_it_is_clean,
                    with_the_wait_it_is_clean_in_all_of_them])
    FOLDER.cleanup()
    sys.exit(code)
