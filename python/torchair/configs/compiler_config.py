"""CompilerConfig: every option of a backend, with its default, its legal values and the modes it is for."""
import warnings

from torchair.configs._options import (
    CAPTURE, GE, MODES, Choice, Declared, Dictionary, Flag, Function, Group, Nested, Number, Path, Pattern, RealPath)

_INT64_MAX = 2**63 - 1
_ONLY_GE = {"modes": (GE,)}
_ONLY_CAPTURE = {"modes": CAPTURE}
_STEPS = r"(\d+(-\d+)?(\|\d+(-\d+)?)*)?"
_LAYERS = r"([\w./\-]+( [\w./\-]+)*)?"


class GraphDump(Group):
    type = Choice(None, (None, "txt", "pbtxt", "py"), **_ONLY_GE)
    path = RealPath(None, **_ONLY_GE)

    @property
    def enabled(self) -> bool:
        return bool(self.type)


class DataDump(Group):
    type = Choice(None, (None, "npy"), **_ONLY_GE)
    filter = Function(**_ONLY_GE)
    path = Path(None, "directory", **_ONLY_GE)


class FxSummary(Group):
    type = Choice(None, (None, "csv"), **_ONLY_GE)
    skip_compile = Flag(True, **_ONLY_GE)


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
    run_eagerly = Flag(False)
    deadlock_check = Flag(False, **_ONLY_CAPTURE)


class AoeConfig(Group):
    aoe_mode = Choice(None, (None, "2"), effect="there is nothing to tune", **_ONLY_GE)
    work_path = Path("./", "directory", effect="there is nothing to tune", **_ONLY_GE)
    aoe_config_file = Path(None, "file", effect="there is nothing to tune", **_ONLY_GE)


class ExportExperimental(Group):
    enable_record_nn_module_stack = Flag(False, **_ONLY_GE)
    auto_atc_config_generated = Flag(False, **_ONLY_GE)
    enable_lite_export = Flag(False, **_ONLY_GE)


class Export(Group):
    export_mode = Flag(False, **_ONLY_GE)
    export_path_dir = Path("./", "directory", **_ONLY_GE)
    export_name = Declared("export", **_ONLY_GE)
    weight_name = Declared("weight", **_ONLY_GE)
    inputs_name = Declared(None, **_ONLY_GE)
    experimental = Nested(ExportExperimental)


class DumpConfig(Group):
    enable_dump = Flag(False, **_ONLY_GE)
    dump_path = Path("./", "directory", **_ONLY_GE)
    dump_mode = Choice("all", ("all", "input", "output"), **_ONLY_GE)
    quant_dumpable = Flag(False, **_ONLY_GE)
    dump_step = Pattern("", _STEPS, "step numbers and ranges joined by '|', such as '0|2-4'", **_ONLY_GE)
    dump_layer = Pattern("", _LAYERS, "operator names separated by single blanks", **_ONLY_GE)
    dump_data = Choice("tensor", ("tensor", "stats"), **_ONLY_GE)
    dump_config_path = Path(None, "file", **_ONLY_GE)
    data_dump_stage = Choice("optimized", ("optimized", "original"), **_ONLY_GE)


class FusionConfig(Group):
    fusion_switch_file = Path(None, "file", effect="the simulator fuses by scopes only", **_ONLY_GE)


class AclGraphExperimental(Group):
    _aclnn_static_shape_kernel = Flag(False, **_ONLY_CAPTURE)
    _aclnn_static_shape_kernel_build_dir = Declared(None, **_ONLY_CAPTURE)
    _aclnn_static_shape_kernel_sym_value_range = Declared(None, **_ONLY_CAPTURE)
    _aclnn_static_shape_kernel_sym_index = Number(0, 0, _INT64_MAX, **_ONLY_CAPTURE)
    _super_kernel_optimize = Flag(False, **_ONLY_CAPTURE)
    _super_kernel_optimize_options = Dictionary(**_ONLY_CAPTURE)
    _super_kernel_debug_options = Dictionary(**_ONLY_CAPTURE)


class ExperimentalConfig(Group):
    cc_parallel_enable = Flag(False, effect="one device, no collectives", **_ONLY_GE)
    keep_inference_input_mutations = Flag(True)
    memory_efficiency = Flag(False, effect="memory is planned by the allocator", **_ONLY_GE)
    frozen_parameter = Flag(False)
    static_model_ops_lower_limit = Number(None, -1, _INT64_MAX, effect="every graph is run as a whole", **_ONLY_GE)
    jit_compile = Choice("auto", ("auto",), **_ONLY_GE)
    npu_fx_pass = Flag(False, effect="there are no such passes")
    aot_config_enable_joint_graph = Flag(False, effect="there are no joint-graph passes")
    aot_config_output_loss_index = Declared(0, effect="there are no joint-graph passes")
    topology_sorting_strategy = Choice(
        "DFS", ("BFS", "DFS", "RDFS", "StableRDFS"), effect="operators run in the order of the program", **_ONLY_GE)
    enable_ref_data = Flag(False, effect="mutated inputs are written in place either way", **_ONLY_GE)
    enable_view_optimize = Flag(True, **_ONLY_GE)
    remove_noop_ops = Flag(True)
    tiling_schedule_optimize = Flag(False, effect="tiling is done on the host", **_ONLY_GE)
    pattern_fusion_pass = Flag(True)
    aclgraph = Nested(AclGraphExperimental)


class InferenceConfig(Group):
    dynamic_gears_merge_policy = Choice("zip", ("zip", "product"), effect="there are no gears", **_ONLY_GE)


class GeConfig(Group):
    enable_single_stream = Flag(False, **_ONLY_GE)
    oo_level = Choice("O3", ("O3", "O1"), effect="graphs are not optimised beyond fusion", **_ONLY_GE)
    oo_constant_folding = Choice(None, (None, True, False), effect="constants are not folded", **_ONLY_GE)
    oo_dead_code_elimination = Choice(None, (None, True, False), effect="dead code is removed before", **_ONLY_GE)
    export_compile_stat = Choice("2", ("0", "1", "2"), effect="there is no such file", **_ONLY_GE)
    aicore_num = Pattern(None, r"\d+\|\d+", "'a|v': numbers of cube and vector cores", **_ONLY_GE)
    optimization_switch = Declared(None, effect="there are no such switches", **_ONLY_GE)


class AclGraphConfig(Group):
    use_custom_pool = Declared(None, **_ONLY_CAPTURE)


class NpuGraphExConfig(Group):
    """Options of the captured-graph backend come with torch.compile(options=...); there are none here."""


class CompilerConfig(Group):
    """Options of `torchair.get_npu_backend`. Assigning checks; see docs/torchair.md."""

    mode = Choice(GE, MODES)
    post_grad_custom_pre_pass = Function()
    post_grad_custom_post_pass = Function()
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
        idle = [f"{key} ({declared.effect})" for key, _, declared in self._changed()
                if mode in declared.modes and declared.effect]
        if idle:
            warnings.warn(f"options without effect in the simulator: {', '.join(idle)}", UserWarning, stacklevel=3)
