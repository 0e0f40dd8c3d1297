"""The backend for torch.compile: from Dynamo's graph through AOTAutograd to a GE graph that runs."""
import csv
import itertools
import os
import sys
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence

import torch

from torchair import _debug_files
from torchair._debug_files import PassFiles
from torchair._ge_concrete_graph import graph_dump
from torchair._ge_concrete_graph.executor import _Plain
from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph, check_scopes
from torchair.configs.compiler_config import CompilerConfig

_numbers = itertools.count(1)


def _checked(config: Optional[CompilerConfig], who: str) -> CompilerConfig:
    if config is None:
        return CompilerConfig()
    if not isinstance(config, CompilerConfig):
        raise TypeError(f"{who}: compiler_config must be CompilerConfig or None, got {type(config).__name__}")
    return config


def _refuse_what_is_not_modelled(config: CompilerConfig) -> None:
    if config.export.export_mode:
        raise NotImplementedError("export.export_mode: the simulator runs graphs and exports none; legal: False")
    if config.dump_config.enable_dump:
        raise NotImplementedError("dump_config.enable_dump is not modelled; debug.data_dump.type = 'npy' dumps results of operators")


def _refuse_marks_of_captured_graphs(graph: torch.fx.Graph) -> None:
    for node in graph.nodes:
        name = node.target._schema.name if isinstance(node.target, torch._ops.OpOverload) else ""
        if name in ("npu::super_kernel_scope_begin", "npu::super_kernel_scope_end"):
            kind = "SuperKernelScope" + ("Begin" if name.endswith("begin") else "End")
            raise RuntimeError(f"no such AscendIR: {kind}; torch.npu.{name.split('::')[1]} marks captured graphs, in a GE graph "
                               "use `with torchair.scope.super_kernel(name, options):`")


# ---- debugging instead of running ----------------------------------------------------------------

class _DataDumper(_Plain):
    """Runs operator by operator and writes each result."""

    def __init__(self, gm: torch.fx.GraphModule, config: CompilerConfig, name: str):
        super().__init__(gm)
        self.directory = config.debug.data_dump.path.value or os.getcwd()
        self.filter: Optional[Callable] = config.debug.data_dump.filter.value
        self.name, self.run_number = name, 0

    def run(self, *args: Any, **more: Any) -> Any:
        self.run_number += 1
        return super().run(*args, **more)

    def run_node(self, n: torch.fx.Node) -> Any:
        result = super().run_node(n)
        if n.op == "call_function" and (self.filter is None or self.filter(n)):
            results = result if isinstance(result, (list, tuple)) else [result]
            for index, one in enumerate(results):
                if isinstance(one, torch.Tensor):
                    self._write(n, index, one)
        return result

    def _write(self, node: torch.fx.Node, index: int, value: torch.Tensor) -> None:
        import numpy
        held = value.detach().cpu()
        if held.dtype == torch.bfloat16:  # numpy has none; float holds the same values
            held = held.float()
        path = os.path.join(self.directory, f"{self.name}-{self.run_number}-{node.name}.OUTPUT.{index}.npy")
        numpy.save(path, held.numpy())


def _summarise(gm: torch.fx.GraphModule, name: str) -> None:
    path = graph_dump.file_name(f"fx_summary_{name}", "csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "target", "inputs", "outputs"])
        for node in gm.graph.nodes:
            if node.op == "call_function":
                inputs = [_shape_text(source.meta.get("val")) for source in node.all_input_nodes]
                writer.writerow([node.name, str(node.target), " ".join(inputs), _shape_text(node.meta.get("val"))])


def _shape_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_shape_text(item) for item in value)
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.size())}" if isinstance(value, torch.Tensor) else str(value)


# ---- compiling -----------------------------------------------------------------------------------

class _GraphCompiler:
    """fw_compiler of AOTAutograd."""

    def __init__(self, config: CompilerConfig):
        self.config = config
        self.directory: Optional[str] = None  # for files about the compilation

    def __call__(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable:
        config = self.config
        _refuse_what_is_not_modelled(config)
        files = PassFiles(self.directory)
        files.graph(gm, "lowered")
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
        concrete.optimize_graph_without_runtime(*example_inputs, observer=None, aot_gm=gm)

        def run(*args: Any) -> Any:
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
            _summarise(gm, name)
        if debug.data_dump.type:
            warnings.warn("debug.data_dump: the graph runs operator by operator, nothing is fused", UserWarning, stacklevel=2)
            return _DataDumper(gm, self.config, name).run
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
