"""The other forms of a report - SARIF, JUnit, suppressed findings, source lines, examples: misuse first."""
import json
import os
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path
from urllib.parse import unquote

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs")]
import tap  # noqa: E402
from programs import SOURCE, Sandbox  # noqa: E402

sandbox = Sandbox()
built: dict[str, Path] = {}

# One kernel forgets a flag (SYNC_LOCAL, an error though the results are right); its neighbour is right.
LEFT = """
#include "acl/acl.h"
#include "c_api/asc_simd.h"
__global__ __vector__ void left(__gm__ int32_t *x) {
  __ubuf__ int32_t a[16];
  asc_init();
  asc_copy_gm2ub(a, x, sizeof a);
  asc_copy_ub2gm(x + 64, a, sizeof a);
  asc_sync();
}
__global__ __vector__ void right(__gm__ int32_t *x) {
  __ubuf__ int32_t a[16];
  asc_init();
  asc_copy_gm2ub(a, x, sizeof a);
  asc_sync();
}
int main(void) {
  int32_t *x = NULL;
  aclInit(NULL);
  aclrtSetDevice(0);
  aclrtMalloc((void **)&x, 512, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(x, 512, 1, 512);
#ifndef NOTHING
  left<<<1, 0, NULL>>>(x);
  right<<<1, 0, NULL>>>(x);
#endif
  aclrtSynchronizeDevice();
  return RESULT;
}
"""


def build_programs() -> None:
    source = sandbox.file("left & right.c", LEFT)
    built["left"] = sandbox.compile("left", "-DRESULT=0", source)
    built["left3"] = sandbox.compile("left3", "-DRESULT=3", source)
    built["nothing"] = sandbox.compile("nothing", "-DRESULT=0", "-DNOTHING", source)
    built["flush"] = sandbox.compile("flush", SOURCE / "examples" / "forgotten_flush.c")
    built["good"] = sandbox.compile("good", "-DREPAIRED", SOURCE / "examples" / "forgotten_flush.c")


def refused(words, *parts: str, code: int = 2) -> None:
    """Exit code, nothing on standard output, one line on standard error that holds the parts."""
    done = sandbox.skv(*words)
    assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
    assert done.stdout == "", done.stdout
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0], f"no '{part}' in: {lines[0]}"


def forms(program: Path, *words: object):
    """Document, SARIF log, JUnit root and the finished process of one verification."""
    paths = [sandbox.path / name for name in ("form.json", "form.sarif", "form.xml")]
    for path in paths:
        path.unlink(missing_ok=True)
    done = sandbox.skv("verify", "--json", paths[0], "--sarif", paths[1], "--junit", paths[2], *words, program)
    document, log = (json.loads(path.read_text(encoding="utf-8")) for path in paths[:2])
    return document, log, xml.parse(paths[2]).getroot(), done


# ---- SARIF 2.1.0, the part of it that is written: type -> (required keys, key -> type of its value or of its items) ----

SARIF = {
    "log": ({"version", "runs"}, {"$schema": str, "version": str, "runs": ["run"]}),
    "run": ({"tool"}, {"tool": "tool", "invocations": ["invocation"], "results": ["result"], "columnKind": str, "properties": dict}),
    "tool": ({"driver"}, {"driver": "component"}),
    "component": ({"name"}, {"name": str, "version": str, "semanticVersion": str, "rules": ["rule"]}),
    "rule": ({"id"}, {"id": str, "shortDescription": "multiformat", "fullDescription": "multiformat", "help": "multiformat",
                      "properties": dict}),
    "multiformat": ({"text"}, {"text": str, "markdown": str}),
    "message": ({"text"}, {"text": str}),
    "invocation": ({"executionSuccessful"}, {"executionSuccessful": bool, "exitCode": int, "exitCodeDescription": str,
                                             "toolExecutionNotifications": ["notification"]}),
    "notification": ({"message"}, {"message": "message", "level": str}),
    "result": ({"message"}, {"message": "message", "ruleId": str, "ruleIndex": int, "level": str, "locations": ["location"],
                             "codeFlows": ["codeFlow"], "relatedLocations": ["location"], "partialFingerprints": dict,
                             "occurrenceCount": int, "suppressions": ["suppression"], "properties": dict}),
    "suppression": ({"kind"}, {"kind": str, "status": str, "justification": str}),
    "codeFlow": ({"threadFlows"}, {"threadFlows": ["threadFlow"]}),
    "threadFlow": ({"locations"}, {"locations": ["step"]}),
    "step": (set(), {"location": "location", "importance": str}),
    "location": (set(), {"id": int, "message": "message", "physicalLocation": "physical", "logicalLocations": ["logical"]}),
    "logical": (set(), {"name": str, "kind": str}),
    "physical": ({"artifactLocation"}, {"artifactLocation": "artifact", "region": "region"}),
    "artifact": ({"uri"}, {"uri": str, "uriBaseId": str}),
    "region": ({"startLine"}, {"startLine": int, "snippet": "message"}),
}
LEVELS = {"none", "note", "warning", "error"}


