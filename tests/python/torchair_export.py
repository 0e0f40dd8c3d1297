"""dynamo_export: files of the offline compiler, read back by protobuf itself; weights in private formats."""
import os
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
import torchair  # noqa: E402
from frontend import raised  # noqa: E402
from ge_proto import GE, TF  # noqa: E402
from google.protobuf import text_format  # noqa: E402
from torchair._ge_concrete_graph import export, ge_binary, ge_ir  # noqa: E402
from torchair._ge_concrete_graph.fx2ge_converter import ExportSuccess  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402


class Model(torch.nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(3, 2, bias=False, dtype=dtype))
        self.register_buffer("shift", torch.tensor([1.0, 2.0], dtype=dtype))

    def forward(self, x):
        with torchair.scope.super_kernel("sp", "stream-fusion=1"):
            return self.inner(x) + self.shift


X = torch.arange(6.0).reshape(2, 3)


def exported(model=None, x=X, **more):
    """(the folder's files by name, the graph of the .air as protobuf reads it, nodes of dynamo.pbtxt by name)."""
    with tempfile.TemporaryDirectory() as here:
        path = os.path.join(here, "made", "out")
        torchair.dynamo_export(x, model=model or Model(), export_path=path, **more)
        files = {file.name: file.read_bytes() for file in Path(path).iterdir()}
    (air,) = [name for name in files if name.endswith(".air")]
    (graph,) = GE["ModelDef"].FromString(files[air]).graph
    nodes = text_format.Parse(files["dynamo.pbtxt"].decode(), TF["GraphDef"]()).node
    return files, graph, {node.name: node for node in nodes}


def what_is_not_a_module_is_refused():
    assert "torch.nn.Module, got function" in raised(TypeError, torchair.dynamo_export, X, model=lambda x: x)


def links_are_refused():
    with tempfile.TemporaryDirectory() as here:
        link = os.path.join(here, "link")
        os.symlink(here, link)
        assert "symbolic link" in raised(ValueError, torchair.dynamo_export, X, model=Model(), export_path=link)
        os.symlink("/dev/null", os.path.join(here, "export.air"))
        assert "export.air is a symbolic link" in raised(ValueError, torchair.dynamo_export, X, model=Model(), export_path=here)


def a_model_of_two_graphs_is_no_export():
    class Broken(torch.nn.Module):
        def forward(self, x):
            torch._dynamo.graph_break()
            return x + 1
    with tempfile.TemporaryDirectory() as here:
        raised(torch._dynamo.exc.Unsupported, torchair.dynamo_export, X, model=Broken(), export_path=here)
        assert os.listdir(here) == []


def a_graph_with_gears_is_not_exported():
    x = X.clone()
    torchair.inference.set_dim_gears(x, {0: [2, 4]})
    with tempfile.TemporaryDirectory() as here:
        text = raised(torch._dynamo.exc.BackendCompilerFailed, torchair.dynamo_export, x, model=Model(), export_path=here, dynamic=True)
        assert "cannot be exported" in text, text


def two_files_with_the_weights_inside():
    model = Model()
    files, graph, nodes = exported(model)
    assert set(files) == {"export.air", "dynamo.pbtxt"}
    ops = {op.name: op for op in graph.op}
    held = {op.attr["value"].t.data for op in ops.values() if op.type == "Const"}
    assert model.inner[0].weight.detach().numpy().tobytes() in held and model.shift.numpy().tobytes() in held
    (data,) = [op for op in ops.values() if op.type == "Data"]
    assert data.attr["index"].i == 0 and list(data.output_desc[0].shape.dim) == [2, 3]
    assert [op.type for op in graph.op if op.type not in ("Const", "Data")] == ["Transpose", "MatMul", "Add", "NetOutput"]
    assert ops["MatMul"].attr["_super_kernel_scope"].s == b"sp" and ops["MatMul"].attr["_super_kernel_options"].s == b"stream-fusion=1"
    assert {(node.name, node.op) for node in nodes.values()} == {(op.name, op.type) for op in ops.values()}


def names_and_open_sizes():
    files, graph, _ = exported(export_name="some/where/net", dynamic=True, x=torch.ones(5, 3))
    assert set(files) == {"net.air", "dynamo.pbtxt"}
    (data,) = [op for op in graph.op if op.type == "Data" and len(op.output_desc[0].shape.dim) == 2]
    assert list(data.output_desc[0].shape.dim) == [-1, 3]


def models_on_the_device_export_too():
    model = Model(torch.bfloat16).npu()
    _, graph, _ = exported(model, X.bfloat16().npu())
    held = {op.attr["value"].t.data for op in graph.op if op.type == "Const"}
    assert model.inner[0].weight.detach().cpu().view(torch.int16).numpy().tobytes() in held


def the_graph_does_not_run_and_the_config_stays():
    config = CompilerConfig()
    config.export.experimental.enable_record_nn_module_stack = True
    _, graph, _ = exported(config=config)
    (product,) = [op for op in graph.op if op.type == "MatMul"]
    assert b"inner" in product.attr["nn_module_stack"].s and b"Linear" in product.attr["nn_module_stack"].s
    assert not config.export.export_mode and config.export.weight_name.raw is None
    _, graph, _ = exported()
    assert all("nn_module_stack" not in op.attr for op in graph.op)


def the_option_alone_ends_a_run():
    with tempfile.TemporaryDirectory() as here:
        config = CompilerConfig()
        config.export.export_mode, config.export.export_path_dir = True, here
        config.debug.graph_dump.type, config.debug.graph_dump.path = "pbtxt", here
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: x + 1, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)
        raised(ExportSuccess, compiled, X)
        assert sorted(os.listdir(here)) == ["dynamo.pbtxt", "export.air"]  # dumps are off in this mode


