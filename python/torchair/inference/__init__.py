"""Compiled methods for inference."""
import functools
import types
import warnings
from typing import Any, Callable, Dict, Optional

import torch

from torchair._gears import set_dim_gears
from torchair.configs.compiler_config import CompilerConfig
from torchair.npu_fx_compiler import config_of, get_npu_backend

__all__ = ["cache_compile", "readable_cache", "set_dim_gears"]


def _chosen(config: Optional[CompilerConfig], backend: Any) -> CompilerConfig:
    if backend is None:
        return CompilerConfig() if config is None else config
    held = config_of(backend)
    if config is not None and config != held:
        raise ValueError("cache_compile: config and that of backend differ; give one of them")
    return held


def cache_compile(func: Callable, *, config: Optional[CompilerConfig] = None, backend: Any = None, dynamic: bool = True,
                  cache_dir: Optional[str] = None, global_rank: Optional[int] = None, tp_rank: Optional[int] = None,
                  pp_rank: Optional[int] = None, custom_decompositions: Optional[Dict[Any, Callable]] = None,
                  ge_cache: bool = False) -> Callable:
    """A bound method of a module, compiled at its first call from a file if there is one; it must trace to one graph.

    The file is <cache_dir>/<class>_<dynamic|static>_<hash of module, options and code>/[<ranks>/]<method>/compiled_module,
    cache_dir being TORCHAIR_CACHE_HOME or .torchair_cache by default; in modes of captured graphs the directory's name
    has `aclgraphcache` in it. config: options; backend: of get_npu_backend, in place of them.
    """
    if not isinstance(func, types.MethodType) or not isinstance(func.__self__, torch.nn.Module):
        raise ValueError(f"cache_compile: func is {func!r}; legal: a bound method of a torch.nn.Module")
    config = _chosen(config, backend)
    try:
        from torch_npu.npugraph_ex import cache_file, inference
        from torch_npu.npugraph_ex.cached import CachedCallable
    except ImportError as error:
        raise RuntimeError("cache_compile needs torch_npu: import it before torchair") from error
    if ge_cache:
        warnings.warn("cache_compile: ge_cache has no effect in the simulator: GE graphs are compiled in each process from "
                      "what was traced", UserWarning, stacklevel=2)
    if config.mode.value != "max-autotune":
        from torchair import _capture_mode
        return inference.cache_compile(func, dynamic=dynamic, cache_dir=cache_dir, global_rank=global_rank, tp_rank=tp_rank,
                                       pp_rank=pp_rank, options=_capture_mode.options(config),
                                       custom_decompositions=custom_decompositions)
    values = {key: cache_file.digest([option.raw]) if callable(option.raw) else option.raw for key, option, _ in config.leaves()}
    path = functools.partial(cache_file.path, func, repr(values), "gecache" if ge_cache else "", dynamic, cache_dir,
                             global_rank, tp_rank, pp_rank)
    lower = functools.partial(_lower, get_npu_backend(compiler_config=config, custom_decompositions=custom_decompositions))
    return CachedCallable(func, lower, repr(config), dynamic, path)


def _lower(backend: Callable, gm: torch.fx.GraphModule, example_inputs: Any, static: Any = ()) -> Callable:
    return backend(gm, example_inputs)


def readable_cache(cache_bin: str, print_output: bool = True, file: Optional[str] = None) -> str:
    """The text of a file that cache_compile kept."""
    from torch_npu.npugraph_ex import inference
    return inference.readable_cache(cache_bin, print_output=print_output, file=file)
