#!/usr/bin/env python3
"""Makes docs/compatibility.md from docs/compatibility.table. --check: says whether the page is up to date."""
import sys
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
STATES = ("yes", "partly", "no")


@dataclass
class Name:
    """One name of the API."""

    name: str
    state: str
    uses: int | None
    note: str


def read(path: Path = DOCS / "compatibility.table") -> list[tuple[str, list[str], list[Name]]]:
    """Sections: title, lines of text, names."""
    sections: list[tuple[str, list[str], list[Name]]] = []
    seen: set[str] = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            sections.append((line[3:], [], []))
        elif line.startswith("> "):
            sections[-1][1].append(line[2:])
        elif line and not line.startswith("# "):
            fields = [field.strip() for field in line.split("|")]
            if len(fields) != 4 or fields[1] not in STATES or fields[0] in seen:
                raise ValueError(f"{path.name}:{number}: want 'name | yes, partly or no | uses | limits', each name once: {line}")
            seen.add(fields[0])
            sections[-1][2].append(Name(fields[0], fields[1], int(fields[2]) if fields[2] else None, fields[3]))
    return sections


def rows(names: list[Name]) -> list[str]:
    """Neighbours of one state and note share a row."""
    lines, group = [], []

    def end() -> None:
        if group:
            words = ", ".join(f"{n.name} ({n.uses})" if n.uses is not None else n.name for n in group)
            lines.append(f"| {words} | {group[0].state} | {group[0].note} |")
            group.clear()

    for name in names:
        if group and (group[0].state, group[0].note) != (name.state, name.note):
            end()
        group.append(name)
    end()
    return lines


def page() -> str:
    """The text of docs/compatibility.md."""
    sections = read()
    everything = [name for _, _, names in sections for name in names]
    count = {state: sum(name.state == state for name in everything) for state in STATES}
    parts = [(DOCS / "compatibility.head").read_text(encoding="utf-8"),
             f"Of {len(everything)} names {count['yes']} are there, {count['partly']} with limits, {count['no']} are refused.\n"]
    for title, text, names in sections:
        parts.append("\n".join(["", f"## {title}", "", *(text + [""] if text else []), "| Name (uses) | there | limits |", "| --- | --- | --- |", *rows(names)]) + "\n")
    parts.append("\n" + (DOCS / "compatibility.tail").read_text(encoding="utf-8"))
    return "".join(parts)


def main() -> int:
    target = DOCS / "compatibility.md"
    text = page()
    if "--check" in sys.argv[1:]:
        if target.read_text(encoding="utf-8") == text:
            return 0
        print("docs/compatibility.md is out of date: run scripts/compatibility.py", file=sys.stderr)
        return 1
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
