"""torchair's CompilerConfig: wrong names and values first, then defaults and what reading gives."""
import copy
import os
import sys
import tempfile
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
import torchair  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402


def raised(kind, function, *args) -> str:
    """The text of the exception of that type; anything else fails the test."""
    try:
        function(*args)
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def set_path(config, path, value):
    *groups, leaf = path.split(".")
    for group in groups:
        config = getattr(config, group)
    setattr(config, leaf, value)


def has(text, *words):
    for word in words:
        assert word in text, f"no {word!r} in {text!r}"


# ---- misuse --------------------------------------------------------------------------------------

def unknown_names_are_errors_at_every_level():
    for path, near in (("debgu", "debug"), ("debug.run_eager", "run_eagerly"), ("debug.graph_dump.typ", "type"),
                       ("experimental_config.aclgraph._super_kernel_optimise", "_super_kernel_optimize"),
                       ("export.experimental.enable_lite", "enable_lite_export"), ("npugraphex_config.mode", "legal: none")):
        has(raised(ValueError, set_path, CompilerConfig(), path, True), "has no option", near)


def reading_an_unknown_name_is_both_kinds_of_error():
    has(raised(ValueError, lambda: CompilerConfig().debug.graph_dmp), "has no option 'graph_dmp'", "'graph_dump'")
    assert not hasattr(CompilerConfig(), "graph_dump")


def a_group_is_no_option():
    has(raised(ValueError, set_path, CompilerConfig(), "debug.graph_dump", "pbtxt"), "group of options", "type, path")


def values_outside_the_set_name_key_value_and_legal_ones():
    for path, value, near in (
            ("debug.graph_dump.type", "pbtx", "(did you mean 'pbtxt'?)"), ("mode", "npugraph-ex", "'npugraph_ex'"),
            ("debug.data_dump.type", "npz", "'npy'"), ("debug.fx_summary.type", "xls", "'csv'"),
            ("aoe_config.aoe_mode", "1", "'2'"), ("debug.run_eagerly", "yes", "True, False"),
            ("experimental_config.topology_sorting_strategy", "dfs", "'DFS'"), ("ge_config.oo_level", "O2", "'O3', 'O1'"),
            ("experimental_config.jit_compile", True, "'auto'"), ("dump_config.dump_mode", "inputs", "'input'"),
            ("inference_config.dynamic_gears_merge_policy", "sum", "'zip', 'product'")):
        has(raised(ValueError, set_path, CompilerConfig(), path, value), path, repr(value), "not in optional list", near)


def numbers_have_a_range():
    path = "experimental_config.static_model_ops_lower_limit"
    has(raised(ValueError, set_path, CompilerConfig(), path, -2), "-2 is out of range", "-1 to")
    has(raised(ValueError, set_path, CompilerConfig(), path, "4"), "str, not int")
    has(raised(ValueError, set_path, CompilerConfig(), "debug.aclgraph.static_capture_size_limit", 0), "1 to")


def files_and_directories_must_exist():
    for path in ("dump_config.dump_path", "export.export_path_dir", "aoe_config.work_path", "fusion_config.fusion_switch_file"):
        has(raised(FileNotFoundError, set_path, CompilerConfig(), path, "/no/such/place"), path, "existing")


def patterns_are_checked():
    for path, value in (("dump_config.dump_step", "1|a"), ("dump_config.dump_layer", "a,b"), ("ge_config.aicore_num", "24,48")):
        has(raised(ValueError, set_path, CompilerConfig(), path, value), path, repr(value), "legal:")


def functions_and_dictionaries_have_their_type():
    has(raised(TypeError, set_path, CompilerConfig(), "post_grad_custom_pre_pass", 1), "must be Callable or None")
    has(raised(TypeError, set_path, CompilerConfig(), "debug.data_dump.filter", "x"), "must be Callable or None")
    has(raised(TypeError, set_path, CompilerConfig(), "experimental_config.aclgraph._super_kernel_debug_options", []),
        "must be dict or None")


def every_refusal_names_the_line():
    for path, value, kind in (("debug.run_eagerly", "yes", ValueError), ("debug.run_eager", True, ValueError), ("debug", 1, ValueError),
                              ("dump_config.dump_path", "/no/such/place", FileNotFoundError), ("post_grad_custom_pre_pass", 1, TypeError)):
        text = raised(kind, set_path, CompilerConfig(), path, value)
        number = set_path.__code__.co_firstlineno + 4  # its setattr
        assert f"torchair_config.py:{number})" in text, text


