#!/usr/bin/env python3
"""Mutates every operator of ops/, and what the programs of examples/ synchronise, one place at a time, and asks whether
`skv` flags each mutant.

Every call of calls.txt and every example is verified unchanged first: it must be silent, and all of them together must reach every place.
A mutant then runs in the calls that reach it: un-fused with all checks, and if that says nothing, in the whole mode matrix.
It is killed by any finding, a result that differs or a mode that fails; what the simulator does not model is no judgement.
A mutant that provably changes nothing stands in equivalent.txt with the reason; one that is killed all the same, or that is
no longer there, fails the run. survivors.txt likewise names those that are known to survive. Reasons that begin with "not reached" hold as long as no call reaches the place.

The last line is `mutants N, killed K, equivalent E, survived S`. Exit code 0: at least 98 % of the mutants that are not
equivalent were killed, every survivor is known, and all lists are right.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import sites  # noqa: E402

SECONDS = 300  # of one run; far beyond what any takes
BROKEN = {"forgotten_flush.c"} # examples that show a finding
SHARE = 98.0   # per cent of the mutants that are not equivalent


class Trouble(Exception):
    """What keeps mutants from being judged at all."""


def words_of(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("#")]


def listed(name: str) -> dict[str, str]:
    """Key of the mutant -> reason. A line is `KEY | reason`."""
    out = {}
    for line in words_of(HERE / name):
        key, separator, reason = line.rpartition(" | ")
        if not separator or not reason.strip():
            raise Trouble(f"{name}: no reason in: {line}")
        if key in out:
            raise Trouble(f"{name}: twice: {key}")
        out[key] = reason.strip()
    return out


class Lab:
    """The instrumented operators, as one program that holds all their mutants, and the instrumented examples."""

    def __init__(self, sandbox):
        from programs import BUILD, SOURCE
        self.sandbox, self.build_folder = sandbox, BUILD
        self.ops, self.examples = SOURCE / "ops", SOURCE / "examples"
        self.sources = sites.scan_all({path.name: path.read_text(encoding="utf-8") for path in self.ops.glob("*.[ch]")})
        examples = {path.name: path.read_text(encoding="utf-8") for path in self.examples.glob("*.c*") if path.name not in BROKEN}
        self.example_sources = [source for source in sites.scan_all(examples, self.sources[-1].next, actions_only=True) if source.sites]
        self.mutants = [mutant for source in [*self.sources, *self.example_sources] for mutant in sites.mutants_of(source)]
        self.program = None
        self.number = 0
        self.lock = threading.Lock()

    def build_examples(self, jobs: int) -> list[Path]:
        place = self.sandbox.path / "examples"
        place.mkdir(exist_ok=True)
        switch = self.sandbox.compile("mutant.o", "-c", "-w", HERE / "mutant.c")

        def build_one(source: sites.Source) -> Path:
            text = place / source.name
            text.write_text(source.instrumented(), encoding="utf-8")
            made = self.sandbox.compile(f"{text.stem}.o", "-c", "-w", text, "-I", self.examples, "-include", HERE / "mutant.h")
            return self.sandbox.compile(f"examples/{text.stem}", made, switch, f"-L{self.build_folder}", "-lskops", "-lm", f"-Wl,-rpath,{self.build_folder}")
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(build_one, self.example_sources))

    def build(self, jobs: int, compiler: str = "gcc") -> None:
        place = self.sandbox.path / "ops"
        place.mkdir(exist_ok=True)
        for source in self.sources:
            (place / source.name).write_text(source.instrumented(), encoding="utf-8")

        def build_one(source: Path) -> Path:
            return self.sandbox.compile(f"{source.stem}_{compiler}.o", f"--cc={compiler}", "-c", "-w", source, "-I", place, "-I", HERE, "-include", HERE / "mutant.h")
        with ThreadPoolExecutor(jobs) as pool:
            objects = list(pool.map(build_one, [*sorted(place.glob("*.c")), HERE / "call_operator.c", HERE / "mutant.c"]))
        self.program = self.sandbox.compile(f"call_operator_{compiler}", f"--cc={compiler}", *objects, "-lm")

    def run(self, verb: str, call: "Call", mutated: list[int], reached: Path | None = None, more=()) -> dict | None:
        """The report; None when there is none."""
        with self.lock:
            self.number += 1
            report = self.sandbox.path / f"report{self.number}.json"
        environment = {"MUTANT_SITES": ",".join(map(str, mutated))}
        if reached:
            environment["MUTANT_REACHED"] = str(reached)
        quick = ["--no-diagnose"] if verb == "verify" else []
        try:
            self.sandbox.run(self.skv, verb, "--quiet", "--no-source", *quick, *more, "--json", report, call.program, *call.words.split(),
                             env=environment, timeout=SECONDS)
            return json.loads(report.read_text(encoding="utf-8"))
        except (subprocess.TimeoutExpired, FileNotFoundError, json.JSONDecodeError):
            return None
        finally:
            report.unlink(missing_ok=True)

    @property
    def skv(self) -> Path:
        from programs import SKV
        return SKV


def told(report: dict | None) -> str:
    """What the report flags, "" for nothing. In brackets what is no judgement."""
    if report is None:
        return "(no report)"
    unable = {"NOT_MODELLED", "INTERNAL", "HISTORY_LOST"}
    found = sorted({finding["id"] for finding in report["findings"]})
    if set(found) - unable:
        return " ".join(found)
    if found or report["verdict"] in ("not-modelled", "error", "nothing-launched"):
        return f"({' '.join(found) or report['verdict']})"
    return "" if report["verdict"] == "clean" else report["verdict"]


class Call:
    """A program with its words: an operator as a line of calls.txt says, or an example."""

    def __init__(self, program: Path, words: str):
        self.program, self.words, self.reached, self.seconds, self.trouble = program, words, set(), 0.0, ""

    def __str__(self) -> str:
        return self.words or self.program.name

    @property
    def subject(self) -> str:
        """The operator, or the example."""
        return str(self).split()[0]


def measure(lab: Lab, call: Call) -> Call:
    """The unchanged operator: silent, and where it goes."""
    with lab.lock:
        lab.number += 1
        path = lab.sandbox.path / f"reached{lab.number}"
    report = lab.run("verify", call, [], path)
    call.trouble = told(report)
    call.reached = {int(line) for line in path.read_text().split()} if path.exists() else set()
    call.seconds = report["seconds"] if report else 0.0
    return call


def judge(lab: Lab, calls: list[Call], mutant: sites.Mutant) -> tuple[str, str]:
    """(how it was flagged, "" not at all; in which call)."""
    mine = sorted((call for call in calls if call.reached & set(mutant.sites)), key=lambda call: call.seconds)
    if not mine:
        return "", "no call reaches it"
    unjudged = ""
    for verb in ("run", "verify"):
        for call in mine:
            flags = told(lab.run(verb, call, mutant.sites))
            if flags and not flags.startswith("("):
                return f"{flags}{' fused' if verb == 'verify' else ''}", str(call)
            unjudged = unjudged or flags
    return "", f"{len(mine)} calls{' ' if unjudged else ''}{unjudged}"


def schedules(lab: Lab, calls: list[Call], count: int, jobs: int) -> int:
    """Unchanged operators and examples in `count` random schedules each, divided over the operator's calls. Returns findings."""
    by_name = collections.defaultdict(list)
    for call in calls:
        by_name[call.subject].append(call)
    work = [(call, -(-count // len(mine))) for mine in by_name.values() for call in mine]

    def one(item):
        call, share = item
        return call, told(lab.run("verify", call, [], more=["--modes", "unfused,fused," + ",".join(
            f"fused/random:{seed}" for seed in range(1, share + 1))]))
    findings = 0
    with ThreadPoolExecutor(jobs) as pool:
        for call, flags in pool.map(one, work):
            if flags:
                findings += 1
                print(f"unchanged: {call}: {flags}", flush=True)
    print(f"unchanged: {len(by_name)} operators and examples, at least {count} random schedules each, {findings} calls with findings", flush=True)
    return findings


def prepare(lab: Lab, jobs: int) -> list[Call]:
    lab.build(jobs)
    calls = [Call(lab.program, line) for line in words_of(HERE / "calls.txt")]
    names = re.findall(r"^(\w+)  \(", lab.sandbox.run(lab.skv, "ops").stdout, re.M)
    without = set(names) - {call.subject for call in calls}
    if not names or without:
        raise Trouble(f"calls.txt has no call of: {', '.join(sorted(without)) or 'any operator, skv ops lists none'}")
    calls += [Call(program, "") for program in lab.build_examples(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        for call in pool.map(lambda call: measure(lab, call), calls):
            if call.trouble:
                raise Trouble(f"it is not silent as it is: {call}: {call.trouble}")
    return calls


class Judge:
    """Runs mutants and holds them against the two lists."""

    def __init__(self, lab: Lab, calls: list[Call]):
        self.lab, self.calls = lab, calls
        self.equivalent, self.survivors = listed("equivalent.txt"), listed("survivors.txt")
        self.keys = {mutant.key for mutant in lab.mutants}

    def stale(self) -> list[str]:
        """Keys of the lists that no mutant has."""
        return sorted((set(self.equivalent) | set(self.survivors)) - self.keys)

    def reason(self, mutant: sites.Mutant) -> str | None:
        reason = self.equivalent.get(mutant.key)
        reached = any(call.reached & set(mutant.sites) for call in self.calls)
        return None if reason and reason.startswith("not reached") and reached else reason

    def __call__(self, mutant: sites.Mutant) -> tuple[str, str, str]:
        """(killed, equivalent or survived; what is to be told; what is wrong with the lists, "" nothing)."""
        flags, where = judge(self.lab, self.calls, mutant)
        reason = self.reason(mutant)
        if flags:
            wrong = "said to be equivalent" if reason else "said to survive" if mutant.key in self.survivors else ""
            return "killed", flags, wrong
        if reason:
            return "equivalent", reason, ""
        known = self.survivors.get(mutant.key)
        return "survived", known or where, "" if known else "not known to survive"


def report_all(lab: Lab, calls: list[Call], chosen: list[sites.Mutant], jobs: int, quiet: bool) -> bool:
    """Whether all is well."""
    judged = Judge(lab, calls)
    counts, by_kind, problems = collections.Counter(), collections.defaultdict(collections.Counter), 0
    for key in judged.stale():
        print(f"listed, but there is no such mutant: {key}", flush=True)
        problems += 1
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, (state, text, wrong) in zip(chosen, pool.map(judged, chosen)):
            counts[state] += 1
            by_kind[mutant.kind][state] += 1
            problems += wrong != ""
            if wrong or state != "killed" or not quiet:
                print(f"{state:<10} {mutant.key} ({mutant.place}): {text}{f' [{wrong}]' if wrong else ''}", flush=True)
    for kind in sorted(by_kind):
        row = by_kind[kind]
        print(f"  {kind:<12} {sum(row.values()):5} mutants, {row['killed']:5} killed, {row['equivalent']:4} equivalent, {row['survived']:4} survived")
    real = len(chosen) - counts["equivalent"]
    share = 100.0 * counts["killed"] / real if real else 100.0
    print(f"  killed of those that are not equivalent: {share:.2f} %, at least {SHARE} are asked for")
    print(f"mutants {len(chosen)}, killed {counts['killed']}, equivalent {counts['equivalent']}, survived {counts['survived']}", flush=True)
    return problems == 0 and share >= SHARE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", type=Path, metavar="BUILD_DIR")
    parser.add_argument("--only", metavar="REGEX", help="mutants whose key matches")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every N-th mutant only")
    parser.add_argument("--schedules", type=int, default=0, metavar="N", help="also the unchanged operators in N random schedules each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="the keys of all mutants, and nothing else")
    parser.add_argument("--quiet", action="store_true", help="killed mutants are not listed")
    arguments = parser.parse_args()
    os.environ["SUPERKERNEL_BUILD"] = str(arguments.build.resolve())
    from programs import Sandbox
    sandbox = Sandbox()
    try:
        lab = Lab(sandbox)
        chosen = [mutant for mutant in lab.mutants if not arguments.only or re.search(arguments.only, mutant.key)][::arguments.sample]
        if arguments.list:
            print("\n".join(mutant.key for mutant in chosen))
            return 0
        calls = prepare(lab, arguments.jobs)
        silent = not arguments.schedules or schedules(lab, calls, arguments.schedules, arguments.jobs) == 0
        return 0 if report_all(lab, calls, chosen, arguments.jobs, arguments.quiet) and silent else 1
    except (Trouble, sites.NotKnown, AssertionError) as trouble:
        print(f"mutate: {trouble}", file=sys.stderr)
        return 2
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
