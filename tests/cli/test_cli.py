"""skv as people and scripts see it: bad input first, then exit codes, reports, progress."""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs")]
import tap  # noqa: E402
from programs import SKV, SOURCE, Sandbox, ids  # noqa: E402

sandbox = Sandbox()

HEAD = '#include <signal.h>\n#include <stdio.h>\n#include "acl/acl.h"\n#include "c_api/asc_simd.h"\n'
KERNEL = """
__global__ __vector__ void twice(__gm__ int32_t *x) {
  __ubuf__ int32_t a[16];
  asc_init();
  uint32_t core = (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
  asc_copy_gm2ub(a, x + core * 16, sizeof a);
  asc_sync();
  asc_add(a, a, a, 16);
  asc_sync();
  asc_copy_ub2gm(x + core * 16, a, sizeof a);
  asc_sync();
}
"""
SETUP = """
  int32_t *x = NULL;
  aclInit(NULL);
  aclrtSetDevice(0);
  aclrtMalloc((void **)&x, 512, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(x, 512, 1, 512);
"""
LAUNCH = """
  twice<<<8, 0, NULL>>>(x);
  twice<<<8, 0, NULL>>>(x);
  aclrtSynchronizeDevice();
"""
PROGRAMS = {
    "good": KERNEL + "int main(void) {" + SETUP + LAUNCH + "return 0; }\n",
    "nothing": KERNEL + "int main(void) {" + SETUP + "if (x == NULL) { " + LAUNCH + "} return 0; }\n",
    "unset": KERNEL + "int main(void) { int32_t *x = NULL; twice<<<8, 0, NULL>>>(x); return 0; }\n",
    "no_device": KERNEL + "int main(int n, char **v) { (void)v; if (n > 5) {" + SETUP + LAUNCH + "} return 0; }\n",
    "exits3": KERNEL + "int main(void) {" + SETUP + LAUNCH + "return 3; }\n",
    "killed": KERNEL + "int main(void) {" + SETUP + LAUNCH + "raise(SIGKILL); return 0; }\n",
    "hello": KERNEL + "int main(int n, char **v) {" + SETUP + LAUNCH + 'for (int i = 1; i < n; i++) puts(v[i]); return 0; }\n',
}
built: dict[str, Path] = {}


def build_programs() -> None:
    for name, text in PROGRAMS.items():
        built[name] = sandbox.compile(name, sandbox.file(name + ".c", HEAD + text))
    built["flush"] = sandbox.compile("flush", SOURCE / "examples" / "forgotten_flush.c")


def refused(words, *parts: str, code: int = 2) -> None:
    """Exit code, nothing on standard output, one line on standard error that holds the parts."""
    done = sandbox.skv(*words)
    assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
    assert done.stdout == "", done.stdout
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0], f"no '{part}' in: {lines[0]}"


def no_verb() -> None:
    done = sandbox.skv()
    assert done.returncode == 2 and "usage: skv VERB" in done.stderr and done.stdout == ""


def unknown_verbs() -> None:
    refused(["verfy"], "no verb 'verfy'", "did you mean 'verify'", "legal: cc, verify, run, plan")
    refused(["xyzzy-plugh"], "no verb 'xyzzy-plugh'", "legal:")


def cc_is_the_compiler() -> None:
    sandbox.file("by_verb.c", HEAD + PROGRAMS["good"])
    done = sandbox.skv("cc", "by_verb.c", "-o", "by_verb")
    assert done.returncode == 0, done.stderr
    assert sandbox.skv("run", "./by_verb").returncode == 0
    sandbox.file("broken.c", "int main(void) { return nothing; }\n")
    done = sandbox.skv("cc", "broken.c", "-o", "broken")
    assert done.returncode == 1 and "broken.c:1" in done.stderr, done.stderr


def unknown_options() -> None:
    refused(["verify", "--mode-list=fused", built["good"]], "'--mode-list=fused'", "legal: --modes")
    refused(["verify", "--jsom", "x", built["good"]], "did you mean '--json'?")
    refused(["run", "--modes", "fused", built["good"]], "'--modes'", "--schedule")
    refused(["run", "-x", built["good"]], "'-x'", "legal:")
    refused(["plan", "--json", built["good"]], "'--json'", "legal:")


def options_without_a_value() -> None:
    refused(["verify", "--random"], "option '--random' needs a value")
    refused(["run", "--soc"], "option '--soc' needs a value")


def no_program() -> None:
    refused(["verify"], "no program given")
    refused(["run", "--quiet"], "no program given")
    refused(["plan"], "no program or graph given")


