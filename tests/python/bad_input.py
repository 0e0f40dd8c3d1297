"""Wrong input, mode by mode: the documented exception, whose message names the thing, and the line of the script.

Each case marks its line with `HERE`. Operator by operator that line is the innermost of the script in the traceback; in
compiled models, which fail when they are called, the message itself has it.
"""
import linecache
import re
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
import superkernel  # noqa: E402
import torchair  # noqa: E402
from torch._dynamo.exc import BackendCompilerFailed  # noqa: E402

begin, end, scope = torch.npu.super_kernel_scope_begin, torch.npu.super_kernel_scope_end, torchair.scope
X = torch.randn(4, 64, dtype=torch.float16)
OWN = Path(__file__).name


def eager(model):
    return model


def captured(model):
    return torch.compile(model, backend="npugraph_ex", dynamic=False, options={"super_kernel_optimize": True})


def by_operator(model):
    return torch.compile(model, backend="npugraph_ex", dynamic=False, options={"force_eager": True})


def graph_mode(model):
    return torch.compile(model, backend=torchair.get_npu_backend(), dynamic=False)


def as_it_is(model):
    """A model that compiles by itself."""
    return model


COMPILED = (captured, by_operator, graph_mode)


def marked(number: int) -> bool:
    return "HERE" in linecache.getline(__file__, number)


def fails(kinds, way, model, inputs, *words):
    """The call raises one of the types with the words; the marked line stands where it is promised. The exception."""
    torch._dynamo.reset()
    where = f"{way.__name__} {model.__name__}"
    try:
        way(model)(*inputs)
        torch.npu.synchronize()
    except Exception as error:  # its type is what is tested
        inner = getattr(error, "inner_exception", error)
        assert isinstance(inner, tuple(kinds)), f"{where}: {type(inner).__name__}: {inner}"
        text = str(error)
        for word in words:
            assert word in text, f"{where}: {word!r} is not in: {text}"
        told = [int(number) for number in re.findall(re.escape(OWN) + r'(?::|", line )(\d+)', text)]
        if way is eager:
            told = [[frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__][-1]]
        assert any(map(marked, told)), f"{where}: lines {told}: {text}"
        return inner
    raise AssertionError(f"{where}: no error")


# ---- scopes --------------------------------------------------------------------------------------

def scopes_that_do_not_pair():
    def not_begun(x):
        y = x + 1
        end("sp")  # HERE
        return y

    def left_open(x):
        begin("sp")  # HERE
        return x + 1

    def misnamed(x):
        begin("sp")
        y = x + 1
        end("ps")  # HERE
        end("sp")
        return y

    def broken(x):
        begin("sp")  # HERE
        y = x + 1
        torch._dynamo.graph_break()
        end("sp")
        return y
    for way in (captured, by_operator):
        fails([RuntimeError], way, not_begun, [X.npu()], "must first call the torch.npu.super_kernel_scope_begin", "'sp'")
        fails([RuntimeError], way, left_open, [X.npu()], "no paired call to the torch.npu.super_kernel_scope_end", "'sp'")
        fails([RuntimeError], way, misnamed, [X.npu()], "No matching torch.npu.super_kernel_scope_begin", "'ps'", "'sp'")
        fails([RuntimeError], way, broken, [X.npu()], "no paired call", "graph break", "'sp'")


def scopes_of_graph_mode_that_do_not_pair():
    def not_begun(x):
        y = x + 1
        torch.ops.air.scope_exit()  # HERE
        return y

    def left_open(x):
        torch.ops.air.scope_enter(["_super_kernel_scope"], ["sp"])  # HERE
        return x + 1

    def broken(x):
        with scope.super_kernel("sp"):  # HERE
            y = x + 1
            torch._dynamo.graph_break()
            return y * 2
    fails([RuntimeError], graph_mode, not_begun, [X.npu()], "must first call the torch.ops.air.scope_enter")
    fails([RuntimeError], graph_mode, left_open, [X.npu()], "no paired call", "sp")
    fails([RuntimeError], graph_mode, broken, [X.npu()], "no paired call", "graph break", "sp")


