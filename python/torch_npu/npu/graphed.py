"""make_graphed_callables: functions and modules whose forward and backward are replays of captured graphs."""
import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from .graphs import NPUGraph, graph, graph_pool_handle

_NAME = "make_graphed_callables"


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None):
    """Captures each callable with its sample arguments; returns callables that copy arguments in and replay.

    callables: a function or module, or a tuple of them; sample_args: a tuple of npu tensors (also in lists, tuples and
    dicts), or a tuple of such tuples. Where arguments or parameters require a gradient, and grad mode is on, the backward
    pass is captured too, in reverse order of the callables. Results are memory of the graphs: the next call overwrites
    them. Modules are changed in place: in the mode (train, eval) they were captured in they replay.
    """
    if torch.is_autocast_enabled("npu") and torch.is_autocast_cache_enabled():
        raise RuntimeError(f"{_NAME} does not support the autocast caching. Please set `cache_enabled=False`.")
    single = not isinstance(callables, tuple)
    functions = (callables,) if single else callables
    arguments = (sample_args,) if single else sample_args
    if len(functions) != len(arguments):
        raise ValueError(f"{_NAME}: {len(functions)} callables, but sample_args for {len(arguments)}")
    pool = graph_pool_handle() if pool is None else pool
    made = [_Graphed(function, args, allow_unused_input) for function, args in zip(functions, arguments)]
    for one in made:
        one.warm_up(num_warmup_iters)
    for one in made:
        one.capture_forward(pool)
    for one in reversed(made):
        one.capture_backward(pool)
    results = tuple(one.replacement() for one in made)
    return results[0] if single else results


def _described(tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)} on {tensor.device.type}"


class _Graphed:
    """One callable with its graphs, the tensors they read and those they write."""

    def __init__(self, function, sample_args, allow_unused_input):
        self.function, self.allow_unused_input = function, allow_unused_input
        self.name = getattr(function, "__name__", type(function).__name__)
        self._check_module()
        flat, self.tree = tree_flatten(tuple(sample_args))
        for place, one in enumerate(flat):
            if not isinstance(one, torch.Tensor):
                raise TypeError(f"{_NAME}: argument {place} of {self.name} is of type {type(one).__name__}; legal: npu tensors")
            if one.device.type != "npu":
                raise RuntimeError(f"{_NAME}: argument {place} of {self.name} is on {one.device.type}; move it with .npu()")
        self.inputs = [one.detach().clone().requires_grad_(one.requires_grad) for one in flat]
        self.parameters = tuple(function.parameters()) if isinstance(function, torch.nn.Module) else ()
        self.sources = [one for one in (*self.inputs, *self.parameters) if one.requires_grad]
        self.backward = None

    def _check_module(self):
        if not isinstance(self.function, torch.nn.Module):
            return
        for kind in ("_backward_hooks", "_forward_hooks", "_forward_pre_hooks"):
            if getattr(self.function, kind):
                raise RuntimeError(f"{_NAME}: {self.name} has hooks ({kind}); register them on what is returned")
        for name, one in self.function.named_buffers():
            if one.requires_grad:
                raise RuntimeError(f"{_NAME}: buffer {name} of {self.name} requires a gradient; legal: parameters and arguments")

    def _run(self):
        return tree_flatten(self.function(*tree_unflatten(self.inputs, self.tree)))

    def _gradients(self, outputs, grads):
        """Gradients of what requires one; on this thread, which is the one that captures."""
        with torch.autograd.set_multithreading_enabled(False):
            return torch.autograd.grad([one for one in outputs if one.requires_grad], self.sources, grads,
                                       allow_unused=self.allow_unused_input)

    def warm_up(self, iterations):
        for _ in range(iterations):
            outputs = self._run()[0]
            if any(one.requires_grad for one in outputs):
                self._gradients(outputs, [torch.zeros_like(one) for one in outputs if one.requires_grad])

    def capture_forward(self, pool):
        self.forward = NPUGraph()
        with graph(self.forward, pool=pool):
            self.outputs, self.output_tree = self._run()

    def capture_backward(self, pool):
        differentiable = [one for one in self.outputs if one.requires_grad]
        if not differentiable:
            return
        self.grads = [torch.zeros_like(one) for one in differentiable]
        self.backward = NPUGraph()
        with graph(self.backward, pool=pool):
            found = iter(self._gradients(self.outputs, self.grads))
        self.results = [next(found) if one.requires_grad else None for one in (*self.inputs, *self.parameters)]

    def _fill(self, args):
        """New arguments in the places of those that were captured."""
        for place, (held, one) in enumerate(zip(self.inputs, args)):
            if not isinstance(one, torch.Tensor) or one.shape != held.shape or one.dtype != held.dtype:
                given = _described(one) if isinstance(one, torch.Tensor) else type(one).__name__
                raise RuntimeError(f"{self.name}: argument {place} is {given}; the captured one is {_described(held)}")
            if one.data_ptr() != held.data_ptr():
                held.detach().copy_(one)

    def call(self, *args):
        flat, tree = tree_flatten(args)
        if tree != self.tree:
            raise RuntimeError(f"{self.name}: the arguments are not arranged as those of the capture: {tree} instead of {self.tree}")
        return tree_unflatten(list(_Replay.apply(self, *flat, *self.parameters)), self.output_tree)

    def replacement(self):
        if not isinstance(self.function, torch.nn.Module):
            return self.call
        module, original, training = self.function, self.function.forward, self.function.training

        def forward(*args, **kwargs):
            if module.training == training and not kwargs:
                return self.call(*args)
            return original(*args, **kwargs)
        module.forward = forward
        return module


class _Replay(torch.autograd.Function):
    """A replay of the forward graph; its gradient is one of the backward graph."""

    @staticmethod
    def forward(ctx, graphed, *given):
        ctx.graphed = graphed
        graphed._fill(given[:len(graphed.inputs)])
        graphed.forward.replay()
        outputs = tuple(one.detach() for one in graphed.outputs)
        ctx.mark_non_differentiable(*(made for made, held in zip(outputs, graphed.outputs) if not held.requires_grad))
        return outputs

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, *given):
        graphed = ctx.graphed
        wanted = [grad for grad, held in zip(given, graphed.outputs) if held.requires_grad]
        for held, grad in zip(graphed.grads, wanted):
            held.copy_(grad)
        graphed.backward.replay()
        # Copies: what becomes somebody's .grad must survive the next replay.
        return (None, *(None if one is None else one.clone() for one in graphed.results))
