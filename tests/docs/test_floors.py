"""A folder of src/ includes only itself and the floors below it."""
import re
import sys
from pathlib import Path

import tap

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ["base", "soc", "check", "machine", "isa", "runtime", "graph", "fuse", "verify", "report", "cli"]
SAME_LEVEL = {("base", "soc"), ("soc", "base")}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z]+)/', re.MULTILINE)


def wrong_includes(floor: str) -> list[str]:
    """Includes of a floor that reach above it, as 'file includes folder'."""
    wrong = []
    for path in sorted((ROOT / "src" / floor).rglob("*.[ch]")):
        for used in INCLUDE.findall(path.read_text(encoding="utf-8")):
            above = used in FLOORS and FLOORS.index(used) > FLOORS.index(floor)
            if above and (floor, used) not in SAME_LEVEL:
                wrong.append(f"{path.relative_to(ROOT)} includes {used}/")
    return wrong


def test_no_folder_reaches_above_itself():
    wrong = [line for floor in FLOORS for line in wrong_includes(floor)]
    assert not wrong, "\n".join(wrong)


def test_every_folder_has_a_floor():
    folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert folders == set(FLOORS), folders ^ set(FLOORS)


if __name__ == "__main__":
    sys.exit(tap.run([test_no_folder_reaches_above_itself, test_every_folder_has_a_floor]))