def scopes_of_a_graph_captured_by_hand():
    def by_hand(model):
        def call(x):
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph):
                model(x)
            graph.super_kernel_optimize()
        call.__name__ = model.__name__
        return call

    def not_begun(x):
        x.add_(1)
        end("sp")  # HERE

    def misnamed(x):
        begin("sp")
        x.add_(1)
        end("ps")  # HERE
        end("sp")

    def left_open(x):
        begin("sp")  # HERE
        x.add_(1)
    error = fails([superkernel.Error], by_hand, not_begun, [X.npu()], "scope end 'sp' (node 4) has no open begin")
    assert error.code == 500001, error.code
    fails([superkernel.Error], by_hand, misnamed, [X.npu()], "scope end 'ps' (node 7) has no open begin")
    fails([superkernel.Error], by_hand, left_open, [X.npu()], "scope 'sp' is begun and never ended")


def names_that_are_blank():
    def blank(x):
        begin(" ")  # HERE
        return x + 1
    fails([RuntimeError], eager, blank, [X.npu()], "non-empty string")
    for way in (captured, by_operator):
        fails([RuntimeError], way, blank, [X.npu()], "non-empty string")


# ---- options -------------------------------------------------------------------------------------

def options_that_are_unknown_or_of_a_wrong_type():
    for options, kind, words in (({"super_kernel_optimise": True}, ValueError, ["'super_kernel_optimise'", "Did you mean 'super_kernel_optimize'?"]),
                                 ({"clone_input": "yes"}, ValueError, ["clone_input", "'yes'", "True, False"]),
                                 ({"capture_limit": 0}, ValueError, ["capture_limit", "0"]),
                                 ({"super_kernel_optimize_options": 3}, TypeError, ["super_kernel_optimize_options", "dict or None", "int"]),
                                 ({"post_grad_custom_pre_pass": 1}, TypeError, ["post_grad_custom_pre_pass", "Callable or None", "int"]),
                                 ({"data_dump_dir": "missing"}, FileNotFoundError, ["data_dump_dir", "missing"])):
        def call(x):
            return torch.compile(lambda x: x + 1, backend="npugraph_ex", options=options)(x)  # HERE
        with_message(kind, call, words)


def with_message(kind, call, words):
    """As fails, for a call that compiles by itself: its message has the line, and the type is inside torch's own."""
    torch._dynamo.reset()
    try:
        call(X.npu())
    except BackendCompilerFailed as error:
        text = str(error)
        assert type(error.inner_exception) is kind, repr(error.inner_exception)
        assert all(word in text for word in words), text
        assert any(marked(int(number)) for number in re.findall(re.escape(OWN) + r":(\d+)", text)), text
        return
    raise AssertionError(f"no {kind.__name__}")


def options_of_superkernel():
    for options, words in (({"early-start": 1}, ["'early-start'", "Did you mean 'early_start'?"]),
                           ({"early_start": "1"}, ["early_start", "must be int, got str"]),
                           ({"dcci_after_kernel_end": [1]}, ["dcci_after_kernel_end", "[0] must be str"])):
        def compiled_call(x):
            model = torch.compile(lambda x: x + 1, backend="npugraph_ex", dynamic=False,
                                  options={"super_kernel_optimize": True, "super_kernel_optimize_options": options})
            return model(x)  # HERE

        def by_hand(x):
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph):
                x.add_(1)
            graph.super_kernel_optimize(options)  # HERE
        fails([RuntimeError], eager, by_hand, [X.npu()], *words)
        fails([RuntimeError], as_it_is, compiled_call, [X.npu()], *words)


def options_of_graph_mode():
    for text, words in (("early-strat=1", ["early-strat", "did you mean 'early-start'?"]), ("feed-sync-all=2", ["feed-sync-all", "0|1"]),
                        ("debug-aic-num=many", ["debug-aic-num", "many"])):
        def model(x):
            with scope.super_kernel("sp", text):  # HERE
                return torch_npu.npu_dynamic_quant(x)
        fails([RuntimeError], graph_mode, model, [X.npu()], *words)

    def unknown(x):
        config = torchair.CompilerConfig()
        config.debug.graph_dmp = 1  # HERE

    def wrong(x):
        config = torchair.CompilerConfig()
        config.debug.graph_dump.type = "yaml"  # HERE
    fails([ValueError], eager, unknown, [X], "graph_dmp", "has no option", "graph_dump")
    fails([ValueError], eager, wrong, [X], "yaml", "not in optional list", "pbtxt")


