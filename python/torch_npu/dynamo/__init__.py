"""torch_npu.dynamo: the graph backends, under the names that entry points use."""
import importlib


def npugraph_ex(gm, example_inputs, **kwargs):
    """backend="npugraph_ex" of torch.compile."""
    from torch_npu.npugraph_ex.backend import npugraph_ex as compile_graph
    return compile_graph(gm, example_inputs, **kwargs)


def npu(gm, example_inputs, *, options=None, mode=None):
    """backend="npu" of torch.compile: GE graph mode with the default configuration."""
    for name, value in (("options", options), ("mode", mode)):
        if value is not None:
            raise ValueError(f"npu: torch.compile({name}={value!r}) is not supported; configure torchair.get_npu_backend(compiler_config=...)")
    return importlib.import_module("torchair").get_npu_backend()(gm, example_inputs)


def __getattr__(name):
    if name == "torchair":
        return importlib.import_module("torchair")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
