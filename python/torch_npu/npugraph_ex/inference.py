"""cache_compile: a compiled method that starts from a file the next time, without tracing it again."""
import functools
import io
import os
import types

from . import backend, cache_file
from .cached import CachedCallable
from .messages import nearest
from .options import CompilerConfig


def cache_compile(func, *, dynamic: bool = True, cache_dir=None, global_rank=None, tp_rank=None, pp_rank=None, **kwargs):
    """A callable that compiles `func` for npugraph_ex and keeps the result in a file.

    func: a method of a module, or a function; it must trace to one graph. The file lies in
    <cache_dir>/<class>_<dynamic|static>_aclgraphcache_<hash of module, options and code>/[<ranks>/]<func>/compiled_module,
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
    values = {name: cache_file.digest([value]) if callable(value) else value for name, value in config.as_dict().items()}
    path = functools.partial(cache_file.path, func, repr(values), "aclgraphcache", dynamic, cache_dir, global_rank, tp_rank, pp_rank)
    lower = functools.partial(_lower, config, kwargs.get("custom_decompositions"))
    return CachedCallable(func, lower, repr(config), dynamic, path)


def _lower(config, decompositions, gm, example_inputs, static=()):
    return backend.compile_dynamo_graph(gm, example_inputs, config, decompositions, static=static)


def readable_cache(cache_bin, print_output=True, file=None) -> str:
    """The content of a compiled_module file as text: name, date, options, the traced graph.

    Printed unless print_output is False; written to `file` if given. Raises ValueError without such a file.
    """
    try:
        content = cache_file.Stored(os.path.realpath(cache_bin)).read()
    except cache_file.Broken as why:
        raise ValueError(f"Cache file {cache_bin} is broken: {why}") from why
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
