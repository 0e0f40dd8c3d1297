"""Dumps of GE graphs: names of the files, and that protobuf's own text parser reads what stands in them."""
import csv
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402
import torchair  # noqa: E402
from ge_proto import GE, TF  # noqa: E402
from google.protobuf import text_format  # noqa: E402
from torchair._ge_concrete_graph import ge_ir, graph_dump  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

X = torch.arange(6.0).reshape(2, 3)
NAME = re.compile(r"dynamo_(original|optimized)_graph_(\d+)_rank_0_pid_(\d+)_ts_(\d{20})\.(pbtxt|txt|py)")

# ---- the graph -----------------------------------------------------------------------------------

def model(x):
    with torchair.scope.super_kernel("sp'1\"\\", "stream-fusion=1"):
        y = torch.mm(x, x.t()) * 0.5
    return y - 1, x.sum(dim=[0, 1])


def dump(kind, directory=None, change=None):
    """Texts of the two dumps by stage; the files lie in `directory`, else where the process stands."""
    torch._dynamo.reset()
    config = CompilerConfig()
    if kind is not None:
        config.debug.graph_dump.type = kind
    if change is not None:
        change(config)
    with tempfile.TemporaryDirectory() as here:
        before = os.getcwd()
        os.chdir(here)
        try:
            if directory is not None:
                config.debug.graph_dump.path = os.path.join(here, directory)
            torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X)
        finally:
            os.chdir(before)
        files = sorted(Path(here, directory or ".").iterdir())
        assert all(NAME.fullmatch(file.name) for file in files), files
        return {NAME.fullmatch(file.name)[1]: file.read_text(encoding="utf-8") for file in files}, [file.name for file in files]


def files_are_named_by_stage_graph_process_and_time():
    for kind in ("pbtxt", "txt", "py"):
        texts, names = dump(kind)
        assert set(texts) == {"original", "optimized"} and len(names) == 2
        stages = [NAME.fullmatch(name) for name in names]
        assert len({stage[2] for stage in stages}) == 1 and stages[0][3] == str(os.getpid()) and stages[0][5] == kind


def a_directory_can_be_chosen():
    texts, _ = dump("pbtxt", directory="made/here")
    assert set(texts) == {"original", "optimized"}


def nothing_is_written_without_a_type():
    assert dump(None)[1] == []


def nothing_is_written_before_the_first_call():
    torch._dynamo.reset()
    config = CompilerConfig()
    config.debug.graph_dump.type = "pbtxt"
    with tempfile.TemporaryDirectory() as here:
        config.debug.graph_dump.path = here
        torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)
        assert os.listdir(here) == []


def a_pbtxt_that_cannot_be_written_is_said():
    import contextlib
    import io
    said = io.StringIO()
    with tempfile.NamedTemporaryFile() as file, contextlib.redirect_stdout(said):
        config = CompilerConfig()
        config.debug.graph_dump.type = "pbtxt"
        config.debug.graph_dump.path = os.path.join(file.name, "below_a_file")
        graph_dump.dump(ge_ir.GraphDef(name="g"), config, "dynamo_original_g")
    assert said.getvalue().startswith("dump pbtxt failed") and said.getvalue().count("\n") == 1, said.getvalue()


def pbtxt_is_a_tensorflow_graph():
    for stage, text in dump("pbtxt")[0].items():
        graph = text_format.Parse(text, TF["GraphDef"]())
        nodes = {node.name: node for node in graph.node}
        assert nodes["MatMul"].op == "MatMul" and list(nodes["MatMul"].input) == ["arg0_1:0", "Transpose:0"]
        scope = text_format.Parse(nodes["MatMul"].attr["_super_kernel_scope"].s.decode(), GE["AttrDef"]())
        assert scope.s == b"sp'1\"\\", scope.s
        assert "_super_kernel_scope" not in nodes["Sub"].attr and "_super_kernel_scope" not in nodes["arg0_1"].attr
        desc = text_format.Parse(nodes["arg0_1"].attr["[o]y"].s.decode(), GE["TensorDescriptor"]())
        assert list(desc.shape.dim) == [2, 3] and desc.dtype == ge_ir.DATA_TYPES["DT_FLOAT"] and desc.layout == "ND"
        assert ("_input_name_key" in nodes["MatMul"].attr) == (stage == "optimized")


