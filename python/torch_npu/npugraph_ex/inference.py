"""cache_compile: a compiled method that starts from a file the next time, without tracing it again."""
import datetime
import hashlib
import inspect
import io
import os
import pickle
import tempfile
import types

import torch
from torch._dynamo.aot_compile_types import SerializableCallable

from . import backend, graph_file
from .messages import nearest, warn
from .options import CompilerConfig

VERSION = "1"
FILE = "compiled_module"


class _Graph(SerializableCallable):
    """What Dynamo's bytecode calls: a traced graph, lowered at once when fresh, per shapes when loaded."""

    def __init__(self, records, compiled=None):
        self.records, self.compiled = records, compiled
        self.config, self.decompositions = None, None  # set by the owner of a loaded graph
        self.by_shapes = {}

    @classmethod
    def serialize_compile_artifacts(cls, fn):
        return pickle.dumps(fn.records)

    @classmethod
    def deserialize_compile_artifacts(cls, data):
        return cls(pickle.loads(data))

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
            return backend.compile_dynamo_graph(graph_file.load(self.records), fakes, self.config, self.decompositions,
                                                static=graph_file.static_inputs(self.records))


class _Stored:
    """The file: read, checked and written in one place."""

    def __init__(self, path: str):
        self.path = path

    def read(self):
        """The stored dict, or None without a file. Raises PermissionError for somebody else's file."""
        if not os.path.exists(self.path):
            return None
        state = os.stat(self.path)
        if state.st_uid != os.getuid() or os.lstat(self.path).st_uid != os.getuid():
            raise PermissionError(f"{self.path}: must be owned by the current user")
        if state.st_mode & 0o077:
            raise PermissionError(f"{self.path}: permissions must be 600")
        with open(self.path, "rb") as file:
            return pickle.load(file)

    def write(self, content: dict) -> None:
        directory = os.path.dirname(self.path)
        os.makedirs(directory, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory)  # mode 600
        try:
            with os.fdopen(handle, "wb") as file:
                pickle.dump(content, file)
            os.replace(temporary, self.path)
        except BaseException:
            os.unlink(temporary)
            raise


def _digest(function) -> str:
    code = getattr(function, "__code__", None)
    return hashlib.sha256(code.co_code + repr(code.co_consts).encode()).hexdigest() if code else repr(type(function))


def cache_path(func, config, dynamic=True, cache_dir=None, global_rank=None, tp_rank=None, pp_rank=None) -> str:
    """Where the compiled form of `func` is kept."""
    root = cache_dir or os.environ.get("TORCHAIR_CACHE_HOME") or os.path.join(os.getcwd(), ".torchair_cache")
    owner = getattr(func, "__self__", None)
    values = {name: _digest(value) if callable(value) else value for name, value in config.as_dict().items()}
    constraint = (str(owner) if owner is not None else inspect.getsource(func)) + repr(values)
    name = type(owner).__name__ if owner is not None else func.__name__
    model = "_".join([name, "dynamic" if dynamic else "static", "aclgraphcache",
                      hashlib.md5(constraint.encode(), usedforsecurity=False).hexdigest()])
    ranks = []
    if torch.distributed.is_available() and torch.distributed.is_initialized() and torch.distributed.get_world_size() > 1:
        rank = torch.distributed.get_rank() if global_rank is None else global_rank
        ranks.append(f"world{torch.distributed.get_world_size()}global_rank{rank}")
    ranks += [f"{kind}{rank}" for kind, rank in (("tp_rank", tp_rank), ("pp_rank", pp_rank)) if rank is not None]
    return os.path.realpath(os.path.join(root, model, "_".join(ranks), func.__name__, FILE))


