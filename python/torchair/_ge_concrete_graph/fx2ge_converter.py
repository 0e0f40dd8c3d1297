"""GeConcreteGraph: an FX graph as a GE graph, node by node, and the thing that is called to run it."""
import operator
import os
import traceback
from contextlib import contextmanager
from typing import Any, Dict, List, Optional

import torch
from torch.fx.node import Node

from torchair._ge_concrete_graph import converters, export, graph_dump, optimize, views
from torchair._ge_concrete_graph.executor import Executor
from torchair._ge_concrete_graph.export import ExportSuccess
from torchair._ge_concrete_graph.ge_graph import GeGraph, Tensor, add_const, add_data, add_op, building
from torchair._ge_concrete_graph.ge_ir import GraphDef, OpDef
from torchair.configs.compiler_config import CompilerConfig
from torchair.scope import _attributes

_ENTER, _EXIT = torch.ops.air.scope_enter.default, torch.ops.air.scope_exit.default


@contextmanager
def _hidden_scopes():
    """Operators made inside carry no scope attribute."""
    open_frames = list(_attributes._stack.frames)
    _attributes.clear()
    try:
        yield
    finally:
        _attributes._stack.frames[:] = open_frames


class GeConcreteGraph:
    def __init__(self, config: CompilerConfig, name: str):
        self.config = config
        self._graph = GeGraph(name)
        self._inputs: List[Tensor] = []
        self._operators: Dict[str, OpDef] = {}  # per FX node: the operator its launches belong to
        self._places: Dict[str, str] = {}       # "scope NAME", "node NAME": where in the user's program
        self._executor: Optional[Executor] = None
        self._ran = False
        self.gear_symbols: set = set()  # sizes that are known at each run

    @property
    def graph(self) -> GraphDef:
        return self._graph.definition

    @property
    def name(self) -> str:
        return self._graph.name

    # ---- conversion ----

    def convert(self, gm: torch.fx.GraphModule) -> None:
        """Takes over all nodes in order. Scope nodes move the stack of attributes."""
        values: Dict[Node, Any] = {}
        _attributes.clear()
        try:
            with building(self._graph):
                for node in gm.graph.nodes:
                    values[node] = self._convert_node(gm, node, values)
        finally:
            _attributes.clear()

    def _convert_node(self, gm: torch.fx.GraphModule, node: Node, values: Dict[Node, Any]) -> Any:
        if node.op == "placeholder":
            return self._input(node)
        if node.op == "get_attr":
            return self._constant(gm, node)
        if node.op == "output":
            return self._output(node.args[0], values)
        if node.target in (_ENTER, _EXIT):
            _run_scope(node)
            name = _attributes.current().get(_attributes.SUPER_KERNEL_SCOPE)
            if node.target is _ENTER and name:
                self._places.setdefault(f"scope {name}", _line(node))
            return None
        if _is_getitem(node):
            held = values[node.args[0]]
            return held[node.args[1]] if isinstance(held, (list, tuple)) else held
        return self._call(node, values)

    def _input(self, node: Node) -> Tensor:
        value = node.meta.get("val")
        on_npu = isinstance(value, torch.Tensor) and value.device.type != "cpu"
        data = add_data(node.name, len(self._inputs), value, "NPU" if on_npu else "CPU")
        self._inputs.append(data)
        return data

    def _constant(self, gm: torch.fx.GraphModule, node: Node) -> Any:
        held = gm
        for part in str(node.target).split("."):
            held = getattr(held, part)
        if not isinstance(held, torch.Tensor):
            return held
        return add_const(held.detach())

    def _output(self, results: Any, values: Dict[Node, Any]) -> None:
        flat = [values[item] for item in results if isinstance(item, Node)]
        with _hidden_scopes():
            tensors = [views.materialise(item) if isinstance(item, views.View) else item for item in flat]
        once = list(dict.fromkeys(item.tensor for item in tensors if isinstance(item, Tensor)))
        sources = {item.tensor: item for item in tensors if isinstance(item, Tensor)}
        add_op("NetOutput", [(f"input{index}", sources[name]) for index, name in enumerate(once)], [])
        self.graph.output.extend(once)

    def _call(self, node: Node, values: Dict[Node, Any]) -> Any:
        value = node.meta.get("val")
        empty = _empty(value)
        if empty is not None:
            return empty
        view = self._view(node, values, value)
        if view is not None:
            return view
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda item: self._materialised(values[item]))
        before = len(self.graph.op)
        try:
            made = converters.convert(node.target, args, dict(kwargs), value)
        except RuntimeError as error:
            raise RuntimeError(f"{error}{_line(node)}") from error
        _describe(node, made, value)
        if self.config.export.experimental.enable_record_nn_module_stack and "nn_module_stack" in node.meta:
            for op in self.graph.op[before:]:
                op.attr["nn_module_stack"].s = str(node.meta["nn_module_stack"]).encode()
        added = [op for op in self.graph.op[before:] if op.type != "Const"]
        if added:
            self._operators[node.name] = added[-1]
            self._places[f"node {added[-1].name}"] = _line(node)
        return made

    def _materialised(self, held: Any) -> Any:
        """Operators of a view count to the SuperKernel of their consumer, to no other scope."""
        if not isinstance(held, views.View):
            return [self._materialised(item) for item in held] if isinstance(held, list) else held
        if _attributes.only_super_kernel():
            return views.materialise(held)
        with _hidden_scopes():
            return views.materialise(held)

    def _view(self, node: Node, values: Dict[Node, Any], value: Any) -> Any:
        if not isinstance(node.target, torch._ops.OpOverload) or not isinstance(value, torch.Tensor):
            return None
        if converters.key_of(node.target) not in views.KEYS:
            return None
        source = values[node.args[0]]
        step = views.step_of(node.target, len(node.args[0].meta["val"].size()), node.args[1:], value)
        held = source if isinstance(source, views.View) else views.View(source, [], None)
        deferred = bool(self.config.experimental_config.enable_view_optimize) and _attributes.only_super_kernel()
        if deferred:
            return views.View(held.base, views.add_step(held.steps, step), value)
        base = self._materialised(source)
        return views.materialise(views.View(base, [step], value))

    # ---- life ----

    def dump(self, stage: str) -> None:
        graph_dump.dump(self.graph, self.config, f"dynamo_{stage}_{self.name}")

    def optimize_graph_without_runtime(self, *sample_args, observer=None, aot_gm=None) -> None:
        """Passes that need no device: unused inputs go, attributes of the graph, names and layouts."""
        optimize.run(self.graph, sample_args)
        self._executor = Executor(self.graph, aot_gm, self._operators, self._places, self.config, self.gear_symbols)

    def __call__(self, *args: Any) -> Any:
        if not self._ran:
            optimize.set_formats(self._inputs, args)
            if self.config.export.export_mode:
                export.write(self.graph, self._inputs, args, self.config.export)
                raise ExportSuccess(f"{self.name} is exported, it does not run")
            self.dump("optimized")
            self._ran = True
        return self._executor(*args)


