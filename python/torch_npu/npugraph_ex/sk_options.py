"""The two option dictionaries of NPUGraph.super_kernel_optimize: keys, types, order of checks.

Both are checked in Python before the graph is looked at, first the optimize options, then the debug
options; every violation is a RuntimeError. Values out of range are not checked here: the optimizer
warns of them and keeps its default.
"""
from typing import NamedTuple

from .messages import at, caller_line, nearest


class SkOption(NamedTuple):
    """One key: C option id, type of its value, legal values and default as text, what it does."""

    id: int
    type: str  # "int", "str", "list" of str, "dict" of int
    legal: str
    default: str
    effect: str
    sub_keys: tuple = ()


OPTIMIZE = {
    "preload_code": SkOption(0, "int", "0, 1, 2", "1",
                             "instruction preload: 0 the most, 1 the function's size, 2 none"),
    "split_mode": SkOption(1, "int", "1 to 4", "4", "code copies used per task"),
    "stream_fusion": SkOption(2, "int", "0, 1", "1",
                              "several streams in one SK; 0 only warns for a scope over several streams"),
    "dcci_disable_on_kernel": SkOption(3, "list", "patterns on kernel names", "[]",
                                       "no refresh of the data cache around these kernels"),
    "constant_codegen": SkOption(6, "int", "0, 1", "0",
                                 "constants folded into a compiled entry; no effect on results here"),
    "auto_op_parallel": SkOption(7, "int", "0, 1", "0", "order of independent sub-kernels in the queue"),
    "dcci_before_kernel_start": SkOption(8, "list", "patterns on kernel names", "[]",
                                         "refresh of the data cache before these kernels"),
    "opt_extend": SkOption(11, "str", "key=value pairs joined by ':'", "absent", "stored only"),
    "dcci_after_kernel_end": SkOption(13, "list", "patterns on kernel names", "[]",
                                      "refresh of the data cache after these kernels"),
    "aggressive_opt_strategies": SkOption(
        14, "dict", "int for each sub key", "0 each",
        "fuse across waits and unsupported tasks: event reserved, value bit 0 paired and bit 1 unpaired, task 0 or 1",
        ("event_breaker_bypass", "value_breaker_bypass", "task_breaker_bypass")),
    "ubuf_lock_ignore_kernel": SkOption(15, "list", "patterns on kernel names", "[]",
                                        "kernels exempt from splitting of mix groups (no effect on this chip)"),
    "early_start": SkOption(16, "int", "0, 1", "0", "early start of sub-kernels that call the API for it"),
}

DEBUG = {
    "debug_sync_all": SkOption(4, "int", "0, 1", "0",
                               "full barrier after every task instead of all other synchronisation"),
    "debug_op_exec_trace": SkOption(9, "int", "0, 1", "0", "entry with execution trace"),
    "debug_cross_core_sync_check": SkOption(10, "int", "0, 1", "0",
                                            "test of left-over cross-core flags; implies the trace"),
    "debug_extend": SkOption(12, "str", "key=value pairs joined by ':'", "absent", "stored only"),
    "debug_per_op_max_core_num": SkOption(17, "int", "0, 1", "0",
                                          "each operator its own SK on all cores; implies the cross-core check"),
}

_PYTHON_TYPES = {"int": int, "str": str, "list": list, "dict": dict}


def _reject(text: str, advice: str = ""):
    raise RuntimeError(f"{text}{at(caller_line())}{'.' if advice else ''}{advice}")


def _must_be(where: str, type_name: str, value):
    if not isinstance(value, _PYTHON_TYPES[type_name]):
        _reject(f"{where} must be {type_name}, got {type(value).__name__}")


def _check_value(which: str, key: str, option: SkOption, value):
    where = f"{which}['{key}']"
    _must_be(where, option.type, value)
    if option.type == "dict":
        for sub, sub_value in value.items():
            if sub not in option.sub_keys:
                _reject(f"Invalid sub_key '{sub}' of {where}",
                        f"{nearest(sub, option.sub_keys)} Legal sub keys: {', '.join(option.sub_keys)}")
            _must_be(f"{where}['{sub}']", "int", sub_value)
    elif option.type == "list":
        for index, element in enumerate(value):
            _must_be(f"{where}[{index}]", "str", element)


def _check_one(which: str, options, table: dict):
    if options is None:
        return
    if not isinstance(options, dict):
        _reject(f"{which} must be dict or None, got {type(options).__name__}")
    for key, value in options.items():
        if key not in table:
            _reject(f"Invalid {which} param key '{key}'", f"{nearest(key, table)} Legal keys: {', '.join(table)}")
        _check_value(which, key, table[key], value)


def check(optimize_options, debug_options) -> None:
    """Raises RuntimeError for the first violation in either dictionary.

    Within one dictionary keys are taken in the order given: unknown key, type of the value, sub keys or
    elements.
    """
    _check_one("optimize_options", optimize_options, OPTIMIZE)
    _check_one("debug_options", debug_options, DEBUG)


def _int32(where: str, value: int) -> int:
    if not -2**31 <= value < 2**31:
        _reject(f"{where} = {value} does not fit in 32 bits")
    return int(value)


def to_c(optimize_options, debug_options) -> list:
    """[(C option id, value)] in the order given, optimize options first; call check() before.

    A value is an int (32-bit), a text, a list of texts, or for the strategies a dict of ints
    by sub key, as core_optimize.c reads it.
    """
    flat = []
    for options, table in ((optimize_options, OPTIMIZE), (debug_options, DEBUG)):
        for key, value in (options or {}).items():
            option = table[key]
            if option.type == "dict":
                flat.append((option.id, {sub: _int32(f"{key}['{sub}']", number) for sub, number in value.items()}))
            elif option.type == "int":
                flat.append((option.id, _int32(key, value)))
            else:
                flat.append((option.id, value))
    return flat


def to_text(optimize_options, debug_options) -> str:
    """The form the operator compiler takes: key=value joined by ':', lists and dicts by ','."""
    parts = []
    for options in (optimize_options, debug_options):
        for key, value in (options or {}).items():
            if isinstance(value, dict):
                value = ",".join(f"{sub}={number}" for sub, number in value.items())
            elif isinstance(value, list):
                value = ",".join(value)
            parts.append(f"{key}={value}")
    return ":".join(parts)


def table(options: dict) -> str:
    """OPTIMIZE or DEBUG as a Markdown table."""
    types = {"list": "list of str", "dict": "dict of int"}
    lines = ["| key | type | legal | default | effect |", "| --- | --- | --- | --- | --- |"]
    for key, option in options.items():
        sub = f" (`{'`, `'.join(option.sub_keys)}`)" if option.sub_keys else ""
        lines.append(f"| `{key}` | {types.get(option.type, option.type)}{sub} | {option.legal} | {option.default} | "
                     f"{option.effect} |")
    return "\n".join(lines)
