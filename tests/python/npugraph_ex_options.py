"""Options of the npugraph_ex backend and of NPUGraph.super_kernel_optimize: wrong ones first."""
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402
from torch_npu.npugraph_ex import options, sk_options  # noqa: E402


def raised(kind, function, *args) -> str:
    """The text of the exception of exactly that type; anything else fails the test."""
    try:
        function(*args)
    except Exception as error:  # its type is what is tested
        assert type(error) is kind, f"{type(error).__name__}: {error}"
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def apply(**given):
    return options.CompilerConfig().apply(given)


def unknown_option_names_the_nearest():
    text = raised(ValueError, lambda: apply(super_kernel_optimise=True))
    assert "Invalid option 'super_kernel_optimise'" in text and "Did you mean 'super_kernel_optimize'?" in text, text
    assert "capture_limit" in text and "_vllm_aclnn_static_kernel_sym_range" in text, text


def unknown_option_names_the_users_line():
    text = raised(ValueError, lambda: apply(nonsense=True))
    assert os.path.basename(__file__) + ":" in text, text


def unknown_attribute_is_an_error():
    config = options.CompilerConfig()
    text = raised(ValueError, setattr, config, "clone_inputs", True)
    assert "has no option clone_inputs" in text and "Did you mean 'clone_input'?" in text, text


def options_must_be_a_dict():
    raised(TypeError, options.CompilerConfig().apply, [("clone_input", True)])


def switches_take_true_and_false():
    switches = [name for name, (default, _, _) in options.OPTIONS.items() if isinstance(default, bool)]
    assert len(switches) == 16, switches
    for name in switches:
        for wrong in ("True", 2, None, [], {}):
            text = raised(ValueError, lambda: apply(**{name: wrong}))
            assert name in text and "not in optional list" in text, text
        for right in (True, False, 0, 1):
            assert bool(getattr(apply(**{name: right}), name)) is bool(right)


def capture_limit_is_a_positive_int():
    for wrong in (0, -1, 2**63, "64", 1.5, None):
        assert "capture_limit" in raised(ValueError, lambda: apply(capture_limit=wrong))
    for right in (1, 64, 2**63 - 1):
        assert apply(capture_limit=right).capture_limit.value == right


def capture_error_mode_is_one_of_three():
    text = raised(ValueError, lambda: apply(capture_error_mode="thread-local"))
    assert "Did you mean 'thread_local'?" in text, text
    for right in ("global", "thread_local", "relaxed"):
        apply(capture_error_mode=right)


def mode_is_this_backend():
    raised(ValueError, lambda: apply(mode="max-autotune"))
    apply(mode="npugraph_ex")


def sk_dictionaries_are_dict_or_none():
    for name in ("super_kernel_optimize_options", "super_kernel_debug_options"):
        for wrong in ([], "early_start=1", 1):
            assert "must be dict or None" in raised(TypeError, lambda: apply(**{name: wrong}))
        assert getattr(apply(**{name: {"anything": 1}}), name).value == {"anything": 1}  # contents: later
        apply(**{name: None})


def passes_are_callable_or_none():
    for name in ("post_grad_custom_pre_pass", "post_grad_custom_post_pass"):
        assert "must be Callable or None" in raised(TypeError, lambda: apply(**{name: "f"}))
        apply(**{name: len})


def symbol_range_is_a_list_of_ints():
    name = "_vllm_aclnn_static_kernel_sym_range"
    raised(TypeError, lambda: apply(**{name: 4}))
    assert f"{name}[1]" in raised(TypeError, lambda: apply(**{name: [1, "2"]}))
    for right in ([1, 2], (1,), [], None):
        apply(**{name: right})
    raised(ValueError, lambda: apply(_vllm_aclnn_static_kernel_sym_index=-1))


def dump_directory_must_exist():
    assert "nowhere" in raised(FileNotFoundError, lambda: apply(data_dump_dir="/nowhere"))
    apply(data_dump_dir=str(HERE))
    raised(ValueError, lambda: apply(data_dump_stage="both"))


def defaults_are_as_documented():
    on = {"inplace_pass", "input_inplace_pass", "remove_noop_ops", "remove_cat_ops", "pattern_fusion_pass",
          "clone_input", "reuse_graph_pool_in_same_fx"}
    other = {"capture_limit": 64, "capture_error_mode": "global", "data_dump_stage": "optimized",
             "data_dump_dir": "./", "mode": "npugraph_ex", "_vllm_aclnn_static_kernel_sym_index": 0}
    for name, value in options.CompilerConfig().as_dict().items():
        if isinstance(value, bool):
            assert value is (name in on), name
        else:
            assert value == other.get(name), name
    assert len(options.OPTIONS) == 28


def every_compilation_has_its_own():
    assert apply(clone_output=True) != apply()
    assert apply(clone_output=True) == apply(clone_output=True)
    assert not apply().clone_output


