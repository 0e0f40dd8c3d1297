"""A folder of src/ includes only itself and the floors below it, and of these the headers they show."""
import re
import sys
from pathlib import Path

import tap

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ["base", "soc", "check", "machine", "isa", "runtime", "graph", "fuse", "verify", "report", "cli"]
SAME_LEVEL = {("base", "soc"), ("soc", "base")}
# What a floor shows to those above it; all of base is shown.
SHOWN = {
    "soc": {"soc.h", "soc_throughput.h"},
    "check": {"check.h"},
    "machine": {"machine.h", "framework.h", "soft.h"},
    "isa": {"isa.h"},
    "runtime": {"runtime.h"},
    "graph": {"graph.h"},
    "fuse": {"fuse.h", "ge/ge.h"},
    "verify": {"verify.h"},
    "report": {"report.h"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z]+)/([a-z0-9_/]+\.h)"', re.MULTILINE)


def includes(floor: str):
    """(file, folder, header) of what a floor includes by folder."""
    for path in sorted((ROOT / "src" / floor).rglob("*.[ch]")):
        for used, header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if used in FLOORS:
                yield path.relative_to(ROOT), used, header


def wrong_includes(floor: str) -> list[str]:
    """Includes of a floor that reach above it, as 'file includes folder'."""
    return [f"{path} includes {used}/" for path, used, _ in includes(floor)
            if FLOORS.index(used) > FLOORS.index(floor) and (floor, used) not in SAME_LEVEL]


def test_no_folder_reaches_above_itself():
    wrong = [line for floor in FLOORS for line in wrong_includes(floor)]
    assert not wrong, "\n".join(wrong)


def test_no_folder_uses_what_another_keeps_to_itself():
    wrong = [f"{path} includes {used}/{header}" for floor in FLOORS for path, used, header in includes(floor)
             if used not in (floor, "base") and header not in SHOWN.get(used, ())]
    assert not wrong, "\n".join(wrong)


def test_every_folder_has_a_floor():
    folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert folders == set(FLOORS), folders ^ set(FLOORS)


if __name__ == "__main__":
    sys.exit(tap.run([test_no_folder_reaches_above_itself, test_no_folder_uses_what_another_keeps_to_itself,
                      test_every_folder_has_a_floor]))
