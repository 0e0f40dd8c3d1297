"""The GE graph as data: messages of the graph description with the field names and numbers of its public
proto, and their text form. No protobuf is needed to make or print them."""
from typing import Any, Iterator

DATA_TYPES = {
    "DT_UNDEFINED": 0, "DT_FLOAT": 1, "DT_FLOAT16": 2, "DT_INT8": 3, "DT_UINT8": 4, "DT_INT16": 5, "DT_UINT16": 6,
    "DT_INT32": 7, "DT_INT64": 8, "DT_UINT32": 9, "DT_UINT64": 10, "DT_BOOL": 11, "DT_DOUBLE": 12, "DT_STRING": 13,
    "DT_COMPLEX64": 16, "DT_COMPLEX128": 17, "DT_QINT8": 18, "DT_BF16": 27, "DT_INT4": 28, "DT_UINT1": 29,
    "DT_COMPLEX32": 32, "DT_HIFLOAT8": 33, "DT_FLOAT8_E5M2": 34, "DT_FLOAT8_E4M3FN": 35, "DT_FLOAT8_E8M0": 36,
    "DT_FLOAT4_E2M1": 39, "DT_FLOAT4_E1M2": 40,
}
_DATA_TYPE_NAMES = {number: name for name, number in DATA_TYPES.items()}
VALUE_TYPES = {"STRING": 1, "INT": 2, "FLOAT": 3, "BOOL": 4, "BYTES": 5, "DATA_TYPE": 10}
_VALUE_TYPE_NAMES = {number: "VT_LIST_" + name for name, number in VALUE_TYPES.items()}

_SCALARS = {"string": "", "bytes": b"", "int": 0, "float": 0.0, "bool": False, "dtype": 0, "valtype": 0}


class AttrMap(dict):
    """Attributes by name. Reading a name that is not there makes it, as a map field does."""

    def __missing__(self, key: str) -> "AttrDef":
        self[key] = value = AttrDef()
        return value


