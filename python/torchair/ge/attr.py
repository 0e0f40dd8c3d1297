"""Attribute values for torchair.ge.custom_op: one class for each kind."""
from typing import Any

from torchair._ge_concrete_graph import ge_ir


class _Attr:
    """A checked value; `definition()` is what the graph holds."""

    legal: str = ""

    def __init__(self, value: Any):
        if not self.accepts(value):
            raise TypeError(f"torchair.ge.attr.{type(self).__name__}: {value!r} is not legal; legal: {self.legal}")
        self.value = value

    @staticmethod
    def accepts(value: Any) -> bool:
        raise NotImplementedError

    def fill(self, definition: ge_ir.AttrDef) -> None:
        raise NotImplementedError

    def definition(self) -> ge_ir.AttrDef:
        definition = ge_ir.AttrDef()
        self.fill(definition)
        return definition

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _all(value: Any, test) -> bool:
    return isinstance(value, (list, tuple)) and all(test(item) for item in value)


class Int(_Attr):
    legal = "int"
    accepts = staticmethod(_is_int)

    def fill(self, definition):
        definition.i = self.value


class Float(_Attr):
    legal = "float or int"
    accepts = staticmethod(_is_number)

    def fill(self, definition):
        definition.f = float(self.value)


class Bool(_Attr):
    legal = "bool"
    accepts = staticmethod(lambda value: isinstance(value, bool))

    def fill(self, definition):
        definition.b = self.value


class Str(_Attr):
    legal = "str"
    accepts = staticmethod(lambda value: isinstance(value, str))

    def fill(self, definition):
        definition.s = self.value.encode("utf-8")


class DataType(_Attr):
    legal = "a number of torchair.ge.DataType"
    accepts = staticmethod(_is_int)

    def fill(self, definition):
        definition.dt = int(self.value)


class _List(_Attr):
    """field: of the list message; kind: its value type."""

    field, kind = "", ""

    def fill(self, definition):
        values = definition.list
        setattr(values, "val_type", ge_ir.VALUE_TYPES[self.kind])
        getattr(values, self.field).extend(self.convert(item) for item in self.value)

    @staticmethod
    def convert(item):
        return item


class ListInt(_List):
    legal, field, kind = "list of int", "i", "INT"
    accepts = staticmethod(lambda value: _all(value, _is_int))


class ListFloat(_List):
    legal, field, kind = "list of float", "f", "FLOAT"
    accepts = staticmethod(lambda value: _all(value, _is_number))


class ListBool(_List):
    legal, field, kind = "list of bool", "b", "BOOL"
    accepts = staticmethod(lambda value: _all(value, lambda item: isinstance(item, bool)))


class ListStr(_List):
    legal, field, kind = "list of str", "s", "STRING"
    accepts = staticmethod(lambda value: _all(value, lambda item: isinstance(item, str)))

    @staticmethod
    def convert(item):
        return item.encode("utf-8")


class ListDataType(_List):
    legal, field, kind = "list of numbers of torchair.ge.DataType", "dt", "DATA_TYPE"
    accepts = staticmethod(lambda value: _all(value, _is_int))

    @staticmethod
    def convert(item):
        return int(item)


class ListListInt(_Attr):
    legal = "list of lists of int"
    accepts = staticmethod(lambda value: _all(value, lambda row: _all(row, _is_int)))

    def fill(self, definition):
        definition.list_list_int = ge_ir.ListListInt(list_list_i=[ge_ir.ListInt(list_i=row) for row in self.value])


class ListListFloat(_Attr):
    legal = "list of lists of float"
    accepts = staticmethod(lambda value: _all(value, lambda row: _all(row, _is_number)))

    def fill(self, definition):
        definition.list_list_float = ge_ir.ListListFloat(
            list_list_f=[ge_ir.ListFloat(list_f=row) for row in self.value])
