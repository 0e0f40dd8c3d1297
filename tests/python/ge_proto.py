"""Protobuf's own view of the messages of a GE graph and of a TensorFlow one, for tests that read what was written."""
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from torchair._ge_concrete_graph import ge_ir

FIELD = descriptor_pb2.FieldDescriptorProto
KINDS = {"string": FIELD.TYPE_STRING, "bytes": FIELD.TYPE_BYTES, "int": FIELD.TYPE_INT64, "float": FIELD.TYPE_FLOAT,
         "bool": FIELD.TYPE_BOOL, "dtype": FIELD.TYPE_ENUM, "valtype": FIELD.TYPE_ENUM}


def _enum(file, name, values):
    enum = file.enum_type.add(name=name)
    for text, number in sorted(values.items(), key=lambda item: item[1]):
        enum.value.add(name=text, number=number)


def _field(message, package, name, number, kind, many):
    field = message.field.add(name=name, number=number, label=FIELD.LABEL_REPEATED if many else FIELD.LABEL_OPTIONAL)
    field.type = KINDS.get(kind, FIELD.TYPE_MESSAGE)
    if field.type == FIELD.TYPE_MESSAGE:
        field.type_name = f".{package}.{kind}"
    elif field.type == FIELD.TYPE_ENUM:
        field.type_name = f".{package}." + ("DataType" if kind == "dtype" else "ListValueType")
    return field


def _map_field(message, package, name, number, kind):
    entry = message.nested_type.add(name="".join(part.capitalize() for part in name.split("_")) + "Entry")
    entry.options.map_entry = True
    _field(entry, package, "key", 1, "string", False)
    _field(entry, package, "value", 2, kind, False)
    field = message.field.add(name=name, number=number, label=FIELD.LABEL_REPEATED, type=FIELD.TYPE_MESSAGE)
    field.type_name = f".{package}.{message.name}.{entry.name}"


def ge_messages():
    """Classes for the graph description, from its field names and numbers."""
    file = descriptor_pb2.FileDescriptorProto(name="ge.proto", package="ge.proto", syntax="proto3")
    _enum(file, "DataType", ge_ir.DATA_TYPES)
    _enum(file, "ListValueType", {"VT_LIST_NONE": 0, **{f"VT_LIST_{name}": number for name, number in ge_ir.VALUE_TYPES.items()}})
    for kind, message_class in ge_ir.MESSAGES.items():
        message = file.message_type.add(name=kind)
        oneof = any(label == "oneof" for _, _, _, label in message_class.fields)
        if oneof:
            message.oneof_decl.add(name="value")
        for name, number, field_kind, label in message_class.fields:
            if label == "map":
                _map_field(message, "ge.proto", name, number, field_kind)
                continue
            field = _field(message, "ge.proto", name, number, field_kind, label == "many")
            if label == "oneof":
                field.oneof_index = 0
    return _classes(file, ["ge.proto." + kind for kind in ge_ir.MESSAGES])


def tensorflow_messages():
    """Classes for as much of TensorFlow's GraphDef as a pbtxt uses."""
    file = descriptor_pb2.FileDescriptorProto(name="tf.proto", package="tf", syntax="proto3")
    value = file.message_type.add(name="AttrValue")
    _field(value, "tf", "s", 2, "bytes", False)
    node = file.message_type.add(name="NodeDef")
    for name, number, many in (("name", 1, False), ("op", 2, False), ("input", 3, True)):
        _field(node, "tf", name, number, "string", many)
    _map_field(node, "tf", "attr", 5, "AttrValue")
    graph = file.message_type.add(name="GraphDef")
    _field(graph, "tf", "node", 1, "NodeDef", True)
    return _classes(file, ["tf.GraphDef"])


def _classes(file, names):
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name.split(".")[-1]: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names}


GE, TF = ge_messages(), tensorflow_messages()
