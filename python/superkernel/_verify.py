"""superkernel.verify(fn, *inputs): is what a function does on the device as good inside SuperKernels?"""
import json
import re
import sys


class Result:
    """What a verification found.

    verdict: "clean", "mismatch", "findings", "not-modelled" or "error". document: the report (schema
    superkernel.verify/1, docs/json-schema.md). modes: {name: its part of the report}. findings: list of them.
    outputs: what the function returned. str() is the report for people; a Result is true when it is clean.
    """

    def __init__(self, document, text, outputs):
        self.document, self.text, self.outputs = document, text, outputs

    @property
    def verdict(self) -> str:
        return self.document["verdict"]

    @property
    def modes(self) -> dict:
        return {mode["name"]: mode for mode in self.document["modes"]}

    @property
    def findings(self) -> list:
        return self.document["findings"]

    def __bool__(self):
        return self.verdict == "clean"

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<superkernel.Result {self.verdict}: {len(self.findings)} findings in {len(self.document['modes'])} modes>"

    def check(self) -> "Result":
        """Raises AssertionError with the report unless the verdict is clean; returns itself."""
        if not self:
            raise AssertionError(str(self))
        return self


def _to_device(value, torch):
    if isinstance(value, torch.Tensor):
        return value if value.device.type == "npu" else value.npu()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_to_device(one, torch) for one in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_to_device(one, torch) for one in value)
    if isinstance(value, dict):
        return {key: _to_device(one, torch) for key, one in value.items()}
    return value


def verify(fn, *inputs, modes="default", **kwargs) -> Result:
    """Runs fn(*inputs, **kwargs) on the simulated device un-fused and fused in every mode; the Result.

    fn: a function, a module, or a compiled model. Tensors on the CPU, also inside lists, tuples and dicts, are moved
    to the device. modes: as of `skv verify --modes`. Scopes that fn marks in a captured graph are what is fused;
    without a scope everything that can be fused is. What fn raises is raised here. Raises TypeError for an fn that cannot
    be called and for modes that are no text, superkernel.Error for unknown modes, inside another verification, during a
    capture, and in a process that skv verifies as a whole.
    """
    from . import _core
    if not callable(fn):
        raise TypeError(f"superkernel.verify: fn is of type {type(fn).__name__}; legal: a function, a module or a compiled model")
    if not isinstance(modes, str):
        raise TypeError(f"superkernel.verify: modes is of type {type(modes).__name__}; legal: text as of skv verify --modes, \"fused,per-op\"")
    if "torch_npu" not in sys.modules:
        from .__main__ import make_visible
        make_visible()
    import torch
    import torch_npu  # noqa: F401
    inputs, kwargs = _to_device(inputs, torch), _to_device(kwargs, torch)
    if torch.npu.is_current_stream_capturing():
        raise _core.Error("superkernel.verify: the current stream is being captured; verify the function that captures and replays")
    torch.npu.synchronize()
    _core.verify_begin(modes)
    name = re.sub(r"\W+", "_", getattr(fn, "__qualname__", type(fn).__name__)).strip("_") or "function"
    try:
        outputs = fn(*inputs, **kwargs)
        failed = None
        try:
            torch.npu.synchronize()
        except RuntimeError as error:  # a kernel that failed is what the report tells
            failed = error
    finally:
        document, text = _core.verify_end(name)
    result = Result(json.loads(document), text, outputs)
    if failed is not None and result:
        raise failed
    return result
