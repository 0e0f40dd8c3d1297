"""Options of graph mode one by one: what a graph looks like, or how it is launched, with each on and off."""
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402, F401
import torchair  # noqa: E402
from torchair._ge_concrete_graph.executor import Executor  # noqa: E402
from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

X = torch.arange(64.0).reshape(8, 8)


class Run:
    """One call of a compiled function with options by dotted name: result, operator types, plan, files, warnings."""

    def __init__(self, function, *args, **options):
        torch._dynamo.reset()
        config = CompilerConfig()
        for path, value in options.items():
            *groups, leaf = path.split("__")
            group = config
            for name in groups:
                group = getattr(group, name)
            setattr(group, leaf, value)
        self.types, self.plan, self.files = [], None, []
        optimise, compile_ = GeConcreteGraph.optimize_graph_without_runtime, Executor._compile

        def watch(graph, *inputs, **more):
            optimise(graph, *inputs, **more)
            self.types = [op.type for op in graph.graph.op if op.type not in ("Data", "Const", "NetOutput")]

        def keep(executor, captured):
            self.plan = compile_(executor, captured)
            return self.plan

        GeConcreteGraph.optimize_graph_without_runtime, Executor._compile = watch, keep
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            os.chdir(folder)
            try:
                backend = torchair.get_npu_backend(compiler_config=config)
                self.result = torch.compile(function, backend=backend, dynamic=False)(*args).cpu()
            finally:
                os.chdir(before)
                GeConcreteGraph.optimize_graph_without_runtime, Executor._compile = optimise, compile_
            self.files = os.listdir(folder)
            self.warnings = [str(one.message) for one in seen]


def scoped(x):
    with torchair.scope.super_kernel("sp"):
        return (x + x) * 2


def cores_of_the_graph_and_cores_of_an_operator():
    def model(x):
        with torchair.scope.super_kernel("own"), torchair.scope.limit_core_num(4, 4):
            y = x + x
        with torchair.scope.super_kernel("sp"):
            return y * 2
    x = torch.ones(4096, 64).npu()
    free, limited = Run(model, x), Run(model, x, ge_config__aicore_num="6|10")
    assert torch.equal(free.result, limited.result)
    blocks = {name: int(number) for name, number in re.findall(r"operators: (\w+)\(AIV_ONLY x (\d+)\)", limited.plan)}
    assert blocks["Add"] == 4 and 4 < blocks["Mul"] <= 10, limited.plan  # an operator takes as many as it has work for
    assert int(re.search(r"operators: Mul\(AIV_ONLY x (\d+)\)", free.plan).group(1)) > 10, free.plan
    assert torch.npu.get_stream_limit(torch.npu.current_stream())["vector_core_num"] == 48


def more_cores_than_there_are_mean_all():
    x = torch.ones(4096, 64).npu()
    assert Run(scoped, x, ge_config__aicore_num="100|200").plan == Run(scoped, x).plan


def a_summary_can_leave_the_graph_compiled():
    skipped, compiled = Run(scoped, X.npu(), debug__fx_summary__type="csv"), \
        Run(scoped, X.npu(), debug__fx_summary__type="csv", debug__fx_summary__skip_compile=False)
    assert skipped.plan is None and "sk_sp_" in compiled.plan
    assert all(len(run.files) == 1 and run.files[0].endswith(".csv") for run in (skipped, compiled))
    assert torch.equal(skipped.result, compiled.result)


def operations_that_change_nothing():
    def model(x):
        return (x.permute(0, 1) + x).pow(1) * 2
    on, off = Run(model, X.npu()), Run(model, X.npu(), experimental_config__remove_noop_ops=False)
    assert on.types == ["Add", "Mul"] and off.types == ["Add", "Pow", "Mul"], (on.types, off.types)
    assert torch.equal(on.result, off.result)


def registered_replacements_can_be_switched_off():
    torchair.register_replacement(lambda a, b: torch.sub(torch.mul(a, b), b), lambda a, b: torch.add(a, b),
                                  [torch.ones(2, device="npu"), torch.ones(2, device="npu")])

    def model(a, b):
        return a * b - b
    on, off = Run(model, X.npu(), X.npu()), Run(model, X.npu(), X.npu(), experimental_config__pattern_fusion_pass=False)
    assert on.types == ["Add"] and off.types == ["Mul", "Sub"], (on.types, off.types)
    assert torch.equal(on.result, X + X) and torch.equal(off.result, X * X - X)


def writes_to_inputs_stay_in_the_graph_or_follow_it():
    def model(x):
        x.add_(1)
        return x * 2
    for keep, types in ((True, ["Add", "Mul", "Assign"]), (False, ["Add", "Mul"])):
        x = X.npu()
        run = Run(model, x, experimental_config__keep_inference_input_mutations=keep)
        assert sorted(run.types) == sorted(types), run.types
        assert torch.equal(x.cpu(), X + 1) and torch.equal(run.result, (X + 1) * 2)


if __name__ == "__main__":
    sys.exit(tap.run([
        cores_of_the_graph_and_cores_of_an_operator, more_cores_than_there_are_mean_all, a_summary_can_leave_the_graph_compiled,
        operations_that_change_nothing, registered_replacements_can_be_switched_off,
        writes_to_inputs_stay_in_the_graph_or_follow_it]))
