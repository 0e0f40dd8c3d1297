"""Every option of both graph modes in one table: default, a value that is legal, one that is not and what it raises, and
the test of its effect. An option without effect here is told by its document and, in graph mode, by a warning."""
import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torch  # noqa: E402, F401
import torch_npu  # noqa: E402, F401
import torchair  # noqa: E402
from torch_npu.npugraph_ex import options, sk_options  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

IDLE = "idle"
THIS_FILE = str(Path(__file__).resolve())  # options keep paths resolved
V, T, F = ValueError, TypeError, FileNotFoundError


def _pass(gm, example_inputs, config):
    """A pass that does nothing."""


# key: (default, legal, illegal, exception, file:test of the effect)
NPUGRAPH_EX = {
    "force_eager": (False, True, "True", V, "npugraph_ex_captures:force_eager_does_not_capture"),
    "static_kernel_compile": (False, True, 2, V, "npugraph_ex_files:the_static_list_holds_shapes_and_is_cached"),
    "disable_static_kernel_compile_cache": (False, True, None, V, "npugraph_ex_files:the_static_list_holds_shapes_and_is_cached"),
    "super_kernel_optimize": (False, True, "1", V, "npugraph_ex_scopes:a_scope_becomes_one_launch"),
    "super_kernel_optimize_options": (None, {"early_start": 1}, [], T, "npugraph_ex_misuse:wrong_sk_options_fail_at_run_time_unwrapped"),
    "super_kernel_debug_options": (None, {"debug_sync_all": 1}, "x", T, "npugraph_ex_scopes:each_operator_alone_on_all_cores"),
    "inplace_pass": (True, False, [], V, "npugraph_ex_switches:inplace_pass_writes_intermediates_in_place"),
    "input_inplace_pass": (True, False, 7, V, "npugraph_ex_switches:input_inplace_pass_writes_inputs_in_place"),
    "remove_noop_ops": (True, False, "no", V, "npugraph_ex_switches:remove_noop_ops_takes_out_what_changes_nothing"),
    "remove_cat_ops": (True, False, "no", V, "npugraph_ex_cat:the_option_keeps_them"),
    "pattern_fusion_pass": (True, False, {}, V, "npugraph_ex_captures:registered_replacements_are_applied"),
    "clone_input": (True, False, None, V, "npugraph_ex_results:int32_without_input_copies"),
    "clone_output": (False, True, "yes", V, "npugraph_ex_results:clone_output_gives_copies"),
    "frozen_parameter": (False, True, 3, V, "npugraph_ex_captures:frozen_parameters_are_not_looked_at"),
    "capture_limit": (64, 1, 0, V, "npugraph_ex_captures:capture_limit_ends_in_operator_by_operator"),
    "force_recapture": (False, True, "", V, "npugraph_ex_captures:force_recapture_captures_each_time"),
    "capture_error_mode": ("global", "relaxed", "thread-local", V, "npugraph_ex_switches:capture_error_mode_is_handed_on"),
    "use_graph_pool": (None, (0, 1), None, None, "npugraph_ex_switches:use_graph_pool_is_handed_on"),
    "reuse_graph_pool_in_same_fx": (True, False, 2, V, "npugraph_ex_switches:captures_of_one_graph_share_a_pool"),
    "deadlock_check": (False, True, 2, V, "npugraph_ex_files:the_deadlock_check_reports"),
    "dump_tensor_data": (False, True, 2, V, "npugraph_ex_files:results_can_be_saved"),
    "data_dump_stage": ("optimized", "original", "both", V, "npugraph_ex_files:results_can_be_saved"),
    "data_dump_dir": ("./", "/tmp", "/no/such/place", F, "npugraph_ex_files:results_can_be_saved"),
    "post_grad_custom_pre_pass": (None, _pass, 1, T, "npugraph_ex_captures:custom_passes_see_the_graph"),
    "post_grad_custom_post_pass": (None, _pass, "f", T, "npugraph_ex_captures:custom_passes_see_the_graph"),
    "mode": ("npugraph_ex", "npugraph_ex", "max-autotune", V, "npugraph_ex_options:mode_is_this_backend"),
    "_vllm_aclnn_static_kernel_sym_index": (0, 1, -1, V, "npugraph_ex_switches:the_deciding_symbol_has_an_index"),
    "_vllm_aclnn_static_kernel_sym_range": (None, [1], [1, "2"], T, "npugraph_ex_files:a_symbol_can_decide_on_the_static_list"),
}

_NESTED = "option_table:nested_options_reach_the_backend"

