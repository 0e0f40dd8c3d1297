"""Where kernels can be mutated: every synchronising action, tile bound and address of a source, found in its text.

A source is instrumented once: each place asks at run time whether it is to behave otherwise (mutant.h), so one program
holds all mutants. Lines do not move.

    action    the call is left out               asc_sync_*, sk_sync_*, cache flushes, early-start calls; in C++ SetFlag,
                                                 PipeBarrier, SyncAll, CrossCoreSetFlag, WaitPreTaskEnd and their like
    address   a pointer is one block further     both sides of every transfer; operands, arguments and variables that are
                                                 computed with an offset
    length    one block more is transferred      lengths, and rows and columns, of every transfer
    bound     one more turn of a loop            every `for` with an upper bound that is not a literal
    index     the next core's number             every read of a block's or sub-block's number or count
    result    one more than it is                what functions return that count: lengths, shares, steps
    tile      one more than it is                integers that are computed where they are declared: first rows, counts,
                                                 chunks; of bytes and offsets one block more

What is read from memory or put together from bits is data, not a bound, and is left alone.
"""
import re
from dataclasses import dataclass, field

BLOCK = 32      # bytes
FRACTAL = 512   # bytes: what a step is between L1 and L0
ROWS = 16       # of a fractal

FLAG = {"asc_sync_notify": "notify", "asc_sync_wait": "wait"}
CROSS = {"asc_sync_block_arrive": "arrive", "asc_sync_subblock_arrive": "arrive", "asc_sync_inter_arrive": "arrive",
         "asc_sync_block_wait": "await", "asc_sync_subblock_wait": "await", "asc_sync_inter_wait": "await"}
ALONE = {"asc_sync_pipe": "barrier", "asc_sync": "barrier", "asc_sync_vec": "barrier", "asc_sync_mte2": "barrier",
         "asc_sync_mte3": "barrier", "sk_sync_all_aiv": "sync-all", "sk_sync_all_mix": "sync-all",
         "asc_sync_data_barrier": "flush", "asc_dcci_single": "flush", "asc_ub_dcci_single": "flush",
         "asc_dcci_entire_all": "flush", "asc_dcci_entire_ub": "flush", "asc_dcci_entire_out": "flush",
         "asc_dcci_entire_atomic": "flush", "sk_set_next_task_start": "early-start", "sk_wait_previous_task_end": "early-start"}
ACTIONS = {**FLAG, **CROSS, **ALONE}
TENSOR_ACTIONS = {"SetFlag": "notify", "WaitFlag": "wait", "CrossCoreSetFlag": "arrive", "CrossCoreWaitFlag": "await", "PipeBarrier": "barrier",
                  "SyncAll": "sync-all", "IBSet": "turn", "IBWait": "turn", "InitDetermineComputeWorkspace": "turn", "WaitPreBlock": "turn",
                  "NotifyNextBlock": "turn", "DataCacheCleanAndInvalid": "flush", "DataSyncBarrier": "flush",
                  "SetNextTaskStart": "early-start", "WaitPreTaskEnd": "early-start"}
SETTERS = {"SetFixpipeNz2ndFlag", "SetFixpipePreQuantFlag", "SetSaturationFlag"} # of registers, whatever their names say
INDEX = {"vector_index", "asc_get_block_idx", "asc_get_block_num", "asc_get_sub_block_id", "asc_get_sub_block_num"}

# Transfers: step of an address in bytes, and which arguments are lengths with the step of each; by the number of
# arguments where that matters.
BYTES = (BLOCK, {2: BLOCK})
TRANSFERS = {
    ("asc_copy_gm2ub_align", 3): BYTES, ("asc_copy_ub2gm_align", 3): BYTES, ("asc_copy_gm2ub", 3): BYTES, ("asc_copy_ub2gm", 3): BYTES,
    ("asc_copy_ub2ub", 3): BYTES, ("asc_copy_ub2ub", 6): (BLOCK, {2: 1, 3: 1}), ("asc_copy_gm2ub_align", 8): (BLOCK, {2: 1, 3: BLOCK}), ("asc_copy_ub2gm_align", 8): (BLOCK, {2: 1, 3: BLOCK}),
    ("asc_copy_gm2l1_nd2nz", 10): (BLOCK, {3: ROWS, 4: ROWS}), ("asc_copy_gm2l1", 3): BYTES, ("asc_copy_gm2l1", 6): (BLOCK, {2: 1, 3: ROWS}),
    ("asc_copy_l0c2gm", 11): (BLOCK, {2: ROWS, 3: ROWS}), ("asc_copy_l12bt", 4): (BLOCK, {3: BLOCK}), ("asc_copy_l12fb", 3): BYTES,
    ("asc_copy_l12l0a", 6): (FRACTAL, {3: 1}), ("asc_copy_l12l0a_trans", 8): (FRACTAL, {3: 1}),
    ("asc_copy_l12l0b", 6): (FRACTAL, {3: 1}), ("asc_copy_l12l0b_trans", 8): (FRACTAL, {3: 1}),
}


