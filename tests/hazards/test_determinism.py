"""Findings do not hang on luck: the same program, verified, gives the same report, byte for byte, a second time, with one
host thread and with two, and built by gcc and by clang. Only times and the program's own name are left out. A plain run
finds the same causes with one thread and with two.

The programs are those of the must-find suite in their broken form (a third of them; all with --all), and the
operators as they are.
"""
import itertools
import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs"), str(HERE.parent / "mutate")]
import mutate  # noqa: E402
import tap  # noqa: E402
from programs import Sandbox  # noqa: E402

MODES = "unfused,fused/random:3,full-cores,no-flush,early-start"
EVERY = 3  # of the programs one is taken; all with --all
LONG = {"endless": "unfused"}  # runs until its budget is used up
COMPILERS = {".c": ("gcc", "clang"), ".cpp": ("g++", "clang++")}

sandbox = Sandbox()
numbers = itertools.count()


def without_times(document: dict) -> dict:
    """The report without what may differ from run to run."""
    document = {key: value for key, value in document.items() if key not in ("seconds", "program")}
    document["modes"] = [{key: value for key, value in mode.items() if key != "seconds"} for mode in document["modes"]]
    return document


def report(verb: str, program: Path, name: str, options, words, **environment: str) -> str:
    """The report as text that can be compared."""
    path = sandbox.path / f"{name}_{next(numbers)}.json"
    done = sandbox.skv(verb, "--quiet", "--no-source", *options, "--json", path, program, *words, env=environment)
    assert path.exists(), f"exit code {done.returncode}: {done.stderr}"
    text = json.dumps(without_times(json.loads(path.read_text(encoding="utf-8"))), indent=1)
    path.unlink()
    return text


def causes(text: str) -> str:
    """What is found and where in the source. In a plain run with two threads cores that race come in another order, and
    of a cause another occurrence may be the one that is told."""
    found = [[finding["id"], finding["severity"], sorted([end.get("kernel", ""), end.get("file", ""), end.get("line", 0)] for end in finding["ends"][:2])]
             for finding in json.loads(text)["findings"]]
    return json.dumps(sorted(found), indent=1)


def same(one: str, other: str, what: str) -> None:
    if one == other:
        return
    lines = [f"-{a}\n+{b}" for a, b in zip(one.splitlines(), other.splitlines()) if a != b][:8]
    raise AssertionError(f"{what}: {len(one)} and {len(other)} bytes\n" + "\n".join(lines))


def compare(name: str, build, *words: object, **environment: str) -> str:
    """Both builds of one program: verified with one host thread and with two, run in a random order with one and with two."""
    one, other = build
    modes = ["--modes", LONG.get(name, MODES)]
    verified = [report("verify", program, f"{name}_verify", modes, words, **environment, SUPERKERNEL_THREADS=threads)
                for program, threads in ((one, "1"), (other, "2"))]
    same(*verified, f"{name}: verified, {one.name} with one thread and {other.name} with two")
    if name not in LONG:
        ran = [report("run", one, f"{name}_run", ("--schedule", "random:7", "--threads", threads), words, **environment) for threads in "12"]
        same(*map(causes, ran), f"{name}: causes, run with one thread and with two")
    return verified[0]


def of_program(source: Path) -> None:
    build = [sandbox.compile(f"{source.stem}_{cc}", f"--cc={cc}", f"-I{HERE}", source) for cc in COMPILERS[source.suffix]]
    compare(source.stem, build)  # that something is found is the must-find suite's business


class Operators:
    """The operators, built by both compilers."""

    def __init__(self):
        self.build = []
        for cc in COMPILERS[".c"]:
            lab = mutate.Lab(sandbox)
            lab.build(2, cc)
            self.build.append(lab.program)

    def test(self, call: str) -> None:
        assert json.loads(compare(call.split()[0], self.build, *call.split()))["findings"] == [], call


def make_test(name, future):
    def test() -> None:
        future.result()
    test.__name__ = name
    return test


def main() -> int:
    if shutil.which("clang") is None:
        print("1..1\nok 1 - gcc and clang # SKIP no clang")
        return 0
    try:
        operators = Operators()
        calls = {call.split()[0]: call for call in reversed(mutate.words_of(HERE.parent / "mutate" / "calls.txt"))}
        with ThreadPoolExecutor(2) as pool:
            sources = sorted(HERE.glob("*.c*"))[:: 1 if "--all" in sys.argv else EVERY]
            tests = [make_test(source.stem, pool.submit(of_program, source)) for source in sources]
            tests += [make_test(name, pool.submit(operators.test, call)) for name, call in calls.items()]
            return tap.run(tests)
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
