"""What tests of the PyTorch front ends share: the modules of the build directory, as `python -m superkernel` has them."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("SUPERKERNEL_BUILD", HERE.parents[1] / "build"))
sys.path[:0] = [str(BUILD / "python" / "shadow"), str(BUILD / "python"), str(HERE.parent / "docs")]


def raised(kind, function, *args, **kwargs) -> str:
    """The text of the exception of exactly that type; anything else fails the test."""
    try:
        function(*args, **kwargs)
    except Exception as error:  # its type is what is tested
        assert type(error) is kind, f"{type(error).__name__}: {error}"
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def script(text, *arguments, folder, env=None):
    """Runs a script as users do, `python -m superkernel`, in a folder; the finished process."""
    path = Path(folder) / "script.py"
    path.write_text(text, encoding="utf-8")
    return run(path, *arguments, folder=folder, env=env)


def run(path, *arguments, folder, env=None):
    """The same for a script that is there already."""
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python"), **(env or {})}
    return subprocess.run([sys.executable, "-m", "superkernel", str(path), *arguments], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=300, check=False)


def launches(graph) -> list:
    """What a captured torch.npu graph is made of, in order: the kernel's name, or the kind of another task."""
    import json
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph.json")
        graph.debug_dump(path)
        dumped = json.loads(path.read_text(encoding="utf-8"))
    tasks = [task for stream in dumped["streams"] for node in stream["nodes"] for task in node["taskInfo"]]
    return [task["kernelParams"]["funcName"] if task["taskType"] == "kernel" else task["taskType"] for task in tasks]
