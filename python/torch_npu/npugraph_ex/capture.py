"""A compiled graph at run time: captured once per key, replayed afterwards.

The key is the tuple of integers and shapes given, the addresses of parameters unless frozen, and the core
limits of the stream. Results are memory of the captured graph: the next call with the same key overwrites
them unless clone_output is set.
"""
import torch

from torch_npu import Format, get_npu_format

from . import debug, dump, static_kernel, streams
from .messages import at, node_line, warn
from .reinplace import written_placeholders

DEVICE = "npu"
_PLAIN_FORMATS = (Format.UNDEFINED, Format.NCHW, Format.NHWC, Format.ND, Format.NCDHW, Format.NDHWC, Format.NCL, Format.NC)


def _on_device(value) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == DEVICE


def _flat(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def not_capturable(graph) -> str:
    """Why the graph cannot be captured: text for a warning, '' if it can."""
    calls = [node for node in graph.nodes if node.op == "call_function"]
    if not any(_on_device(one) for node in calls for one in _flat(node.meta.get("val"))):
        return f"no operation of it is on device {DEVICE}"
    host = set()
    for node in graph.nodes:
        held = _flat(node.meta.get("val"))
        if node.op == "placeholder":
            if any(isinstance(one, torch.Tensor) and not _on_device(one) for one in held):
                host.add(node)
        elif node.op == "call_function":
            sources = node.all_input_nodes
            reads_device = any(_on_device(one) for source in sources for one in _flat(source.meta.get("val")))
            made_on_host = any(isinstance(one, torch.Tensor) and not _on_device(one) for one in held)
            if any(source in host for source in sources) or (made_on_host and reads_device):
                return f"{node.target}{at(node_line(node))} works on host memory, which a replay does not repeat"
    return ""


def _failed_node(gm, error):
    """The node whose call raised, None if it was none of the graph's own lines."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code is type(gm).forward.__code__:
            line = trace.tb_lineno
        trace = trace.tb_next
    if line is None or gm._lineno_map is None:
        return None
    place = gm._lineno_map.get(line - gm._prologue_start)
    return list(gm.graph.nodes)[place] if place is not None else None


def _forward(gm, args):
    """Runs the graph's code; an error says which of the user's lines it belongs to."""
    try:
        return list(gm.forward(*args))
    except Exception as error:
        node = _failed_node(gm, error)
        if node is not None and node_line(node) and error.args and isinstance(error.args[0], str):
            error.args = (f"{error.args[0]}{at(node_line(node))}", *error.args[1:])
        raise


class _Captured:
    """One captured graph with the buffers it reads and the results it writes."""

    def __init__(self, graph, buffers, copied, fixed, outputs):
        self.graph, self.buffers, self.copied, self.fixed, self.outputs = graph, buffers, copied, fixed, outputs

    def fits(self, args) -> bool:
        """Whether every input that was captured by address still has that address."""
        return all(args[index].data_ptr() == address for index, address in self.fixed)


class CompiledGraph:
    """Callable over the flat inputs of one lowered graph."""

    _boxed_call = True

    def __init__(self, gm, config, parameters=(), original=None, directory=None):
        """gm: graph after all passes; parameters: places of inputs whose address is static by contract;
        original: the graph before all passes, for data_dump_stage "original"; directory: for debug files."""
        self.gm, self.config, self.directory = gm, config, directory
        self.original = original
        self.placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
        self.parameters = tuple(parameters)
        written = written_placeholders(gm.graph)
        self.mutated = frozenset(i for i, node in enumerate(self.placeholders) if node in written)
        output = next(iter(reversed(gm.graph.nodes)))
        given = output.args[0] if isinstance(output.args[0], (tuple, list)) else (output.args[0],)
        places = {node: i for i, node in enumerate(self.placeholders)}
        self.passed_through = [places.get(node) if isinstance(node, torch.fx.Node) else None for node in given]
        self.captured, self.calls = {}, 0
        if config.frozen_parameter:
            warn("npugraph_ex: frozen_parameter is on: parameters must stay where they are as long as the graph is used")
        self.pool = config.use_graph_pool.value
        # The graph that was captured saves by operators of its own.
        self.dumps = bool(config.dump_tensor_data) and (self.original is not None or bool(config.force_eager))
        self.eager = self._runs_eagerly()

    def _runs_eagerly(self) -> bool:
        if self.config.force_eager:
            warn("npugraph_ex: force_eager is on, the graph falls back to eager: it is not captured")
            return True
        if self.dumps:
            return True
        reason = not_capturable(self.gm.graph)
        if reason:
            warn(f"npugraph_ex: the graph runs operator by operator: {reason}")
        return bool(reason)

    def __call__(self, *args):
        if len(args) == 1 and isinstance(args[0], list):
            given = args[0]
            args = tuple(given)
            given.clear()  # the caller's hold on inputs ends here
        with torch.no_grad():
            return self._run(args)

    def _run(self, args):
        first, self.calls = self.calls == 0, self.calls + 1
        if first and self.config.static_kernel_compile:
            static_kernel.compile_for(self.gm, args, self.config)
        if self.eager:
            return self._run_eagerly(args)
        key = self._key(args)
        entry = self.captured.get(key)
        if entry is None and len(self.captured) >= self.config.capture_limit.value:
            warn(f"npugraph_ex: capture_limit {self.config.capture_limit.value} is reached, from now on the graph runs "
                 "operator by operator")
            self.eager = True
            return self._run_eagerly(args)
        if entry is None or self.config.force_recapture or not entry.fits(args):
            entry = self.captured[key] = self._capture(args)
        for index in entry.copied:
            entry.buffers[index].copy_(args[index])
        entry.graph.replay()
        return self._results(entry, args)

    def _run_eagerly(self, args):
        if self.dumps:
            return list(dump.run(self.original or self.gm, args, self.config, self.calls))
        return _forward(self.gm, args)

    def _key(self, args):
        parts = [tuple(one.shape) if isinstance(one, torch.Tensor) else one for one in args]
        if not self.config.frozen_parameter:
            parts.append(tuple(args[index].data_ptr() for index in self.parameters))
        limit = torch.npu.get_stream_limit(torch.npu.current_stream())
        return (*parts, tuple(sorted(limit.items())))

    def _buffers(self, args):
        """(inputs to capture with, places to copy at each call, [(place, address)] to compare)."""
        buffers, copied, fixed = list(args), [], []
        for index, one in enumerate(args):
            if not _on_device(one) or index in self.parameters:
                continue
            # A private format belongs to the memory: a buffer would not have it.
            if index in self.mutated or not self.config.clone_input or get_npu_format(one) not in _PLAIN_FORMATS:
                fixed.append((index, one.data_ptr()))
                continue
            # The traced graph may rely on the strides; memory that overlaps itself cannot be copied into.
            if torch._debug_has_internal_overlap(one) == 1:
                buffers[index] = torch.empty_like(one, memory_format=torch.contiguous_format)
            else:
                buffers[index] = torch.empty_strided(one.shape, one.stride(), dtype=one.dtype, device=one.device)
            copied.append(index)
        return buffers, copied, fixed

    def _capture(self, args):
        config = self.config
        if self.pool is None and config.reuse_graph_pool_in_same_fx:
            self.pool = torch.npu.graph_pool_handle()
        buffers, copied, fixed = self._buffers(args)
        caller = torch.npu.current_stream()
        limit = torch.npu.get_stream_limit(caller)
        stream = torch.npu.Stream()
        if limit != torch.npu.get_device_limit():
            torch.npu.set_stream_limit(stream, limit["cube_core_num"], limit["vector_core_num"])
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph, pool=self.pool, stream=stream, capture_error_mode=config.capture_error_mode.value):
            streams.bind_current()
            outputs = _forward(self.gm, buffers)
        if config.super_kernel_optimize:
            graph.super_kernel_optimize(optimize_options=config.super_kernel_optimize_options.value,
                                        debug_options=config.super_kernel_debug_options.value)
        if self.directory is not None or config.deadlock_check:
            debug.captured(graph, len(self.captured) + 1, self.directory, config)
        return _Captured(graph, buffers, copied, fixed, outputs)

    def _results(self, entry, args):
        results = []
        for place, one in zip(self.passed_through, entry.outputs):
            if place is not None:
                results.append(args[place])
            elif not isinstance(one, torch.Tensor):
                results.append(one)
            elif self.config.clone_output:
                results.append(one.clone())
            else:
                # A tensor object of its own for each call: autograd writes into the ones it is given.
                results.append(one.detach())
        return results