def every_value_of_a_pbtxt_is_text_of_the_description():
    graph = text_format.Parse(dump("pbtxt")[0]["optimized"], TF["GraphDef"]())
    for node in graph.node:
        for key, value in node.attr.items():
            kind = "TensorDescriptor" if key.startswith(("[i]", "[o]")) else "AttrDef"
            text_format.Parse(value.s.decode(), GE[kind]())


def pbtxt_lines_have_their_indentation():
    text = dump("pbtxt")[0]["original"]
    lines = text.splitlines()
    assert lines[0] == "node {" and lines[1] == '    name: "arg0_1"' and lines[2] == '    op: "Data"'
    at = lines.index('        key: "_super_kernel_scope"')
    assert lines[at - 1] == "    attr {" and lines[at + 1] == "        value {" and lines[at + 3:at + 5] == ["        }", "    }"]
    assert lines[at + 2].startswith("            s: 's: \"")


def control_edges_have_a_caret():
    op = ge_ir.OpDef(name="Identity", type="Identity", input=["Mul:0", "Add:-1"])
    graph = text_format.Parse(graph_dump.to_pbtxt(ge_ir.GraphDef(op=[op])), TF["GraphDef"]())
    assert list(graph.node[0].input) == ["Mul:0", "^Add"]


def txt_is_the_description():
    for stage, text in dump("txt")[0].items():
        graph = text_format.Parse(text, GE["GraphDef"]())
        ops = {op.name: op for op in graph.op}
        assert ops["MatMul"].attr["_super_kernel_scope"].s == b"sp'1\"\\"
        assert list(graph.output) == [name for name in next(op for op in graph.op if op.type == "NetOutput").input]
        assert ("_executor_type" in graph.attr) == (stage == "optimized")
        assert text_format.MessageToString(graph) == text  # byte for byte what protobuf itself prints


def hard_values_come_back():
    """Bytes, numbers and lists that a printer may get wrong."""
    attrs = {"bytes": ge_ir.AttrDef(s=bytes(range(256))), "text": ge_ir.AttrDef(s="中文\n".encode()), "no": ge_ir.AttrDef(b=False),
             "low": ge_ir.AttrDef(i=-2**63), "f": ge_ir.AttrDef(f=1e-20), "inf": ge_ir.AttrDef(f=float("-inf")),
             "empty": ge_ir.AttrDef(list=ge_ir.ListValue(val_type=2)), "dt": ge_ir.AttrDef(dt=27),
             "rows": ge_ir.AttrDef(list_list_int=ge_ir.ListListInt(list_list_i=[ge_ir.ListInt(list_i=[1, -2]), ge_ir.ListInt()]))}
    op = ge_ir.OpDef(name="o'\"\\", type="T")
    op.attr.update(attrs)
    read = text_format.Parse(ge_ir.to_text(op), GE["OpDef"]())
    assert read.attr["bytes"].s == bytes(range(256)) and read.attr["text"].s.decode() == "中文\n" and read.name == "o'\"\\"
    assert read.attr["low"].i == -2**63 and read.attr["no"].WhichOneof("value") == "b" and read.attr["dt"].dt == 27
    assert read.attr["f"].f == torch.tensor(1e-20).item() and read.attr["inf"].f == float("-inf")
    assert [list(row.list_i) for row in read.attr["rows"].list_list_int.list_list_i] == [[1, -2], []]
    (node,) = text_format.Parse(graph_dump.to_pbtxt(ge_ir.GraphDef(op=[op])), TF["GraphDef"]()).node
    assert text_format.Parse(node.attr["bytes"].s.decode(), GE["AttrDef"]()).s == bytes(range(256))