def check_sarif(value, kind, where: str = "log") -> None:
    """Types, required keys, no others; the values that the standard restricts."""
    if isinstance(kind, type):
        assert type(value) is kind, f"{where} is {value!r}"
        return
    if isinstance(kind, list):
        assert isinstance(value, list), where
        for index, item in enumerate(value):
            check_sarif(item, kind[0], f"{where}[{index}]")
        return
    required, keys = SARIF[kind]
    assert isinstance(value, dict) and required <= set(value) <= set(keys), f"{where}: {set(value)}"
    for key, item in value.items():
        check_sarif(item, keys[key], f"{where}.{key}")
    if kind == "log":
        assert value["version"] == "2.1.0"
    if "level" in value:
        assert value["level"] in LEVELS, where
    if kind in ("codeFlow", "threadFlow"):
        assert all(value.values()), f"{where} is empty"
    if kind == "region":
        assert value["startLine"] >= 1
    if kind == "artifact":
        assert re.fullmatch(r"(file:///)?[A-Za-z0-9/._~+%-]+", value["uri"]), value["uri"]
        assert value["uri"].startswith("file:///") != ("uriBaseId" in value)


def check_rules(log: dict) -> None:
    """Every result points at the rule of its id; no rule is unused or there twice."""
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    assert sorted(rules) == sorted({result["ruleId"] for result in run["results"]})


# ---- misuse ----

def forms_that_cannot_be_written() -> None:
    for option in ("--sarif", "--junit", "--suppress"):
        refused(["verify", option], f"option '{option}' needs a value")
    for option in ("--sarif", "--junit"):
        refused(["verify", option, sandbox.path / "no" / "r", built["good"]], option, "No such file")
        refused(["run", option, sandbox.path, built["good"]], option, "is a directory")
        refused(["verify", "--quiet", option, "/dev/full", built["left"]], f"{option} '/dev/full'", "No space left", code=4)
    refused(["verify", "--json", "same", "--junit", "same", built["good"]], "--json and --junit name the same file 'same'")
    refused(["verify", "--sarrif", "x", built["good"]], "did you mean '--sarif'")


def reports_that_cannot_be_converted() -> None:
    target = sandbox.path / "never"
    refused(["report", "--sarif"], "option '--sarif' needs a value")
    refused(["report", "--sarif", target], "takes one file")
    refused(["report", "--json", target, "x"], "unknown option '--json'", "legal: --sarif, --junit, --no-source")
    for option in ("--sarif", "--junit"):
        refused(["report", option, target, sandbox.file("other.json", '{"schema": "other/1"}')], "no report", "superkernel.verify/1")
        refused(["report", option, target, sandbox.file("broken.json", "[")], "broken.json", "line 1")
    assert not target.exists()


def suppressions_that_are_no_rules() -> None:
    def rule(text: str, *parts: str) -> None:
        refused(["verify", "--suppress", sandbox.file("rules", text), built["flush"]], "--suppress", "rules", *parts)
    rule("H11\n", "line 1: no reason is given: 'H11'", "legal: ID [kernel-pattern] [file-pattern] # reason")
    rule("# fine\n\nH11 produce #  \n", "line 3: no reason is given: 'H11 produce'")
    rule("H7 # yes\nH111 # why\n", "line 2: no id 'H111' (did you mean 'H11'?)")
    rule("xyzzyplugh # why\n", "line 1: no id 'xyzzyplugh'; skv explain --help")
    rule("H11 a b c # why\n", "line 1: 4 words before the '#', at most 3: 'H11 a b c'")
    rule("NOT_MODELLED # why\n", "line 1: 'NOT_MODELLED' cannot be suppressed")
    rule("internal # why\n", "line 1: 'INTERNAL' cannot be suppressed")
    binary = sandbox.path / "binary"
    for content in (b"H11 # a\0b\n", b"H11 \xff # a\n", b"H11 # \xff\n"):
        binary.write_bytes(content)
        refused(["verify", "--suppress", binary, built["flush"]], "--suppress", "not ")
    refused(["verify", "--suppress", "no/such/file", built["flush"]], "--suppress 'no/such/file': No such file")
    refused(["run", "--suppress", sandbox.path, built["flush"]], "--suppress", "Is a directory")


