"""Writes a GE graph into a file: text of the description (txt), TensorFlow-like text (pbtxt), Python (py)."""
import os
from datetime import datetime, timezone
from typing import Iterator

from torchair._ge_concrete_graph.ge_ir import GraphDef, Message, OpDef, quoted, to_text
from torchair._ge_concrete_graph.py_dump import to_python
from torchair.configs.compiler_config import CompilerConfig


def _rank() -> int:
    import torch.distributed as distributed
    return distributed.get_rank() if distributed.is_available() and distributed.is_initialized() else 0


def file_name(stem: str, kind: str) -> str:
    stamp = datetime.now(timezone.utc).strftime("%Y%m%d%H%M%S%f")
    return f"{stem}_rank_{_rank()}_pid_{os.getpid()}_ts_{stamp}.{kind}"


# ---- pbtxt ---------------------------------------------------------------------------------------

def _bytes_literal(text: str) -> str:
    body = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{body}'"


def _attr(key: str, value: Message) -> Iterator[str]:
    yield "    attr {"
    yield f"        key: {quoted(key)}"
    yield "        value {"
    yield f"            s: {_bytes_literal(to_text(value))}"
    yield "        }"
    yield "    }"


def _producer(source: str) -> str:
    name, index = source.rsplit(":", 1)
    return f"^{name}" if index == "-1" else source


def _node(op: OpDef) -> Iterator[str]:
    yield "node {"
    yield f"    name: {quoted(op.name)}"
    yield f"    op: {quoted(op.type)}"
    for source in op.input:
        yield f"    input: {quoted(_producer(source))}"
    for key, value in op.attr.items():
        yield from _attr(key, value)
    for desc in op.input_desc:
        yield from _attr(f"[i]{desc.name}", desc)
    for desc in op.output_desc:
        yield from _attr(f"[o]{desc.name}", desc)
    yield "}"


def to_pbtxt(graph: GraphDef) -> str:
    return "".join(line + "\n" for op in graph.op for line in _node(op))


FORMS = {"txt": to_text, "pbtxt": to_pbtxt, "py": to_python}


def dump(graph: GraphDef, config: CompilerConfig, stem: str) -> None:
    """Nothing unless a type is chosen, or in export mode. A pbtxt that cannot be written is said, not raised."""
    kind = config.debug.graph_dump.type.value
    if kind is None or config.export.export_mode:
        return
    directory = config.debug.graph_dump.path.value or os.getcwd()
    path = os.path.join(directory, file_name(stem, kind))
    try:
        text = FORMS[kind](graph)
        os.makedirs(directory, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except Exception as error:  # a dump never stops a run of the real stack either
        if kind != "pbtxt":
            raise
        print(f"dump pbtxt failed, {path}: {error}", flush=True)