class CachedCallable:
    """Compiles at the first call, from the file if there is one; later calls run the compiled form."""

    def __init__(self, func, config, decompositions, dynamic, path):
        self.func, self.config, self.decompositions, self.dynamic = func, config, decompositions, dynamic
        self.stored = _Stored(path)
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
            self.compiled = self._load(args, kwargs) or self._compile(args, kwargs)
        elif self.fixed and not self._fits(self.compiled, args, kwargs):
            failed = self.compiled._artifacts.guard_manager.check_verbose(
                self.compiled.prepare_f_locals(*self.owner, *args, **kwargs)).verbose_code_parts
            why = failed[0].split("  #")[0] if failed else "unknown"
            warn(f"npugraph_ex: {self.func.__qualname__} is called in a way its compiled form does not cover ({why}); "
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
        warn(f"npugraph_ex: {self.func.__qualname__} is not cached: {why}")
        self.fixed = False

        def lower(gm, example_inputs):
            return backend.compile_dynamo_graph(gm, example_inputs, self.config, self.decompositions)

        method = torch.compile(self.func, backend=lower, fullgraph=True, dynamic=self.dynamic)
        return lambda *args, **kwargs: method(*args[len(self.owner):], **kwargs)

    def _load(self, args, kwargs):
        content = self.stored.read()
        if content is None:
            return None
        if content["version"] != VERSION or content["torch"] != torch.__version__:
            warn(f"npugraph_ex: {self.stored.path} was written by another version, it is written anew")
            return None
        from torch._dynamo.aot_compile import AOTCompiledFunction
        compiled = AOTCompiledFunction.deserialize(content["artefact"], f_globals=self.func.__globals__)
        graph = compiled._artifacts.compiled_fn
        graph.config, graph.decompositions = self.config, self.decompositions
        return compiled if self._fits(compiled, args, kwargs) else None

    def _compile(self, args, kwargs):
        from torch._dynamo.aot_compile import AOTCompiledFunction
        code = []

        def trace(gm, example_inputs, **_):
            code.append(gm.print_readable(print_output=False))
            try:
                records = graph_file.dump(gm)
            except graph_file.NotStorable as why:
                warn(f"npugraph_ex: {self.func.__qualname__} is not cached: {why}")
                records = None
            return _Graph(records, backend.compile_dynamo_graph(gm, example_inputs, self.config, self.decompositions))

        wanted = torch.compile(self.func, backend=trace, fullgraph=True, dynamic=self.dynamic,
                               options={"guard_filter_fn": self._keep_guards})
        try:
            compiled = wanted.aot_compile((args, kwargs))
        except TypeError as why:
            if "cannot be saved" not in str(why):
                raise
            return self._compile_only(str(why))
        if compiled._artifacts.compiled_fn.records is not None:
            self.stored.write({
                "version": VERSION, "torch": str(torch.__version__),
                "name": f"{self.func.__qualname__}{inspect.signature(self.func)}",
                "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "options": repr(self.config), "code": "\n".join(code),
                "artefact": AOTCompiledFunction.serialize(compiled).serialized_data})
        return compiled


def cache_compile(func, *, dynamic: bool = True, cache_dir=None, global_rank=None, tp_rank=None, pp_rank=None, **kwargs):
    """A callable that compiles `func` for npugraph_ex and keeps the result in a file.

    func: a method of a module, or a function; it must trace to one graph. The file lies in
    <cache_dir>/<class>_<dynamic|static>_aclgraphcache_<hash of module and options>/[<ranks>/]<func>/compiled_module,
    cache_dir being TORCHAIR_CACHE_HOME or .torchair_cache by default. kwargs: `options` as for the backend,
    `custom_decompositions`. Raises TypeError for anything else.
    """
    legal = ("options", "custom_decompositions")
    for name in kwargs:
        if name not in legal:
            raise TypeError(f"cache_compile: unexpected argument '{name}'.{nearest(name, legal)} "
                            f"Legal beside the named ones: {', '.join(legal)}")
    if not isinstance(func, (types.MethodType, types.FunctionType)):
        raise TypeError(f"cache_compile: func must be a method or a function, got {type(func).__name__}")
    config = CompilerConfig().apply(kwargs.get("options"))
    path = cache_path(func, config, dynamic, cache_dir, global_rank, tp_rank, pp_rank)
    return CachedCallable(func, config, kwargs.get("custom_decompositions"), dynamic, path)


def readable_cache(cache_bin, print_output=True, file=None) -> str:
    """The content of a compiled_module file as text: name, date, options, the traced graph.

    Printed unless print_output is False; written to `file` if given. Raises ValueError without such a file.
    """
    content = _Stored(os.path.realpath(cache_bin)).read()
    if content is None:
        raise ValueError(f"Cache file {cache_bin} does not exist")
    out = io.StringIO()
    for name in ("name", "date", "version", "torch", "options"):
        out.write(f"# {name}: {content[name]}\n")
    out.write(content["code"] + "\n")
    if print_output:
        print(out.getvalue())
    if file is not None:
        with open(file, "w", encoding="utf-8") as target:
            target.write(out.getvalue())
    return out.getvalue()