@dataclass
class Site:
    number: int
    file: str
    line: int
    function: str
    kind: str
    text: str
    arguments: list[str] = field(default_factory=list)
    begin: int = 0
    end: int = 0


@dataclass
class Mutant:
    key: str
    kind: str
    sites: list[int]
    place: str


class NotKnown(Exception):
    """A source holds what this script has no rule for."""


def without_comments(text: str) -> str:
    """Comments and literals as blanks; every other character keeps its place."""
    blank = lambda match: re.sub(r"[^\n\\]", " ", match.group())  # noqa: E731
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", blank, text, flags=re.S)


def closing(text: str, at: int) -> int:
    """The place behind the bracket that closes the one at `at`."""
    pairs, depth = {"(": ")", "[": "]", "{": "}"}, 0
    for i in range(at, len(text)):
        if text[i] in pairs:
            depth += 1
        elif text[i] in pairs.values():
            depth -= 1
            if depth == 0:
                return i + 1
    raise NotKnown(f"a bracket is not closed: {text[at:at + 40]!r}")


def split_top(text: str, begin: int, end: int, separator: str) -> list[tuple[int, int]]:
    """Parts between separators outside of brackets, without the blanks around them."""
    parts, at, i = [], begin, begin
    while i < end:
        if text[i] in "([{":
            i = closing(text, i)
            continue
        if text[i] == separator:
            parts.append((at, i))
            at = i + 1
        i += 1
    parts.append((at, end))
    blanks = " \t\n\\"
    out = []
    for first, last in parts:
        while first < last and text[first] in blanks:
            first += 1
        while last > first and text[last - 1] in blanks:
            last -= 1
        out.append((first, last))
    return out


def device_functions(text: str):
    """(name, whether it returns an integer, begin, end) of the body of every function for the device; in macros too."""
    for head in re.finditer(r"(?:__aicore__|__global__|__sk__)([^;{}]*?)\b((?!__)\w+)\s*\(", text):
        behind = closing(text, head.end() - 1)
        brace = re.compile(r"[\s\\]*\{").match(text, behind)
        if brace:
            integer = re.search(r"\bu?int(?:8|16|32|64)_t\s*$", head.group(1)) is not None
            yield head.group(2), integer, brace.end() - 1, closing(text, brace.end() - 1)


def shape(text: str) -> str:
    """Text as it stands in keys."""
    return re.sub(r"\s+", " ", text.replace("\\\n", " ")).strip()


def is_data(expression: str) -> bool:
    """Indexed, or with operators on bits."""
    return re.search(r"\[|(?<!&)&(?!&)|(?<!\|)\|(?!\|)|>>|<<|\^", expression) is not None


