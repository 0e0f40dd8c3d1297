"""Streams and events."""
import contextlib

import torch
from superkernel import _core, _device

from .devices import _CUBE_CORES, _VECTOR_CORES, get_device_limit

_SYNC, _TIME_LINE = 1, 8  # flags of an aclrtEvent


class Stream(torch.Stream):
    """A queue of work in order. priority -1 is high."""

    def __new__(cls, device=None, priority=0, **kwargs):
        if "stream_id" in kwargs:
            return super().__new__(cls, priority=priority, **kwargs)
        return super().__new__(cls, device="npu" if device is None else device, priority=priority)

    @property
    def npu_stream(self) -> int:
        """The aclrtStream, as a number."""
        return _device.stream_handle(self.stream_id)

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event) -> None:
        event.wait(self)

    def wait_stream(self, stream) -> None:
        self.wait_event(stream.record_event())

    def __repr__(self):
        return f"<torch_npu.npu.Stream device=npu:{self.device_index} npu_stream={self.npu_stream:#x}>"


class Event(torch.Event):
    """A mark in a stream that other streams and the host can wait for."""

    def __new__(cls, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise RuntimeError("Event: interprocess events are not simulated; legal: interprocess=False")
        return super().__new__(cls, device="npu", enable_timing=enable_timing, blocking=blocking, interprocess=False)

    def record(self, stream=None) -> None:
        super().record(current_stream() if stream is None else stream)

    def wait(self, stream=None) -> None:
        super().wait(current_stream() if stream is None else stream)

    def elapsed_time(self, end_event) -> float:
        """Estimated milliseconds of device time between two recorded events that were made with enable_timing."""
        if not self.event_id or not end_event.event_id:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        _device.synchronize()
        return _core.event_elapsed(self.event_id, end_event.event_id)

    def __repr__(self):
        return f"<torch_npu.npu.Event {'recorded' if self.event_id else 'uninitialized'}>"


class ExternalEvent:
    """An event that is reset by hand, for captured operators that are updated between replays."""

    def __init__(self):
        self._handle = _core.event_create(_SYNC | _TIME_LINE)

    def record(self, stream=None) -> None:
        _core.event_record(self._handle, (stream or current_stream()).npu_stream)

    def wait(self, stream=None) -> None:
        _core.event_wait(self._handle, (stream or current_stream()).npu_stream)

    def reset(self, stream=None) -> None:
        _core.event_reset(self._handle, (stream or current_stream()).npu_stream)

    def __del__(self):
        if getattr(self, "_handle", 0) and _core is not None:
            _core.event_destroy(self._handle)


def _of_id(stream_id) -> Stream:
    return Stream(stream_id=stream_id, device_index=0, device_type=_PRIVATE_USE)


_PRIVATE_USE = 20  # c10::DeviceType::PrivateUse1


def current_stream(device=None) -> Stream:
    """The stream that this thread's work goes to."""
    if torch.compiler.is_dynamo_compiling():
        return torch.accelerator.current_stream()
    return _of_id(_device.current_stream())


def default_stream(device=None) -> Stream:
    return _of_id(0)


def set_stream(stream) -> None:
    """Makes a stream the one that this thread's work goes to; None changes nothing."""
    if stream is not None:
        _device.set_stream(stream.stream_id)


# Memory goes back when somebody waits for the whole device, and never within a capture, so no stream can lose it.
_library = torch.library.Library("aten", "IMPL")
_library.impl("record_stream", lambda self, s: None, "PrivateUse1")


class StreamContext:
    """`with torch.npu.stream(s):`"""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self.before = current_stream()
            set_stream(self.stream)

    def __exit__(self, kind, value, trace):
        if self.stream is not None:
            set_stream(self.before)


def stream(stream) -> StreamContext:
    """Work inside the `with` block goes to the stream; None changes nothing."""
    if torch.compiler.is_dynamo_compiling():  # Dynamo knows a stream itself as such a block
        return contextlib.nullcontext() if stream is None else stream
    return StreamContext(stream)


# ---- limits of cores ----------------------------------------------------------------------------

_limits = {}  # stream id -> limits that were set


def _checked(call, cube_num, vector_num) -> dict:
    """The limits that are set, in range."""
    out = {}
    for key, name, given, attribute in (("cube_core_num", "cube_num", cube_num, _CUBE_CORES),
                                        ("vector_core_num", "vector_num", vector_num, _VECTOR_CORES)):
        most = _core.device_info(attribute)
        if given == -1:
            continue
        if not isinstance(given, int) or not 1 <= given <= most:
            raise RuntimeError(f"{call}: {name} is {given}; legal: 1 to {most}, or -1")
        out[key] = given
    return out


def _must_be_stream(call, stream):
    if not isinstance(stream, torch.Stream):
        raise AssertionError(f"{call}: stream must be a torch.npu.Stream, got {type(stream).__name__}")


def set_stream_limit(stream, cube_num=-1, vector_num=-1) -> None:
    """Cores that operators of the stream may use from now on; -1 leaves a number as it is."""
    _must_be_stream("set_stream_limit", stream)
    limit = _limits.setdefault(stream.stream_id, {})
    limit.update(_checked("set_stream_limit", cube_num, vector_num))
    _device.set_core_limit(stream.stream_id, limit.get("cube_core_num", 0), limit.get("vector_core_num", 0))


def get_stream_limit(stream) -> dict:
    _must_be_stream("get_stream_limit", stream)
    return {**get_device_limit(), **_limits.get(stream.stream_id, {})}


def reset_stream_limit(stream) -> None:
    _must_be_stream("reset_stream_limit", stream)
    _limits.pop(stream.stream_id, None)
    _device.set_core_limit(stream.stream_id, 0, 0)