def files_that_are_no_programs() -> None:
    refused(["verify", "no/such/file"], "no/such/file", "No such file")
    refused(["verify", sandbox.path], "is a directory")
    text = sandbox.file("text", "#!/bin/sh\nexit 0\n")
    refused(["verify", text], "is no program", "skcc FILE -o NAME")
    refused(["run", sandbox.file("empty", "")], "is no program")
    refused(["verify", SOURCE / "examples/ge_graph.pbtxt"], "is a graph, not a program: skv plan reads it")
    refused(["plan", text], "is no program", "a graph dump (JSON), or the text of a GE graph")
    data = sandbox.path / "data"
    data.write_bytes(built["good"].read_bytes())
    data.chmod(0o644)
    refused(["verify", data], "is not executable")
    library = sandbox.compile("lib.so", "-shared", "-fPIC", sandbox.file("lib.c", HEAD + KERNEL))
    refused(["verify", library], "is a shared object")


def values_out_of_range() -> None:
    refused(["verify", "--soc", "ascend9", built["good"]], "no chip profile 'ascend9'", "ascend910b3")
    refused(["verify", "--random", "abc", built["good"]], "--random 'abc'", "0 to 10000")
    refused(["verify", "--random", "10001", built["good"]], "0 to 10000")
    refused(["verify", "--random", "-1", built["good"]], "0 to 10000")
    refused(["verify", "--modes", "nonsense", built["good"]], "no mode 'nonsense'", "full-cores")
    refused(["verify", "--modes", "", built["good"]], "no mode ''")
    refused(["verify", "--ge-options", "early-start=0", built["good"]], "--ge-options needs mode ge")
    refused(["verify", "--modes", "ge", "--ge-options", "early_start=0", built["good"]], "--ge-options", "early_start", "early-start")
    refused(["run", "--schedule", "fast", built["good"]], "--schedule 'fast'", "slow-aiv1")
    refused(["run", "--threads", "0", built["good"]], "--threads '0'", "1 to 64")
    refused(["run", "--checks", "maybe", built["good"]], "--checks 'maybe'", "on, off")


def reports_that_cannot_be_written() -> None:
    refused(["verify", "--json", sandbox.path / "no" / "r.json", built["good"]], "--json", "No such file")
    refused(["verify", "--json", sandbox.path, built["good"]], "is a directory")
    refused(["verify", "--json", "", built["good"]], "no name")
    refused(["verify", "--json", built["good"] / "r.json", built["good"]], "Not a directory")


def a_full_disk() -> None:
    refused(["verify", "--quiet", "--json", "/dev/full", built["good"]], "--json '/dev/full'", "No space left", code=4)
    refused(["verify", "--quiet", "--trace", "/dev/full", built["good"]], "the trace to '/dev/full'", "No space left", code=4)
    refused(["run", "--quiet", "--save-graph", "/dev/full", built["good"]], "a graph to '/dev/full'", "No space left", code=4)


def a_report_replaces_the_old_one_whole() -> None:
    report = sandbox.path / "kept.json"
    report.write_text("old", encoding="utf-8")
    assert sandbox.skv("verify", "--quiet", "--json", report, built["good"]).returncode == 0
    assert json.loads(report.read_text(encoding="utf-8"))["verdict"] == "clean"
    assert not [name for name in os.listdir(sandbox.path) if name.startswith("kept.json.") or name.startswith(".kept")]


def verbs_that_tell_are_checked() -> None:
    refused(["explain", "H77"], "no id 'H77'", "did you mean 'H7'")
    refused(["report", "nowhere.json"], "skv report: 'nowhere.json' cannot be read: No such file")
    refused(["plan", "--kernels", "nowhere.json", str(SOURCE / "examples/ge_graph.pbtxt")], "--kernels 'nowhere.json' cannot be read: No such file")
    refused(["explain", "H7", "H8"], "takes one id")
    refused(["soc", "x"], "takes no arguments")
    refused(["version", "x"], "takes no arguments, given 'x'")
    refused(["ops", "npu_nothing"], "no operator 'npu_nothing'")
    refused(["ops", "dynamic_quant"], "no operator 'dynamic_quant'", "did you mean 'DynamicQuant'?")
    refused(["ops", "Add", "Sub"], "takes one name, given 2")
    refused(["report"], "takes one file")
    refused(["report", "no/such.json"], "no/such.json")
    refused(["report", sandbox.file("broken.json", "{")], "broken.json", "line 1")
    refused(["report", sandbox.file("other.json", '{"schema": "other/1"}')], "is no report", "superkernel.verify/1")
    refused(["report", sandbox.file("bare.json", '{"schema": "superkernel.verify/1"}')], "is no report")