class Source:
    """One file: its sites and its instrumented text."""

    def __init__(self, name: str, text: str, first_number: int, actions_only: bool = False):
        self.name, self.text, self.plain = name, text, without_comments(text)
        self.sites: list[Site] = []
        self.next = first_number
        self.insertions: list[tuple[int, int, int, str]] = []
        for function, integer, begin, end in device_functions(self.plain):
            if actions_only:
                self.scan_actions(function, begin, end)
                continue
            self.scan(function, begin, end)
            self.scan_pointers(function, begin, end)
            self.scan_integers(function, begin, end)
            if integer:
                self.scan_results(function, begin, end)

    def add(self, kind: str, function: str, begin: int, end: int, prefix: str, suffix: str, text: str | None = None,
            arguments: list[str] | None = None) -> None:
        site = Site(self.next, self.name, self.plain.count("\n", 0, begin) + 1, function, kind,
                    shape(self.text[begin:end]) if text is None else text, arguments or [], begin, end)
        self.next += 1
        self.sites.append(site)
        length = end - begin
        # At one place: ends before beginnings, inner ends first, outer beginnings first.
        self.insertions.append((begin, 1, -length, prefix.format(site.number)))
        self.insertions.append((end, 0, length, suffix))

    def scan(self, function: str, begin: int, end: int) -> None:
        body = re.compile(r"\b(?!(?:if|while|switch|return|sizeof)\b)([a-z_]\w*)\s*\(")
        at = begin
        while match := body.search(self.plain, at, end):
            name, opening = match.group(1), match.end() - 1
            behind = closing(self.plain, opening)
            at = match.end()
            if name == "for":
                self.scan_loop(function, opening + 1, behind - 1)
                continue
            parts = split_top(self.plain, opening + 1, behind - 1, ",")
            words = [shape(self.text[first:last]) for first, last in parts]
            if name in ACTIONS:
                self.add(ACTIONS[name], function, match.start(), behind, "SK_MUTANT_LEFT_OUT({}, ", ")", f"{name}({', '.join(words)})", words)
            elif name in INDEX:
                self.add("index", function, match.start(), behind, "SK_MUTANT_MORE({}, ", ", 1)", name)
            elif name.startswith(("asc_sync", "asc_dcci", "sk_sync", "sk_set_flag", "sk_wait_flag")):
                raise NotKnown(f"{self.name}: {name} in {function}: no rule for this call")
            else:
                self.scan_call(function, name, parts, words)

    def scan_actions(self, function: str, begin: int, end: int) -> None:
        """Calls of either interface that synchronise; template arguments are the first of their arguments."""
        for match in re.compile(r"\b([A-Za-z]\w*)\s*(?:<([^<>;(){}]*)>)?\s*\(").finditer(self.plain, begin, end):
            name, kind = match.group(1), {**ACTIONS, **TENSOR_ACTIONS}.get(match.group(1))
            behind = closing(self.plain, match.end() - 1)
            if kind is not None:
                words = [match.group(2)] if match.group(2) else []
                words += [shape(self.text[first:last]) for first, last in split_top(self.plain, match.end(), behind - 1, ",") if first < last]
                self.add(kind, function, match.start(), behind, "SK_MUTANT_LEFT_OUT({}, ", ")", shape(self.text[match.start():behind]), words)
            elif re.match(r"(?:asc_sync|asc_dcci|sk_sync)|\w*(?:Flag|Barrier|Sync|TaskStart|TaskEnd)(?!\w*ID)", name) and name not in SETTERS:
                raise NotKnown(f"{self.name}: {name} in {function}: no rule for this call")

    def scan_call(self, function: str, name: str, parts, words) -> None:
        transfer = TRANSFERS.get((name, len(words)))
        if transfer is None and name.startswith("asc_copy"):
            raise NotKnown(f"{self.name}: {name} in {function}: no rule for this transfer with {len(words)} arguments")
        if transfer is not None:
            step, lengths = transfer
            for i in range(2):
                if words[i] != "0":  # the bias table has one address
                    self.add("address", function, *parts[i], "SK_MUTANT_FURTHER({}, ", f", {step})", f"{name}: {words[i]}")
            for i, more in lengths.items():
                self.add("length", function, *parts[i], "SK_MUTANT_MORE({}, ", f", {more})", f"{name}: {words[i]}")
            return
        for (first, last), word in zip(parts, words):
            if self.is_address(word):
                self.add("address", function, first, last, "SK_MUTANT_FURTHER({}, ", f", {BLOCK})", f"{name}: {word}")

    def declared(self, head: str, begin: int, end: int):
        """(name, begin, end) of every value that a variable begins with; `head` matches the type, `*` included."""
        for found in re.compile(head + r"(?=\w+\s*=[^=])").finditer(self.plain, begin, end):
            stop = found.end()
            while self.plain[stop] != ";":
                stop = closing(self.plain, stop) if self.plain[stop] in "([{" else stop + 1
            for at, last in split_top(self.plain, found.end(), stop, ","):
                variable = re.match(r"(?:\*\s*)?(\w+)\s*=\s*", self.plain[at:last])
                if variable:
                    yield variable.group(1), at + variable.end(), last

    def scan_pointers(self, function: str, begin: int, end: int) -> None:
        """Pointers that begin with an offset."""
        for _, at, last in self.declared(r"__(?:gm|ubuf|cbuf|ca|cb|cc)__\s+[\w ]+?\s*\*\s*", begin, end):
            if self.plain[at] != "{" and len(split_top(self.plain, at, last, "+")) > 1:
                self.add("address", function, at, last, "SK_MUTANT_FURTHER({}, ", f", {BLOCK})", f"= {shape(self.text[at:last])}")

    def scan_integers(self, function: str, begin: int, end: int) -> None:
        """Integers that are computed, not copied; counters of loops begin where they begin."""
        for name, at, last in self.declared(r"(?<![(\w])(?:const\s+)?u?int(?:16|32|64)_t\s+", begin, end):
            if re.search(r"[+*/%?(]|-(?!>)", self.plain[at:last]) and not is_data(self.plain[at:last]):
                step = BLOCK if re.search(r"bytes|offset", name) else 1
                self.add("tile", function, at, last, "SK_MUTANT_MORE({}, ", f", {step})", f"{name} = {shape(self.text[at:last])}")

    def scan_results(self, function: str, begin: int, end: int) -> None:
        for found in re.compile(r"\breturn\s+([^;]+);").finditer(self.plain, begin, end):
            if is_data(found.group(1)):
                continue
            self.add("result", function, found.start(1), found.end(1), "SK_MUTANT_MORE({}, ", ", 1)", f"return {shape(self.text[found.start(1):found.end(1)])}")

    def is_address(self, word: str) -> bool:
        """A pointer with an offset: a known local or device pointer, or a cast to one, plus something."""
        plus = [first for first, _ in split_top(word, 0, len(word), "+")][1:]
        inner = re.match(r"\((?:__\w+__) [\w ]+\*\)\s*(\(.*\))$", word)
        if inner and not plus:
            inside = inner.group(1)[1:-1]
            plus = [first for first, _ in split_top(inside, 0, len(inside), "+")][1:]
        if not plus:
            return False
        if re.match(r"\((?:__\w+__) ", word):
            return True
        name = re.match(r"(?:\w+->|\w+\.)?(\w+)", word)
        return bool(name and re.search(rf"__(?:ubuf|gm|cbuf|ca|cb|cc)__ [^;(){{}}]*?\*?\s*\b{name.group(1)}\b", self.plain))

    def scan_loop(self, function: str, begin: int, end: int) -> None:
        parts = split_top(self.plain, begin, end, ";")
        if len(parts) != 3:
            return
        first, last = parts[1]
        condition = self.plain[first:last]
        less = [place for place, _ in split_top(condition, 0, len(condition), "<")]
        if len(less) != 2 or condition[less[1] - 1:less[1]] == "=" or "&&" in condition:
            return
        if re.fullmatch(r"\s*\d+u?\s*", condition[less[1]:]):
            return  # as many as there are elements in an array of the source: no bound of a tile
        variable = condition[:less[1]].strip(" <")
        step = self.plain[slice(*parts[2])]
        add = re.search(rf"\b{re.escape(variable)}\s*\+=\s*([^,]+)", step)
        grow = re.search(rf"\b{re.escape(variable)}\s*\*=\s*([^,]+)", step)
        bound = (first + less[1], last)
        text = f"for: {shape(self.text[first:last])}"
        if grow:
            self.add("bound", function, *bound, "SK_MUTANT_TIMES({}, ", f", {grow.group(1).strip()})", text)
        else:
            self.add("bound", function, *bound, "SK_MUTANT_MORE({}, ", f", {add.group(1).strip() if add else 1})", text)

    def instrumented(self) -> str:
        text, at, out = self.text, 0, []
        for place, _, _, words in sorted(self.insertions):
            out += [text[at:place], words]
            at = place
        return "".join(out) + text[at:]