# ---- tensors -------------------------------------------------------------------------------------

def ranks_and_types_that_are_wrong():
    def rank(x):
        return torch_npu.npu_dynamic_quant(x[0])  # HERE

    def dtype(x):
        return torch_npu.npu_dynamic_quant(x.double())  # HERE

    def gating_rank(x):
        return torch_npu.npu_moe_gating_top_k_softmax(x[0], None, 4)  # HERE

    def k(x):
        return torch_npu.npu_moe_gating_top_k_softmax(x, None, 65)  # HERE

    def product(x):
        return torch_npu.npu_quant_matmul(x, x, x[0])  # HERE

    def shape(x):
        return torch_npu.npu_dynamic_quant(x, smooth_scales=x[0, :5])  # HERE
    for way in (eager, *COMPILED):
        fails([RuntimeError], way, rank, [X.npu()], "npu_dynamic_quant", "at least 2 dimensions")
        fails([RuntimeError], way, dtype, [X.npu()], "npu_dynamic_quant", "input has dtype Double; legal: float16, bfloat16")
        fails([RuntimeError], way, gating_rank, [X.npu()], "npu_moe_gating_top_k_softmax", "2-D or 3-D, got 1-D")
        fails([RuntimeError], way, k, [X.npu()], "npu_moe_gating_top_k_softmax", "k is 65; legal: 1 to")
        fails([RuntimeError], way, product, [X.npu()], "x1 is float16; legal: int8")
        fails([RuntimeError], way, shape, [X.npu()], "npu_dynamic_quant", "smooth_scales has shape [5]")


def tensors_of_the_cpu():
    scales = torch.ones(64, dtype=torch.float16)

    def alone(x):
        return torch_npu.npu_dynamic_quant(x)  # HERE

    def mixed(x):
        return torch_npu.npu_dynamic_quant(x + 1, smooth_scales=scales)  # HERE

    def sum_of_both(x):
        return x + scales  # HERE
    for way in (eager, *COMPILED):
        fails([RuntimeError], way, alone, [X], "npu::npu_dynamic_quant", "CPU")
        fails([RuntimeError], way, mixed, [X.npu()], "npu_dynamic_quant", "smooth_scales is on cpu", ".npu()")
        fails([RuntimeError], way, sum_of_both, [X.npu()], "device")


def formats_that_are_wrong():
    def unknown(x):
        return torch_npu.npu_format_cast(x, 7)  # HERE

    def not_simulated(x):
        return torch_npu.npu_format_cast(x, 4)  # HERE
    for way in (eager, *COMPILED):
        fails([ValueError], way, unknown, [X.npu()], "acl_format 7 is no format")
        fails([NotImplementedError], way, not_simulated, [X.npu()], "acl_format 4 (FRACTAL_Z) is not simulated")


def memory_that_is_not_there():
    def much(x):
        return x[0, 0] + torch.empty(1 << 50, dtype=torch.float16, device="npu")  # HERE

    def expanded(x):
        y = x.reshape(-1, 1, 1).expand(256, 1 << 20, 1 << 20)
        return y + 1  # HERE
    for way in (eager, *COMPILED):
        fails([torch.OutOfMemoryError], way, much, [X.npu()], "NPU out of memory. Tried to allocate 2251799813685248 bytes")
        fails([torch.OutOfMemoryError], way, expanded, [X.npu()], "NPU out of memory. Tried to allocate")
    assert (torch.ones(2).npu() + 1).sum().item() == 4  # the device goes on


if __name__ == "__main__":
    sys.exit(tap.run([scopes_that_do_not_pair, scopes_of_graph_mode_that_do_not_pair, scopes_of_a_graph_captured_by_hand, names_that_are_blank,
                      options_that_are_unknown_or_of_a_wrong_type, options_of_superkernel, options_of_graph_mode,
                      ranks_and_types_that_are_wrong, tensors_of_the_cpu, formats_that_are_wrong, memory_that_is_not_there]))