def programs_that_prove_nothing() -> None:
    refused(["verify", built["no_device"]], "used no simulated device", "built by skcc")
    done = sandbox.skv("verify", built["nothing"])
    assert done.returncode == 2 and "launched no kernel" in done.stdout and "verdict: nothing-launched" in done.stdout
    done = sandbox.skv("run", built["nothing"])
    assert done.returncode == 0 and "launched no kernel" in done.stdout
    for verb in ("run", "verify"):
        done = sandbox.skv(verb, built["unset"])
        assert done.returncode == 1 and "LAUNCH_INVALID" in done.stdout and "call aclrtSetDevice(0) first" in done.stdout, done.stdout


def programs_that_fail() -> None:
    done = sandbox.skv("verify", built["exits3"])
    assert done.returncode == 1 and "ended with exit code 3" in done.stdout and "verdict: program-failed" in done.stdout
    refused(["verify", built["killed"]], "was killed by signal 9", "no report", code=1)


def heed_signals() -> None:
    """Who runs in the background of a shell, as a test of a test runner may, ignores the keyboard's signals; heirs do too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def an_interrupted_program() -> None:
    """The keyboard's signal reaches the whole group, another one skv alone: the program ends, skv tells and leaves nothing behind."""
    sleeper = sandbox.compile("sleeper", sandbox.file("sleeper.c", HEAD + "#include <unistd.h>\n" + KERNEL + "int main(void) {" + SETUP + LAUNCH +
                                                      'puts("ready"); fflush(stdout); sleep(60); return 0; }\n'))
    temporary = sandbox.path / "temporary"
    temporary.mkdir()
    for number, send in ((signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill), (signal.SIGHUP, os.kill)):
        child = subprocess.Popen([SKV, "verify", sleeper], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                 env={**os.environ, "TMPDIR": str(temporary)}, preexec_fn=heed_signals)
        assert child.stdout.readline() == "ready\n"
        send(child.pid, number)
        _, said = child.communicate(timeout=60)
        assert child.returncode == 1 and f"was killed by signal {int(number)}" in said, said
        assert list(temporary.iterdir()) == []


def programs_that_change_their_process() -> None:
    """What skv asks for is read at the start; a process that the program forks reports nothing, and leaves nothing behind."""
    forgets = sandbox.compile("forgets", sandbox.file("forgets.c", "#define _GNU_SOURCE\n" + HEAD + "#include <stdlib.h>\n" + KERNEL +
                                                      "int main(void) {" + SETUP + "clearenv();" + LAUNCH + "return 0; }\n"))
    assert "verdict: clean" in sandbox.skv("verify", forgets).stdout
    forks = sandbox.compile("forks", sandbox.file("forks.c", HEAD + "#include <unistd.h>\n" + KERNEL + "int main(void) {" + SETUP + LAUNCH +
                                                  "if (fork() == 0) sleep(1); return 0; }\n"))
    temporary = sandbox.path / "of_forks"
    temporary.mkdir()
    done = subprocess.run([SKV, "verify", forks], capture_output=True, text=True, timeout=60, env={**os.environ, "TMPDIR": str(temporary)})
    assert done.returncode == 0 and "verdict: clean" in done.stdout, done.stdout + done.stderr
    assert list(temporary.iterdir()) == []


def clean_programs() -> None:
    done = sandbox.skv("verify", built["good"])
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert re.search(r"^  fused +1 \(1 SK\) +8 AIV +identical", done.stdout, re.M), done.stdout
    assert done.stdout.endswith("\nverdict: clean\n")
    assert sandbox.skv("run", built["good"]).returncode == 0
    assert sandbox.skv("run", "--checks", "off", "--threads", "2", "--schedule", "random:3", built["good"]).returncode == 0


def findings_and_their_twin() -> None:
    done = sandbox.skv("verify", built["flush"])
    assert done.returncode == 1 and "error H11" in done.stdout and "verdict: findings" in done.stdout
    assert "silent un-fused" in done.stdout and "forgotten_flush.c:" in done.stdout
    assert "    why silent: The end of every kernel cleans the whole data cache.\n" in done.stdout, done.stdout
    repaired = sandbox.compile("repaired", "-DREPAIRED", SOURCE / "examples" / "forgotten_flush.c")
    assert sandbox.skv("verify", repaired).returncode == 0
    assert sandbox.skv("run", built["flush"]).returncode == 0  # alone it is right


def what_is_not_modelled_is_named() -> None:
    source = sandbox.file("stack.c", HEAD + KERNEL.replace("asc_init();", "asc_init(); (void)asc_get_phy_stack_base();") +
                          "int main(void) {" + SETUP + LAUNCH + "return 0; }\n")
    done = sandbox.skv("verify", sandbox.compile("stack", source))
    assert done.returncode == 3 and "verdict: not-modelled" in done.stdout and "asc_get_phy_stack_base" in done.stdout, done.stdout


