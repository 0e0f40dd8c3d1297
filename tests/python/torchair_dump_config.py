"""dump_config in graph mode: which files hold what the operators of a run took and gave."""
import csv
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402, F401  (makes the modules visible)
import numpy  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402, F401
import torchair  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

X = torch.arange(64.0).reshape(8, 8)
FILE = re.compile(r"worldsize1_global_rank0/\d{14}/0/graph_(\d+)/\1/(\d+)/(\w+)\.(\w+)\.\d+\.0\.\d{20}\.(input|output)\.(\d)\.npy")


def model(x, y):
    with torchair.scope.super_kernel("sp"):
        product = (x + y) * 2
    return product - x


class Dumped:
    """Runs of a compiled function: the tensors by (run, operator, side, place), statistics, warnings."""

    def __init__(self, function=model, args=(X.npu(), X.npu()), calls=1, file=None, **options):
        torch._dynamo.reset()
        with tempfile.TemporaryDirectory() as here, warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            config = CompilerConfig()
            if file is None:
                config.dump_config.enable_dump, config.dump_config.dump_path = True, here
            else:
                Path(here, "dump.json").write_text(json.dumps(file).replace("HERE", here), encoding="utf-8")
                config.dump_config.dump_config_path = str(Path(here, "dump.json"))
            for name, value in options.items():
                setattr(config.dump_config, name, value)
            compiled = torch.compile(function, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)
            self.results = [compiled(*args) for _ in range(calls)]
            self.warnings = [str(one.message) for one in seen]
            self.tensors, self.tables = {}, []
            for path in sorted(Path(here).rglob("*.*")):
                name = str(path.relative_to(here))
                if path.name == "statistics.csv":
                    self.tables.append(list(csv.DictReader(path.read_text().splitlines())))
                elif path.name != "dump.json":
                    _, run, kind, op, side, place = FILE.fullmatch(name).groups()
                    assert op.startswith(kind) or kind == "Data", name
                    self.tensors[int(run), op, side, int(place)] = numpy.load(path)


def refused(kind, table, *words):
    try:
        Dumped(file=table)
    except torch._dynamo.exc.BackendCompilerFailed as error:
        assert type(error.inner_exception) is kind and all(word in str(error) for word in words), str(error)
        return
    raise AssertionError("compiled")


def files_that_say_something_else_are_refused():
    refused(ValueError, [], "'dump'")
    refused(ValueError, {"dump": {}}, "no dump_path")
    refused(ValueError, {"dump": {"dump_path": "HERE", "dump_mod": "all"}}, "'dump_mod'", "did you mean 'dump_mode'?")
    refused(ValueError, {"dump": {"dump_path": "HERE", "dump_mode": "both"}}, "'both'", "input, output, all")
    refused(ValueError, {"dump": {"dump_path": "HERE", "dump_list": "Add"}}, "dump_list", "'Add'")
    refused(NotImplementedError, {"dump": {"dump_path": "HERE", "dump_debug": "on"}}, "dump_debug", "not modelled")
    refused(NotImplementedError, {"dump": {"dump_path": "HERE", "dump_scene": "watcher"}}, "dump_scene", "'watcher'")


def unknown_operators_are_told():
    dumped = Dumped(dump_layer="Ad")
    assert any("no operator 'Ad' (did you mean 'Add'?)" in text for text in dumped.warnings), dumped.warnings
    assert dumped.tensors == {}


def every_operator_with_both_sides():
    dumped = Dumped()
    x = X.numpy()
    want = {("Add", "input", 0): x, ("Add", "input", 1): x, ("Add", "output", 0): 2 * x, ("Mul", "input", 0): 2 * x,
            ("Mul", "output", 0): 4 * x, ("Sub", "input", 0): 4 * x, ("Sub", "input", 1): x, ("Sub", "output", 0): 3 * x}
    assert {key[1:] for key in dumped.tensors} == set(want), dumped.tensors.keys()
    assert all(numpy.array_equal(dumped.tensors[(0, *key)], value) for key, value in want.items())


def what_is_dumped_is_still_fused():
    plans = []
    original = torchair._ge_concrete_graph.executor.Executor._compile

    def watch(self, captured):
        plans.append(original(self, captured))
        return plans[-1]
    torchair._ge_concrete_graph.executor.Executor._compile = watch
    try:
        assert Dumped().tensors
    finally:
        torchair._ge_concrete_graph.executor.Executor._compile = original
    assert "sk_sp_start_Add_end_Mul" in plans[0], plans


