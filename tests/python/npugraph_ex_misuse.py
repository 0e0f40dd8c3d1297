"""Wrong options and wrong arguments of compiled models: which exception, when, and the line it names."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import begin, close, compiled, end, line_of, raises, rejected, SK, test, TESTS, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
from torch._dynamo.exc import BackendCompilerFailed  # noqa: E402


@test
def a_wrong_key_is_named_with_the_nearest():
    def call():
        compiled(lambda x: x + 1, {"super_kernel_optimise": True})(x44())
    raises(BackendCompilerFailed, call, "Invalid option 'super_kernel_optimise'", "Did you mean 'super_kernel_optimize'?",
           line_of(call, "super_kernel_optimise"))


@test
def wrong_values_are_named():
    for options, kind, word in (
            ({"clone_input": "yes"}, ValueError, "clone_input: 'yes' not in optional list"),
            ({"capture_limit": 0}, ValueError, "capture_limit"),
            ({"capture_error_mode": "globl"}, ValueError, "Did you mean 'global'?"),
            ({"super_kernel_debug_options": "x"}, TypeError, "super_kernel_debug_options: must be dict or None"),
            ({"post_grad_custom_pre_pass": 1}, TypeError, "post_grad_custom_pre_pass: must be Callable or None"),
            ({"data_dump_dir": "missing"}, FileNotFoundError, "data_dump_dir")):
        torch._dynamo.reset()
        rejected(lambda x: x + 1, x44(), options=options, kind=kind, words=[word])


@test
def torch_modes_are_refused():
    raises(Exception, lambda: torch.compile(lambda x: x + 1, backend="npugraph_ex", mode="reduce-overhead")(x44()),
           "mode='reduce-overhead'")


@test
def wrong_sk_options_fail_at_run_time_unwrapped():
    for options, word in (({"early-start": 1}, "Did you mean 'early_start'?"), ({"early_start": "1"}, "must be int, got str"),
                          ({"dcci_after_kernel_end": [1]}, "[0] must be str")):
        torch._dynamo.reset()
        model = compiled(lambda x: x + 1, {**SK, "super_kernel_optimize_options": options})
        try:
            model(x44())
        except RuntimeError as error:
            assert type(error) is RuntimeError and word in str(error), repr(error)
        else:
            raise AssertionError(options)


@test
def sk_options_are_checked_before_the_capture_is():
    graph = torch.npu.NPUGraph()
    for optimize, debug, word in (([], None, "must be dict or None"), ({"x": 1}, None, "Invalid optimize_options param key"),
                                  (None, {"x": 1}, "Invalid debug_options param key"), ({"early_start": "1"}, None, "must be int"),
                                  ({"aggressive_opt_strategies": {"x": 1}}, None, "Invalid sub_key"),
                                  ({"dcci_disable_on_kernel": [1]}, None, "['dcci_disable_on_kernel'][0] must be str")):
        raises(RuntimeError, lambda: graph.super_kernel_optimize(optimize, debug), word)
    raises(RuntimeError, lambda: graph.super_kernel_optimize({"early_start": 1}, {"debug_sync_all": 1}),
           "without a preceding successful capture")


@test
def the_whole_valid_set_is_accepted_after_capture():
    from torch_npu.npugraph_ex import sk_options
    values = {"int": 1, "str": "a=b", "list": [".*"]}
    given = [{key: values.get(one.type) or {sub: 1 for sub in one.sub_keys} for key, one in table.items()}
             for table in (sk_options.OPTIMIZE, sk_options.DEBUG)]
    x, graph = x44(), torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        begin("a")
        y = x + 1
        end("a")
    graph.super_kernel_optimize(*given)
    graph.replay()
    assert close(y, x.cpu() + 1)


@test
def an_error_of_an_operator_names_the_line():
    def model(x):
        y = x + 1
        return torch_npu.npu_dynamic_quant(y, smooth_scales=torch.ones(64, dtype=torch.float16))
    x = torch.randn(5, 64, dtype=torch.float16)
    place = line_of(model, "npu_dynamic_quant")
    for options in ({}, {"force_eager": True}):
        torch._dynamo.reset()
        raises(RuntimeError, lambda: compiled(model, options)(x.npu()), "npu_dynamic_quant", "smooth_scales is on cpu", place)
    torch._dynamo.reset()
    raises(NotImplementedError, lambda: compiled(model)(x), "npu::npu_dynamic_quant", "CPU", place)
    # What does not even have a shape fails when it is traced.
    torch._dynamo.reset()
    raises(RuntimeError, lambda: compiled(model)(x.npu()[0]), "input must have at least 2 dimensions", os.path.basename(__file__))


@test
def what_breaks_a_capture_off_is_the_error():
    x, side = x44(), torch.npu.Stream()

    def broken():
        with torch.npu.graph(torch.npu.NPUGraph()):
            side.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(side):
                torch_npu.npu_dynamic_quant(x.half())
            raise KeyError("mine")  # the side stream has not come back
    raises(KeyError, broken, "mine")
    assert not torch.npu.is_current_stream_capturing()
    assert close(compiled(lambda x: x + 1)(x), x.cpu() + 1)


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
