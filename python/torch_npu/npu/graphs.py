"""Captured graphs: work recorded once and replayed, as SuperKernels where asked for."""
import torch
from superkernel import _core, _device

from .devices import synchronize
from .memory import empty_cache, host_empty_cache
from .streams import Stream, current_stream, set_stream

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}


def super_kernel_scope_begin(scope_name=None):
    """What follows, up to the end of the same name, may be fused into one SuperKernel; None: never fuse it."""
    return torch.ops.npu.super_kernel_scope_begin(scope_name)


def super_kernel_scope_end(scope_name=None):
    """Ends the scope of that name."""
    return torch.ops.npu.super_kernel_scope_end(scope_name)


def graph_pool_handle() -> tuple:
    """A memory pool that several graphs can be captured into."""
    return (0, _device.new_pool())


def is_current_stream_capturing() -> bool:
    return _device.capturing()


_capturing = None  # the NPUGraph that is being captured


def note_mark(begins: bool, name) -> None:
    """Remembers where the script marks a scope, for errors that only come when the graph is fused."""
    if _capturing is not None:
        from torch_npu.npugraph_ex.messages import caller_line
        _capturing.marks.append((begins, name, caller_line()))


def _unpaired(marks) -> str:
    """' (FILE:LINE)' of the first mark without a partner; nothing when all have one."""
    waiting = []
    for begins, name, line in marks:
        partner = next((one for one in waiting if one[0] == name), None)
        if begins:
            waiting.append((name, line))
        elif partner is None:
            return f" ({line})"
        else:
            waiting.remove(partner)
    return f" ({waiting[0][1]})" if waiting else ""


class NPUGraph:
    """Work captured on a stream. Memory made while capturing is the graph's; contents come with replay()."""

    def __init__(self, auto_dispatch_capture=False):
        self.auto_dispatch_capture = auto_dispatch_capture
        self._pool = self._model = self._capture = self._stream = None
        self.marks = []

    def capture_begin(self, pool=None, capture_error_mode="global") -> None:
        if capture_error_mode not in _MODES:
            raise RuntimeError(f"capture_begin: capture_error_mode '{capture_error_mode}'; legal: {', '.join(_MODES)}")
        if self._model is not None or self._capture is not None:
            raise RuntimeError("This NPUGraph instance already owns a captured graph. To capture a new graph, create a new instance.")
        stream = current_stream()
        if stream.stream_id == 0:
            raise RuntimeError("NPUGraphs must be captured on a non-default stream; use torch.npu.graph or torch.npu.stream")
        self._pool = graph_pool_handle() if pool is None else tuple(pool)
        _core.capture_begin(stream.npu_stream, _MODES[capture_error_mode])
        self._capture = _device.begin_capture(self._pool[1])
        self._stream = stream
        global _capturing
        _capturing = self

    def capture_end(self) -> None:
        if self._stream is None:
            raise RuntimeError("capture_end: no capture was begun")
        if current_stream().stream_id != self._stream.stream_id:
            raise RuntimeError("Capture must end on the same stream it began on.")
        global _capturing
        _capturing = None
        stream, self._stream = self._stream, None
        _device.end_capture(self._capture)
        try:
            self._model = _core.capture_end(stream.npu_stream)
        except BaseException:
            self._forget()
            raise

    def _captured(self, call) -> int:
        if self._model is None:
            raise RuntimeError(f"Called NPUGraph::{call} without a preceding successful capture.")
        return self._model

    def replay(self) -> None:
        """Queues the captured work on the current stream: it reads what captured tensors hold now."""
        _core.model_execute(self._captured("replay"), current_stream().npu_stream)

    def super_kernel_optimize(self, optimize_options=None, debug_options=None) -> None:
        """Fuses the captured work into SuperKernels; once, before the first replay."""
        from torch_npu.npugraph_ex import sk_options
        sk_options.check(optimize_options, debug_options)
        model = self._captured("super_kernel_optimize")
        try:
            _core.model_optimize(model, sk_options.to_c(optimize_options, debug_options))
        except _core.Error as error:
            error.args = (f"{error}{_unpaired(self.marks)}",)
            raise

    def ge_compile(self) -> str:
        """Fuses the captured work by the rules of graph mode; what became of each launch, for people. Once."""
        return _core.ge_compile(self._captured("ge_compile"))

    def update(self, cpu_update_input) -> None:
        """Gives captured operators new integer arguments; no operator here has such."""
        if not self.auto_dispatch_capture:
            raise RuntimeError("NPUGraph.update: the graph must be captured with auto_dispatch_capture=True")
        self._captured("update")
        raise NotImplementedError("NPUGraph.update: no operator of the simulated device can be updated after its capture")

    def _forget(self):
        capture, self._capture = self._capture, None
        if capture is not None:
            _device.free_capture(capture)

    def reset(self) -> None:
        """Drops the captured work."""
        model, self._model = self._model, None
        if model is not None:
            _core.model_destroy(model)
        self._forget()

    def pool(self) -> tuple:
        if self._pool is None:
            raise RuntimeError("Called NPUGraph::pool() without a preceding successful capture.")
        return self._pool

    def debug_dump(self, path) -> None:
        """Writes the captured graph as JSON, the form that `skv plan` reads."""
        _core.model_json(self._captured("debug_dump"), str(path))

    def enable_debug_mode(self) -> None:
        """What debug_dump needs is always kept."""

    def register_generator_state(self, generator) -> None:
        """Random operators run on the host at each replay and draw from the generator then."""

    def __del__(self):
        if _core is None or getattr(self, "_stream", None) is not None:
            return
        if getattr(self, "_model", None) is not None:
            self.reset()


class graph:
    """`with torch.npu.graph(g):` captures what is issued inside."""

    default_capture_stream = None

    def __init__(self, npu_graph, pool=None, stream=None, auto_dispatch_capture=False, capture_error_mode="global"):
        if stream is None:
            if graph.default_capture_stream is None:
                graph.default_capture_stream = Stream()
            stream = graph.default_capture_stream
        self.npu_graph, self.pool, self.stream, self.mode = npu_graph, pool, stream, capture_error_mode
        npu_graph.auto_dispatch_capture = auto_dispatch_capture

    def __enter__(self):
        synchronize()
        empty_cache()
        host_empty_cache()
        self.before = current_stream()
        set_stream(self.stream)
        try:
            self.npu_graph.capture_begin(pool=self.pool, capture_error_mode=self.mode)
        except BaseException:
            set_stream(self.before)
            raise

    def __exit__(self, kind, value, trace):
        try:
            set_stream(self.stream)
            self.npu_graph.capture_end()
        except RuntimeError:
            if kind is None:  # else what broke the capture off is the error
                raise
        finally:
            set_stream(self.before)
        return False
