"""The backend for torch.compile: from Dynamo's graph through AOTAutograd to a GE graph that runs."""
import itertools
import sys
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence

import torch

from torchair import _debug_files, _gears, fx_dumper
from torchair._debug_files import PassFiles
from torchair._ge_concrete_graph.executor import _Plain
from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph, check_scopes
from torchair.configs.compiler_config import CompilerConfig
from torchair.core.utils import logger

_numbers = itertools.count(1)


def _checked(config: Optional[CompilerConfig], who: str) -> CompilerConfig:
    if config is None:
        return CompilerConfig()
    if not isinstance(config, CompilerConfig):
        raise TypeError(f"{who}: compiler_config must be CompilerConfig or None, got {type(config).__name__}")
    return config


def _refuse_marks_of_captured_graphs(graph: torch.fx.Graph) -> None:
    for node in graph.nodes:
        name = node.target._schema.name if isinstance(node.target, torch._ops.OpOverload) else ""
        if name in ("npu::super_kernel_scope_begin", "npu::super_kernel_scope_end"):
            kind = "SuperKernelScope" + ("Begin" if name.endswith("begin") else "End")
            raise RuntimeError(f"no such AscendIR: {kind}; torch.npu.{name.split('::')[1]} marks captured graphs, in a GE graph "
                               "use `with torchair.scope.super_kernel(name, options):`")


# ---- compiling -----------------------------------------------------------------------------------

class _GraphCompiler:
    """fw_compiler of AOTAutograd."""

    def __init__(self, config: CompilerConfig):
        self.config = config
        self.directory: Optional[str] = None  # for files about the compilation
        self.gears: Optional[_gears.Gears] = None

    def __call__(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable:
        config = self.config
        files = PassFiles(self.directory)
        files.graph(gm, "lowered")
        symbols = self.gears.fix(example_inputs) if self.gears is not None else set()
        self._run_passes(gm, example_inputs, files)
        _refuse_marks_of_captured_graphs(gm.graph)
        check_scopes(gm.graph)
        concrete = GeConcreteGraph(config, f"graph_{next(_numbers)}")
        concrete.convert(gm)
        concrete.dump("original")
        files.ge_graph(concrete.graph, config.debug.graph_dump.type.value)
        plain = self._instead(gm, concrete.name)
        if plain is not None:
            return plain
        concrete.gear_symbols = symbols
        concrete.optimize_graph_without_runtime(*example_inputs, observer=None, aot_gm=gm)
        return concrete if self.gears is None else self._geared(concrete)

    def _geared(self, concrete: GeConcreteGraph) -> Callable:
        gears = self.gears
        logger.info("%s: ge.dynamicDims = %s", concrete.name, gears.text())

        def run(*args: Any) -> Any:
            gears.check(concrete.name, args)
            return concrete(*args)

        return run

    def _run_passes(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any], files: PassFiles) -> None:
        config = self.config
        if config.post_grad_custom_pre_pass:
            config.post_grad_custom_pre_pass.value(gm, example_inputs, config)
            files.graph(gm, "custom_pre_pass")
        if "torch_npu" in sys.modules:  # the passes of both graph modes come with it
            from torch_npu.npugraph_ex import passes, patterns
            if config.experimental_config.remove_noop_ops:
                passes.remove_noops(gm)
                files.graph(gm, "remove_noops")
            if config.experimental_config.pattern_fusion_pass:
                patterns.apply(gm)
                files.graph(gm, "patterns")
        if config.post_grad_custom_post_pass:
            config.post_grad_custom_post_pass.value(gm, example_inputs, config)
            files.graph(gm, "custom_post_pass")
        gm.graph.eliminate_dead_code()
        gm.recompile()

    def _instead(self, gm: torch.fx.GraphModule, name: str) -> Optional[Callable]:
        """What is returned in place of the compiled graph, None: nothing is."""
        debug = self.config.debug
        if debug.fx_summary.type:
            fx_dumper.summarise(gm, name)
        if debug.data_dump.type:
            warnings.warn("debug.data_dump: the graph runs operator by operator, nothing is fused", UserWarning, stacklevel=2)
            return fx_dumper.DataDumper(gm, self.config, name).run
        if debug.run_eagerly:
            warnings.warn("debug.run_eagerly: the graph runs operator by operator, nothing is fused", UserWarning, stacklevel=2)
            return _Plain(gm).run
        return _Plain(gm).run if debug.fx_summary.type and debug.fx_summary.skip_compile else None


def get_compiler(compiler_config: Optional[CompilerConfig] = None) -> Callable:
    """The compiler of lowered FX graphs, to be used as fw_compiler in a backend of one's own."""
    config = _checked(compiler_config, "get_compiler")
    config.warn_without_effect()
    if config.mode.value == "max-autotune":
        return _GraphCompiler(config)
    from torchair import _capture_mode
    return _capture_mode.compiler(config)


def _backward(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable:
    """Backward graphs run operator by operator."""
    from functorch.compile import make_boxed_func
    return make_boxed_func(_Plain(gm).run)


class _NpuBackend:
    """What torch.compile is given; keeps nothing of the graphs it compiles."""

    def __init__(self, config: CompilerConfig, decompositions: Dict[Any, Callable]):
        self.config, self.decompositions = config, decompositions

    def __call__(self, gm: torch.fx.GraphModule, example_inputs: List[Any]) -> Callable:
        from torch._dynamo.backends.common import aot_autograd
        compiler = get_compiler(self.config)
        if isinstance(compiler, _GraphCompiler):
            compiler.directory = _debug_files.new_model(gm)
            compiler.gears = _gears.collect(gm, example_inputs, self.config.inference_config.dynamic_gears_merge_policy.value)
            if compiler.gears is not None and self.config.export.export_mode:
                raise ValueError("a graph with gears (set_dim_gears) cannot be exported")
        keep = bool(self.config.experimental_config.keep_inference_input_mutations)
        lower = aot_autograd(fw_compiler=compiler, bw_compiler=_backward, inference_compiler=compiler,
                             decompositions=self.decompositions, keep_inference_input_mutations=keep)
        # a compiled graph holds streams and device memory: it must not end in a cache of artefacts
        with torch._functorch.config.patch(enable_autograd_cache=False):
            return lower(gm, example_inputs)

    def __repr__(self) -> str:
        return f"torchair.get_npu_backend(compiler_config={self.config!r})"


def get_npu_backend(*, compiler_config: Optional[CompilerConfig] = None,
                    custom_decompositions: Optional[Dict[Any, Callable]] = None) -> Callable:
    """A backend for any number of torch.compile calls."""
    return _NpuBackend(_checked(compiler_config, "get_npu_backend"), dict(custom_decompositions or {}))


def config_of(backend: Any) -> CompilerConfig:
    """The configuration of what get_npu_backend made."""
    if not isinstance(backend, _NpuBackend):
        raise TypeError(f"backend must be of torchair.get_npu_backend, got {type(backend).__name__}")
    return backend.config
