"""The capture backend by way of torchair: its modes and nested options."""
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import compiled, dumped, gating, gating_inputs, launches, test, TESTS  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402


def nested(mode="npugraph_ex"):
    from torchair.configs.compiler_config import CompilerConfig
    config = CompilerConfig()
    config.mode = mode
    return config


@test
def torchair_selects_this_backend_by_its_mode():
    import torchair
    for mode in ("npugraph_ex", "reduce-overhead"):
        torch._dynamo.reset()
        config = nested(mode)
        config.experimental_config.aclgraph._super_kernel_optimize = True
        config.experimental_config.aclgraph._super_kernel_debug_options = {"debug_sync_all": 1}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            model = torch.compile(gating, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)
            [graph] = dumped(lambda: model(*gating_inputs()))
        assert launches(graph) == [("SuperKernel", "sp"), ("kernel", None)], launches(graph)


@test
def nested_options_are_these_options():
    from torch_npu.npugraph_ex import options
    from torchair import _capture_mode
    config = nested()
    assert options.CompilerConfig().apply(_capture_mode.options(config)) == options.CompilerConfig()
    config.debug.run_eagerly = True
    config.debug.aclgraph.clone_input = False
    config.debug.aclgraph.disable_reinplace_inplaceable_ops_pass = True
    config.debug.aclgraph.static_capture_size_limit = 3
    config.experimental_config.frozen_parameter = True
    seen = []
    config.post_grad_custom_pre_pass = lambda gm, inputs, given: seen.append(given)
    flat = options.CompilerConfig().apply(_capture_mode.options(config))
    assert flat.force_eager and not flat.clone_input and not flat.inplace_pass and flat.input_inplace_pass
    assert flat.capture_limit.value == 3 and flat.frozen_parameter
    flat.post_grad_custom_pre_pass.value(None, [], None)
    assert seen == [config]


@test
def torchair_scopes_do_not_fuse_captured_graphs():
    import torchair

    def model(x, smooth):
        with torchair.scope.super_kernel("sp", ""):
            w, _, _ = torch_npu.npu_moe_gating_top_k_softmax(x, k=8)
            return torch_npu.npu_dynamic_quant(w, smooth_scales=smooth)
    [graph] = dumped(lambda: compiled(model)(*gating_inputs()))
    assert launches(graph) == [("kernel", None)] * 2, launches(graph)


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