def one_side_only():
    assert {key[2] for key in Dumped(dump_mode="input").tensors} == {"input"}
    assert {key[2] for key in Dumped(dump_mode="output").tensors} == {"output"}


def chosen_runs_only():
    assert {key[0] for key in Dumped(calls=4).tensors} == {0, 1, 2, 3}
    assert {key[0] for key in Dumped(calls=5, dump_step="0|2-3").tensors} == {0, 2, 3}


def chosen_operators_come_with_the_inputs_of_the_graph():
    tensors = Dumped(dump_layer="Sub Nothing").tensors
    assert set(tensors) == {(0, "Sub", "input", 0), (0, "Sub", "input", 1), (0, "Sub", "output", 0), (0, "arg0_1", "output", 0)}
    assert numpy.array_equal(tensors[0, "arg0_1", "output", 0], X.numpy())


def a_scope_chooses_and_adds_to_the_list():
    def scoped(x, y):
        with torchair.scope.data_dump():
            product = x * y
        return product - (x + y)
    assert {key[1] for key in Dumped(scoped).tensors} == {"Mul"}
    assert {key[1] for key in Dumped(scoped, dump_layer="Add").tensors} == {"Mul", "Add", "arg0_1", "arg1_1"}


def inputs_that_are_written_show_what_they_were():
    def writes(x, y):
        z = x * 2
        x.add_(y)
        return z, x * 3
    x = X.npu()
    dumped = Dumped(writes, (x, torch.ones_like(x)))
    takes = {key[1]: value for key, value in dumped.tensors.items() if key[2:] == ("input", 0)}
    assert numpy.array_equal(takes["Mul"], X.numpy()) and numpy.array_equal(takes["Mul_1"], X.numpy() + 1), takes.keys()
    assert torch.equal(x.cpu(), X + 1)


def statistics_in_place_of_tensors():
    values = X.clone()
    values[0, 0], values[0, 1] = float("nan"), float("inf")
    dumped = Dumped(lambda x, y: x + y, (values.npu(), X.npu()), dump_data="stats")
    assert dumped.tensors == {}
    (table,) = dumped.tables
    first = table[0]
    assert (first["op_type"], first["op_name"], first["side"], first["dtype"], first["shape"]) == \
        ("Add", "Add", "input", "float32", "[8, 8]")
    assert (float(first["max"]), float(first["min"]), first["nan"], first["inf"]) == (63.0, 2.0, "1", "1")
    assert float(first["mean"]) == sum(range(2, 64)) / 62
    assert [row["side"] for row in table] == ["input", "input", "output"]


def a_file_says_the_same_and_options_win():
    table = {"dump": {"dump_path": "HERE", "dump_mode": "output", "dump_list": [{"layer": ["Add"]}]}}
    assert {key[1:3] for key in Dumped(file=table).tensors} == {("Add", "output"), ("arg0_1", "output"), ("arg1_1", "output")}
    assert {key[1:3] for key in Dumped(file=table, dump_layer="Mul", dump_mode="input").tensors} == {("Mul", "input")}
    table["dump"]["dump_list"] = [{"model_name": "another"}]
    assert Dumped(file=table).tensors == {}


def tensors_of_the_host_and_bfloat16():
    x = X.bfloat16()
    dumped = Dumped(lambda x, y: x + y, (x, x))
    assert dumped.tensors[0, "Add", "output", 0].dtype == numpy.float32
    assert numpy.array_equal(dumped.tensors[0, "Add", "output", 0], (x + x).float().numpy())


def nothing_is_written_unless_it_is_wanted():
    assert Dumped(enable_dump=False).tensors == {}


if __name__ == "__main__":
    sys.exit(tap.run([
        files_that_say_something_else_are_refused, unknown_operators_are_told, every_operator_with_both_sides,
        what_is_dumped_is_still_fused, one_side_only, chosen_runs_only, chosen_operators_come_with_the_inputs_of_the_graph,
        a_scope_chooses_and_adds_to_the_list, inputs_that_are_written_show_what_they_were, statistics_in_place_of_tensors,
        a_file_says_the_same_and_options_win, tensors_of_the_host_and_bfloat16, nothing_is_written_unless_it_is_wanted]))
