"""Programs for tests: compiled by skcc in a directory of their own, run under skv, the report read as JSON."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ["SUPERKERNEL_BUILD"])
SKCC, SKV = BUILD / "skcc", BUILD / "skv"


class Sandbox:
    """A directory that goes away with the tests."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="superkernel-test-"))

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name: str, content: str) -> Path:
        path = self.path / name
        path.write_text(content, encoding="utf-8")
        return path

    def compile(self, output: str, *arguments: object) -> Path:
        """skcc in the sandbox; fails the test with the compiler's words."""
        path = self.path / output
        done = self.run(SKCC, *arguments, "-o", path)
        assert done.returncode == 0, done.stderr
        return path

    def run(self, *words: object, **more) -> subprocess.CompletedProcess:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SUPERKERNEL_")}
        environment.update(more.pop("env", {}))
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        more.setdefault("timeout", 120)
        return subprocess.run([str(word) for word in words], cwd=self.path, env=environment, text=True, check=False, **more)

    def skv(self, *words: object, **more) -> subprocess.CompletedProcess:
        return self.run(SKV, *words, **more)

    def verify(self, program: Path, *arguments: object) -> dict:
        """The report of `skv verify`."""
        report = self.path / (program.name + ".json")
        done = self.skv("verify", "--quiet", "--json", report, program, *arguments)
        assert report.exists(), f"exit code {done.returncode}: {done.stderr}"
        return json.loads(report.read_text(encoding="utf-8"))


def ids(report: dict) -> set[str]:
    return {finding["id"] for finding in report["findings"]}


def modes_of(report: dict, finding_id: str) -> set[str]:
    return {mode for finding in report["findings"] if finding["id"] == finding_id for mode in finding["modes"]}