def py_builds_the_graph_again():
    texts = dump("py")[0]
    for stage, text in texts.items():
        space = {}
        exec(compile(text, f"<{stage}>", "exec"), space)
        graph = space["graph"].definition
        ops = {op.name: op for op in graph.op}
        assert ops["MatMul"].attr["_super_kernel_scope"].s == b"sp'1\"\\" and ops["MatMul"].input == ["arg0_1:0", "Transpose:0"]
        assert ge_ir.to_text(text_graph(graph)) == ge_ir.to_text(graph)
        assert "# mm-aten.mm.default" in text


def text_graph(graph):
    """The graph printed as Python and built from that."""
    from torchair._ge_concrete_graph.py_dump import to_python
    space = {}
    exec(to_python(graph), space)
    return space["graph"].definition


def eager_dumps_hold_the_results():
    import numpy
    torch._dynamo.reset()
    with tempfile.TemporaryDirectory() as here, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = CompilerConfig()
        config.debug.data_dump.type = "npy"
        config.debug.data_dump.path = here
        config.debug.data_dump.filter = lambda node: "mul" in node.name
        torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X)
        files = {re.fullmatch(r"worldsize1_global_rank0/graph_\d+/0/mul-aten\.mul\.Tensor\.(\w+\.\d)\.\d{20}\.npy",
                              str(path.relative_to(here))).group(1): numpy.load(path) for path in Path(here).rglob("*.npy")}
        assert set(files) == {"INPUT.0", "INPUT.1", "OUTPUT.0"}, files.keys()
        assert numpy.array_equal(files["INPUT.0"], (X @ X.t()).numpy()) and files["INPUT.1"] == 0.5
        assert numpy.array_equal(files["OUTPUT.0"], (X @ X.t() * 0.5).numpy())


def summaries_list_the_operators():
    torch._dynamo.reset()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        try:
            config = CompilerConfig()
            config.debug.fx_summary.type = "csv"
            torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)(X)
        finally:
            os.chdir(before)
        (file,) = os.listdir(here)
        with open(Path(here, file), newline="", encoding="utf-8") as table:
            rows = {row["target"]: row for row in csv.DictReader(table)}
    assert rows["aten.mm.default"] == {"target": "aten.mm.default", "conversion": "converter", "calls": "1",
                                       "inputs": "1 x (float32[2, 3], float32[3, 2])", "outputs": "1 x float32[2, 2]"}
    assert rows["aten.sum.dim_IntList"]["conversion"] == "by its schema", rows


def debugging_a_compilation_leaves_its_graphs():
    import subprocess
    text = ("import sys; sys.path.insert(0, %r)\nimport torch, torchair\n"
            "torch.compile(lambda x: x + 1, backend=torchair.get_npu_backend(), dynamic=False)(torch.ones(2))\n"
            % str(HERE.parents[1] / "python"))
    with tempfile.TemporaryDirectory() as here:
        environment = {**os.environ, "TORCH_COMPILE_DEBUG": "1", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
        subprocess.run([sys.executable, "-c", text], cwd=here, env=environment, check=True, capture_output=True, timeout=200)
        files = {str(path.relative_to(here)).split("/torchair/")[-1]: path.read_text() for path in Path(here).rglob("*.txt")
                 if "/torchair/" in str(path)}
    assert set(files) == {"model__0/dynamo_out_graph.txt", "model__0/forward/000_aot_forward_lowered.txt",
                          "model__0/forward/001_aot_forward_ge_graph.txt"}, files.keys()
    assert text_format.Parse(files["model__0/forward/001_aot_forward_ge_graph.txt"], GE["GraphDef"]()).op[1].type == "Const"


if __name__ == "__main__":
    sys.exit(tap.run([
        files_are_named_by_stage_graph_process_and_time, a_directory_can_be_chosen, nothing_is_written_without_a_type,
        nothing_is_written_before_the_first_call, a_pbtxt_that_cannot_be_written_is_said, pbtxt_is_a_tensorflow_graph,
        every_value_of_a_pbtxt_is_text_of_the_description, pbtxt_lines_have_their_indentation, control_edges_have_a_caret,
        txt_is_the_description, hard_values_come_back, py_builds_the_graph_again, eager_dumps_hold_the_results,
        summaries_list_the_operators, debugging_a_compilation_leaves_its_graphs]))
