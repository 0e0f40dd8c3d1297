"""Modes reduce-overhead and npugraph_ex: the nested options of torchair as those of the captured-graph backend."""
from typing import Any, Callable, Dict

from torchair.configs.compiler_config import CompilerConfig

# nested name: (name of the backend's option, whether a set flag there means the opposite)
_NAMES = {
    "debug.run_eagerly": ("force_eager", False),
    "debug.deadlock_check": ("deadlock_check", False),
    "debug.aclgraph.clone_input": ("clone_input", False),
    "debug.aclgraph.enable_output_clone": ("clone_output", False),
    "debug.aclgraph.disable_reinplace_inplaceable_ops_pass": ("inplace_pass", True),
    "debug.aclgraph.disable_reinplace_input_mutated_ops_pass": ("input_inplace_pass", True),
    "debug.aclgraph.disable_mempool_reuse_in_same_fx": ("reuse_graph_pool_in_same_fx", True),
    "debug.aclgraph.static_capture_size_limit": ("capture_limit", False),
    "debug.aclgraph.remove_cat_ops": ("remove_cat_ops", False),
    "experimental_config.aclgraph._aclnn_static_shape_kernel": ("static_kernel_compile", False),
    "experimental_config.aclgraph._aclnn_static_shape_kernel_sym_index": ("_vllm_aclnn_static_kernel_sym_index", False),
    "experimental_config.aclgraph._aclnn_static_shape_kernel_sym_value_range": ("_vllm_aclnn_static_kernel_sym_range", False),
    "experimental_config.aclgraph._super_kernel_optimize": ("super_kernel_optimize", False),
    "experimental_config.aclgraph._super_kernel_optimize_options": ("super_kernel_optimize_options", False),
    "experimental_config.aclgraph._super_kernel_debug_options": ("super_kernel_debug_options", False),
    "experimental_config.frozen_parameter": ("frozen_parameter", False),
    "experimental_config.remove_noop_ops": ("remove_noop_ops", False),
    "experimental_config.pattern_fusion_pass": ("pattern_fusion_pass", False),
    "aclgraph_config.use_custom_pool": ("use_graph_pool", False),
}


def options(config: CompilerConfig) -> Dict[str, Any]:
    """Flat options of what was changed. The user's passes get this configuration, as in graph mode."""
    flat: Dict[str, Any] = {}
    for key, option, declared in config.leaves():
        if option == declared.default or key not in _NAMES:
            continue
        name, opposite = _NAMES[key]
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
