"""Options of the npugraph_ex backend: one table with default, legal values and effect of each key.

CompilerConfig is the object that holds them; an assignment validates, a read gives an option object with
`.value`. The table of docs/python.md is printed from here (`options.table()`).
"""
import os

from .messages import at, caller_line, nearest

INT64_MAX = 2**63 - 1


class _Legal:
    """Which values an option takes: `text` for people, check() raises for all others."""

    def __init__(self, text: str):
        self.text = text

    def check(self, name: str, value):
        """Raises the documented exception for a value that is not legal."""


class _OneOf(_Legal):
    def __init__(self, *values):
        super().__init__(", ".join(repr(v) if isinstance(v, str) else str(v) for v in values))
        self.values = values

    def check(self, name, value):
        # Membership, not type: 1 and 0 pass for True and False, as in the real configuration.
        if not any(value is v or (not isinstance(value, (list, dict)) and value == v) for v in self.values):
            hint = nearest(value, [v for v in self.values if isinstance(v, str)]) if isinstance(value, str) else ""
            raise ValueError(f"{name}: {value!r} not in optional list [{self.text}]{at(caller_line())}.{hint}")


class _IntRange(_Legal):
    def __init__(self, low: int, high: int):
        super().__init__(f"int from {low} to {'2^63-1' if high == INT64_MAX else high}")
        self.low, self.high = low, high

    def check(self, name, value):
        if not isinstance(value, int):
            raise ValueError(f"{name}: must be int, got {type(value).__name__}{at(caller_line())}")
        if not self.low <= value <= self.high:
            raise ValueError(f"{name}: {value} is outside the range, legal is {self.text}{at(caller_line())}")


class _DictOrNone(_Legal):
    def check(self, name, value):
        if value is not None and not isinstance(value, dict):
            raise TypeError(f"{name}: must be dict or None, got {type(value).__name__}{at(caller_line())}")


class _CallableOrNone(_Legal):
    def check(self, name, value):
        if value is not None and not callable(value):
            raise TypeError(f"{name}: must be Callable or None, got {type(value).__name__}{at(caller_line())}")


class _IntsOrNone(_Legal):
    def check(self, name, value):
        if value is None:
            return
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{name}: must be list, tuple or None, got {type(value).__name__}{at(caller_line())}")
        for index, element in enumerate(value):
            if not isinstance(element, int):
                raise TypeError(f"{name}[{index}]: must be int, got {type(element).__name__}{at(caller_line())}")


class _Directory(_Legal):
    def check(self, name, value):
        if not isinstance(value, (str, os.PathLike)) or not os.path.isdir(value):
            raise FileNotFoundError(f"{name}: {value!r} is not an existing directory{at(caller_line())}")


_BOOL = _OneOf(True, False)
_DICT = _DictOrNone("dict or None")
_CALLABLE = _CallableOrNone("callable(gm, example_inputs, config) or None")

