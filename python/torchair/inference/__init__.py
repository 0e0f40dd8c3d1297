"""Compiled methods for inference."""
import warnings
from typing import Any, Callable, Dict, Optional

import torch

from torchair.configs.compiler_config import CompilerConfig
from torchair.npu_fx_compiler import get_npu_backend

__all__ = ["cache_compile", "readable_cache", "set_dim_gears"]


def cache_compile(func: Callable, *, config: Optional[CompilerConfig] = None, dynamic: bool = True,
                  cache_dir: Optional[str] = None, global_rank: Optional[int] = None, tp_rank: Optional[int] = None,
                  pp_rank: Optional[int] = None, custom_decompositions: Optional[Dict[Any, Callable]] = None,
                  ge_cache: bool = False) -> Callable:
    """A bound method, compiled. The modes of captured graphs keep it in a file; GE graph mode compiles it in each process."""
    config = CompilerConfig() if config is None else config
    if config.mode.value != "max-autotune":
        from torch_npu.npugraph_ex import inference
        from torchair import _capture_mode
        return inference.cache_compile(func, dynamic=dynamic, cache_dir=cache_dir, global_rank=global_rank, tp_rank=tp_rank,
                                       pp_rank=pp_rank, options=_capture_mode.options(config))
    warnings.warn("torchair.inference.cache_compile: a GE graph is not kept in a file, each process compiles it", UserWarning,
                  stacklevel=2)
    backend = get_npu_backend(compiler_config=config, custom_decompositions=custom_decompositions)
    return torch.compile(func, backend=backend, dynamic=dynamic, fullgraph=True)


def readable_cache(cache_bin: str, print_output: bool = True, file: Optional[str] = None) -> str:
    """The text of a file that cache_compile kept."""
    from torch_npu.npugraph_ex import inference
    return inference.readable_cache(cache_bin, print_output=print_output, file=file)


def set_dim_gears(tensor: torch.Tensor, dim_gears: Dict[int, Any]) -> None:
    raise NotImplementedError("torchair.inference.set_dim_gears is not modelled; compile with dynamic=True, or once for each size")
