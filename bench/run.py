#!/usr/bin/env python3
"""Measures the simulator against plain programs on the same machine, in the same run, and prints one row per measure.

Two sides of a comparison are kept alive and take turns; a row is the median of the ratios of such pairs. Rows of one
thread compare CPU time, rows of two threads the wall clock. Rows in seconds are the least of many looks. The last line
is `bench: N rows, M over`.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TWO_CPUS = 1.3  # two threads of arithmetic may take this much longer than one


class Trouble(Exception):
    """A contender does not do its work; the text says which and why."""


class Side:
    """One contender: answers each line with the seconds its work took."""

    def __init__(self, command, environment=None):
        self.name = " ".join([os.path.basename(command[0]), *command[1:]])
        self.errors = tempfile.TemporaryFile()
        settings = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "SUPERKERNEL_", "OMP_", "GOTO_"))}
        settings.update(environment or {})
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True, env=settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        code = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip()
        self.errors.close()
        self.process.stdout.close()
        if code != 0 or said:  # findings of the simulator go to standard error
            raise Trouble(f"{self.name}: exit code {code}\n{said}")

    def once(self):
        """(wall, cpu) seconds of one run."""
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split()
        except BrokenPipeError:
            answer = []
        if len(answer) != 2:
            raise Trouble(f"{self.name}: no answer")
        return float(answer[0]), float(answer[1])


WALL, CPU = 0, 1


def turns(sides, repeats, pause=0.0):
    """Seconds of each side, [repeat][side] -> (wall, cpu); a first round is not counted."""
    rounds = []
    for repeat in range(repeats + 1):
        row = []
        for side in sides:
            row.append(side.once())
            time.sleep(pause)
        if repeat > 0:
            rounds.append(row)
    return rounds


def ratio(one, other, clock, repeats, pause=0.0):
    """Median of one / other over interleaved runs."""
    with one, other:
        return statistics.median(row[0][clock] / row[1][clock] for row in turns([one, other], repeats, pause))


LOOKS = 40  # at what is measured in seconds


def least(seconds):
    """What is not a ratio has no rival that the machine's other work would slow down likewise: such work only adds
    time, so the least of many looks is nearest to what the code costs."""
    return min(seconds)


class Bench:
    def __init__(self, build, repeat):
        self.build = build
        self.repeat = repeat
        self.of_operators = None

    def program(self, name):
        return str(self.build / "bench" / name)

    def simulated(self, *words, threads=1, checks="on", simd=None):
        environment = {"SUPERKERNEL_THREADS": str(threads), "SUPERKERNEL_CHECKS": checks}
        if simd is not None:
            environment["SUPERKERNEL_SIMD"] = simd
        return Side([self.program(words[0]), *map(str, words[1:])], environment)

    def numpy(self, *words):
        return Side([sys.executable, str(HERE / "numpy_side.py"), *map(str, words)])

    def plain(self, *words):
        return Side([self.program("bench_plain"), *map(str, words)])

    def on_over_off(self, *words):
        return ratio(self.simulated(*words), self.simulated(*words, checks="off"), CPU, self.repeat)

    def per_unit(self, factor, *words):
        """Least CPU seconds of one unit, times factor. The last word is the number of units."""
        with self.simulated(*words) as side:
            return least(row[0][CPU] for row in turns([side], LOOKS)) / words[-1] * factor

    # ---- measures, in the order of the table ----

    def two_cpus(self):
        """What a second thread costs on this host: 1 with two free CPUs, 2 with one."""
        return ratio(self.plain("arithmetic", 2), self.plain("arithmetic", 1), WALL, self.repeat)

    def seed(self):
        return ratio(self.simulated("seed", "both", threads=2), self.numpy("seed"), WALL, self.repeat)

    def stream(self):
        return ratio(self.simulated("stream", 32, 64, threads=2), self.plain("add", 2, 64), WALL, self.repeat)

    def tensor(self):
        """Of a few hundredths: which pages a process was given moves it as much, so several pairs of processes are asked."""
        def pair():
            return ratio(self.simulated("tensor_add", "queue", "float", 16), self.simulated("tensor_add", "flags", "float", 16), CPU, 3 * self.repeat)
        return statistics.median(pair() for _ in range(self.repeat))

    def half_add(self):
        """8192 x 8192 values: 403 MB are moved."""
        return ratio(self.simulated("tensor_add", "queue", "half", 64, threads=2), self.plain("add16", 2, 64), WALL, self.repeat)

    def checks_bulk(self):
        kernels = [("stream", 16, 16), ("stream", 32, 16), ("stream", 64, 16), ("seed", "gating"), ("seed", "quant"),
                   ("matmul", 1024, 1024, 1024)]
        return math.exp(statistics.mean(math.log(self.on_over_off(*kernel)) for kernel in kernels))

    def checks_ops(self):
        """Checks on over off of each operator, by operators.txt, which must have all of the library."""
        if self.of_operators is None:
            listed = (HERE / "operators.txt").read_text(encoding="utf-8").splitlines()
            calls = {line.split()[0]: line.split() for line in listed if line.strip() and not line.startswith("#")}
            told = subprocess.run([str(self.build / "skv"), "ops"], capture_output=True, text=True, check=True).stdout
            missing = set(re.findall(r"^(\w+)  \(", told, re.M)) - set(calls)
            if missing:
                raise Trouble(f"operators.txt has no call of: {', '.join(sorted(missing))}")
            self.of_operators = {name: self.on_over_off("operators", 1, *words) for name, words in calls.items()}
        return self.of_operators

    def checks_ops_mean(self):
        return math.exp(statistics.mean(math.log(ratio) for ratio in self.checks_ops().values()))

    def checks_ops_worst(self):
        name, worst = max(self.checks_ops().items(), key=lambda item: item[1])
        print(f"the worst operator: {name}", flush=True)
        return worst

    def shadow(self):
        """What checking adds to the peak of a stream over three tensors, per byte of them; tables of fixed size cancel."""
        def added(elements_mi):
            return self.peak("on", elements_mi) - self.peak("off", elements_mi)
        small, big = 16, 64
        return (added(big) - added(small)) / ((big - small) * (1 << 20) * 4 * 3)

    def peak(self, checks, elements_mi):
        """Peak resident bytes of one run of the stream; least of several looks."""
        environment = {**os.environ, "SUPERKERNEL_CHECKS": checks, "SUPERKERNEL_THREADS": "1"}
        looks = []
        for _ in range(3):
            process = subprocess.Popen([self.program("stream"), "32", str(elements_mi), "once"], env=environment, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise Trouble(f"stream: exit code {process.returncode}")
            looks.append(usage.ru_maxrss * 1024)
        return min(looks)

    def checks_small(self):
        count = 1 << 20
        on, off = self.simulated("micro", "small", count), self.simulated("micro", "small", count, checks="off")
        with on, off:
            rounds = turns([on, off], LOOKS)
        return (least(row[0][CPU] for row in rounds) - least(row[1][CPU] for row in rounds)) / count * 1e9

    def hook_load(self):
        return self.per_unit(1e9, "micro", "load", 1 << 22)

    def hook_store(self):
        return self.per_unit(1e9, "micro", "store", 1 << 22)

    def cube(self, simd):
        if not (self.build / "bench" / "bench_sgemm").exists() or not self.has_simd(simd):
            return None
        # Like against like: where vectors of 512 bits are twice as fast, OpenBLAS has to do without them as well.
        level = {"OPENBLAS_CORETYPE": "Haswell"} if simd == "avx2" else {}
        sgemm = Side([self.program("bench_sgemm"), "2048"], {"OPENBLAS_NUM_THREADS": "1", **level})
        # What checking costs is measured by checks-bulk, for this kernel too.
        return ratio(self.simulated("matmul", 2048, 2048, 2048, checks="off", simd=simd), sgemm, CPU, self.repeat)

    @staticmethod
    def has_simd(level):
        needed = {"avx2": {"avx2", "fma"}, "avx512": {"avx512f", "avx512bw", "avx512vl"}}[level]
        try:
            return needed <= set(pathlib.Path("/proc/cpuinfo").read_text().split())
        except OSError:
            return False

    def sort(self):
        return ratio(self.simulated("sort", 128), self.numpy("sort", 128), CPU, self.repeat)

    def barrier(self):
        return self.per_unit(1e6, "micro", "barrier", 20000)

    def launch(self):
        return self.per_unit(1e6, "micro", "launch", 5000)

    def report_seconds(self, *words):
        with tempfile.TemporaryDirectory() as directory:
            report = pathlib.Path(directory) / "report.json"
            self.run([str(self.build / "skv"), words[0], "--quiet", "--json", str(report), *words[1:],
                      self.program("stream"), "32", "16", "once"])
            return json.loads(report.read_text())["seconds"]

    def twin(self):
        pairs = [(self.report_seconds("verify", "--modes", "unfused,fused"), self.report_seconds("run", "--threads", "1"))
                 for _ in range(self.repeat)]
        return statistics.median(twin / once for twin, once in pairs)

    @staticmethod
    def run(command, folder=None):
        """Wall seconds and CPU seconds of a command that must succeed."""
        before, start = os.times(), time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        after = os.times()
        if done.returncode != 0:
            raise Trouble(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return time.monotonic() - start, cpu

    def compile(self):
        with tempfile.TemporaryDirectory() as directory:
            out = str(pathlib.Path(directory) / "a.out")
            ours = [str(self.build / "skcc"), "-O2", str(HERE / "stream.c"), "-o", out]
            plain = ["gcc", "-O2", "-D_GNU_SOURCE", str(HERE / "plain.c"), "-o", out, "-pthread"]
            return statistics.median(self.run(ours)[WALL] / self.run(plain)[WALL] for _ in range(self.repeat))

    def tensor_commands(self, directory):
        out = str(pathlib.Path(directory) / "a.o")
        return ([str(self.build / "skcc"), "-O2", "-c", str(HERE / "tensor_kernel.cpp"), "-o", out],
                ["g++", "-O2", "-c", str(HERE / "includes.cpp"), "-o", out])

    def compile_tensor(self):
        with tempfile.TemporaryDirectory() as directory:
            ours, plain = self.tensor_commands(directory)
            return statistics.median(self.run(ours)[CPU] / self.run(plain)[CPU] for _ in range(self.repeat))

    def compile_tensor_seconds(self):
        with tempfile.TemporaryDirectory() as directory:
            ours, _ = self.tensor_commands(directory)
            return least(self.run(ours)[WALL] for _ in range(self.repeat))

    def planning(self, work, *counts, shapes=("whole", "scopes")):
        """Least CPU milliseconds of several runs in one process each, per shape of graph and count of tasks, taking turns."""
        rows = []
        for shape in shapes:
            with contextlib.ExitStack() as stack:
                sides = [stack.enter_context(Side([self.program("bench_plan"), work, str(tasks), shape])) for tasks in counts]
                rounds = turns(sides, 5 * self.repeat)
                rows.append([min(row[side][CPU] for row in rounds) * 1e3 for side in range(len(sides))])
        return rows

    def plan_time(self, tasks):
        return max(row[0] for row in self.planning("make", tasks))

    def plan_ratio(self):
        return max(many / few for few, many in self.planning("make", 1000, 10000))

    def plan_ge_time(self):
        return self.planning("make", 10000, shapes=("ge",))[0][0]

    def plan_ge_ratio(self):
        (few, many), = self.planning("make", 1000, 10000, shapes=("ge",))
        return many / few

    def plan_read(self):
        return max(row[0] for row in self.planning("read", 10000))

    def plan_memory(self):
        """Peak resident MiB of a process that reads and plans, of the shape that needs more."""
        return max(int(subprocess.run([self.program("bench_plan"), "peak", "10000", shape], capture_output=True, text=True,
                                      check=True).stdout) for shape in ("whole", "scopes")) / (1 << 20)

    def scripts(self):
        """The examples that compare un-fused and fused, one per graph mode; none where the front ends are not built."""
        built = list((self.build / "python" / "native").glob("_device*.so"))
        return sorted((HERE.parent / "examples" / "python").glob("verify_*.py")) if built else []

    def script_seconds(self, kind, script):
        """CPU seconds of a script after its imports, in a process and a folder of its own."""
        environment = {**os.environ, "PYTHONPATH": str(self.build / "python"), "SUPERKERNEL_THREADS": "1"}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(HERE / "script_side.py"), kind, str(script)], capture_output=True,
                                  text=True, env=environment, cwd=folder)
        if done.returncode != 0:
            raise Trouble(f"script_side.py {kind} {script.name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return float(done.stdout.split()[CPU])

    def script(self):
        """The slowest of the scripts over the same on CPU tensors."""
        ratios = [statistics.median(self.script_seconds("npu", one) / self.script_seconds("plain", one)
                                    for _ in range(max(1, self.repeat // 3))) for one in self.scripts()]
        return max(ratios, default=None)

    def script_verify(self):
        """The same scripts, whole: skv verify over skv run."""
        ratios = []
        for one in self.scripts():
            with tempfile.TemporaryDirectory() as folder:
                def cpu(verb):
                    return self.run([str(self.build / "skv"), verb, "--quiet", str(one)], folder)[CPU]
                ratios.append(statistics.median(cpu("verify") / cpu("run") for _ in range(max(1, self.repeat // 3))))
        return max(ratios, default=None)

    def torch_seconds(self, *words):
        """CPU seconds of each look of torch_side.py; none where the front ends are not built."""
        if not self.scripts():
            return []
        done = subprocess.run([sys.executable, str(HERE / "torch_side.py"), *map(str, words)], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(self.build / "python"), "SUPERKERNEL_THREADS": "1"})
        if done.returncode != 0:
            raise Trouble(f"torch_side.py {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return [float(line.split()[CPU]) for line in done.stdout.splitlines()]

    def torch_call(self):
        looks = self.torch_seconds("call", 200)
        return least(looks) / 200 * 1e6 if looks else None

    def torch_import(self):
        looks = [one for _ in range(max(1, self.repeat // 3)) for one in self.torch_seconds("import")]
        return least(looks) if looks else None

    def start(self):
        return statistics.median(self.run([str(self.build / "skv"), "version"])[WALL] for _ in range(5 * self.repeat)) * 1e3

    def memory(self):
        """Peak resident bytes beyond 64 MiB over the bytes of device memory the seed case uses."""
        rows, experts, k = 864, 2048, 1024
        device = rows * experts * 2 + k * 2 + rows * k * (2 + 4 + 4 + 1) + rows * 4
        process = subprocess.Popen([str(self.build / "examples" / "seed_case")], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Trouble(f"seed_case: exit code {process.returncode}")
        return max(0.0, usage.ru_maxrss * 1024 - (64 << 20)) / device


# name, unit, bound, threads, what it is
ROWS = [
    ("seed", "x", 2.0, 2, Bench.seed, "seed case un-fused, checks on, over numpy on two processes"),
    ("stream", "x", 1.3, 2, Bench.stream, "asc_add over 64 Mi floats, 32 KiB tiles, checks on, over a plain loop"),
    ("tensor", "x", 1.05, 1, Bench.tensor, "float add by C++ tensors and queues over the same by the C API and flags"),
    ("half-add", "x", 3.0, 2, Bench.half_add, "half add of 8192 x 8192, C++ tensors, checks on, over a plain loop"),
    ("checks-bulk", "x", 1.3, 1, Bench.checks_bulk, "checks on over checks off, tiles of 16 to 64 KiB, the operators, matmul"),
    ("checks-ops", "x", 1.5, 1, Bench.checks_ops_mean, "the same over every operator of the library, geometric mean"),
    ("checks-worst", "x", 3.0, 1, Bench.checks_ops_worst, "the worst of these operators"),
    ("shadow", "x", 0.25, 1, Bench.shadow, "memory that checking adds per byte of device memory touched, beyond fixed tables"),
    ("checks-small", "ns", 20.0, 1, Bench.checks_small, "added to a vector instruction of 256 bytes"),
    ("hook-load", "ns", 4.0, 1, Bench.hook_load, "plain load from device memory, a hit"),
    ("hook-store", "ns", 4.0, 1, Bench.hook_store, "plain store to device memory, a hit"),
    ("cube-avx512", "x", 1.3, 1, lambda bench: bench.cube("avx512"), "half matmul 2048^3, checks off, over OpenBLAS sgemm"),
    ("cube-avx2", "x", 2.0, 1, lambda bench: bench.cube("avx2"), "the same with AVX2 on both sides"),
    ("sort", "x", 0.5, 1, Bench.sort, "softmax and sort of 2048 over numpy softmax and stable argsort"),
    ("barrier", "us", 3.0, 1, Bench.barrier, "SyncAll of 72 cores, with clocks"),
    ("launch", "us", 10.0, 1, Bench.launch, "empty kernel on 48 cores, and the wait for it"),
    ("twin", "x", 5.0, 1, Bench.twin, "verify unfused,fused of a stream over one plain run"),
    ("compile", "x", 4.0, 1, Bench.compile, "skcc of a kernel with host code over gcc of plain C"),
    ("compile-tensor", "x", 2.5, 1, Bench.compile_tensor, "kernel_operator.h and 150 lines over C++ with vector, algorithm, string; CPU"),
    ("compile-tensor-s", "s", 1.5, 1, Bench.compile_tensor_seconds, "the former, in seconds"),
    ("plan-100", "ms", 0.2, 1, lambda bench: bench.plan_time(100), "planning of 100 tasks on four streams, graph in memory"),
    ("plan-1000", "ms", 1.5, 1, lambda bench: bench.plan_time(1000), "the same of 1,000 tasks"),
    ("plan-10000", "ms", 17.0, 1, lambda bench: bench.plan_time(10000), "the same of 10,000 tasks"),
    ("plan-ratio", "x", 12.0, 1, Bench.plan_ratio, "planning of 10,000 tasks over planning of 1,000"),
    ("plan-ge-10000", "ms", 40.0, 1, Bench.plan_ge_time, "planning of 10,000 tasks by the rules of graph mode"),
    ("plan-ge-ratio", "x", 15.0, 1, Bench.plan_ge_ratio, "the same over planning of 1,000"),
    ("plan-memory", "MiB", 64.0, 1, Bench.plan_memory, "peak of a process that reads and plans 10,000 tasks"),
    ("plan-read", "ms", 170.0, 1, Bench.plan_read, "reading the JSON of 10,000 tasks, in none of the others"),
    ("script", "x", 3.0, 1, Bench.script, "verify_*.py of the examples after imports over the same on CPU tensors, aot_eager"),
    ("script-verify", "x", 2.0, 1, Bench.script_verify, "skv verify of these scripts over skv run"),
    ("torch-call", "us", 15.0, 1, Bench.torch_call, "an eager operator of torch_npu until it is queued, the core's launch included"),
    ("torch-import", "s", 0.3, 1, Bench.torch_import, "what import torch_npu adds to import torch"),
    ("start", "ms", 20.0, 1, Bench.start, "skv version"),
    ("memory", "x", 3.0, 1, Bench.memory, "peak beyond 64 MiB over device memory, seed case"),
]


def parse():
    names = [row[0] for row in ROWS]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="rows: " + ", ".join(names))
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD_DIR", help="a configured build directory")
    parser.add_argument("--only", action="append", metavar="NAME", choices=names, help="this row only; may be repeated")
    parser.add_argument("--repeat", type=int, default=9, metavar="N", help="pairs of runs per row (default 9)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="the rows as JSON as well")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat must be at least 1")
    if not (arguments.build / "build.ninja").exists():
        parser.error(f"'{arguments.build}' is no configured build directory")
    return arguments


def build_contenders(build):
    ninja = pathlib.Path(sys.executable).with_name("ninja")
    done = subprocess.run([str(ninja) if ninja.exists() else "ninja", "-C", str(build), "bench", "skv", "skcc",
                           "examples/seed_case", "libskops.so"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Trouble(done.stdout[-4000:] + done.stderr[-4000:])


def host_note(bench, rows):
    if not any(threads == 2 for _, _, _, threads, _, _ in rows):
        return None
    cost = bench.two_cpus()
    text = f"host: two threads of arithmetic take {cost:.2f} times one"
    if cost > TWO_CPUS:
        text += "; it gives about one CPU, so rows of two threads say little"
    print(text, flush=True)
    return cost


def main():
    arguments = parse()
    rows = [row for row in ROWS if not arguments.only or row[0] in arguments.only]
    build_contenders(arguments.build)
    bench = Bench(arguments.build.resolve(), arguments.repeat)
    cost = host_note(bench, rows)
    results, over = [], 0
    for name, unit, bound, threads, measure, text in rows:
        value = measure(bench)
        if value is None:
            print(f"{name:<14}{'-':>8}     bound {bound:>5g}  skipped: not on this host", flush=True)
            continue
        state = "ok" if value <= bound else "over"
        over += state == "over"
        results.append({"name": name, "value": value, "unit": unit, "bound": bound, "state": state, "threads": threads, "what": text})
        print(f"{name:<14}{value:>8.2f} {unit:<3} bound {bound:>5g}  {state:<5} {text}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"two_threads_over_one": cost, "rows": results}, indent=2) + "\n")
    print(f"bench: {len(results)} rows, {over} over")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        print(f"bench: {trouble}", file=sys.stderr)
        sys.exit(1)