# ---- SARIF ----

def sarif_of_a_finding() -> None:
    document, log, _, done = forms(built["flush"])
    check_sarif(log, "log")
    check_rules(log)
    run, finding = log["runs"][0], document["findings"][0]
    invocation, result = run["invocations"][0], run["results"][0]
    assert invocation["exitCode"] == done.returncode == 1 and invocation["executionSuccessful"] is True
    assert len(run["results"]) == len(document["findings"]) == 1 and result["ruleId"] == "H11" and result["level"] == "error"
    told = f"{finding['message']}\nSilent un-fused: {finding['silent_unfused']}\nRemedy: {finding['remedy']}\n"
    assert result["message"]["text"].startswith(told + "diagnosis in mode no-flush: smallest failing scope: "), result["message"]
    assert "goes away with dcci after operator " in result["message"]["text"]
    assert result["properties"]["diagnosis"] == finding["diagnosis"]
    steps = [step["location"] for step in result["codeFlows"][0]["threadFlows"][0]["locations"]]
    assert result["locations"] == steps[:1] and len(steps) == 2
    for step, end in zip(steps, finding["ends"]):
        place = step["physicalLocation"]
        assert place["region"]["startLine"] == end["line"] and place["region"]["snippet"]["text"] == end["code"]
        assert unquote(place["artifactLocation"]["uri"].removeprefix("file://")) == end["file"]
        assert step["message"]["text"].startswith(f"{end['role']}: {end['kernel']} ")
    explained = " ".join(sandbox.skv("explain", "H11").stdout.split())
    for sentence in re.split(r"\n\n", run["tool"]["driver"]["rules"][0]["help"]["text"]):
        assert sentence.split(": ", 1)[1] in explained, sentence
    assert any("no-flush" in note["message"]["text"] for note in invocation["toolExecutionNotifications"])


def sarif_of_clean_and_failed_programs() -> None:
    _, log, _, done = forms(built["good"])
    check_sarif(log, "log")
    assert done.returncode == 0 and log["runs"][0]["results"] == [] and log["runs"][0]["tool"]["driver"]["rules"] == []
    assert log["runs"][0]["invocations"][0]["exitCode"] == 0
    _, log, _, done = forms(built["nothing"])
    check_sarif(log, "log")
    assert done.returncode == 2 and log["runs"][0]["invocations"][0]["executionSuccessful"] is False
    _, log, _, done = forms(built["left3"])
    assert any("exit code 3" in note["message"]["text"] for note in log["runs"][0]["invocations"][0]["toolExecutionNotifications"])


def sarif_files_below_the_directory_are_relative() -> None:
    _, log, _, _ = forms(built["left"])
    check_sarif(log, "log")
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "left%20%26%20right.c", "uriBaseId": "SRCROOT"}, place


def sarif_fingerprints_stay_when_lines_move() -> None:
    _, before, _, _ = forms(built["left"])
    moved = sandbox.file("left & right.c", "\n\n\n" + LEFT)
    _, after, _, _ = forms(sandbox.compile("moved", "-DRESULT=0", moved))
    prints = [[result["partialFingerprints"] for result in log["runs"][0]["results"]] for log in (before, after)]
    lines = [log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] for log in (before, after)]
    assert prints[0] == prints[1] and lines[1] == lines[0] + 3, (prints, lines)
    sandbox.file("left & right.c", LEFT)


def ends(count: int, place: bool) -> list[dict]:
    """Ends of a document made by hand."""
    where = {"file": "/a b/k:1.c", "line": 7, "function": "f"} if place else {}
    return [{"role": "waits", "kernel": f"k{number}", "core": number, "core_type": "AIV", **where} for number in range(count)]


def saved(findings: list[dict], **more) -> Path:
    """A report made by hand, saved."""
    mode = {"name": "unfused", "fused": False, "launches": 1, "superkernels": 0, "cores": {"aic": 0, "aiv": 1}, "result": "reference",
            "seconds": 0.5, "estimated_cycles": 1, "findings": 0, "differences": []}
    document = {"schema": "superkernel.verify/1", "verdict": "findings", "program": "./p", "soc": {"name": "s", "aic": 1, "aiv": 2},
                "seconds": 1.0, "segments": 1, "modes": [mode], "findings": findings, **more}
    return sandbox.file("saved.json", json.dumps(document))


