"""The graph description in protobuf's binary form, as an exported model holds it."""
import struct
from typing import Any, Iterator

from torchair._ge_concrete_graph.ge_ir import MESSAGES, Message

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_NUMBERS = ("int", "bool", "dtype", "valtype")


def _varint(value: int) -> bytes:
    value &= 2**64 - 1  # negative numbers are ten bytes of two's complement
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _key(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _counted(number: int, data: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(data)) + data


def _bare(kind: str, value: Any) -> bytes:
    """A number without its key, as packed lists have it."""
    return struct.pack("<f", value) if kind == "float" else _varint(int(value))


def _one(number: int, kind: str, value: Any) -> bytes:
    if kind in MESSAGES:
        return _counted(number, to_bytes(value))
    if kind == "string":
        return _counted(number, value.encode("utf-8"))
    if kind == "bytes":
        return _counted(number, value.encode("utf-8") if isinstance(value, str) else value)
    return _key(number, _FIXED32 if kind == "float" else _VARINT) + _bare(kind, value)


def _many(number: int, kind: str, values: Any) -> Iterator[bytes]:
    if kind in _NUMBERS or kind == "float":
        if values:
            yield _counted(number, b"".join(_bare(kind, value) for value in values))
        return
    for value in values:
        yield _one(number, kind, value)


def _fields(message: Message) -> Iterator[bytes]:
    for name, number, kind, label in sorted(message.fields, key=lambda field: field[1]):
        value = message._set.get(name)
        if value is None:
            continue
        if label == "map":
            for key in sorted(value):
                yield _counted(number, _one(1, "string", key) + _one(2, kind, value[key]))
        elif label == "many":
            yield from _many(number, kind, value)
        elif label == "oneof" or kind in MESSAGES or value not in (0, "", b"", False):
            yield _one(number, kind, value)


def to_bytes(message: Message) -> bytes:
    """Fields in the order of their numbers, maps in the order of their keys; what has its default is left out."""
    return b"".join(_fields(message))