def scan_all(files: dict[str, str], number: int = 0, actions_only: bool = False) -> list[Source]:
    sources = []
    for name in sorted(files):
        source = Source(name, files[name], number, actions_only)
        number = source.next
        sources.append(source)
    return sources


def adjacent_pairs(source: Source):
    """A notify with its wait right behind it."""
    flags = [site for site in source.sites if site.kind in ("notify", "wait", "arrive", "await")]
    for one, other in zip(flags, flags[1:]):
        pair = (one.kind, other.kind) in (("notify", "wait"), ("arrive", "await"))
        if pair and one.arguments == other.arguments and one.function == other.function and \
                source.plain[one.end:other.begin].strip(" \t\n\\;") == "":
            yield one, other


def mutants_of(source: Source) -> list[Mutant]:
    """One for each site; and, since half a pair is easily missed, both halves of every pair of flags."""
    out, paired = [], set()
    place = lambda sites: f"{source.name}:{','.join(str(line) for line in sorted({site.line for site in sites}))}"  # noqa: E731
    for one, other in adjacent_pairs(source):
        paired |= {one.number, other.number}
        out.append(Mutant(f"{source.name}:{one.function}:pair:{', '.join(one.arguments)}", "pair", [one.number, other.number], place([one, other])))
    groups: dict[tuple, list[Site]] = {}
    for site in source.sites:
        if site.kind in ("notify", "wait", "arrive", "await") and site.number not in paired:
            groups.setdefault(tuple(site.arguments), []).append(site)
    for arguments, sites in groups.items():
        if len({site.kind for site in sites}) == 2:
            out.append(Mutant(f"{source.name}:pair:{', '.join(arguments)}", "pair", [site.number for site in sites], place(sites)))
    for site in source.sites:
        out.append(Mutant(f"{source.name}:{site.function}:{site.kind}:{site.text}", site.kind, [site.number], place([site])))
    seen: dict[str, int] = {}
    for mutant in out:
        seen[mutant.key] = seen.get(mutant.key, 0) + 1
        if seen[mutant.key] > 1:
            mutant.key += f" #{seen[mutant.key]}"
    return out
