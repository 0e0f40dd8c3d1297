"""CompilerConfig: every option of a backend, with its default, its legal values and the modes it is for."""
import warnings

from torchair.configs._options import (
    CAPTURE, GE, MODES, Choice, Declared, Dictionary, Flag, Function, Group, Nested, Number, Path, Pattern, RealPath)

_INT64_MAX = 2**63 - 1
_ONLY_GE = {"modes": (GE,)}
_ONLY_CAPTURE = {"modes": CAPTURE}
_STEPS = r"(\d+(-\d+)?\|?)*"
_LAYERS = r'[0-9a-zA-Z_ "/\\.]*'


class GraphDump(Group):
    type = Choice(None, ("txt", "pbtxt", "py"), help="GE graphs are written into files, see below", **_ONLY_GE)
    path = RealPath(None, help="directory of these files; None: the current one", **_ONLY_GE)

    @property
    def enabled(self) -> bool:
        return bool(self.type)


class DataDump(Group):
    type = Choice(None, ("npy",), help="the graph runs operator by operator, what each takes and gives is written", **_ONLY_GE)
    filter = Function(help="filter(fx node): the node, or None to leave it out", **_ONLY_GE)
    path = RealPath(None, help="where; None: the current directory", **_ONLY_GE)


class FxSummary(Group):
    type = Choice(None, ("csv",), help="a table of operators with counts and shapes goes into a file", **_ONLY_GE)
    skip_compile = Flag(True, help="with a summary: the graph then runs operator by operator", **_ONLY_GE)


class AclGraphDebug(Group):
    disable_reinplace_inplaceable_ops_pass = Flag(False, **_ONLY_CAPTURE)
    disable_reinplace_input_mutated_ops_pass = Flag(False, **_ONLY_CAPTURE)
    disable_mempool_reuse_in_same_fx = Flag(False, **_ONLY_CAPTURE)
    static_capture_size_limit = Number(64, 1, _INT64_MAX, **_ONLY_CAPTURE)
    clone_input = Flag(True, **_ONLY_CAPTURE)
    enable_output_clone = Flag(False, **_ONLY_CAPTURE)
    remove_cat_ops = Flag(True, **_ONLY_CAPTURE)


class Debug(Group):
    graph_dump = Nested(GraphDump)
    data_dump = Nested(DataDump)
    fx_summary = Nested(FxSummary)
    aclgraph = Nested(AclGraphDebug)
    run_eagerly = Flag(False, help="the lowered graph runs operator by operator, nothing is fused, with a warning")
    deadlock_check = Flag(False, **_ONLY_CAPTURE)


class AoeConfig(Group):
    aoe_mode = Choice(None, ("2",), idle="there is nothing to tune", **_ONLY_GE)
    work_path = Path("./", "directory", idle="there is nothing to tune", **_ONLY_GE)
    aoe_config_file = Path(None, "file", idle="there is nothing to tune", **_ONLY_GE)


class ExportExperimental(Group):
    enable_record_nn_module_stack = Flag(
        False, help="operators have the attribute `nn_module_stack`: the modules they were called in", **_ONLY_GE)
    auto_atc_config_generated = Flag(False, idle="the files are for collectives, there are none", **_ONLY_GE)
    enable_lite_export = Flag(False, idle="there is one set of converters", **_ONLY_GE)


class Export(Group):
    export_mode = Flag(False, help="a call writes files and ends with the exception ExportSuccess; see `dynamo_export`", **_ONLY_GE)
    export_path_dir = Path("./", "directory", help="where they are written", **_ONLY_GE)
    export_name = Declared(None, help="stem of the model's file; None: export", **_ONLY_GE)
    weight_name = Declared(None, help="{id(tensor): name} of inputs that become constants of the graph", **_ONLY_GE)
    inputs_name = Declared(None, idle="inputs are named as FX names them", **_ONLY_GE)
    experimental = Nested(ExportExperimental)


