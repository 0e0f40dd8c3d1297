"""The must-find suite: a program that has the hazard is found out, its repaired twin stays silent.

Each program says in its first line which id it has and in marks where its ends are:

    /* H11: what is wrong. */
    ... code ... /* @end */

Built as it is, `skv verify` must report the id in the default matrix, with one finding whose ends name
every marked line. Built with -DREPAIRED nothing at all may be reported, in the default matrix, five more
random schedules, and every schedule un-fused. `/* @with H15 */` names another id that may come along in either build, `/* @verify --modes ge */`
further options of skv verify. With `/* @alone */` the broken build reports nothing but the id: what follows from the defect
is no defect of its own.
"""
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import classes
from absent import NOT_HERE

HERE = Path(__file__).resolve().parent
BUILD = Path(sys.argv[1]).resolve()
SCHEDULES = ("reversed", "random:3", "slow-consumer", "slow-aiv1", "waves")
TITLE = re.compile(r"/\* ([A-Z][A-Z0-9_]*): ")


class Program:
    """One source of the suite and what it promises."""

    def __init__(self, path: Path):
        lines = path.read_text(encoding="utf-8").splitlines()
        title = TITLE.match(lines[0])
        assert title, f"{path.name}: the first line names no id"
        self.path, self.id = path, title.group(1)
        self.ends = {number for number, line in enumerate(lines, 1) if "@end" in line}
        self.others = {word for line in lines for word in re.findall(r"@with (\w+)", line)}
        self.alone = any("@alone" in line for line in lines)
        self.options = [word for line in lines for found in re.findall(r"@verify (.*?) \*/", line) for word in found.split()]

    def in_all_schedules(self) -> list[str]:
        """The program's options, with its modes un-fused and fused in every schedule; of the default matrix five random ones more."""
        options = self.options if "--modes" in self.options else ["--modes", "default", "--random", "5", *self.options]
        at = options.index("--modes") + 1
        kinds = ["unfused", *(kind for kind in options[at].split(",") if kind not in ("default", "unfused") and "/" not in kind)]
        more = [f"{kind}/{schedule}" for kind in kinds for schedule in SCHEDULES]
        return [*options[:at], ",".join([options[at], *more]), *options[at + 1:]]

    def verify(self, scratch: Path, repaired: bool) -> dict:
        """The JSON report of the program, built broken or repaired."""
        name = f"{self.path.stem}{'_repaired' if repaired else ''}"
        define = ["-DREPAIRED"] if repaired else []
        build = subprocess.run([BUILD / "skcc", *define, f"-I{HERE}", self.path, "-o", scratch / name, "-Wall", "-Wextra"],
                               capture_output=True, text=True, timeout=120)
        assert build.returncode == 0, f"does not compile:\n{build.stderr}"
        report = scratch / f"{name}.json"
        options = self.in_all_schedules() if repaired else self.options
        done = subprocess.run([BUILD / "skv", "verify", *options, "--json", report, scratch / name],
                              capture_output=True, text=True, timeout=120)
        assert report.exists(), f"no report, exit {done.returncode}:\n{done.stdout}{done.stderr}"
        return json.loads(report.read_text(encoding="utf-8"))


def told(report: dict) -> str:
    """The findings of a report in a few lines."""
    lines = [f"verdict {report['verdict']}"]
    for mode in report["modes"]:
        if mode["result"] not in ("reference", "identical"):
            lines.append(f"  {mode['name']}: {mode['result']} {mode.get('why', '')}")
    for finding in report["findings"]:
        lines.append(f"  {finding['severity']} {finding['id']}: {finding['message']}")
        lines += [f"      {end.get('role')} {end.get('kernel')} {Path(end.get('file', '?')).name}:{end.get('line')}"
                  for end in finding["ends"]]
    return "\n".join(lines)


def must_find(program: Program, scratch: Path) -> None:
    report = program.verify(scratch, repaired=False)
    found = [finding for finding in report["findings"] if finding["id"] == program.id]
    assert found, f"{program.id} is not among the findings\n{told(report)}"
    assert not program.alone or len(found) == len(report["findings"]), f"more is reported than {program.id}\n{told(report)}"
    for finding in found:
        explains = re.fullmatch(r"H\d+", program.id) and not finding["unfused"] and finding["fused"]
        assert not explains or finding["silent_unfused"], f"nothing tells why {program.id} is silent un-fused"
    for finding in found:
        lines = {end["line"] for end in finding["ends"] if Path(end.get("file", "")).name == program.path.name}
        if program.ends <= lines:
            return
    raise AssertionError(f"no finding {program.id} names the lines {sorted(program.ends)}\n{told(report)}")


def must_be_silent(program: Program, scratch: Path) -> None:
    report = program.verify(scratch, repaired=True)
    noise = [finding for finding in report["findings"] if finding["id"] not in program.others]
    assert report["verdict"] == "clean" and not noise, f"the repaired program is not clean\n{told(report)}"


def outcome(job) -> str:
    """Empty when the check passes, else what went wrong."""
    check, program, scratch = job
    try:
        check(program, scratch)
        return ""
    except Exception as problem:  # any failure of one program is that program's
        return f"{type(problem).__name__}: {problem}"


def catalogue() -> list[str]:
    """All ids that `skv explain` knows."""
    text = (HERE.parents[1] / "src/check/hazards.h").read_text(encoding="utf-8")
    return re.findall(r'^  X\("(\w+)"', text, re.MULTILINE)


def main() -> int:
    wanted = sys.argv[2:]
    programs = [Program(path) for path in sorted(HERE.glob("*.c*"))]
    programs = [program for program in programs if not wanted or program.path.stem in wanted]
    ids = [] if wanted else catalogue()
    checks = {} if wanted else classes.CLASSES
    have = {program.id for program in programs}
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        jobs = [(check, program, Path(folder)) for program in programs for check in (must_find, must_be_silent)]
        print(f"1..{len(jobs) + len(ids) + len(checks)}")
        number = 0
        for (check, program, _), problem in zip(jobs, pool.map(outcome, jobs)):
            number += 1
            failed += problem != ""
            print(f"{'not ok' if problem else 'ok'} {number} - {program.path.stem} {check.__name__}", flush=True)
            for line in problem.splitlines():
                print(f"# {line}")
    for name in ids:
        number += 1
        ok = (name in have) != (name in NOT_HERE)
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {name} is in the suite or said to be absent"
              + (f" # SKIP {NOT_HERE[name]}" if name in NOT_HERE else ""))
    stems = {program.path.stem for program in programs}
    for name, its_programs in checks.items():
        number += 1
        ok = bool(its_programs) and set(its_programs) <= stems and name not in classes.NOT_HERE
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - class {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
