"""torch.npu: the device, its streams, events, memory, random numbers and captured graphs."""
from . import utils
from .devices import (current_device, device, device_count, device_of, get_device_capability, get_device_limit,
                      get_device_name, get_device_properties, init, is_available, is_initialized, set_device,
                      set_device_limit, synchronize, _is_in_bad_fork, _lazy_init)
from .graphed import make_graphed_callables
from .graphs import (NPUGraph, graph, graph_pool_handle, is_current_stream_capturing, super_kernel_scope_begin,
                     super_kernel_scope_end)
from .memory import (empty_cache, host_empty_cache, max_memory_allocated, max_memory_reserved, mem_get_info,
                     memory_allocated, memory_reserved, memory_snapshot, memory_stats, memory_summary,
                     reset_peak_memory_stats)
from .options import (config, get_amp_supported_dtype, is_jit_compile_false, set_compile_mode, set_deterministic_level,
                      set_op_timeout_ms, set_option, set_sync_debug_mode)
from .random import (default_generators, get_rng_state, get_rng_state_all, initial_seed, manual_seed, manual_seed_all,
                     seed, seed_all, set_rng_state, set_rng_state_all)
from .streams import (Event, ExternalEvent, Stream, StreamContext, current_stream, default_stream, get_stream_limit,
                      reset_stream_limit, set_stream, set_stream_limit, stream)


def __getattr__(name):
    if name == "npugraph_ex":
        import importlib
        return importlib.import_module("torch_npu.npugraph_ex")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