CIRCLE = """
  aclrtStream one, two;
  aclrtEvent there, back;
  aclrtCreateStream(&one);
  aclrtCreateStream(&two);
  aclrtCreateEvent(&there);
  aclrtCreateEvent(&back);
  aclskScopeBegin("s", one);
  twice<<<8, 0, one>>>(x);
  aclrtRecordEvent(there, one);
  aclrtStreamWaitEvent(two, there);
  aclrtMemsetAsync(x, 512, 3, 512, two);
  aclrtRecordEvent(back, two);
  aclrtStreamWaitEvent(one, back);
  twice<<<8, 0, one>>>(x);
  aclskScopeEnd("s", one);
  aclrtSynchronizeDevice();
"""


def a_superkernel_runs_beside_the_outside_work_it_waits_for() -> None:
    circle = sandbox.compile("circle", sandbox.file("circle.c", HEAD + KERNEL + "int main(void) {" + SETUP + CIRCLE + "return 0; }\n"))
    done = sandbox.skv("verify", "--modes", "ge", circle)
    assert done.returncode == 0 and re.search(r"^  ge +1 \(1 SK\).*identical", done.stdout, re.M) and "verdict: clean" in done.stdout, done.stdout
    assert sandbox.skv("verify", "--modes", "fused", circle).returncode == 0  # the captured-graph path ends the scope there itself


def arguments_reach_the_program() -> None:
    done = sandbox.skv("verify", "--quiet", built["hello"], "--json", "-q", "a b")
    assert done.returncode == 0 and done.stdout == "--json\n-q\na b\n", done.stdout + done.stderr


def options_behind_the_program_are_noted() -> None:
    done = sandbox.skv("verify", "--quiet", built["hello"], "a", "--random=5")
    assert done.returncode == 0 and done.stdout == "a\n--random=5\n", done.stdout + done.stderr
    assert re.fullmatch(r"skv verify: note: '--random=5' stands behind '.*hello' and is given to it; .*\n", done.stderr), done.stderr
    assert "note: '--ge' stands behind" in sandbox.skv("plan", built["hello"], "--ge").stderr
    for words in (["--quiet", "--", built["hello"], "--random=5"], ["--quiet", built["hello"], "--randomly", "random"]):
        done = sandbox.skv("verify", *words)
        assert done.returncode == 0 and done.stderr == "", (words, done.stderr)


def quiet_prints_nothing() -> None:
    done = sandbox.skv("verify", "-q", built["flush"])
    assert done.returncode == 1 and done.stderr == ""
    assert "verdict" not in done.stdout


def report_prints_the_same_text() -> None:
    for name in ("good", "flush", "exits3"):
        report = sandbox.path / f"{name}.saved"
        done = sandbox.skv("verify", "--json", report, built[name])
        again = sandbox.skv("report", report)
        own_words = re.compile(r"^forgotten_flush: .*\n", re.M)
        assert own_words.sub("", done.stdout) == again.stdout, done.stdout + again.stdout
        assert again.returncode == 0


def progress_only_on_a_terminal() -> None:
    assert "\r" not in sandbox.skv("verify", built["good"]).stderr
    try:
        leader, follower = pty.openpty()
    except OSError as error:
        raise tap.Skip(f"no terminal to be had: {error}") from error
    done = subprocess.run([SKV, "verify", built["good"]], stdout=subprocess.PIPE, stderr=follower, check=False, timeout=120)
    os.close(follower)
    said = os.read(leader, 1 << 16).decode()
    os.close(leader)
    assert done.returncode == 0 and "[1/10] unfused" in said and "[10/10] fused/waves" in said, said
    assert said.endswith("\r\x1b[K"), repr(said)


def modes_and_chips() -> None:
    done = sandbox.skv("verify", "--modes", "fused/reversed", "--soc", "ascend910b3", built["good"])
    rows = re.findall(r"^  (\S+) +\d+ ", done.stdout, re.M)
    assert done.returncode == 0 and rows == ["unfused", "fused/reversed"], done.stdout
    assert "ascend910b3 (20 AIC + 40 AIV)" in done.stdout
    done = sandbox.skv("verify", "--random", "20", built["good"])
    assert "more modes, all identical, without findings" in done.stdout


def environment_of_the_caller() -> None:
    done = sandbox.skv("run", built["good"], env={"SUPERKERNEL_SOC": "ascend9"})
    assert done.returncode != 0 and "no chip profile 'ascend9'" in done.stderr, done.stderr
    done = sandbox.skv("run", "--soc", "ascend910b3", built["good"], env={"SUPERKERNEL_SOC": "ascend9"})
    assert done.returncode == 0, done.stderr


