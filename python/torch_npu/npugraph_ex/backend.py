"""The torch.compile backend: from Dynamo's graph through AOTAutograd to a captured graph."""
import torch

from . import debug, dump, passes
from .capture import CompiledGraph
from .messages import warn
from .options import CompilerConfig


def _static_inputs(count: int) -> tuple:
    """Places of parameters and buffers among the inputs, as AOTAutograd recorded them."""
    context = torch._guards.TracingContext.try_get()
    if context is None or context.fw_metadata is None:
        return ()
    return tuple(i for i in context.fw_metadata.static_input_indices or () if i < count)


class GraphCompiler:
    """fw_compiler of AOTAutograd: passes over a lowered graph, then a CompiledGraph."""

    def __init__(self, config, directory=None, static=()):
        """static: places of parameters and buffers, where AOTAutograd cannot know them."""
        self.config, self.directory, self.static = config, directory, static

    def __call__(self, gm, example_inputs):
        original = None
        if self.config.dump_tensor_data and self.config.data_dump_stage.value == "original":
            original = torch.fx.GraphModule(gm, torch.fx.Graph(), "original")
            original.graph.output(original.graph.graph_copy(gm.graph, {}))
            original.recompile()
        log = debug.PassLog(self.directory)
        log(gm, "aot_forward_graph")
        passes.run(gm, example_inputs, self.config, after=log)
        self._save_results(gm, original)
        log.code(gm)
        placeholders = sum(1 for node in gm.graph.nodes if node.op == "placeholder")
        static = self.static or _static_inputs(placeholders)
        return CompiledGraph(gm, self.config, static, original, self.directory)


    def _save_results(self, gm, original):
        config = self.config
        if not config.dump_tensor_data or original is not None or config.force_eager:
            return
        if config.super_kernel_optimize:
            warn("npugraph_ex: dump_tensor_data has no effect together with super_kernel_optimize")
        else:
            dump.insert(gm, config)


def _backward(gm, example_inputs):
    """Backward graphs are not captured: they run operator by operator."""
    from functorch.compile import make_boxed_func
    return make_boxed_func(gm.forward)


def compile_dynamo_graph(gm, example_inputs, config, decompositions=None, static=()):
    """Lowers Dynamo's graph and compiles it with the given CompilerConfig; returns the callable.

    Besides what the caller gives nothing is decomposed, so operators arrive as the user's model has them.
    """
    from torch._dynamo.backends.common import aot_autograd
    directory = debug.new_model("model")
    debug.dynamo_graph(gm, directory)
    compiler = GraphCompiler(config, directory, static)
    lower = aot_autograd(fw_compiler=compiler, bw_compiler=_backward, inference_compiler=compiler,
                         decompositions=decompositions or {}, keep_inference_input_mutations=True)
    # A CompiledGraph holds streams and device memory: it must not end in a cache of artefacts.
    with torch._functorch.config.patch(enable_autograd_cache=False):
        return lower(gm, example_inputs)


def npugraph_ex(gm, example_inputs, *, options=None, mode=None):
    """backend="npugraph_ex" of torch.compile.

    options: flat dict, see options.OPTIONS. Each compilation has a configuration of its own. Wrong keys and
    values raise ValueError, TypeError or FileNotFoundError, which torch wraps as BackendCompilerFailed.
    """
    if mode is not None:
        raise ValueError(f"npugraph_ex: torch.compile(mode={mode!r}) is not supported, use options=")
    return compile_dynamo_graph(gm, example_inputs, CompilerConfig().apply(options))


def compile_fx(gm, example_inputs=None, options=None):
    """Compiles a graph that AOTAutograd has lowered, as fw_compiler of a backend of one's own.

    options: as for the backend. In-place writes of inputs need a graph lowered with
    keep_inference_input_mutations=True. Returns a callable over the flat inputs.
    """
    config = CompilerConfig().apply(options)
    return GraphCompiler(config, debug.new_model("compile"))(gm, example_inputs or [])
