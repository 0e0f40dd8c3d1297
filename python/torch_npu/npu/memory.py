"""Statistics of device memory. There is no cache: memory goes back when nothing pending needs it."""
from superkernel import _core, _device


def memory_stats(device=None) -> dict:
    if not _device.is_initialised():
        return {}
    stats = _device.memory_stats()
    return {"allocated_bytes.all.current": stats["allocated"], "allocated_bytes.all.peak": stats["peak"],
            "reserved_bytes.all.current": stats["reserved"], "reserved_bytes.all.peak": stats["reserved_peak"],
            "allocation.all.current": stats["count"], "num_ooms": stats["ooms"]}


def memory_allocated(device=None) -> int:
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device=None) -> int:
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device=None) -> int:
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device=None) -> int:
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def reset_peak_memory_stats(device=None) -> None:
    _device.reset_peak()


def mem_get_info(device=None) -> tuple:
    """(free, total) bytes of device memory."""
    _device.initialise()
    return _core.memory_info()


def memory_summary(device=None, abbreviated=False) -> str:
    return "\n".join(f"{name:32} {value}" for name, value in memory_stats(device).items())


def memory_snapshot() -> list:
    """No segments are kept, so there is nothing to list."""
    return []


def empty_cache() -> None:
    """Gives back what nothing refers to any more; safe before the device is made and during a capture."""
    if _device.is_initialised() and not _device.capturing():
        _device.synchronize()


def host_empty_cache() -> None:
    """Pinned memory is not cached."""
