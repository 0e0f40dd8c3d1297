"""Runs a compiled graph: each operator by its kernel, launched with the attributes of its GE operator.

On the NPU a run is captured, its scopes fused by the graph compiler (sk_ge_compile), and queued on the stream of
the caller; results are new tensors each time. Without an NPU tensor the operators just run.
"""
import contextlib
import re
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set

import torch
from torch.fx.node import Node

from torchair._ge_concrete_graph import data_dump
from torchair._ge_concrete_graph.ge_ir import GraphDef, OpDef
from torchair.configs.compiler_config import CompilerConfig
from torchair.core.utils import logger
from torchair.scope import _attributes

_AIR = ("air::scope_enter", "air::scope_exit")


class Operator(NamedTuple):
    """What the runtime is told of the launches of one FX node."""

    name: str
    type: str
    scope: Optional[str]
    options: Optional[str]
    aicore_num: int
    vectorcore_num: int
    stream: Optional[str]


def _cores(op: OpDef, key: str) -> int:
    if key not in op.attr:
        return 0
    text = op.attr[key].s.decode()
    if not text.isdigit() or int(text) == 0:
        raise RuntimeError(f"operator {op.name}: {key} is '{text}'; legal: a number of cores from 1 on")
    return int(text)


def _text(op: OpDef, key: str) -> Optional[str]:
    return op.attr[key].s.decode() or None if key in op.attr else None


def operator_of(op: OpDef) -> Operator:
    return Operator(op.name, op.type, _text(op, _attributes.SUPER_KERNEL_SCOPE), _text(op, _attributes.SUPER_KERNEL_OPTIONS),
                    _cores(op, _attributes.AICORE_NUM), _cores(op, _attributes.VECTORCORE_NUM),
                    _text(op, _attributes.STREAM_LABEL))


def _is(node: Node, *names: str) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.name in names


class _Plain(torch.fx.Interpreter):
    """Operators one after another. Scope marks do nothing; a wait is a matter of order."""

    seen: Optional[Callable[[Node, Any], None]] = None  # told each node with its value

    def run_node(self, n: Node) -> Any:
        if n.op == "call_function" and _is(n, *_AIR):
            return None
        if n.op == "call_function" and _is(n, "air::wait_tensor"):
            value = self.fetch_args_kwargs_from_env(n)[0][0]
        else:
            value = super().run_node(n)
        if self.seen is not None:
            self.seen(n, value)
        return value


class _Recorder(_Plain):
    """Operators with their attributes, on the stream of their label."""

    def __init__(self, gm: torch.fx.GraphModule, operators: Dict[str, Operator], labels: Dict[Node, str]):
        super().__init__(gm, garbage_collect_values=not labels)  # no memory is used again while several streams run
        self.operators, self.labels = operators, labels
        self.sources = self._find_sources(gm)
        self.crossed: Set[Node] = {source for node in gm.graph.nodes for source in self.sources[node]
                                   if labels.get(source) != labels.get(node)}
        self.streams: Dict[str, Any] = {}
        self.events: Dict[Node, Any] = {}

    def _find_sources(self, gm: torch.fx.GraphModule) -> Dict[Node, List[Node]]:
        """Per node: who computed what it takes. Views and picks of a result launch nothing."""
        sources: Dict[Node, List[Node]] = {}
        for node in gm.graph.nodes:
            found: Dict[Node, None] = {}
            for given in node.all_input_nodes:
                found.update(dict.fromkeys([given] if given.name in self.operators else sources[given]))
            sources[node] = list(found)
        return sources

    def run(self, *args: Any) -> Any:
        import torch_npu
        self.npu = torch_npu.npu
        self.origin = self.npu.current_stream()
        self.events.clear()
        self.drawn_in: List[Any] = []
        try:
            results = super().run(*args)
        finally:
            _set_operator(None)
        for stream in self.drawn_in:
            self.origin.wait_stream(stream)
        return results

    def _stream(self, label: str) -> Any:
        if label not in self.streams:
            self.streams[label] = self.npu.Stream()
        stream = self.streams[label]
        if stream not in self.drawn_in:
            stream.wait_stream(self.origin)
            self.drawn_in.append(stream)
        return stream

    def _wait_for_readers(self, stream: Any) -> None:
        """What is written in place may still be read on any stream."""
        for other in (self.origin, *self.drawn_in):
            if other != stream:
                stream.wait_stream(other)

    def run_node(self, n: Node) -> Any:
        operator = self.operators.get(n.name)
        if operator is None:
            return super().run_node(n)
        label = self.labels.get(n)
        stream = self.origin if label is None else self._stream(label)
        for source in self.sources[n]:
            if source in self.events and self.labels.get(source) != label:
                self.events[source].wait(stream)
        if isinstance(n.target, torch._ops.OpOverload) and n.target._schema.is_mutable:
            self._wait_for_readers(stream)
        with self.npu.stream(stream), _core_limit(self.npu, stream, operator):
            _set_operator(operator)
            result = super().run_node(n)
            _set_operator(None)
        if n in self.crossed:
            self.events[n] = stream.record_event()
        return result


def _set_operator(operator: Optional[Operator]) -> None:
    from superkernel import _core
    if operator is None:
        _core.ge_operator(None)
    else:
        _core.ge_operator((operator.name, operator.type, operator.scope, operator.options, operator.aicore_num,
                           operator.vectorcore_num))


