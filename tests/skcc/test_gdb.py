"""gdb stops on a line of a kernel, on the chosen core, and shows the kernel's variables there (docs/debugging.md)."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(sys.argv[1]).resolve()

PROGRAM = """#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void fill(GM_ADDR out, int32_t base) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 32);
  LocalTensor<int32_t> tile = buffer.Get<int32_t>();
  int32_t value = base + static_cast<int32_t>(GetBlockIdx());
  Duplicate(tile, value, 8); /* stop */
  GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer((__gm__ int32_t *)out + GetBlockIdx() * 8, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gm, tile, 8);
}
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *out = nullptr;
  aclrtMalloc(&out, 8 * 32, ACL_MEM_MALLOC_HUGE_FIRST);
  fill<<<8, 0, nullptr>>>((GM_ADDR)out, 100);
  int bad = aclrtSynchronizeDevice() != ACL_SUCCESS;
  aclrtResetDevice(0);
  aclFinalize();
  return bad;
}
"""
STOP = next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if "/* stop */" in line)


def gdb(program: Path, *commands: str) -> str:
    tool = shutil.which("gdb")
    if tool is None:
        raise tap.Skip("gdb is not installed")
    words = [word for command in commands for word in ("-ex", command)]
    # Who is traced cannot look for its leaks: builds with the address sanitizer would abort.
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    done = subprocess.run([tool, "-nx", "-q", "-batch", "-ex", "set pagination off", *words, program], capture_output=True, text=True,
                          timeout=120, check=False, env=environment)
    said = done.stdout + done.stderr
    if "ptrace" in said and "not permitted" in said:
        raise tap.Skip("this process may not be traced")
    return said


def built(folder: str, *options: str) -> Path:
    source = Path(folder) / "fill.cpp"
    source.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run([BUILD / "skcc", *options, source, "-o", Path(folder) / "fill"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return Path(folder) / "fill"


def test_the_chosen_core():
    with tempfile.TemporaryDirectory() as folder:
        said = gdb(built(folder, "-O0", "-g"), f"break fill.cpp:{STOP} if (int)sk_debug_block() == 3", "run", "print value",
                   "print (int)sk_debug_block()", "print (int)sk_debug_core()", "bt 1", "continue")
        assert re.search(rf"Breakpoint 1[.\d]*, fill \(.*base=100\) at .*fill\.cpp:{STOP}", said), said
        assert "$1 = 103" in said and "$2 = 3" in said and "$3 = 27" in said, said
        assert said.count("Breakpoint 1") == 2, said  # set, and met once
        assert "exited normally" in said, said


def test_steps_stay_on_the_user_s_lines():
    with tempfile.TemporaryDirectory() as folder:
        said = gdb(built(folder, "-O0", "-g"), f"tbreak fill.cpp:{STOP - 1} if (int)sk_debug_block() == 5", "run", "next", "print value", "next",
                   "print *tile.address_@4", "kill")
        assert "$1 = 105" in said and f"\n{STOP}\t" in said and "$2 = {105, 105, 105, 105}" in said, said


def test_host_code_is_no_core():
    with tempfile.TemporaryDirectory() as folder:
        said = gdb(built(folder, "-O0", "-g"), "break main", "run", "print (int)sk_debug_block()", "kill")
        assert "$1 = -1" in said, said


def test_optimised_code_stops_in_the_kernel():
    with tempfile.TemporaryDirectory() as folder:
        said = gdb(built(folder, "-O2", "-g"), f"break fill.cpp:{STOP} if (int)sk_debug_block() == 2", "run", "print (int)sk_debug_block()", "bt 1", "kill")
        assert "$1 = 2" in said and re.search(r"fill \(.*\) at .*fill\.cpp:\d+", said), said


if __name__ == "__main__":
    sys.exit(tap.run([test_the_chosen_core, test_steps_stay_on_the_user_s_lines, test_host_code_is_no_core,
                      test_optimised_code_stops_in_the_kernel]))