def without_skv_findings_go_to_standard_error() -> None:
    done = sandbox.run(built["good"])
    assert done.returncode == 0 and done.stdout == "" and done.stderr == ""
    left = sandbox.compile("left", sandbox.file("left.c", HEAD + KERNEL.replace("asc_sync();\n}", "asc_sync();\n  asc_sync_notify(PIPE_V, PIPE_MTE3, 1);\n}") +
                                                "int main(void) {" + SETUP + LAUNCH + "return 0; }\n"))
    done = sandbox.run(left)
    assert done.returncode == 0 and done.stdout == "" and "FLAG_UNPAIRED" in done.stderr, done.stderr


def plan_lists_what_is_fused() -> None:
    done = sandbox.skv("plan", built["good"])
    assert done.returncode == 0 and "twice" in done.stdout
    loop = sandbox.compile("loop", sandbox.file("loop.c", HEAD + KERNEL + "int main(void) {" + SETUP + "for (int i = 0; i < 5; i++) {" + LAUNCH +
                                                "}\n  twice<<<3, 0, NULL>>>(x); return 0; }\n"))
    done = sandbox.skv("plan", loop)
    assert re.findall(r"^segment.*", done.stdout, re.M) == ["segment 1 to 5", "segment 6"], done.stdout
    done = sandbox.skv("plan", built["nothing"])
    assert "nothing to plan" in done.stdout


def traces_and_graphs_that_cannot_be_written() -> None:
    refused(["verify", "--trace", "/no/such/x.json", built["good"]], "--trace '/no/such/x.json'", "No such file")
    refused(["run", "--save-graph", ".", built["good"]], "--save-graph '.' is a directory")
    refused(["run", "--trace", "x.json", built["good"]], "unknown option '--trace'")
    refused(["plan", "--trace", "/no/such/x.json", built["good"]], "--trace")
    dump = sandbox.file("dump.json", "{}")
    refused(["plan", "--trace", "x.json", dump], "--trace needs a program")


def a_trace_shows_both_runs() -> None:
    for verb, path in (("verify", sandbox.path / "verify-trace.json"), ("plan", sandbox.path / "plan-trace.json")):
        done = sandbox.skv(verb, "--trace", path, built["good"])
        assert done.returncode == 0, done.stderr
        trace = json.loads(path.read_text(encoding="utf-8"))
        assert "estimate" in trace["otherData"]["times"]
        heads = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"}
        assert heads == {1: "un-fused (estimate)", 2: "fused (estimate)"}, heads
        spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        plain = [event for event in spans if event["pid"] == 1]
        subs = [event for event in spans if event["pid"] == 2 and event["cat"] == "sub-kernel"]
        assert len(plain) == 16 and {event["name"] for event in plain} == {"twice"}, len(plain)
        assert len(subs) == 16 and {event["args"]["task"] for event in subs} == {0, 1}
        assert all(event["dur"] >= 0 for event in spans)


def a_saved_graph_is_planned_like_the_program() -> None:
    path = sandbox.path / "graph.json"
    assert sandbox.skv("run", "--quiet", "--save-graph", path, built["good"]).returncode == 0
    plan, rest = sandbox.skv("plan", built["good"]).stdout.split("estimate from")  # a graph in a file does not run
    assert sandbox.skv("plan", path).stdout == plan
    assert re.search(r"un-fused 2 launches [0-9.]+ us \([0-9.]+ us of launch gaps\), fused [0-9.]+ us .*, saves [0-9.]+ us", rest), rest
    assert "not a measurement" in rest and "launch gap" in rest and ": estimate)" in rest
    several = sandbox.compile("several", sandbox.file("several.c", HEAD + KERNEL + "int main(void) {" + SETUP + LAUNCH + LAUNCH +
                                                      "  twice<<<4, 0, NULL>>>(x);\n  aclrtSynchronizeDevice();\nreturn 0; }\n"))
    assert sandbox.skv("run", "--quiet", "--save-graph", "many.graph.json", several).returncode == 0
    left = sorted(name.name for name in sandbox.path.glob("many.graph*"))
    assert left == ["many.graph-1.json", "many.graph-3.json"], left  # the second says what the first said
    assert "x 4" in sandbox.skv("plan", "many.graph-3.json").stdout


PBTXT = """
node {
    name: "x"
    op: "Data"
}
node {
    name: "MatMul"
    op: "MatMul"
    input: "x:0"
    attr {
        key: "_super_kernel_scope"
        value {
            s: 's: "sp1"\\n'
        }
    }
}
node {
    name: "Relu"
    op: "Relu"
    input: "MatMul:0"
}
"""