class DumpConfig(Group):
    enable_dump = Flag(False, help="GE: tensors of operators go into files, see below; captured: `dump_tensor_data` in [python.md](python.md)")
    dump_path = Path("./", "directory", help="where; captured: `data_dump_dir` in [python.md](python.md)")
    dump_mode = Choice("all", ("all", "input", "output"), help="what operators take, what they give, or both", **_ONLY_GE)
    quant_dumpable = Flag(False, idle="every operator is there to be dumped", **_ONLY_GE)
    dump_step = Pattern("", _STEPS, "step numbers and ranges joined by '|', such as '0|2-4'",
                        help="runs of a graph, counted from 0; empty: all", **_ONLY_GE)
    dump_layer = Pattern("", _LAYERS, "operator names separated by blanks",
                         help="operators by their names in the GE graph; empty: all, or those under `scope.data_dump`", **_ONLY_GE)
    dump_data = Choice("tensor", ("tensor", "stats"), help="`.npy` files, or one table of extremes and means per run", **_ONLY_GE)
    dump_config_path = Path(None, "file", help="JSON file that says the same, and dumps by itself", **_ONLY_GE)
    data_dump_stage = Choice("optimized", ("optimized", "original"), help="captured: `data_dump_stage` in [python.md](python.md)")


class FusionConfig(Group):
    fusion_switch_file = Path(None, "file", idle="the simulator fuses by scopes only", **_ONLY_GE)


class AclGraphExperimental(Group):
    _aclnn_static_shape_kernel = Flag(False, **_ONLY_CAPTURE)
    _aclnn_static_shape_kernel_build_dir = Declared(None, idle="nothing is built", **_ONLY_CAPTURE)
    _aclnn_static_shape_kernel_sym_value_range = Declared(None, **_ONLY_CAPTURE)
    _aclnn_static_shape_kernel_sym_index = Number(0, 0, _INT64_MAX, **_ONLY_CAPTURE)
    _super_kernel_optimize = Flag(False, **_ONLY_CAPTURE)
    _super_kernel_optimize_options = Dictionary(**_ONLY_CAPTURE)
    _super_kernel_debug_options = Dictionary(**_ONLY_CAPTURE)


class ExperimentalConfig(Group):
    cc_parallel_enable = Flag(False, idle="one device, no collectives", **_ONLY_GE)
    keep_inference_input_mutations = Flag(True, help="writes to inputs stay in the graph")
    memory_efficiency = Flag(False, idle="memory is planned by the allocator", **_ONLY_GE)
    frozen_parameter = Flag(False, help="captured: `frozen_parameter` in [python.md](python.md); each run of a GE graph takes the "
                            "addresses it is given")
    static_model_ops_lower_limit = Number(None, -1, _INT64_MAX, idle="every graph is run as a whole", **_ONLY_GE)
    jit_compile = Choice("auto", ("auto",), help="the only value", **_ONLY_GE)
    npu_fx_pass = Flag(False, idle="there are no such passes")
    aot_config_enable_joint_graph = Flag(False, idle="there are no joint-graph passes")
    aot_config_output_loss_index = Declared(0, idle="there are no joint-graph passes")
    topology_sorting_strategy = Choice(
        "DFS", ("BFS", "DFS", "RDFS", "StableRDFS"), idle="operators run in the order of the program", **_ONLY_GE)
    enable_ref_data = Flag(False, idle="mutated inputs are written in place either way", **_ONLY_GE)
    enable_view_optimize = Flag(True, help="views become operators at their first consumer", **_ONLY_GE)
    remove_noop_ops = Flag(True, help="operations that change nothing leave the graph")
    tiling_schedule_optimize = Flag(False, idle="tiling is done on the host", **_ONLY_GE)
    pattern_fusion_pass = Flag(True, help="replacements of register_replacement are applied")
    aclgraph = Nested(AclGraphExperimental)


class InferenceConfig(Group):
    dynamic_gears_merge_policy = Choice(
        "zip", ("zip", "product"), help="gears of `set_dim_gears` count one by one, or in all combinations", **_ONLY_GE)