def finding(finding_id: str, severity: str, its_ends: list[dict], **more) -> dict:
    return {"id": finding_id, "category": "operator", "severity": severity, "message": "m", "remedy": "r", "count": 1, "unfused": True,
            "fused": False, "modes": ["unfused"], "ends": its_ends, **more}


def sarif_levels_and_further_ends() -> None:
    path = saved([finding("DEADLOCK", "error", ends(4, True)), finding("H5", "warning", ends(1, False)), finding("H5", "info", []),
                  finding("H5", "info", []), finding("OLDER_ID", "info", ends(2, False))])
    target = sandbox.path / "by_hand.sarif"
    done = sandbox.skv("report", "--sarif", target, path)
    assert done.returncode == 0 and done.stdout == "", done.stderr
    log = json.loads(target.read_text(encoding="utf-8"))
    check_sarif(log, "log")
    check_rules(log)
    results = log["runs"][0]["results"]
    assert [result["level"] for result in results] == ["error", "warning", "note", "note", "note"]
    assert [location["id"] for location in results[0]["relatedLocations"]] == [2, 3]
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///a%20b/k%3A1.c"}
    assert "physicalLocation" not in results[1]["locations"][0] and "codeFlows" not in results[1]
    assert results[2]["locations"] == [] and len(results[4]["codeFlows"][0]["threadFlows"][0]["locations"]) == 2
    prints = [result["partialFingerprints"]["superkernelCause/v1"] for result in results]
    assert len(set(prints)) == len(prints), prints
    assert log["runs"][0]["invocations"][0]["exitCode"] == 1


# ---- JUnit ----

def check_totals(root: xml.Element) -> None:
    """The counts are those of the elements."""
    assert root.tag == "testsuites" and [suite.tag for suite in root] == ["testsuite"]
    cases = root.findall("./testsuite/testcase")
    for holder in (root, root[0]):
        assert int(holder.get("tests")) == len(cases)
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(holder.get(name)) == sum(case.find(tag) is not None for case in cases), name
    assert all(case.get("name") and case.get("classname") and float(case.get("time")) >= 0 for case in cases)


def junit_of_a_finding() -> None:
    document, _, root, done = forms(built["flush"])
    check_totals(root)
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert list(cases) == [mode["name"] for mode in document["modes"]]
    assert [name for name, case in cases.items() if len(case)] == ["no-flush"]
    failure = cases["no-flush"].find("failure")
    assert failure.get("message") == "H11" and failure.get("type") == "findings"
    told = failure.text
    assert "8 of 128 elements differ" in told and "forgotten_flush.c:" in told and "| partial[" in told and "remedy: " in told
    block = done.stdout[done.stdout.index("  error H11"):done.stdout.index("\nverdict")]
    assert block.strip() in told


def junit_of_other_ends() -> None:
    _, _, root, _ = forms(built["good"])
    check_totals(root)
    assert root.get("failures") == root.get("errors") == "0"
    _, _, root, _ = forms(built["nothing"])
    check_totals(root)
    assert root.get("errors") == "1" and root.find(".//testcase[@name='program']/error").get("message") == "nothing-launched"
    _, _, root, _ = forms(built["left3"])
    check_totals(root)
    assert "exit code 3" in root.find(".//testcase[@name='program']/failure").get("message")


def junit_from_a_saved_report() -> None:
    odd = "a < b & \"c\"\u0001\ufffe > é"
    mode = {"name": "fused", "fused": True, "cores": {}, "result": "failed", "why": odd, "seconds": 0.25, "differences": []}
    path = saved([finding("H5", "warning", [], message=odd), finding("NOT_MODELLED", "error", [], category="not modelled")])
    document = json.loads(path.read_text(encoding="utf-8"))
    document["modes"] += [mode, {**mode, "name": "per-op", "result": "nothing-fused", "why": ""}]
    path.write_text(json.dumps(document), encoding="utf-8")
    target = sandbox.path / "by_hand.xml"
    assert sandbox.skv("report", "--junit", target, path).returncode == 0
    root = xml.parse(target).getroot()
    check_totals(root)
    cases = {case.get("name"): case for case in root.iter("testcase")}
    shown = 'a < b & "c"?? > é'
    assert cases["unfused"].find("error").get("message") == "NOT_MODELLED" and shown in cases["unfused"].find("system-out").text
    assert shown in cases["fused"].find("failure").text and cases["per-op"].find("skipped") is not None


