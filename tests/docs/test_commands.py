"""Commands in the documents run: every line of a ```sh block that starts with build/ is executed."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import tap

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(document: str) -> list[str]:
    """Command lines of a document that use the build, comments cut."""
    text = (ROOT / document).read_text(encoding="utf-8")
    lines = [line.split("#")[0].strip() for block in BLOCK.findall(text) for line in block.splitlines()]
    return [line for line in lines if line.startswith("build/")]


def run_document(document: str) -> None:
    found = commands(document)
    assert found, f"{document} shows no command"
    with tempfile.TemporaryDirectory() as scratch:
        for line in found:
            command = line.replace("/tmp/", f"{scratch}/").replace("build/", f"{BUILD}/")
            done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{line}: exit {done.returncode}\n{done.stdout}{done.stderr}"


def test_readme():
    run_document("README.md")


def test_readme_chinese():
    run_document("README.zh-CN.md")


def test_plan():
    run_document("docs/plan.md")


def test_operators():
    run_document("docs/operators.md")


def test_both_readmes_show_the_same_commands():
    assert commands("README.md") == commands("README.zh-CN.md")


if __name__ == "__main__":
    sys.exit(tap.run([test_readme, test_readme_chinese, test_plan, test_operators, test_both_readmes_show_the_same_commands]))