def large_weights_stand_in_files():
    model, before = Model(torch.float16), export.LARGEST_BYTES
    export.LARGEST_BYTES = 10
    try:
        files, graph, nodes = exported(model, X.half())
    finally:
        export.LARGEST_BYTES = before
    assert set(files) == {"export.air", "dynamo.pbtxt", "inner_0_weight", "shift"}
    assert files["inner_0_weight"] == model.inner[0].weight.detach().numpy().tobytes()
    ops = {op.attr["file_path"].s.decode().rsplit("/", 1)[-1]: op for op in graph.op if op.type == "FileConstant"}
    assert set(ops) == {"inner_0_weight", "shift"}
    weight = ops["inner_0_weight"]
    assert list(weight.attr["shape"].list.i) == [2, 3] and weight.attr["dtype"].i == 1  # DT_FLOAT16 of attribute values
    assert weight.output_desc[0].dtype == ge_ir.DATA_TYPES["DT_FLOAT16"] and weight.output_desc[0].layout == "ND"
    assert weight.output_desc[0].attr["format_for_int"].i == 2 and nodes[weight.name].op == "FileConstant"


def binary_and_text_hold_the_same():
    """Values that an encoder may get wrong: protobuf reads both forms and finds them equal."""
    op = ge_ir.OpDef(name="o", type="T", input=["a:0", "b:-1"])
    op.attr.update({"bytes": ge_ir.AttrDef(s=bytes(range(256))), "no": ge_ir.AttrDef(b=False), "low": ge_ir.AttrDef(i=-2**63),
                    "high": ge_ir.AttrDef(i=2**63 - 1), "f": ge_ir.AttrDef(f=1e-20), "inf": ge_ir.AttrDef(f=float("-inf")),
                    "zero": ge_ir.AttrDef(i=0), "empty": ge_ir.AttrDef(list=ge_ir.ListValue(val_type=2)),
                    "many": ge_ir.AttrDef(list=ge_ir.ListValue(i=[1, -1, 300], f=[0.5, -2.0], b=[True, False], s=[b"x", b""], val_type=2)),
                    "rows": ge_ir.AttrDef(list_list_int=ge_ir.ListListInt(list_list_i=[ge_ir.ListInt(list_i=[1, -2]), ge_ir.ListInt()]))})
    graph = ge_ir.GraphDef(name="中文", op=[op], output=["o:0"])
    graph.op[0].output_desc.append(ge_ir.TensorDescriptor(name="y", dtype=27, layout="ND", shape=ge_ir.ShapeDef(dim=[-1, 0, 2**40])))
    read = GE["GraphDef"].FromString(ge_binary.to_bytes(graph))
    assert read == text_format.Parse(ge_ir.to_text(graph), GE["GraphDef"]())
    assert read.op[0].attr["low"].i == -2**63 and list(read.op[0].attr["many"].list.i) == [1, -1, 300]
    assert ge_binary.to_bytes(graph) == read.SerializeToString(deterministic=True)  # byte for byte what protobuf itself writes


# ---- weights -------------------------------------------------------------------------------------

def weights_on_the_cpu_have_no_private_format():
    assert "inner.0.weight is on cpu" in raised(RuntimeError, torchair.use_internal_format_weight, Model())


def weights_of_linear_become_private():
    model = torch.nn.ModuleDict({"linear": torch.nn.Linear(32, 16, dtype=torch.float16), "norm": torch.nn.LayerNorm(16)}).npu()
    before = {name: held.detach().cpu().clone() for name, held in model.named_parameters()}
    torchair.use_internal_format_weight(model)
    formats = {name: int(torch_npu.get_npu_format(held)) for name, held in model.named_parameters()}
    assert formats == {**dict.fromkeys(formats, 2), "linear.weight": 29}, formats
    assert all(torch.equal(held.detach().cpu(), before[name]) for name, held in model.named_parameters())
    x = torch.randn(4, 32).half()
    want = x.float() @ before["linear.weight"].float().t() + before["linear.bias"].float()
    with torch.no_grad():
        got = torch.compile(model["linear"], backend=torchair.get_npu_backend(), dynamic=False)(x.npu())
    assert torch.allclose(got.cpu().float(), want, rtol=2e-3, atol=2e-3)


def weights_of_convolutions_stay():
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 2, 1, dtype=torch.float16), torch.nn.Conv2d(2, 2, 1)).npu()
    formats = [int(torch_npu.get_npu_format(held)) for held in model.parameters()]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torchair.use_internal_format_weight(model)
    assert [str(one.message).rsplit(": ", 1)[1] for one in seen] == ["0"], seen
    assert [int(torch_npu.get_npu_format(held)) for held in model.parameters()] == formats


def a_cast_on_the_host_is_the_same_cast():
    x = torch.arange(32.0 * 32).reshape(32, 32).half().npu()
    cast = torchair.npu_format_cast_via_cpu(x, 29)
    assert int(torch_npu.get_npu_format(cast)) == 29 and torch.equal(cast.cpu(), x.cpu())
    assert torchair.patch_for_hcom() is None


if __name__ == "__main__":
    sys.exit(tap.run([
        what_is_not_a_module_is_refused, links_are_refused, a_model_of_two_graphs_is_no_export, a_graph_with_gears_is_not_exported,
        two_files_with_the_weights_inside, names_and_open_sizes, models_on_the_device_export_too,
        the_graph_does_not_run_and_the_config_stays, the_option_alone_ends_a_run, large_weights_stand_in_files,
        binary_and_text_hold_the_same, weights_on_the_cpu_have_no_private_format,
        weights_of_linear_become_private, weights_of_convolutions_stay,
        a_cast_on_the_host_is_the_same_cast]))