def graph_texts_that_cannot_be_planned() -> None:
    path = sandbox.file("bad.pbtxt", PBTXT.replace('"MatMul:0"', '"MatMul_7:0"'))
    refused(["plan", path], "bad.pbtxt", "line 20, column 12", "'MatMul_7', which is no node")
    path = sandbox.file("cut.pbtxt", PBTXT[:-40])
    refused(["plan", path], "cut.pbtxt", "ends inside")
    path = sandbox.file("good.pbtxt", PBTXT)
    refused(["plan", "--options", "early_start=0", path], "--options", "early-start")
    refused(["plan", "--kernels", '{"MatMul": {"typ": 1}}', path], "skv plan: --kernels: MatMul: unknown field 'typ'; did you mean type")
    refused(["plan", "--kernels", '{"NoSuchOperator": {"typ": 1}}', path], "--kernels: NoSuchOperator: unknown field 'typ'")
    refused(["plan", "--kernels", '{"MatMul": 3}', path], "--kernels: MatMul")
    refused(["plan", "--kernels", "/no/such/file", path], "--kernels")
    refused(["plan", "--kernels", str(sandbox.path), path], "skv plan: --kernels ", " is a directory; legal: a file")
    refused(["plan", "--check", str(sandbox.path)], "skv plan: --check ", " is a directory; legal: a file")
    refused(["plan", "--check", "/dev/null"], "skv plan: --check '/dev/null' holds no recorded decisions")
    refused(["plan", "--options", str(sandbox.path), built["good"]], "skv plan: --options ", " is a directory; legal: a file")
    refused(["report", str(sandbox.path)], "skv report: ", " is a directory; legal: a file")
    refused(["plan", "--kernels", "{}", built["good"]], "--kernels needs the text of a GE graph")
    refused(["plan", "--trace", "x.json", path], "--trace needs a program")
    refused(["plan", "--format"], "option '--format' needs a value")
    refused(["plan", "--optoins", "x", path], "did you mean '--options'?")
    abort = sandbox.file("abort.pbtxt", PBTXT)
    refused(["plan", "--options", "debug-aic-num=99", "--kernels", '{"MatMul": {"type": "AIC_ONLY", "blocks": 4}}', abort], "cannot be optimised", "debug-aic-num", code=1)


def dump(*streams: list[dict]) -> str:
    return json.dumps({"streams": [{"streamIdxInGraph": i, "nodes": nodes} for i, nodes in enumerate(streams)]})


def kernel(number: int) -> dict:
    return {"nodeId": number, "nodeType": "KERNEL", "taskInfo": [{"kernelParams": {"funcName": f"k{number}", "numBlocks": 8, "kernelTypeInt": 2}}]}


def event(number: int, kind: str, identity: int) -> dict:
    return {"nodeId": number, "nodeType": kind, "taskInfo": [{"eventParams": {"eventId": identity, "eventFlag": 0}}]}


def graph_dumps_that_cannot_be_planned() -> None:
    circle = sandbox.file("circle.json", dump([event(1, "WAIT", 5), event(2, "NOTIFY", 6)], [event(3, "WAIT", 6), event(4, "NOTIFY", 5)]))
    refused(["plan", circle], "circle.json", "node 1, number 0 of stream 0", "in a circle")
    refused(["plan", "--ge", circle], "in a circle")
    twice = sandbox.file("twice.json", dump([kernel(1), kernel(4)], [kernel(4)]))
    refused(["plan", twice], "two nodes have the id 4: number 1 of stream 0 and number 0 of stream 1", code=1)
    cut = sandbox.file("cut.json", dump([kernel(1)])[:-20])
    refused(["plan", cut], "cut.json", "line 1, column")
    bad = sandbox.path / "bad.json"
    bad.write_bytes(dump([kernel(1)]).replace("k1", "k\x00").encode().replace(b"k\x00", b"k\xff"))
    refused(["plan", bad], "bad.json", "line 1, column")
    refused(["plan", sandbox.file("deep.json", "[" * 100000)], "deep.json", "line 1")
    refused(["plan", "--options", '{"super_kernel_optimize_options": {"early_start": "1"}}', twice], "early_start: not an integer")


def graph_texts_are_planned() -> None:
    path = sandbox.file("good.pbtxt", PBTXT)
    done = sandbox.skv("plan", path)
    assert done.returncode == 0 and "sk_sp1_start_MatMul_end_MatMul" in done.stdout and "Relu (node 2): NOT_IN_SCOPE" in done.stdout, done.stdout
    done = sandbox.skv("plan", "--options", "split-mode=1", "--kernels", '{"MatMul": {"type": "AIC_ONLY", "blocks": 20}}', path)
    assert "MIX_AIC_1_0, 20 blocks" in done.stdout and "option split-mode=1: 1 copies" in done.stdout, done.stdout
    assert "warning" not in done.stdout, done.stdout
    stranger = '{"MatMull": {"type": "AIC_ONLY", "blocks": 20}}'
    done = sandbox.skv("plan", "--kernels", stranger, path)
    assert "warning: kernels: 'MatMull' is no operator of this graph" in done.stdout and "did you mean 'MatMul'?" in done.stdout, done.stdout
    assert "the types are: MatMul, Relu" in done.stdout and done.returncode == 0, done.stdout
    assert "MatMull" in json.loads(sandbox.skv("plan", "--format", "json", "--kernels", stranger, path).stdout)["warnings"][0]
    assert json.loads(sandbox.skv("plan", "--format", "json", path).stdout)["path"] == "ge"
    assert sandbox.skv("plan", "--format", "dot", path).stdout.startswith("digraph plan {")