class Message:
    """fields: (name, number, kind, label) with label one of one, many, map, oneof. A oneof is kept apart from
    its absence: reading one that is not set gives its default."""

    fields: tuple = ()

    def __init__(self, **values: Any):
        self._set = {}
        for name, _, _, label in self.fields:
            if label == "many":
                self._set[name] = []
            elif label == "map":
                self._set[name] = AttrMap()
        for name, value in values.items():
            if label_of(type(self), name) == "many":
                self._set[name].extend(value)
            else:
                setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        label_of(type(self), name)
        if name not in self._set:
            kind = next(kind for field, _, kind, _ in self.fields if field == name)
            if kind in _SCALARS:
                return _SCALARS[kind]
            self._set[name] = MESSAGES[kind]()
        return self._set[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_set":
            object.__setattr__(self, name, value)
            return
        if label_of(type(self), name) == "oneof":
            for other, _, _, label in self.fields:
                if label == "oneof":
                    self._set.pop(other, None)
        self._set[name] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and to_text(self) == to_text(other)

    __hash__ = None

    def __repr__(self) -> str:
        return to_text(self)


def label_of(kind: type, name: str) -> str:
    for field, _, _, label in kind.fields:
        if field == name:
            return label
    raise AttributeError(f"{kind.__name__} has no field '{name}'")


class ListValue(Message):
    fields = (("s", 2, "bytes", "many"), ("i", 3, "int", "many"), ("f", 4, "float", "many"), ("b", 5, "bool", "many"),
              ("bt", 7, "bytes", "many"), ("dt", 12, "dtype", "many"), ("val_type", 20, "valtype", "one"))


class ListInt(Message):
    fields = (("list_i", 1, "int", "many"),)


class ListListInt(Message):
    fields = (("list_list_i", 1, "ListInt", "many"),)


class ListFloat(Message):
    fields = (("list_f", 1, "float", "many"),)


class ListListFloat(Message):
    fields = (("list_list_f", 1, "ListFloat", "many"),)


class ShapeDef(Message):
    fields = (("dim", 1, "int", "many"),)


class AttrDef(Message):
    fields = (("list", 1, "ListValue", "oneof"), ("s", 2, "bytes", "oneof"), ("i", 3, "int", "oneof"),
              ("f", 4, "float", "oneof"), ("b", 5, "bool", "oneof"), ("bt", 7, "bytes", "oneof"),
              ("t", 12, "TensorDef", "oneof"), ("list_list_int", 14, "ListListInt", "oneof"),
              ("dt", 15, "dtype", "oneof"), ("list_list_float", 16, "ListListFloat", "oneof"))


class TensorDescriptor(Message):
    fields = (("name", 1, "string", "one"), ("dtype", 2, "dtype", "one"), ("shape", 3, "ShapeDef", "one"),
              ("layout", 4, "string", "one"), ("attr", 5, "AttrDef", "map"), ("device_type", 14, "string", "one"))


class TensorDef(Message):
    fields = (("desc", 1, "TensorDescriptor", "one"), ("data", 2, "bytes", "one"))


class OpDef(Message):
    fields = (("name", 1, "string", "one"), ("type", 2, "string", "one"), ("input", 5, "string", "many"),
              ("attr", 10, "AttrDef", "map"), ("id", 21, "int", "one"), ("input_desc", 33, "TensorDescriptor", "many"),
              ("output_desc", 34, "TensorDescriptor", "many"))


class GraphDef(Message):
    fields = (("name", 1, "string", "one"), ("input", 4, "string", "many"), ("output", 5, "string", "many"),
              ("op", 6, "OpDef", "many"), ("attr", 11, "AttrDef", "map"))


class ModelDef(Message):
    fields = (("name", 1, "string", "one"), ("version", 2, "int", "one"), ("graph", 7, "GraphDef", "many"),
              ("attr", 11, "AttrDef", "map"))


MESSAGES = {kind.__name__: kind for kind in (
    ListValue, ListInt, ListListInt, ListFloat, ListListFloat, ShapeDef, AttrDef, TensorDescriptor, TensorDef, OpDef,
    GraphDef, ModelDef)}

# ---- text ----------------------------------------------------------------------------------------

_ESCAPES = {0x09: "\\t", 0x0a: "\\n", 0x0d: "\\r", 0x22: '\\"', 0x27: "\\'", 0x5c: "\\\\"}


def quoted(value: Any) -> str:
    """Text or bytes as the text form writes them: double quotes, octal beyond ASCII."""
    data = value.encode("utf-8") if isinstance(value, str) else value
    body = "".join(_ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7f else f"\\{byte:03o}") for byte in data)
    return f'"{body}"'


def _scalar(kind: str, value: Any) -> str:
    if kind in ("string", "bytes"):
        return quoted(value)
    if kind == "bool":
        return "true" if value else "false"
    if kind == "dtype":
        return _DATA_TYPE_NAMES.get(value, str(value))
    if kind == "valtype":
        return _VALUE_TYPE_NAMES.get(value, str(value))
    if kind == "float":
        return {"inf": "inf", "-inf": "-inf", "nan": "nan"}.get(repr(float(value)), f"{float(value):.9g}")
    return str(int(value))


def _block(name: str, message: Message, indent: str) -> Iterator[str]:
    yield f"{indent}{name} {{"
    yield from _lines(message, indent + "  ")
    yield indent + "}"


def _lines(message: Message, indent: str) -> Iterator[str]:
    for name, _, kind, label in sorted(message.fields, key=lambda field: field[1]):
        value = message._set.get(name)
        if value is None:
            continue
        if label == "map":
            for key in sorted(value):
                yield f"{indent}{name} {{"
                yield f"{indent}  key: {quoted(key)}"
                yield from _block("value", value[key], indent + "  ")
                yield indent + "}"
        elif label == "many":
            for item in value:
                if kind in MESSAGES:
                    yield from _block(name, item, indent)
                else:
                    yield f"{indent}{name}: {_scalar(kind, item)}"
        elif kind in MESSAGES:
            yield from _block(name, value, indent)
        elif label == "oneof" or value != _SCALARS[kind]:
            yield f"{indent}{name}: {_scalar(kind, value)}"


def to_text(message: Message) -> str:
    """The text form: fields in the order of their numbers, maps in the order of their keys."""
    return "".join(line + "\n" for line in _lines(message, ""))