class _core_limit:
    """The stream's limits while one operator is launched."""

    def __init__(self, npu: Any, stream: Any, operator: Operator):
        self.npu, self.stream, self.operator = npu, stream, operator
        self.limited = operator.aicore_num > 0 or operator.vectorcore_num > 0

    def __enter__(self) -> None:
        if self.limited:
            self.before = self.npu.get_stream_limit(self.stream)
            self.npu.set_stream_limit(self.stream, self.operator.aicore_num or -1, self.operator.vectorcore_num or -1)

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if self.limited:
            self.npu.set_stream_limit(self.stream, self.before["cube_core_num"], self.before["vector_core_num"])


class Executor:
    def __init__(self, graph: GraphDef, gm: torch.fx.GraphModule, operators: Dict[str, OpDef], places: Dict[str, str],
                 config: CompilerConfig, known: Set[Any] = frozenset()):
        """operators: per FX node, the GE operator its launches belong to; places: "scope NAME" and "node NAME" with
        where they stand in the user's program; known: symbols of sizes that are known at each run."""
        self.name = graph.name
        self.places = places
        self.gm = gm
        self.operators = {name: operator_of(op) for name, op in operators.items()}
        self.plan = ""             # what became of each launch in the latest run, for people
        self._graph: Any = None    # the latest run's capture: kept until the next one, for it may still be pending
        self._recorder: Optional[_Recorder] = None
        self._dump = data_dump.of(config, graph.name, gm, operators)
        self._seen: Optional[Callable[[Node, Any], None]] = None  # of the run that is going on
        self._make_static(gm, known)
        self._single_stream = bool(config.ge_config.enable_single_stream)
        cores = config.ge_config.aicore_num.raw
        self._cores = None if cores is None else tuple(int(number) for number in cores.split("|"))

    def _make_static(self, gm: torch.fx.GraphModule, known: Set[Any]) -> None:
        """A graph whose sizes are only known at run time is not fused, as in the real pass."""
        values = [node.meta.get("val") for node in gm.graph.nodes if node.op == "placeholder"]
        dynamic = any(isinstance(value, torch.SymInt) and value.node.expr.free_symbols - known for value in values)
        scopes = sorted({operator.scope for operator in self.operators.values() if operator.scope})
        if dynamic and scopes:
            warnings.warn(f"{self.name} has dynamic sizes: its scopes ({', '.join(scopes)}) are not fused; "
                          "compile with dynamic=False", UserWarning, stacklevel=2)
            self.operators = {name: operator._replace(scope=None, options=None) for name, operator in self.operators.items()}

    def __call__(self, *args: Any) -> Any:
        dumped = self._dump is not None and self._dump.begin(args)
        self._seen = self._dump.see if dumped else None
        results = self._run(args)
        if dumped:
            self._dump.end()
        return results

    def _run(self, args: Any) -> Any:
        if any(isinstance(given, torch.Tensor) and given.device.type == "npu" for given in args):
            return self._run_on_npu(args)
        plain = _Plain(self.gm)
        plain.seen = self._seen
        return plain.run(*args)

    def _labels(self) -> Dict[Node, str]:
        if self._single_stream:
            return {}
        return {node: self.operators[node.name].stream for node in self.gm.graph.nodes
                if node.name in self.operators and self.operators[node.name].stream}

    def _limited(self, device: Dict[str, int]) -> Dict[str, Operator]:
        """Operators without a limit of their own have the graph's, which is at most what the device has."""
        if self._cores is None:
            return self.operators
        aic, aiv = (min(wanted, there) for wanted, there in zip(self._cores, (device["cube_core_num"], device["vector_core_num"])))
        return {name: operator._replace(aicore_num=operator.aicore_num or aic, vectorcore_num=operator.vectorcore_num or aiv)
                for name, operator in self.operators.items()}

    def _run_on_npu(self, args: Any) -> Any:
        import torch_npu
        npu = torch_npu.npu
        if npu.is_current_stream_capturing():
            raise RuntimeError(f"{self.name}: a graph of torchair cannot run while the stream is being captured")
        if self._recorder is None:
            self._recorder = _Recorder(self.gm, self._limited(npu.get_device_limit()), self._labels())
            self._stream = npu.Stream()
        self._recorder.seen = self._seen
        previous, self._graph = self._graph, None
        if previous is not None:
            previous.reset()
        captured = npu.NPUGraph()
        with npu.stream(self._stream):
            captured.capture_begin(capture_error_mode="relaxed")
            try:
                results = self._recorder.run(*args)
            except BaseException:
                with contextlib.suppress(RuntimeError):  # streams may not have come together; the first error counts
                    captured.capture_end()
                raise
            captured.capture_end()
        plan = self._compile(captured)
        if plan != self.plan:
            self.plan = plan
            logger.debug("%s:\n%s", self.name, plan)
        captured.replay()
        self._graph = captured
        return results

    def _compile(self, captured: Any) -> str:
        from superkernel import Error
        try:
            return captured.ge_compile()
        except Error as error:
            text = re.sub(r"^.*?sk_ge_compile: | \(error code \d+\)$", "", str(error))
            where = next((self.places[word] for word in sorted(self.places, key=len, reverse=True) if word in text), "")
            raise RuntimeError(f"{self.name} cannot be compiled: {text}{where}") from error