def programs_are_planned_with_options() -> None:
    options = '{"super_kernel_debug_options": {"debug_sync_all": 1}}'
    done = sandbox.skv("plan", "--options", options, built["good"])
    assert done.returncode == 0 and " ALL" in done.stdout, done.stdout
    refused(["plan", "--options", '{"super_kernel_debug_options": {"debug_sync_al": 1}}', built["good"]], "debug_sync_all")
    refused(["plan", "--options", "nowhere.json", built["flush"]], "--options 'nowhere.json' cannot be read")  # and the program is not run
    refused(["plan", "--ge", "--options", "early=1", built["flush"]], "early: unknown key")
    refused(["plan", "--options", "early-start=1", built["flush"]], "legal: JSON", "key=value is for --ge")
    assert sandbox.skv("plan", "--format", "dot", built["good"]).stdout.startswith("digraph plan {")
    done = sandbox.skv("plan", "--ge", built["good"])
    assert done.returncode == 0 and "twice (node 1): NOT_IN_SCOPE" in done.stdout, done.stdout
    scoped = sandbox.compile("scoped", sandbox.file("scoped.c", HEAD + KERNEL + "int main(void) {" + SETUP + 'aclskScopeBegin("s", NULL);' + LAUNCH.replace(
        "  aclrtSynchronizeDevice();\n", '  aclskScopeEnd("s", NULL);\n  aclrtSynchronizeDevice();\n') + "return 0; }\n"))
    done = sandbox.skv("plan", "--ge", "--options", "early-start=0", scoped)
    assert "sk_s_start_twice_end_twice" in done.stdout and "option early-start=0: a full barrier" in done.stdout, done.stdout
    done = sandbox.skv("verify", "--modes", "ge", scoped)
    assert done.returncode == 0 and re.search(r"^  ge +1 \(1 SK\)", done.stdout, re.M), done.stdout


def facts() -> None:
    assert re.match(r"superkernel \d+\.\d+\.\d+\n$", sandbox.skv("version").stdout)
    assert sandbox.skv("--version").stdout == sandbox.skv("version").stdout
    assert "ascend910b3" in sandbox.skv("soc").stdout
    assert "npu_dynamic_quant" in sandbox.skv("ops", "DynamicQuant").stdout
    lower = sandbox.skv("explain", "h7")
    assert lower.returncode == 0 and lower.stdout == sandbox.skv("explain", "H7").stdout and "remedy" in lower.stdout


def every_id_is_explained() -> None:
    listed = re.findall(r"^  ([A-Z][A-Z0-9_]+) ", sandbox.skv("explain", "--help").stdout, re.M)
    assert len(listed) > 60 and {"H1", "H45", "SYNC_GM", "NOT_MODELLED"} <= set(listed)
    for finding_id in listed:
        text = sandbox.skv("explain", finding_id).stdout
        for part in ("cause", "symptom on hardware", "how it is detected", "remedy"):
            assert f"\n{part}\n  " in text, (finding_id, part)
        silent = finding_id[0] == "H" and finding_id[1:].isdigit()
        assert ("\nwhy it is silent un-fused\n  " in text) == silent, finding_id


def every_verb_has_help_with_an_example() -> None:
    for verb in ("verify", "run", "plan", "report", "soc", "ops", "explain", "version"):
        done = sandbox.skv(verb, "--help")
        assert sandbox.skv(verb, "-h").stdout == done.stdout
        assert done.returncode == 0 and done.stderr == "" and f"usage: skv {verb}" in done.stdout and "example" in done.stdout, verb
    assert "exit codes:" in sandbox.skv("--help").stdout
    assert re.search(r"^  early-start +0\|1\|2 .*\(default 1\)$", sandbox.skv("plan", "--help").stdout, re.M)


def schema_keys(value, path: str = "") -> set[str]:
    """Paths of all keys, arrays as []."""
    if isinstance(value, dict):
        return {key for name, inner in value.items() for key in {f"{path}.{name}"} | schema_keys(inner, f"{path}.{name}")}
    if isinstance(value, list):
        return {key for inner in value for key in schema_keys(inner, path + "[]")}
    return set()


# Keys of the document's example that the programs here do not bring about.
RARE = {".failure", ".modes[].why", ".findings[].ends[].sub_block", ".findings[].suppressed"}