CONFIG = {
    "mode": ("max-autotune", "npugraph_ex", "npugraph-ex", V, "npugraph_ex_torchair:torchair_selects_this_backend_by_its_mode"),
    "post_grad_custom_pre_pass": (None, _pass, 1, T, "torchair_graphs:own_passes_run_before_and_behind"),
    "post_grad_custom_post_pass": (None, _pass, 1, T, "torchair_graphs:own_passes_run_before_and_behind"),
    "debug.run_eagerly": (False, True, "yes", V, "torchair_graphs:running_eagerly_is_told"),
    "debug.deadlock_check": (False, True, "yes", V, _NESTED),
    "debug.graph_dump.type": (None, "txt", "pbtx", V, "torchair_dump:txt_is_the_description"),
    "debug.graph_dump.path": (None, "/tmp", 1, T, "torchair_dump:a_directory_can_be_chosen"),
    "debug.data_dump.type": (None, "npy", "npz", V, "torchair_dump:eager_dumps_hold_the_results"),
    "debug.data_dump.filter": (None, _pass, "x", T, "torchair_dump:eager_dumps_hold_the_results"),
    "debug.data_dump.path": (None, "/tmp", 1, T, "torchair_dump:eager_dumps_hold_the_results"),
    "debug.fx_summary.type": (None, "csv", "xls", V, "torchair_dump:summaries_list_the_operators"),
    "debug.fx_summary.skip_compile": (True, False, "no", V, "torchair_switches:a_summary_can_leave_the_graph_compiled"),
    "debug.aclgraph.disable_reinplace_inplaceable_ops_pass": (False, True, 2, V, _NESTED),
    "debug.aclgraph.disable_reinplace_input_mutated_ops_pass": (False, True, 2, V, _NESTED),
    "debug.aclgraph.disable_mempool_reuse_in_same_fx": (False, True, 2, V, _NESTED),
    "debug.aclgraph.static_capture_size_limit": (64, 3, 0, V, _NESTED),
    "debug.aclgraph.clone_input": (True, False, 2, V, _NESTED),
    "debug.aclgraph.enable_output_clone": (False, True, 2, V, _NESTED),
    "debug.aclgraph.remove_cat_ops": (True, False, 2, V, _NESTED),
    "aoe_config.aoe_mode": (None, "2", "1", V, IDLE),
    "aoe_config.work_path": ("./", "/tmp", "/no/such/place", F, IDLE),
    "aoe_config.aoe_config_file": (None, THIS_FILE, "/no/such/file", F, IDLE),
    "export.export_mode": (False, True, "yes", V, "torchair_export:the_option_alone_ends_a_run"),
    "export.export_path_dir": ("./", "/tmp", "/no/such/place", F, "torchair_export:the_option_alone_ends_a_run"),
    "export.export_name": (None, "name", None, None, "torchair_export:names_and_open_sizes"),
    "export.weight_name": (None, {}, None, None, "torchair_export:two_files_with_the_weights_inside"),
    "export.inputs_name": (None, "x", None, None, IDLE),
    "export.experimental.enable_record_nn_module_stack": (
        False, True, 2, V, "torchair_export:the_graph_does_not_run_and_the_config_stays"),
    "export.experimental.auto_atc_config_generated": (False, True, 2, V, IDLE),
    "export.experimental.enable_lite_export": (False, True, 2, V, IDLE),
    "dump_config.enable_dump": (False, True, 2, V, "torchair_dump_config:every_operator_with_both_sides"),
    "dump_config.dump_path": ("./", "/tmp", "/no/such/place", F, "torchair_dump_config:every_operator_with_both_sides"),
    "dump_config.dump_mode": ("all", "input", "inputs", V, "torchair_dump_config:one_side_only"),
    "dump_config.quant_dumpable": (False, True, 2, V, IDLE),
    "dump_config.dump_step": ("", "0|2-4", "1|a", V, "torchair_dump_config:chosen_runs_only"),
    "dump_config.dump_layer": ("", "Add Mul_1", "a,b", V, "torchair_dump_config:chosen_operators_come_with_the_inputs_of_the_graph"),
    "dump_config.dump_data": ("tensor", "stats", "table", V, "torchair_dump_config:statistics_in_place_of_tensors"),
    "dump_config.dump_config_path": (None, THIS_FILE, "/no/such/file", F, "torchair_dump_config:a_file_says_the_same_and_options_win"),
    "dump_config.data_dump_stage": ("optimized", "original", "both", V, _NESTED),
    "fusion_config.fusion_switch_file": (None, THIS_FILE, "/no/such/file", F, IDLE),
    "experimental_config.cc_parallel_enable": (False, True, 2, V, IDLE),
    "experimental_config.keep_inference_input_mutations": (
        True, False, 2, V, "torchair_switches:writes_to_inputs_stay_in_the_graph_or_follow_it"),
    "experimental_config.memory_efficiency": (False, True, 2, V, IDLE),
    "experimental_config.frozen_parameter": (False, True, 2, V, _NESTED),
    "experimental_config.static_model_ops_lower_limit": (None, -1, -2, V, IDLE),
    "experimental_config.jit_compile": ("auto", "auto", True, V, "torchair_config:values_outside_the_set_name_key_value_and_legal_ones"),
    "experimental_config.npu_fx_pass": (False, True, 2, V, IDLE),
    "experimental_config.aot_config_enable_joint_graph": (False, True, 2, V, IDLE),
    "experimental_config.aot_config_output_loss_index": (0, 1, None, None, IDLE),
    "experimental_config.topology_sorting_strategy": ("DFS", "StableRDFS", "dfs", V, IDLE),
    "experimental_config.enable_ref_data": (False, True, 2, V, IDLE),
    "experimental_config.enable_view_optimize": (True, False, 2, V, "torchair_graphs:views_without_the_optimisation_stay_in_place"),
    "experimental_config.remove_noop_ops": (True, False, 2, V, "torchair_switches:operations_that_change_nothing"),
    "experimental_config.tiling_schedule_optimize": (False, True, 2, V, IDLE),
    "experimental_config.pattern_fusion_pass": (True, False, 2, V, "torchair_switches:registered_replacements_can_be_switched_off"),
    "experimental_config.aclgraph._aclnn_static_shape_kernel": (False, True, 2, V, _NESTED),
    "experimental_config.aclgraph._aclnn_static_shape_kernel_build_dir": (None, "x", None, None, IDLE),
    "experimental_config.aclgraph._aclnn_static_shape_kernel_sym_value_range": (None, [1], None, None, _NESTED),
    "experimental_config.aclgraph._aclnn_static_shape_kernel_sym_index": (0, 1, -1, V, _NESTED),
    "experimental_config.aclgraph._super_kernel_optimize": (False, True, 2, V, _NESTED),
    "experimental_config.aclgraph._super_kernel_optimize_options": (None, {"early_start": 1}, [], T, _NESTED),
    "experimental_config.aclgraph._super_kernel_debug_options": (None, {"debug_sync_all": 1}, [], T, _NESTED),
    "inference_config.dynamic_gears_merge_policy": ("zip", "product", "sum", V, "torchair_gears:all_combinations"),
    "ge_config.enable_single_stream": (False, True, 2, V, "torchair_run:a_single_stream_by_config"),
    "ge_config.oo_level": ("O3", "O1", "O2", V, IDLE),
    "ge_config.oo_constant_folding": (None, True, "yes", V, IDLE),
    "ge_config.oo_dead_code_elimination": (None, False, "no", V, IDLE),
    "ge_config.export_compile_stat": ("2", "0", 2, V, IDLE),
    "ge_config.aicore_num": (None, "24|48", "0|48", V, "torchair_switches:cores_of_the_graph_and_cores_of_an_operator"),
    "ge_config.optimization_switch": (None, "x", None, None, IDLE),
    "aclgraph_config.use_custom_pool": (None, (0, 1), None, None, _NESTED),
}