class GeConfig(Group):
    enable_single_stream = Flag(False, help="npu_stream_switch has no effect", **_ONLY_GE)
    oo_level = Choice("O3", ("O3", "O1"), idle="graphs are not optimised beyond fusion", **_ONLY_GE)
    oo_constant_folding = Choice(None, (True, False), idle="constants are not folded", **_ONLY_GE)
    oo_dead_code_elimination = Choice(None, (True, False), idle="dead code is removed before", **_ONLY_GE)
    export_compile_stat = Choice("2", ("0", "1", "2"), idle="there is no such file", **_ONLY_GE)
    aicore_num = Pattern(None, r"0*[1-9]\d*\|0*[1-9]\d*", "'a|v': numbers of cube and vector cores from 1 on",
                         help="cores of operators without a limit_core_num of their own, up to what the device has", **_ONLY_GE)
    optimization_switch = Declared(None, idle="there are no such switches", **_ONLY_GE)


class AclGraphConfig(Group):
    use_custom_pool = Declared(None, **_ONLY_CAPTURE)


class NpuGraphExConfig(Group):
    """Options of the captured-graph backend come with torch.compile(options=...); there are none here."""


# nested name: (name of the backend's option, whether a set flag there means the opposite)
FLAT_NAMES = {
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
    "dump_config.enable_dump": ("dump_tensor_data", False),
    "dump_config.dump_path": ("data_dump_dir", False),
    "dump_config.data_dump_stage": ("data_dump_stage", False),
}


def table() -> str:
    """The options as a table in Markdown, for docs/torchair.md."""
    lines = ["| option | default | legal | modes | effect |", "| --- | --- | --- | --- | --- |"]
    for key, option, declared in CompilerConfig().leaves():
        modes = "all" if declared.modes == MODES else "GE" if declared.modes == (GE,) else "captured"
        effect = declared.help or (f"none: {declared.idle}" if declared.idle else "")
        if not effect and key in FLAT_NAMES:
            name, opposite = FLAT_NAMES[key]
            effect = f"{'the opposite of ' if opposite else ''}`{name}` in [python.md](python.md)"
        legal = declared.legal_text.replace("|", "\\|")
        lines.append(f"| `{key}` | `{declared.default!r}` | {legal} | {modes} | {effect} |")
    return "\n".join(lines) + "\n"


class CompilerConfig(Group):
    """Options of `torchair.get_npu_backend`. Assigning checks; see docs/torchair.md."""

    mode = Choice(GE, MODES, help="max-autotune: GE graph mode; the others: captured graphs, see python.md")
    post_grad_custom_pre_pass = Function(help="pass(gm, example_inputs, config) before the standard ones")
    post_grad_custom_post_pass = Function(help="the same behind them")
    debug = Nested(Debug)
    aoe_config = Nested(AoeConfig)
    export = Nested(Export)
    dump_config = Nested(DumpConfig)
    fusion_config = Nested(FusionConfig)
    experimental_config = Nested(ExperimentalConfig)
    inference_config = Nested(InferenceConfig)
    ge_config = Nested(GeConfig)
    aclgraph_config = Nested(AclGraphConfig)
    npugraphex_config = Nested(NpuGraphExConfig)

    def __init__(self):
        super().__init__()

    def _changed(self):
        return [(key, option, declared) for key, option, declared in self.leaves() if option != declared.default]

    def warn_without_effect(self) -> None:
        """One warning that lists the options set for another mode, one for those the simulator has no use for."""
        mode = self.mode.value
        if mode == "reduce-overhead":
            warnings.warn("CompilerConfig.mode = 'reduce-overhead' is deprecated; use 'npugraph_ex'",
                          DeprecationWarning, stacklevel=3)
        foreign = [key for key, _, declared in self._changed() if mode not in declared.modes]
        if foreign:
            warnings.warn(f"options without effect in mode '{mode}': {', '.join(foreign)}", UserWarning, stacklevel=3)
        idle = [f"{key} ({declared.idle})" for key, _, declared in self._changed()
                if mode in declared.modes and declared.idle]
        if idle:
            warnings.warn(f"options without effect in the simulator: {', '.join(idle)}", UserWarning, stacklevel=3)
