"""Modes reduce-overhead and npugraph_ex: the nested options of torchair as those of the captured-graph backend."""
from typing import Any, Callable, Dict

from torchair.configs.compiler_config import FLAT_NAMES, CompilerConfig


def options(config: CompilerConfig) -> Dict[str, Any]:
    """Flat options of what was changed. The user's passes get this configuration, as in graph mode."""
    flat: Dict[str, Any] = {}
    for key, option, declared in config.leaves():
        if option == declared.default or key not in FLAT_NAMES:
            continue
        name, opposite = FLAT_NAMES[key]
        flat[name] = not option.raw if opposite else option.raw
    for name in ("post_grad_custom_pre_pass", "post_grad_custom_post_pass"):
        function = getattr(config, name).value
        if function is not None:
            flat[name] = lambda gm, inputs, _, function=function: function(gm, inputs, config)
    return flat


def compiler(config: CompilerConfig) -> Callable:
    """fw_compiler of the captured-graph backend."""
    try:
        from torch_npu.npugraph_ex import backend, options as flat_options
    except ImportError as error:
        raise RuntimeError(f"CompilerConfig.mode = '{config.mode.value}' needs torch_npu: import it before torchair") from error
    return backend.GraphCompiler(flat_options.CompilerConfig().apply(options(config)))