# nested name: (name of the captured-graph backend's option, its value for the legal value of the table)
FLAT = {
    "debug.deadlock_check": ("deadlock_check", True),
    "debug.aclgraph.disable_reinplace_inplaceable_ops_pass": ("inplace_pass", False),
    "debug.aclgraph.disable_reinplace_input_mutated_ops_pass": ("input_inplace_pass", False),
    "debug.aclgraph.disable_mempool_reuse_in_same_fx": ("reuse_graph_pool_in_same_fx", False),
    "debug.aclgraph.static_capture_size_limit": ("capture_limit", 3),
    "debug.aclgraph.clone_input": ("clone_input", False),
    "debug.aclgraph.enable_output_clone": ("clone_output", True),
    "debug.aclgraph.remove_cat_ops": ("remove_cat_ops", False),
    "debug.run_eagerly": ("force_eager", True),
    "dump_config.enable_dump": ("dump_tensor_data", True),
    "dump_config.dump_path": ("data_dump_dir", "/tmp"),
    "dump_config.data_dump_stage": ("data_dump_stage", "original"),
    "experimental_config.frozen_parameter": ("frozen_parameter", True),
    "experimental_config.remove_noop_ops": ("remove_noop_ops", False),
    "experimental_config.pattern_fusion_pass": ("pattern_fusion_pass", False),
    "experimental_config.aclgraph._aclnn_static_shape_kernel": ("static_kernel_compile", True),
    "experimental_config.aclgraph._aclnn_static_shape_kernel_sym_value_range": ("_vllm_aclnn_static_kernel_sym_range", [1]),
    "experimental_config.aclgraph._aclnn_static_shape_kernel_sym_index": ("_vllm_aclnn_static_kernel_sym_index", 1),
    "experimental_config.aclgraph._super_kernel_optimize": ("super_kernel_optimize", True),
    "experimental_config.aclgraph._super_kernel_optimize_options": ("super_kernel_optimize_options", {"early_start": 1}),
    "experimental_config.aclgraph._super_kernel_debug_options": ("super_kernel_debug_options", {"debug_sync_all": 1}),
    "aclgraph_config.use_custom_pool": ("use_graph_pool", (0, 1)),
}

