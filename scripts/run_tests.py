#!/usr/bin/env python3
"""Runs the Meson suite and counts single tests.

Meson counts test programs; each of ours prints TAP with one line per test. This reads the TAP that
Meson logged and ends with `N passed, N failed` over single tests. A program that died before its
plan was complete counts each missing test as failed.
"""
import json
import re
import subprocess
import sys
from pathlib import Path


def count(stdout: str, returncode: int) -> tuple[int, int, list[str], list[str]]:
    """(passed, failed, names of the failed, names of the skipped) of one program's TAP output."""
    passed, failed, names, skipped = 0, 0, [], []
    planned = 0
    for line in stdout.splitlines():
        if match := re.match(r"1\.\.(\d+)", line):
            planned = int(match[1])
        elif line.startswith("ok ") and re.search(r"#\s*SKIP", line, re.IGNORECASE):
            skipped.append(line[len("ok "):])
        elif line.startswith("ok "):
            passed += 1
        elif line.startswith("not ok "):
            failed += 1
            names.append(line[len("not ok "):])
    missing = max(planned - passed - failed - len(skipped), 0)
    if missing:
        names.append(f"{missing} planned test(s) did not report")
    if passed + failed + missing + len(skipped) == 0 or (returncode != 0 and failed + missing == 0):
        missing += 1
        names.append(f"the program ended with {returncode}")
    return passed, failed + missing, names, skipped


def main() -> int:
    build = Path(sys.argv[1])
    subprocess.run(["meson", "test", "-C", str(build), "--print-errorlogs", *sys.argv[2:]],
                   check=False)
    passed = failed = 0
    log = build / "meson-logs" / "testlog.json"
    for line in log.read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        ok, bad, names, skipped = count(test.get("stdout", ""), test.get("returncode", 0))
        passed, failed = passed + ok, failed + bad
        for name in skipped:
            print(f"skipped {test['name']}: {name}")
        for name in names:
            print(f"FAILED {test['name']}: {name}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
