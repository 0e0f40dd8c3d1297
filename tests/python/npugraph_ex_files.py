"""Files that compiled models write: static lists of operators, saved results, debug files; the deadlock report."""
import contextlib
import glob
import io
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import begin, close, compiled, end, SK, test, TESTS, warned, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402


@test
def the_static_list_holds_shapes_and_is_cached():
    def function(x, y):
        begin("a")
        z = x + y
        end("a")
        return z
    options = {"static_kernel_compile": True, **SK, "super_kernel_optimize_options": {"early_start": 1}}
    with warned("static_kernel_compile_outputs", "cache_compile"):
        compiled(function, options)(x44(), x44())
    lists = glob.glob("static_kernel_compile_outputs/ts*_pid*_outputs")
    assert len(lists) == 1, lists
    [operator] = glob.glob(f"{lists[0]}/{os.getpid()}/*.json")
    content = json.loads(Path(operator).read_text(encoding="utf-8"))
    assert content["op"] == "aten::add.Tensor" and content["results"]["shape"] == [4, 4], content
    command = json.loads(Path(f"{lists[0]}/{os.getpid()}_opcompile.json").read_text(encoding="utf-8"))
    assert command["enable_super_kernel"] and command["super_kernel_options"] == "early_start=1", command
    for more, count in (({}, 1), ({"disable_static_kernel_compile_cache": True}, 2)):
        torch._dynamo.reset()
        compiled(function, {**options, **more})(x44(), x44())
        assert len(glob.glob("static_kernel_compile_outputs/ts*")) == count


@test
def a_symbol_can_decide_on_the_static_list():
    options = {"static_kernel_compile": True, "_vllm_aclnn_static_kernel_sym_range": [4]}
    for rows, count in ((3, 0), (4, 1)):
        torch._dynamo.reset()
        model = compiled(lambda x: x + 1, options, dynamic=True)
        model(torch.randn(rows, 16).npu())
        assert len(glob.glob("static_kernel_compile_outputs/ts*")) == count


@test
def results_can_be_saved():
    def function(x):
        return torch.relu(x + 1)
    x = x44()
    for options, suffix in (({}, "pt"), ({"force_eager": True}, "npy"), ({"data_dump_stage": "original"}, "pt")):
        torch._dynamo.reset()
        os.makedirs(suffix + str(len(options)))
        options = {"dump_tensor_data": True, "data_dump_dir": suffix + str(len(options)), **options}
        assert close(compiled(function, options)(x), torch.relu(x.cpu() + 1))
        torch.npu.synchronize()
        files = sorted(glob.glob(options["data_dump_dir"] + f"/worldsize1_global_rank0/*.{suffix}"))
        assert len(files) == 2, files
        assert all(("_device_0_0.pt" in name) == ("data_dump_stage" not in options and suffix == "pt") for name in files), files
        if suffix == "pt":
            assert close(torch.load(files[1]), torch.relu(x.cpu() + 1))
    torch._dynamo.reset()
    with warned("dump_tensor_data has no effect"):
        compiled(function, {"dump_tensor_data": True, **SK})(x)
    assert not glob.glob("worldsize*")


@test
def tensors_are_shown_at_each_replay():
    def model(x):
        y = x * 2
        torch_npu.print_npugraph_tensor(y, tensor_name="doubled")
        torch_npu.save_npugraph_tensor(y, save_path="y.pt")
        return y + 1
    model, out = compiled(model, fullgraph=True), io.StringIO()
    with contextlib.redirect_stdout(out):
        for value in (1.0, 2.0):
            model(torch.full((2,), value).npu())
            torch.npu.synchronize()
    assert out.getvalue() == "doubled: tensor([2., 2.])\ndoubled: tensor([4., 4.])\n", out.getvalue()
    assert torch.equal(torch.load("y_device_0_1.pt"), torch.full((2,), 4.0)), os.listdir()


@test
def the_deadlock_check_reports():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        compiled(lambda x: x + 1, {"deadlock_check": True})(x44())
    assert "No deadlock risks detected." in out.getvalue(), out.getvalue()
    assert glob.glob("torch_compile_debug/run_*/npugraph_ex/model__*/graph_1_id_*.json")


@test
def debug_files_are_written_when_asked_for():
    os.environ["TORCH_COMPILE_DEBUG"] = "1"
    try:
        compiled(lambda x: torch.relu(x + 1))(x44())
    finally:
        del os.environ["TORCH_COMPILE_DEBUG"]
    [folder] = glob.glob("torch_compile_debug/run_*/npugraph_ex/model__*")
    names = {os.path.basename(name) for name in glob.glob(folder + "/*") + glob.glob(folder + "/forward/*")}
    assert {"dynamo_out_graph.txt", "output_code.py", "000_aot_forward_graph.txt"} <= names, names
    assert any(name.startswith("001_aot_forward_graph_after_") for name in names), names
    assert any(name.startswith("graph_1_id_") and name.endswith(".json") for name in names), names


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