# Tests in C that look at what the optimizer does with a key; those it only stores are told by the document.
SK_EFFECTS = ("tests/fuse/test_effects.c", "tests/fuse/test_acl_optimize.c")
SK_STORED = ("opt_extend", "debug_extend")


def group_of(config, path):
    *groups, leaf = path.split(".")
    for name in groups:
        config = getattr(config, name)
    return config, leaf


def refused(kind, key, function):
    try:
        function()
    except Exception as error:  # its type is what is tested
        assert type(error) is kind and key in str(error), f"{key}: {type(error).__name__}: {error}"
        return
    raise AssertionError(f"{key}: not refused")


def the_tables_are_complete():
    assert set(NPUGRAPH_EX) == set(options.OPTIONS)
    assert set(CONFIG) == {key for key, _, _ in CompilerConfig().leaves()}


def options_of_captured_graphs():
    for key, (default, legal, illegal, kind, _) in NPUGRAPH_EX.items():
        assert getattr(options.CompilerConfig(), key).value == default, key
        if kind is not None:
            refused(kind, key, lambda: options.CompilerConfig().apply({key: illegal}))
        assert getattr(options.CompilerConfig().apply({key: legal}), key).value == legal, key


def options_of_graph_mode():
    for key, (default, legal, illegal, kind, _) in CONFIG.items():
        config = CompilerConfig()
        group, leaf = group_of(config, key)
        option = getattr(group, leaf)
        text = {True: "1", False: "0", None: None}.get(default, str(default)) if isinstance(default, (bool, type(None))) else str(default)
        assert option.value == text and option.raw == default and bool(option) is bool(default), (key, option.value)
        if kind is not None:
            refused(kind, key, lambda: setattr(group, leaf, illegal))
            assert config == CompilerConfig(), key
        setattr(group, leaf, legal)
        assert getattr(group, leaf).raw == legal, key
        assert (config == CompilerConfig()) is (legal == default), key


def nested_options_reach_the_backend():
    from torchair import _capture_mode
    for key, (name, value) in FLAT.items():
        config = CompilerConfig()
        config.mode = "npugraph_ex"
        setattr(*group_of(config, key), CONFIG[key][1])
        flat = options.CompilerConfig().apply(_capture_mode.options(config))
        changed = {one: given for one, given in flat.as_dict().items() if given != options.OPTIONS[one][0]}
        assert changed == {name: value}, (key, changed)


def every_effect_has_its_test():
    sources = {path.stem: path.read_text(encoding="utf-8") for path in HERE.glob("*.py")}
    for key, (*_, effect) in [*NPUGRAPH_EX.items(), *CONFIG.items()]:
        if effect == IDLE:
            continue
        file, name = effect.split(":")
        assert re.search(rf"^def {name}\(", sources[file], re.MULTILINE), f"{key}: {effect} is not there"
        if effect == _NESTED:
            assert key in FLAT, key


def options_without_effect_say_so():
    document = (HERE.parents[1] / "docs" / "torchair.md").read_text(encoding="utf-8")
    for key, (*_, effect) in CONFIG.items():
        (line,) = [line for line in document.splitlines() if line.startswith(f"| `{key}` |")]
        assert ("| none: " in line) is (effect == IDLE), line
        if effect != IDLE:
            continue
        config = CompilerConfig()
        if "aclgraph" in key:
            config.mode = "npugraph_ex"
        setattr(*group_of(config, key), CONFIG[key][1])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            torchair.get_compiler(config)
        assert [key in str(one.message) and "without effect in the simulator" in str(one.message) for one in seen] == [True], key


def options_of_the_optimizer():
    sources = "".join((HERE.parents[1] / path).read_text(encoding="utf-8") for path in SK_EFFECTS)
    for key, option in {**sk_options.OPTIMIZE, **sk_options.DEBUG}.items():
        if key in SK_STORED:
            assert option.effect == "stored only"
        else:
            names = option.sub_keys or (key,)
            assert all(name in sources for name in names), f"no test in C names {names}"


if __name__ == "__main__":
    sys.exit(tap.run([the_tables_are_complete, options_of_captured_graphs, options_of_graph_mode, nested_options_reach_the_backend,
                      every_effect_has_its_test, options_without_effect_say_so, options_of_the_optimizer]))