def saved_reports_give_the_same_forms() -> None:
    forms(built["flush"])
    again = [sandbox.path / name for name in ("again.sarif", "again.xml")]
    done = sandbox.skv("report", "--sarif", again[0], "--junit", again[1], sandbox.path / "form.json")
    assert done.returncode == 0 and done.stdout == done.stderr == ""
    assert again[0].read_bytes() == (sandbox.path / "form.sarif").read_bytes()
    assert again[1].read_bytes() == (sandbox.path / "form.xml").read_bytes()


# ---- suppressions ----

def suppressed(program: Path, rules: str):
    return forms(program, "--suppress", sandbox.file("known.txt", rules))


def suppressed_findings_do_not_count() -> None:
    assert sandbox.skv("verify", built["left"]).returncode == 1
    document, log, root, done = suppressed(built["left"], "# known\n\nsync_local  left left*.c  # waits # for v2\n")
    assert done.returncode == 0 and document["verdict"] == "clean", done.stdout
    assert [item["suppressed"] for item in document["findings"]] == ["waits # for v2"]
    assert document["suppressions"] == {"file": str(sandbox.path / "known.txt"), "findings": 1, "unused": []}
    assert "suppressed error SYNC_LOCAL" in done.stdout and "    suppressed: waits # for v2\n" in done.stdout
    assert done.stdout.endswith("\nverdict: clean (1 finding suppressed)\n"), done.stdout
    check_sarif(log, "log")
    assert log["runs"][0]["results"][0]["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "waits # for v2"}]
    check_totals(root)
    assert root.get("failures") == "0" and "suppressed: waits" in root.find(".//system-out").text
    assert sandbox.skv("report", sandbox.path / "form.json").stdout == done.stdout


def rules_that_match_nothing_are_told() -> None:
    for rule in ("H7", "SYNC_LOCAL right", "SYNC_LOCAL left other.c", "SYNC_LOCAL * no/left*.c", "SYNC_LOCAL lef"):
        document, log, _, done = suppressed(built["left"], f"\n{rule} # old\n")
        assert done.returncode == 1 and document["verdict"] == "findings" and "suppressed" not in document["findings"][0], rule
        assert document["suppressions"]["unused"] == [{"line": 2, "rule": rule, "reason": "old"}]
        assert f"  warning: {document['suppressions']['file']} line 2 suppresses nothing: {rule} # old\n" in done.stdout
        check_sarif(log, "log")
        assert log["runs"][0]["results"][0]["suppressions"] == []
        assert any(note["level"] == "warning" for note in log["runs"][0]["invocations"][0]["toolExecutionNotifications"])


def patterns() -> None:
    for rule in ("SYNC_LOCAL", "SYNC_LOCAL *", "SYNC_LOCAL l?ft", "SYNC_LOCAL [kl]eft *.c"):
        document, _, _, done = suppressed(built["left"], f"{rule} # known\nSYNC_LOCAL * # both are used\n")
        assert done.returncode == 0 and document["findings"][0]["suppressed"] == "known", rule
        assert document["suppressions"]["unused"] == [], rule
    for rule, used in (("H11 * examples/forgotten_*.c", True), ("H11 prod* /*/forgotten_flush.c", True), ("H11 * xamples/*", False)):
        document, *_ = suppressed(built["flush"], f"{rule} # known\n")
        assert ("suppressed" in document["findings"][0]) == used, rule


def what_is_no_finding_is_not_suppressed() -> None:
    document, _, root, done = suppressed(built["flush"], "H11 # known\n")
    assert done.returncode == 1 and document["verdict"] == "mismatch" and document["findings"][0]["suppressed"] == "known"
    assert root.find(".//failure").get("type") == "different"
    document, _, _, done = suppressed(built["left3"], "SYNC_LOCAL # known\n")
    assert done.returncode == 1 and document["verdict"] == "program-failed"


def suppressions_of_a_plain_run() -> None:
    rules = sandbox.file("known.txt", "SYNC_LOCAL # known\n")
    assert sandbox.skv("run", built["left"]).returncode == 1
    done = sandbox.skv("run", "--suppress", rules, built["left"])
    assert done.returncode == 0 and "(1 finding suppressed)" in done.stdout, done.stdout


def documented_keys_of_suppressions() -> None:
    text = (SOURCE / "docs" / "json-schema.md").read_text(encoding="utf-8")
    example = json.loads(re.search(r"```json\n(.*?)```", text, re.S)[1])
    document, *_ = suppressed(built["left"], "SYNC_LOCAL # known\nH7 # old\n")
    assert set(example["suppressions"]) == set(document["suppressions"])
    assert set(example["suppressions"]["unused"][0]) == set(document["suppressions"]["unused"][0])
    assert isinstance(document["findings"][0]["suppressed"], type(example["findings"][0]["suppressed"]))
    rules = re.search(r"## Suppressions.*?```text\n(.*?)```", text, re.S)[1]
    assert len(suppressed(built["left"], rules)[0]["suppressions"]["unused"]) == 2


# ---- source lines, examples ----

def source_lines_of_both_ends() -> None:
    done = sandbox.skv("verify", built["flush"])
    shown = re.findall(r"^ {16}\| (.*)", done.stdout, re.M)
    lines = (SOURCE / "examples" / "forgotten_flush.c").read_text(encoding="utf-8").splitlines()
    places = [int(number) for number in re.findall(r"forgotten_flush\.c:(\d+)", done.stdout)]
    assert shown == [lines[number - 1].strip() for number in places] and len(shown) == 2, done.stdout
    report = sandbox.path / "plain.json"
    done = sandbox.skv("verify", "--no-source", "--json", report, built["flush"])
    assert "\n                | " not in done.stdout and '"code"' not in report.read_text(encoding="utf-8")
    sandbox.skv("verify", "--quiet", "--json", report, built["flush"])
    assert "                | " in sandbox.skv("report", report).stdout
    assert "                | " not in sandbox.skv("report", "--no-source", report).stdout


def source_that_is_not_there() -> None:
    source = sandbox.file("gone.c", LEFT)
    program = sandbox.compile("gone", "-DRESULT=0", source)
    source.unlink()
    done = sandbox.skv("verify", program)
    assert done.returncode == 1 and "gone.c:" in done.stdout and "                | " not in done.stdout
    source.write_text("short\n", encoding="utf-8")
    os.utime(source, (1, 1))
    assert "                | " not in sandbox.skv("verify", program).stdout
    source.write_text(LEFT, encoding="utf-8")  # newer than the program: the line may not be the one
    assert "                | " not in sandbox.skv("verify", program).stdout
    os.utime(source, (1, 1))
    assert "                | asc_copy_" in sandbox.skv("verify", program).stdout


def every_program_of_the_suite_is_an_example() -> None:
    for path in sorted((SOURCE / "tests" / "hazards").glob("*.c")):
        title = re.match(r"/\* ([A-Z][A-Z0-9_]*): ", path.read_text(encoding="utf-8"))
        if title:
            assert f"tests/hazards/{path.name}" in sandbox.skv("explain", title[1]).stdout, path.name


def examples_show_both_variants() -> None:
    text = sandbox.skv("explain", "H11").stdout
    assert "\nexample tests/hazards/h11_flush.c ('-' is found, '+' repairs it)\n" in text
    assert "\n+   asc_dcci_single(" in text and "REPAIRED" not in text and "@end" not in text
    shown = text[text.index("repairs it)\n") + 12:].split("\n\nfurther")[0]
    source = (SOURCE / "tests" / "hazards" / "h11_flush.c").read_text(encoding="utf-8")
    broken = re.sub(r"#ifdef REPAIRED\n.*?#endif\n", "", re.sub(r" */\* @end \*/", "", source), flags=re.S)
    kept = [line[2:] for line in shown.splitlines() if not line.startswith("+")]
    assert kept == broken.splitlines(), kept


TESTS = [forms_that_cannot_be_written, reports_that_cannot_be_converted, suppressions_that_are_no_rules, sarif_of_a_finding,
         sarif_of_clean_and_failed_programs, sarif_files_below_the_directory_are_relative, sarif_fingerprints_stay_when_lines_move,
         sarif_levels_and_further_ends, junit_of_a_finding, junit_of_other_ends, junit_from_a_saved_report, saved_reports_give_the_same_forms,
         suppressed_findings_do_not_count, rules_that_match_nothing_are_told, patterns, what_is_no_finding_is_not_suppressed,
         suppressions_of_a_plain_run, documented_keys_of_suppressions, source_lines_of_both_ends, source_that_is_not_there,
         every_program_of_the_suite_is_an_example, examples_show_both_variants]


def main() -> int:
    try:
        build_programs()
        return tap.run(TESTS)
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
