"""`make install` into a clean prefix: skv there runs and verifies scripts, and no interpreter's own packages are touched."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(os.environ["SUPERKERNEL_BUILD"])
MESON, PREFIX = sys.argv[1], sys.argv[2].lstrip("/")
SEED = Path(__file__).resolve().parents[2] / "examples" / "python" / "verify_npugraph_ex.py"
scratch = tempfile.TemporaryDirectory(prefix="superkernel-install-")
IMAGE = Path(scratch.name) / "image"
SKV = IMAGE / PREFIX / "bin" / "skv"


def run(*words, code=0, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SUPERKERNEL", "SKV_", "PYTHONPATH", "LD_LIBRARY_PATH"))}
    done = subprocess.run([str(word) for word in words], cwd=scratch.name, env={**environment, **more}, capture_output=True, text=True,
                          timeout=250, check=False)
    assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done


def it_installs():
    run(MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", IMAGE)
    assert not [path for path in IMAGE.rglob("*-packages")], "a folder of an interpreter"
    inits = [path.parent for path in IMAGE.rglob("superkernel/__init__.py")]
    assert [path.parent.name for path in inits] == ["python"], inits


def scripts_run_and_are_verified():
    assert "Precision ====== Success!!!" in run(SKV, "run", SEED).stdout
    run(SKV, "verify", "--json", "report.json", SEED)
    report = json.loads(Path(scratch.name, "report.json").read_text(encoding="utf-8"))
    assert report["verdict"] == "clean", report["verdict"]


def it_is_the_installed_library():
    Path(scratch.name, "which.py").write_text(
        "import torch, torch_npu\ntorch.ones(2).npu()\nfor line in open('/proc/self/maps'):\n    if 'libsuperkernel' in line or 'libskops' in line: print(line.split()[-1])\n", encoding="utf-8")
    loaded = set(run(SKV, "run", "-q", "which.py").stdout.split())
    assert len(loaded) == 2 and all(Path(path).is_relative_to(IMAGE) for path in loaded), loaded


def an_interpreter_without_torch_is_told():
    plain = Path(scratch.name) / "plain"
    run(sys.executable, "-m", "venv", "--without-pip", plain)
    said = run(SKV, "run", "--python", plain / "bin" / "python", SEED, code=2).stderr
    assert "has no torch" in said, said


if __name__ == "__main__":
    code = tap.run([it_installs, scripts_run_and_are_verified, it_is_the_installed_library, an_interpreter_without_torch_is_told])
    scratch.cleanup()
    sys.exit(code)