def documented_keys_exist_and_others_do_not() -> None:
    text = (SOURCE / "docs" / "json-schema.md").read_text(encoding="utf-8")
    documented = schema_keys(json.loads(re.search(r"```json\n(.*?)```", text, re.S)[1]))
    written: set[str] = set()
    left = sandbox.verify(built["flush"])
    sync = sandbox.compile("sync", sandbox.file("sync.c", HEAD + KERNEL.replace("__vector__", "__mix__(0, 1)").replace(
        "asc_init();", "asc_init(); asc_sync_inter_arrive(PIPE_MTE3, 3); asc_sync_inter_wait(PIPE_MTE3, 3);") +
        "int main(void) {" + SETUP + LAUNCH + "return 0; }\n"))
    for report in (left, sandbox.verify(built["exits3"]), sandbox.verify(sync)):
        written |= {key for key in schema_keys(report) if not key.startswith(".plans[].") or key.startswith(".plans[].superkernels")}
    written |= {".plans[].segment", ".plans[].segments", ".plans[].listing", ".plans[].launched_alone"}
    documented = {key for key in documented if not key.startswith(".suppressions")}  # see test_forms.py
    assert documented - written - RARE == set(), sorted(documented - written - RARE)
    assert written - documented == set(), sorted(written - documented)
    assert left["schema"] == "superkernel.verify/1" and "H11" in ids(left)
    plan = left["plans"][0]
    assert isinstance(plan["listing"], str) and plan["launched_alone"] == [] and plan["segment"] == 1 and plan["segments"] == 1


def documented_verdicts_are_all_there() -> None:
    text = (SOURCE / "docs" / "json-schema.md").read_text(encoding="utf-8")
    header = (SOURCE / "src" / "verify" / "verify.h").read_text(encoding="utf-8")
    listed = dict(re.findall(r"X\([A-Z_]+, \"([a-z-]+)\", (\d)\)", re.search(r"#define SK__VERDICT_LIST.*?\ntypedef", header, re.S)[0]))
    told = dict(re.findall(r"^\| `([a-z-]+)` \| (\d) \|", text, re.M))
    assert listed == told, (listed, told)


def scripts_without_front_ends_are_told_what_to_do() -> None:
    alone = sandbox.path / "alone"
    alone.mkdir()
    shutil.copy(SKV, alone / "skv")
    (alone / "superkernel").mkdir()  # a folder of that name is no package
    (alone / "x.py").write_text("print('ran')\n", encoding="utf-8")
    for verb in ("run", "verify"):
        done = subprocess.run([alone / "skv", verb, "x.py"], cwd=alone, env={**os.environ, "SKV_PYTHON": sys.executable}, capture_output=True,
                              text=True, check=False)
        told = f"skv {verb}: the PyTorch front ends are not built here and {sys.executable} has no package superkernel; build them with"
        assert done.returncode == 2 and done.stderr.startswith(told) and done.stderr.count("\n") == 1 and not done.stdout, done
    # Its twin: an interpreter that has the package runs it.
    package = alone / "superkernel"
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "__main__.py").write_text("import runpy, sys\nrunpy.run_path(sys.argv[1])\n", encoding="utf-8")
    done = subprocess.run([alone / "skv", "run", "x.py"], cwd=alone, env={**os.environ, "SKV_PYTHON": sys.executable}, capture_output=True,
                          text=True, check=False)
    assert done.stdout == "ran\n" and "left no report" in done.stderr and "does it import torch_npu" in done.stderr, done


TESTS = [no_verb, unknown_verbs, cc_is_the_compiler, unknown_options, scripts_without_front_ends_are_told_what_to_do, options_without_a_value, no_program, files_that_are_no_programs, values_out_of_range,
         reports_that_cannot_be_written, a_full_disk, a_report_replaces_the_old_one_whole, verbs_that_tell_are_checked,
         programs_that_prove_nothing, programs_that_fail, an_interrupted_program, programs_that_change_their_process,
         clean_programs, findings_and_their_twin,
         what_is_not_modelled_is_named, a_superkernel_runs_beside_the_outside_work_it_waits_for, arguments_reach_the_program,
         options_behind_the_program_are_noted, quiet_prints_nothing, report_prints_the_same_text,
         progress_only_on_a_terminal, modes_and_chips, environment_of_the_caller, without_skv_findings_go_to_standard_error,
         plan_lists_what_is_fused, traces_and_graphs_that_cannot_be_written, a_trace_shows_both_runs,
         a_saved_graph_is_planned_like_the_program, graph_texts_that_cannot_be_planned,
         graph_dumps_that_cannot_be_planned, graph_texts_are_planned,
         programs_are_planned_with_options, facts, every_id_is_explained, every_verb_has_help_with_an_example, documented_keys_exist_and_others_do_not,
         documented_verdicts_are_all_there]


def main() -> int:
    try:
        build_programs()
        return tap.run(TESTS)
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
