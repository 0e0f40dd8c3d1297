"""A sample of the mutation suite (`make mutate` runs the whole): the unchanged operators are silent, also in random
schedules, every operator has a call, every place is reached, and every tenth mutant is flagged. The same for what examples synchronise.
"""
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "docs")]
import mutate  # noqa: E402
import sites  # noqa: E402
import tap  # noqa: E402
from programs import Sandbox  # noqa: E402

JOBS, EVERY, SCHEDULES = 2, 10, 20

HELPERS = """
__aicore__ static inline uint32_t length(uint32_t a) { return a + 1; }
#define TWICE(name) \\
  __aicore__ static void name(__ubuf__ float *x, __gm__ uint8_t *g, uint32_t n) { \\
    asc_copy_gm2ub_align(x + n, g, /* ( */ n); \\
    asc_sync_notify(PIPE_MTE2, PIPE_V, 1); asc_sync_wait(PIPE_MTE2, PIPE_V, 1); \\
    for (uint32_t i = 0; i < n; i += 8) { if (i == 3) asc_sync_pipe(PIPE_V); } \\
  }
int on_the_host(int i) { asc_sync_pipe(0); return i; }
"""


def places_of_a_text() -> None:
    source = sites.Source("a.h", HELPERS, 10)
    kinds = [site.kind for site in source.sites]
    assert kinds == ["result", "address", "address", "length", "notify", "wait", "bound", "barrier"], kinds
    assert [site.number for site in source.sites] == list(range(10, 18))
    keys = [mutant.key for mutant in sites.mutants_of(source)]
    assert keys[0] == "a.h:name:pair:PIPE_MTE2, PIPE_V, 1" and len(keys) == 9, keys
    text = source.instrumented()
    assert "return SK_MUTANT_MORE(10, a + 1, 1);" in text
    assert "asc_copy_gm2ub_align(SK_MUTANT_FURTHER(11, x + n, 32), SK_MUTANT_FURTHER(12, g, 32), /* ( */ SK_MUTANT_MORE(13, n, 32));" in text
    assert "i < SK_MUTANT_MORE(16, n, 8); i += 8" in text and "if (i == 3) SK_MUTANT_LEFT_OUT(17, asc_sync_pipe(PIPE_V));" in text
    assert text.count("\n") == HELPERS.count("\n") and "{ asc_sync_pipe(0);" in text


def what_has_no_rule_is_refused() -> None:
    for call in ("asc_copy_gm2nowhere(a, b, 4)", "asc_sync_something(PIPE_V)"):
        try:
            sites.Source("a.c", f"__aicore__ static void f(void) {{ {call}; }}\n", 0)
        except sites.NotKnown as refusal:
            assert call.split("(", maxsplit=1)[0] in str(refusal) and "no rule" in str(refusal)
        else:
            raise AssertionError(f"{call} is taken")


def what_is_no_judgement_kills_nothing() -> None:
    assert mutate.told(None) == "(no report)"
    assert mutate.told({"verdict": "not-modelled", "findings": [{"id": "NOT_MODELLED"}]}) == "(NOT_MODELLED)"
    assert mutate.told({"verdict": "clean", "findings": [{"id": "UNINITIALISED_READ"}]}) == "UNINITIALISED_READ"
    assert mutate.told({"verdict": "mismatch", "findings": []}) == "mismatch"
    assert mutate.told({"verdict": "clean", "findings": []}) == ""


def make_mutant_test(mutant, future):
    def test() -> None:
        state, text, wrong = future.result()
        assert not wrong, f"{state}: {text}: {wrong}"
    test.__name__ = mutant.key.replace("#", "number")
    return test


def main() -> int:
    sandbox = Sandbox()
    try:
        lab = mutate.Lab(sandbox)
        calls = mutate.prepare(lab, JOBS)
        judged = mutate.Judge(lab, calls)

        def unchanged_operators_are_silent_in_random_schedules() -> None:
            assert mutate.schedules(lab, calls, SCHEDULES, JOBS) == 0

        def every_place_is_reached() -> None:
            reached = set().union(*(call.reached for call in calls))
            missed = [mutant.key for mutant in lab.mutants if not reached & set(mutant.sites) and not judged.reason(mutant)]
            assert not missed, missed

        def the_lists_name_mutants_that_are_there() -> None:
            assert judged.stale() == []

        tests = [places_of_a_text, what_has_no_rule_is_refused, what_is_no_judgement_kills_nothing,
                 unchanged_operators_are_silent_in_random_schedules, every_place_is_reached, the_lists_name_mutants_that_are_there]
        with ThreadPoolExecutor(JOBS) as pool:
            chosen = lab.mutants[::EVERY]
            tests += [make_mutant_test(mutant, pool.submit(judged, mutant)) for mutant in chosen]
            return tap.run(tests)
    except (mutate.Trouble, sites.NotKnown) as trouble:
        print(f"1..1\nnot ok 1 - the operators are ready to be mutated\n# {trouble}")
        return 1
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
