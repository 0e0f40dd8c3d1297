"""A method that is compiled at its first call from a file, or traced and kept in one; both graph modes use it."""
import datetime
import inspect
import pickle
import sys
import types

import torch
from torch._dynamo.aot_compile_types import SerializableCallable

from . import debug, graph_file
from .cache_file import VERSION, Broken, Stored
from .messages import warn


def _log(text, *args):
    """In the log of torchair where that is in use (TNG_LOG_LEVEL=1 shows it)."""
    torchair = sys.modules.get("torchair.core.utils")
    (torchair.logger if torchair is not None else debug.logger).info(text, *args)


class _Graph(SerializableCallable):
    """What Dynamo's bytecode calls: a traced graph, lowered at once when fresh, per shapes when loaded."""

    def __init__(self, records, compiled=None):
        self.records, self.compiled = records, compiled
        self.lower = None
        self.by_shapes = {}

    @classmethod
    def serialize_compile_artifacts(cls, fn):
        return pickle.dumps(fn.records)

    @classmethod
    def deserialize_compile_artifacts(cls, data):
        return cls(pickle.loads(data))

    def bind(self, lower):
        """Of a loaded graph: how it is compiled. Raises whatever names that are not there any more lead to."""
        self.lower = lower
        graph_file.load(self.records)

    def __call__(self, *args):
        if self.compiled is not None:
            return self.compiled(*args)
        key = tuple((tuple(one.shape), one.dtype, one.device) if isinstance(one, torch.Tensor) else one for one in args)
        if key not in self.by_shapes:
            self.by_shapes[key] = self._lower(args)
        return self.by_shapes[key](*args)

    def _lower(self, args):
        from torch._subclasses import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import ShapeEnv
        mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
        with torch._guards.tracing(torch._guards.TracingContext(mode)):
            fakes = [mode.from_tensor(one, static_shapes=True) if isinstance(one, torch.Tensor) else one for one in args]
            return self.lower(graph_file.load(self.records), fakes, graph_file.static_inputs(self.records))


class CachedCallable:
    """Compiles at the first call, from the file if there is one; later calls run the compiled form."""

    def __init__(self, func, lower, options, dynamic, path):
        """lower(gm, example_inputs, static): compiles a traced graph, static being the places of parameters and
        buffers among its inputs where the trace does not say; options: as text, for readers of the file; path(): of the
        file, asked for at the first call, when the module is complete and the rank known."""
        self.func, self.lower, self.options, self.dynamic, self.path = func, lower, options, dynamic, path
        self.owner = (func.__self__,) if isinstance(func, types.MethodType) else ()
        self.compiled, self.fixed = None, True  # fixed: one traced form, which guards must admit
        self.__name__, self.__doc__ = func.__name__, func.__doc__

    def __getstate__(self):
        # A module that is copied or stored takes its methods along as not yet compiled.
        return {**self.__dict__, "compiled": None}

    def __call__(self, *args, **kwargs):
        return self._call(args, kwargs)

    @torch._dynamo.disable(reason="a cached graph is compiled already")
    def _call(self, args, kwargs):
        if self.compiled is None:
            self.stored = Stored(self.path())
            self.compiled = self._load(args, kwargs) or self._compile(args, kwargs)
        elif self.fixed and not self._fits(self.compiled, args, kwargs):
            failed = self.compiled._artifacts.guard_manager.check_verbose(
                self.compiled.prepare_f_locals(*self.owner, *args, **kwargs)).verbose_code_parts
            why = failed[0].split("  #")[0] if failed else "unknown"
            warn(f"cache_compile: {self.func.__qualname__} is called in a way its compiled form does not cover ({why}); "
                 "it is compiled again, and the file of cache_compile holds the last form only")
            self.compiled = self._compile(args, kwargs)
        return self.compiled(*self.owner, *args, **kwargs)

    def _fits(self, compiled, args, kwargs) -> bool:
        return compiled.guard_check(*self.owner, *args, **kwargs)

    def _keep_guards(self, guards):
        """Arguments are guarded. The module is not: the file belongs to one module and script by contract."""
        from torch._dynamo.guards import CheckFunctionManager
        owner = None
        if self.owner:
            owner = f"L['{next(iter(inspect.signature(self.func.__func__).parameters))}']"
        return [not (guard.is_global or guard.guard_type in CheckFunctionManager.UNSUPPORTED_SERIALIZATION_GUARD_TYPES
                     or (owner is not None and guard.name.startswith(owner))) for guard in guards]

    def _compile_only(self, why):
        """Without a file, as torch.compile does it."""
        warn(f"cache_compile: {self.func.__qualname__} is not cached: {why}")
        self.fixed = False
        method = torch.compile(self.func, backend=lambda gm, inputs: self.lower(gm, inputs), fullgraph=True, dynamic=self.dynamic)
        return lambda *args, **kwargs: method(*args[len(self.owner):], **kwargs)

    def _load(self, args, kwargs):
        try:
            return self._from_file(args, kwargs)
        except Broken as why:
            warn(f"cache_compile: {self.stored.path} is broken ({why}): it is removed and {self.func.__qualname__} compiled again")
            self.stored.remove()
            return None

    def _from_file(self, args, kwargs):
        content = self.stored.read()
        if content is None:
            return None
        if content["version"] != VERSION or content["torch"] != torch.__version__:
            warn(f"cache_compile: {self.stored.path} was written by another version, it is written anew")
            return None
        from torch._dynamo.aot_compile import AOTCompiledFunction
        try:
            compiled = AOTCompiledFunction.deserialize(content["artefact"], f_globals=self.func.__globals__)
            graph = compiled._artifacts.compiled_fn
            graph.bind(self.lower)
        except Exception as error:  # whatever the stored names and bytes lead to
            raise Broken(f"{type(error).__name__}: {error}") from error
        if not self._fits(compiled, args, kwargs):
            return None
        _log("Cache %s loaded from %s", content["name"], self.stored.path)
        return compiled

    def _compile(self, args, kwargs):
        from torch._dynamo.aot_compile import AOTCompiledFunction
        code = []

        def trace(gm, example_inputs, **_):
            code.append(gm.print_readable(print_output=False))
            try:
                if any(hasattr(one, "dim_gears") for one in example_inputs):
                    raise graph_file.NotStorable("an input has gears (set_dim_gears)")
                records = graph_file.dump(gm)
            except graph_file.NotStorable as why:
                warn(f"cache_compile: {self.func.__qualname__} is not cached: {why}")
                records = None
            return _Graph(records, self.lower(gm, example_inputs))

        wanted = torch.compile(self.func, backend=trace, fullgraph=True, dynamic=self.dynamic,
                               options={"guard_filter_fn": self._keep_guards})
        try:
            compiled = wanted.aot_compile((args, kwargs))
        except TypeError as why:
            if "cannot be saved" not in str(why):
                raise
            return self._compile_only(str(why))
        if compiled._artifacts.compiled_fn.records is not None:
            name = f"{self.func.__qualname__}{inspect.signature(self.func)}"
            self.stored.write({
                "version": VERSION, "torch": str(torch.__version__), "name": name,
                "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "options": self.options, "code": "\n".join(code),
                "artefact": AOTCompiledFunction.serialize(compiled).serialized_data})
            _log("Cache %s saved to %s", name, self.stored.path)
        return compiled
