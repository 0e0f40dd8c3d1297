"""Replacements that users register: a searched pattern of operators becomes another one."""

_pass = None  # torch's matcher takes seconds to import, so it is made with the first registration


def register_replacement(search_fn, replace_fn, example_inputs, trace_fn=None, extra_check=None,
                         search_fn_pattern=None, scalar_workaround=None, skip_duplicates=False):
    """Adds a rewrite that pattern_fusion_pass applies to every graph compiled from now on.

    search_fn and replace_fn take the same tensors; example_inputs, which may be fake, give their shapes and
    types. extra_check(match) may refuse a place by returning False.
    """
    global _pass
    from torch._inductor import pattern_matcher
    if _pass is None:
        _pass = pattern_matcher.PatternMatcherPass(pass_name="npugraph_ex")
    return pattern_matcher.register_replacement(
        search_fn, replace_fn, example_inputs, trace_fn or pattern_matcher.fwd_only, _pass,
        extra_check=extra_check or (lambda match: True), scalar_workaround=scalar_workaround,
        search_fn_pattern=search_fn_pattern, skip_duplicates=skip_duplicates)


def apply(gm) -> int:
    """Applies the registered rewrites; returns how many places changed."""
    return _pass.apply(gm.graph) if _pass is not None else 0
