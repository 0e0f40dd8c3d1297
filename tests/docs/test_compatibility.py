"""docs/compatibility.md is made from its table, and the table is true: names that are there are declared, names that are
not do not compile, with a message that names them."""
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tap

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
import compatibility  # noqa: E402

NAMES = [name for _, _, names in compatibility.read() for name in names]

# How a name is used that is neither a function with any arguments nor one of the classes below.
MEMBERS = {
    "ToFile": "LocalTensor<float> t; t.ToFile();",
    "BatchMatmul": "BatchMatmul<int> m;", "Hccl": "Hccl<0> h;",
    "Conv3D": "Conv3D<int> c;",
}
MATMUL = "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, G> m; m."
for member in ("SetAntiQuantScalar", "SetAntiQuantVector", "SetTensorScaleA", "SetTensorScaleB", "SetNBatchOutNum", "GetOffsetC"):
    MEMBERS[member] = f"{MATMUL}{member}(1);"


def test_page_is_up_to_date():
    assert compatibility.page() == (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8"), "run scripts/compatibility.py"


def test_what_is_there_is_declared():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "include" / "ascendc").rglob("*.h"))
    text += (ROOT / "tools" / "skcc" / "bindings.c").read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", text))
    absent = [name.name for name in NAMES if name.state != "no" and name.name not in words]
    assert not absent, absent


def test_what_the_headers_refuse_is_in_the_table():
    text = (ROOT / "include" / "ascendc" / "kernel_operator" / "unsupported.h").read_text(encoding="utf-8")
    refused = set(re.findall(r"X\((\w+)\)", text)) | set(re.findall(r"SK_REFUSE_CLASS\((\w+)\)", text))
    refused -= {"X", "Name"}
    states = {name.name: name.state for name in NAMES}
    wrong = [name for name in refused if states.get(name) != "no"]
    assert not wrong, wrong


def refusal(name: str) -> str:
    """Empty when a kernel that uses the name does not compile and the message names it."""
    with tempfile.TemporaryDirectory() as scratch:
        use = MEMBERS.get(name, f"{name}(1);")
        source = Path(scratch) / "k.cpp"
        source.write_text(f'#include "kernel_operator.h"\nusing namespace AscendC;\n__global__ __vector__ void k(GM_ADDR x) {{ (void)x; {use} }}\n')
        done = subprocess.run([BUILD / "skcc", "-O0", "-c", source, "-o", f"{scratch}/k.o"], capture_output=True, text=True,
                              timeout=120, check=False)
        if done.returncode == 0:
            return f"{name} compiles"
        errors = [line for line in done.stderr.splitlines() if "error" in line and name in line]
        return "" if errors else f"{name}: no error names it\n{done.stderr}"


def test_what_is_not_there_is_refused_by_name():
    with ThreadPoolExecutor(2) as pool:
        problems = [problem for problem in pool.map(refusal, [name.name for name in NAMES if name.state == "no"]) if problem]
    assert not problems, "\n".join(problems)


if __name__ == "__main__":
    sys.exit(tap.run([test_page_is_up_to_date, test_what_is_there_is_declared, test_what_the_headers_refuse_is_in_the_table,
                      test_what_is_not_there_is_refused_by_name]))