def sk_options_must_be_dicts():
    for wrong in ([], "x", 1, True):
        assert "must be dict or None" in raised(RuntimeError, sk_options.check, wrong, None)
        assert "must be dict or None" in raised(RuntimeError, sk_options.check, None, wrong)
    sk_options.check(None, None)
    sk_options.check({}, {})


def unknown_sk_keys_are_errors():
    text = raised(RuntimeError, sk_options.check, {"early-start": 1}, None)
    assert "Invalid optimize_options param key 'early-start'" in text and "Did you mean 'early_start'?" in text, text
    text = raised(RuntimeError, sk_options.check, None, {"early_start": 1})
    assert "Invalid debug_options param key 'early_start'" in text, text
    raised(RuntimeError, sk_options.check, {"debug_sync_all": 1}, None)
    raised(RuntimeError, sk_options.check, {"kernel_map": 1}, None)


def sk_values_have_their_types():
    wrong = {"int": ["1", 1.0, None, [1]], "str": [1, None, ["a"]], "list": ["a", ("a",), 1], "dict": [1, "a", []]}
    for table, place in ((sk_options.OPTIMIZE, 0), (sk_options.DEBUG, 1)):
        for key, option in table.items():
            for value in wrong[option.type]:
                pair = [None, None]
                pair[place] = {key: value}
                text = raised(RuntimeError, sk_options.check, *pair)
                assert f"['{key}'] must be {option.type}, got {type(value).__name__}" in text, text


def a_bool_passes_for_an_int():
    sk_options.check({"early_start": True}, {"debug_sync_all": False})


def sub_keys_and_elements_are_checked():
    key = "aggressive_opt_strategies"
    text = raised(RuntimeError, sk_options.check, {key: {"event_bypass": 1}}, None)
    assert "Invalid sub_key 'event_bypass'" in text and "event_breaker_bypass" in text, text
    text = raised(RuntimeError, sk_options.check, {key: {"value_breaker_bypass": "1"}}, None)
    assert f"['{key}']['value_breaker_bypass'] must be int, got str" in text, text
    text = raised(RuntimeError, sk_options.check, {"dcci_after_kernel_end": [".*", 1]}, None)
    assert "['dcci_after_kernel_end'][1] must be str, got int" in text, text


def checks_come_in_order():
    # Optimize options first; in one dictionary the order given; an unknown sub key before its value.
    assert "early_start" in raised(RuntimeError, sk_options.check, {"early_start": "1"}, {"nonsense": 1})
    assert "nonsense" in raised(RuntimeError, sk_options.check, {"nonsense": 1, "early_start": "1"}, None)
    assert "early_start" in raised(RuntimeError, sk_options.check, {"early_start": "1", "nonsense": 1}, None)
    key = "aggressive_opt_strategies"
    assert "Invalid sub_key" in raised(RuntimeError, sk_options.check, {key: {"x": "1"}}, None)


def whole_valid_set_passes():
    values = {"int": 1, "str": "a=b", "list": [".*"]}
    optimize, debug = ({key: values.get(option.type) or {sub: 1 for sub in option.sub_keys}
                        for key, option in table.items()} for table in (sk_options.OPTIMIZE, sk_options.DEBUG))
    assert len(optimize) == 12 and len(debug) == 5
    sk_options.check(optimize, debug)
    ids = [number for number, _ in sk_options.to_c(optimize, debug)]
    assert sorted(ids) == [i for i in range(18) if i != 5], ids


def ints_are_32_bit():
    assert "32 bits" in raised(RuntimeError, sk_options.to_c, {"early_start": 2**31}, None)
    assert sk_options.to_c({"early_start": -2**31}, None) == [(16, -2**31)]
    strategies = {"value_breaker_bypass": 2**40}
    assert "value_breaker_bypass" in raised(RuntimeError, sk_options.to_c, {"aggressive_opt_strategies": strategies}, None)
    strategies = {"value_breaker_bypass": True}
    assert sk_options.to_c({"aggressive_opt_strategies": strategies}, None) == [(14, {"value_breaker_bypass": 1})]


def text_for_the_operator_compiler():
    text = sk_options.to_text({"dcci_after_kernel_end": ["a", "b.*"], "aggressive_opt_strategies":
                               {"event_breaker_bypass": 1, "task_breaker_bypass": 0}}, {"debug_sync_all": 1})
    assert text == "dcci_after_kernel_end=a,b.*:aggressive_opt_strategies=event_breaker_bypass=1,task_breaker_bypass=0" \
                   ":debug_sync_all=1", text
    assert sk_options.to_text(None, None) == ""


def the_documented_tables_are_these():
    text = (HERE.parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
    for table in (options.table(), sk_options.table(sk_options.OPTIMIZE), sk_options.table(sk_options.DEBUG)):
        assert table in text, f"docs/python.md needs this table:\n{table}"


if __name__ == "__main__":
    sys.exit(tap.run([function for name, function in list(globals().items())
                      if callable(function) and getattr(function, "__module__", "") == "__main__"
                      and name not in ("raised", "apply")]))