def a_refused_value_changes_nothing():
    config = CompilerConfig()
    config.debug.graph_dump.type = "txt"
    raised(ValueError, set_path, config, "debug.graph_dump.type", "text")
    assert config.debug.graph_dump.type.value == "txt"


def backends_take_a_config_by_keyword():
    raised(TypeError, torchair.get_npu_backend, CompilerConfig())
    has(raised(TypeError, lambda: torchair.get_npu_backend(compiler_config={"mode": "max-autotune"})), "CompilerConfig", "dict")


# ---- use -----------------------------------------------------------------------------------------

def defaults():
    config = CompilerConfig()
    for path, value in (
            ("mode", "max-autotune"), ("debug.graph_dump.type", None), ("debug.run_eagerly", "0"),
            ("debug.fx_summary.skip_compile", "1"), ("experimental_config.keep_inference_input_mutations", "1"),
            ("experimental_config.enable_view_optimize", "1"), ("debug.aclgraph.static_capture_size_limit", "64"),
            ("dump_config.dump_mode", "all"), ("ge_config.export_compile_stat", "2"), ("aoe_config.work_path", "./"),
            ("experimental_config.aot_config_output_loss_index", "0"), ("ge_config.oo_level", "O3"),
            ("aclgraph_config.use_custom_pool", None), ("export.export_mode", "0")):
        option = config
        for part in path.split("."):
            option = getattr(option, part)
        assert option.value == value, (path, option.value)


def options_are_true_when_their_value_is():
    config = CompilerConfig()
    assert config.debug.aclgraph.clone_input and not config.debug.run_eagerly and not config.debug.graph_dump.type
    config.debug.run_eagerly = True
    assert config.debug.run_eagerly and config.debug.run_eagerly.value == "1"


def membership_takes_numbers_for_flags():
    config = CompilerConfig()
    config.debug.run_eagerly = 1
    assert config.debug.run_eagerly


def a_dump_is_enabled_by_its_type():
    config = CompilerConfig()
    assert config.debug.graph_dump.enabled is False
    config.debug.graph_dump.type = "pbtxt"
    assert config.debug.graph_dump.enabled is True


def paths_are_real_paths():
    with tempfile.TemporaryDirectory() as directory:
        config = CompilerConfig()
        config.debug.graph_dump.path = os.path.join(directory, "a", "..", "b")
        assert config.debug.graph_dump.path.value == os.path.join(os.path.realpath(directory), "b")
        config.dump_config.dump_path = directory
        assert config.dump_config.dump_path.value == os.path.realpath(directory)


def configs_compare_by_their_leaves():
    one, other = CompilerConfig(), CompilerConfig()
    assert one == other
    other.ge_config.enable_single_stream = True
    assert one != other and copy.deepcopy(other) == other
    one.ge_config.enable_single_stream = True
    assert one == other


def other_modes_options_are_told():
    config = CompilerConfig()
    config.debug.aclgraph.clone_input = False
    config.experimental_config.aclgraph._super_kernel_optimize = True
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torchair.get_compiler(config)
    assert len(seen) == 1 and seen[0].category is UserWarning
    has(str(seen[0].message), "debug.aclgraph.clone_input", "experimental_config.aclgraph._super_kernel_optimize")


def options_without_effect_are_told():
    config = CompilerConfig()
    config.experimental_config.topology_sorting_strategy = "BFS"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torchair.get_compiler(config)
    assert len(seen) == 1
    has(str(seen[0].message), "in the simulator", "topology_sorting_strategy")


def defaults_are_silent():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torchair.get_compiler()
    assert not seen, [str(one.message) for one in seen]


def both_import_paths_are_one_class():
    assert torchair.CompilerConfig is CompilerConfig


def the_document_lists_the_options():
    from torchair.configs.compiler_config import table
    assert table() in (HERE.parents[1] / "docs" / "torchair.md").read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(tap.run([
        unknown_names_are_errors_at_every_level, reading_an_unknown_name_is_both_kinds_of_error, a_group_is_no_option,
        values_outside_the_set_name_key_value_and_legal_ones, numbers_have_a_range, files_and_directories_must_exist,
        patterns_are_checked, functions_and_dictionaries_have_their_type,
        every_refusal_names_the_line, a_refused_value_changes_nothing,
        backends_take_a_config_by_keyword, defaults, options_are_true_when_their_value_is,
        membership_takes_numbers_for_flags, a_dump_is_enabled_by_its_type, paths_are_real_paths,
        configs_compare_by_their_leaves, other_modes_options_are_told, options_without_effect_are_told,
        defaults_are_silent, both_import_paths_are_one_class, the_document_lists_the_options]))