# name: (default, legal values, effect)
OPTIONS = {
    "force_eager": (False, _BOOL, "no capture: the lowered graph runs operator by operator, with a warning"),
    "static_kernel_compile": (
        False, _BOOL, "before the first capture, lists the operators with their fixed shapes in "
        "`static_kernel_compile_outputs/`; kernels of the simulator are compiled already, so nothing else follows"),
    "disable_static_kernel_compile_cache": (
        False, _BOOL, "the list is written again even if the same one is in `static_kernel_cache/`"),
    "super_kernel_optimize": (False, _BOOL, "after each capture, `NPUGraph.super_kernel_optimize` is called"),
    "super_kernel_optimize_options": (None, _DICT, "handed to that call, checked there"),
    "super_kernel_debug_options": (None, _DICT, "handed to that call, checked there"),
    "inplace_pass": (True, _BOOL, "in-place operations that functionalisation took apart become in-place again, "
                     "where the device has a kernel for it"),
    "input_inplace_pass": (True, _BOOL, "the same for operations on inputs of the graph: no copy back at the end"),
    "remove_noop_ops": (True, _BOOL, "operations that change nothing leave the graph"),
    "remove_cat_ops": (True, _BOOL, "parts of a concatenation along the first dimension are computed where they belong in "
                       "the result, where the device has a kernel for it (sums, differences, products, matrix products)"),
    "pattern_fusion_pass": (True, _BOOL, "replacements of `register_replacement` are applied"),
    "clone_input": (True, _BOOL, "the captured graph has input buffers of its own, each call copies into them; "
                    "False: the addresses of the first call are captured, other addresses capture again"),
    "clone_output": (False, _BOOL, "results are copies; False: results are memory of the graph, the next call "
                     "overwrites them"),
    "frozen_parameter": (False, _BOOL, "addresses of parameters are assumed to stay: they are not looked at again, "
                         "with a warning"),
    "capture_limit": (64, _IntRange(1, INT64_MAX), "captured graphs per compiled graph; beyond it, a warning and "
                      "operator by operator"),
    "force_recapture": (False, _BOOL, "each call captures again"),
    "capture_error_mode": ("global", _OneOf("global", "thread_local", "relaxed"), "handed to the capture"),
    "use_graph_pool": (None, _Legal("a pool of `torch.npu.graph_pool_handle()` or None"), "memory pool to capture into"),
    "reuse_graph_pool_in_same_fx": (True, _BOOL, "captures of one compiled graph share a pool"),
    "deadlock_check": (False, _BOOL, "the captured graph is looked through for batch-mode kernels on several streams that "
                       "together need more cores than there are; the report goes to stdout"),
    "dump_tensor_data": (False, _BOOL, "the result of each operation is saved at each call as `.pt`, with "
                         "force_eager as `.npy`; off with a warning when SuperKernel is on"),
    "data_dump_stage": ("optimized", _OneOf("original", "optimized"), "which graph the saved results belong to; "
                        "original: the graph before all passes, operator by operator"),
    "data_dump_dir": ("./", _Directory("existing directory"), "where results are saved, below "
                      "`worldsize<w>_global_rank<r>/`"),
    "post_grad_custom_pre_pass": (None, _CALLABLE, "called on the graph before the standard passes"),
    "post_grad_custom_post_pass": (None, _CALLABLE, "called on the graph after the standard passes"),
    "mode": ("npugraph_ex", _OneOf("npugraph_ex"), "this backend"),
    "_vllm_aclnn_static_kernel_sym_index": (0, _IntRange(0, INT64_MAX), "which symbol decides on the static list"),
    "_vllm_aclnn_static_kernel_sym_range": (None, _IntsOrNone("list or tuple of int, or None"),
                                            "for which values of that symbol it is written"),
}


class OptionValue:
    """What reading an option gives: `.value`, and truth as the value has."""

    def __init__(self, name: str, value):
        self.name, self.value = name, value

    def __bool__(self):
        return bool(self.value)

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, OptionValue) else other)

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"{self.name}={self.value!r}"


class CompilerConfig:
    """The options of one compilation, each at its default until assigned."""

    def __init__(self):
        for name, (default, _, _) in OPTIONS.items():
            object.__setattr__(self, name, OptionValue(name, default))

    def __setattr__(self, name, value):
        if name not in OPTIONS:
            raise ValueError(f"CompilerConfig has no option {name}{at(caller_line())}.{nearest(name, OPTIONS)} "
                             f"Legal options: {', '.join(OPTIONS)}")
        if isinstance(value, OptionValue):
            value = value.value
        OPTIONS[name][1].check(name, value)
        object.__setattr__(self, name, OptionValue(name, value))

    def apply(self, options) -> "CompilerConfig":
        """Assigns a flat dict of options (None: nothing); returns self."""
        if options is not None and not isinstance(options, dict):
            raise TypeError(f"options: must be dict or None, got {type(options).__name__}{at(caller_line())}")
        for name, value in (options or {}).items():
            if name not in OPTIONS:
                raise ValueError(f"Invalid option '{name}': CompilerConfig has no attribute {name}"
                                 f"{at(caller_line())}.{nearest(name, OPTIONS)} Legal options: {', '.join(OPTIONS)}")
            setattr(self, name, value)
        return self

    def as_dict(self) -> dict:
        """{name: raw value} of all options."""
        return {name: getattr(self, name).value for name in OPTIONS}

    def __eq__(self, other):
        return isinstance(other, CompilerConfig) and self.as_dict() == other.as_dict()

    def __hash__(self):
        return id(self)

    def __repr__(self):
        changed = [repr(getattr(self, n)) for n in OPTIONS if getattr(self, n).value != OPTIONS[n][0]]
        return f"CompilerConfig({', '.join(changed)})"


def table() -> str:
    """The options as a Markdown table."""
    lines = ["| key | default | legal values | effect |", "| --- | --- | --- | --- |"]
    for name, (default, legal, effect) in OPTIONS.items():
        lines.append(f"| `{name}` | `{default!r}` | {legal.text} | {effect} |")
    return "\n".join(lines)