def _is_getitem(node: Node) -> bool:
    return node.target is operator.getitem


def _empty(value: Any) -> Any:
    """Constants in place of an operator all of whose results are without elements, None: it has others."""
    several = isinstance(value, (list, tuple))
    results = list(value) if several else [value]
    if not results or not all(isinstance(one, torch.Tensor) and all(isinstance(size, int) for size in one.size())
                              and one.numel() == 0 for one in results):
        return None
    made = [add_const(torch.empty(list(one.size()), dtype=one.dtype)) for one in results]
    return made if several else made[0]


def _run_scope(node: Node) -> None:
    node.target(*node.args, **{**node.kwargs, "need_execute": True})


def _describe(node: Node, made: Any, value: Any) -> None:
    """What FX knows of the results goes into their descriptors."""
    if isinstance(made, Tensor):
        made, value = [made], [value]
    elif not isinstance(made, (list, tuple)) or not isinstance(value, (list, tuple)):
        return
    for index, (tensor, meta) in enumerate(zip(made, value)):
        if isinstance(tensor, (list, tuple)):
            _describe(node, tensor, meta)
        elif isinstance(tensor, Tensor):
            if meta is not None:
                tensor.set_meta(meta)
            tensor.desc.attr["_fx_tensor_name"].s = f"{node.name}-{node.target}.OUTPUT.{index}".encode()


def check_scopes(graph: torch.fx.Graph) -> None:
    """Every scope that is entered is left, in one graph."""
    depth = 0
    for node in graph.nodes:
        if node.target is _ENTER:
            depth += 1
        elif node.target is _EXIT and depth == 0:
            raise RuntimeError(f"node '{node.name}': must first call the torch.ops.air.scope_enter before "
                               f"torch.ops.air.scope_exit{_HINT}{_line(node)}")
        elif node.target is _EXIT:
            depth -= 1
    if depth > 0:
        opened: List[Node] = []
        for node in graph.nodes:
            if node.target is _ENTER:
                opened.append(node)
            elif node.target is _EXIT:
                opened.pop()
        names = ", ".join(str(dict(zip(*node.args[:2]))) for node in opened)
        raise RuntimeError(f"torch.ops.air.scope_enter has no paired call to the torch.ops.air.scope_exit: {names}"
                           f"{_HINT}{_line(opened[0])}")


_HINT = (". A graph break between them splits a block over two graphs (TORCH_LOGS=graph_breaks tells where); "
         "a pass of your own may have removed one")


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_TORCH = os.path.dirname(os.path.abspath(torch.__file__))


def _is_users(place: str) -> bool:
    return not any(folder in place for folder in (_PACKAGE, _TORCH, "<"))


def _line(node: Node) -> str:
    """Where in the user's program the node comes from; of a block that Dynamo gave up, who runs it."""
    trace = node.meta.get("stack_trace") or node.stack_trace or ""
    lines = [line.strip() for line in trace.splitlines() if line.strip().startswith("File ")]
    running = [f'File "{frame.filename}", line {frame.lineno}, in {frame.name}' for frame in traceback.extract_stack()
               if not frame.filename.startswith("<")]
    users = [line for line in lines if _is_users(line)] or [line for line in running if _is_users(line.replace("<module>", ""))]
    return f" ({users[-1]})" if users else ""
