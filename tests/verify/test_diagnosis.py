"""What a diagnosis says of programs with each kind of cause, and that a clean program has none.

The programs are those of the must-find suite; here is what each of them goes away with, and how few operators it takes.
"""
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs")]
import tap  # noqa: E402
from programs import SOURCE, Sandbox  # noqa: E402

HAZARDS = SOURCE / "tests" / "hazards"

# program, id, mode, smallest scope, changes that make it go away, changes with which it stays
CAUSES = [
    ("h11_flush", "H11", "no-flush", ["produce", "consume"], {"dcci-after produce", "single-operator-scopes"},
     {"dcci-before produce", "dcci-before consume", "dcci-after consume", "barrier-everywhere", "sync-all"}),
    ("h12_stale", "H12", "no-flush", ["look", "change", "look"], {"dcci-before look", "single-operator-scopes"},
     {"barrier-everywhere", "sync-all"}),
    ("h18_uncovered_pipe", "H18", "fused", ["load", "overwrite"], {"barrier-after load", "single-operator-scopes"},
     {"barrier-after overwrite", "dcci-everywhere"}),
    ("h19_local_reuse", "H19", "fused", ["first", "second"], {"barrier-after first", "single-operator-scopes"}, {"dcci-everywhere"}),
    ("h23_not_called", "H23", "early-start", ["first", "second"], {"early-start-off", "sync-all"}, {"dcci-everywhere", "barrier-everywhere"}),
    ("h24_after_set", "H24", "early-start", ["first", "second"], {"early-start-off", "sync-all"}, {"dcci-everywhere"}),
    ("h25_before_wait", "H25", "early-start", ["first", "second"], {"early-start-off", "sync-all"}, {"dcci-everywhere"}),
    ("h33_mask_left", "H33", "fused", ["half_masked", "twice"], {"single-operator-scopes"},
     {"dcci-everywhere", "barrier-everywhere", "sync-all"}),
    ("h01_sync_all", "H1", "full-cores", ["meet"], {"own-cores"}, {"dcci-everywhere", "barrier-everywhere", "sync-all"}),
    ("h04_index", "H4", "fused", ["one", "two"], {"single-operator-scopes"}, {"alone-on-all-cores", "sync-all"}),
]

CHAIN = """
#include "hazard.h"
#define COPY(name)                                                                                              \\
  __global__ __vector__ void name(__gm__ int32_t *from, __gm__ int32_t *to) {                                   \\
    __ubuf__ int32_t tile[TILE];                                                                                \\
    asc_init();                                                                                                 \\
    asc_copy_gm2ub(tile, from + vector_index() * TILE, TILE * 4);                                               \\
    PIPES(PIPE_MTE2, PIPE_MTE3);                                                                                \\
    asc_copy_ub2gm(to + vector_index() * TILE, tile, TILE * 4);                                                 \\
    asc_sync();                                                                                                 \\
  }
COPY(one) COPY(two) COPY(three) COPY(four) COPY(use)
/* A scalar store that nothing cleans: alone the end of the kernel does. */
__global__ __vector__ void mark(__gm__ int32_t *to) {
  asc_init();
  if (vector_index() == 1) {
    to[0] = 7;
#ifdef REPAIRED
    asc_dcci_single(to);
    asc_sync_data_barrier(DSB_ALL);
#endif
  }
  asc_sync();
}
int main(void) {
  int32_t *a = (start(), device(CORES * TILE * 4, 1)), *b = device(CORES * TILE * 4, 1), *c = device(CORES * TILE * 4, 1);
  one<<<CORES, 0, NULL>>>(a, b);
  mark<<<2, 0, NULL>>>(c);
  two<<<CORES, 0, NULL>>>(b, a);
  three<<<CORES, 0, NULL>>>(a, b);
  use<<<CORES, 0, NULL>>>(c, a);
  four<<<CORES, 0, NULL>>>(b, a);
  return finish();
}
"""

sandbox = Sandbox()


def changes(finding: dict, effect: str) -> set[str]:
    return {" ".join(filter(None, (change["change"], change.get("operator")))) for change in finding["diagnosis"]["changes"]
            if change["effect"] == effect}


def verify(name: str, source: Path, *define: str) -> dict:
    return sandbox.verify(sandbox.compile(name, *define, f"-I{HAZARDS}", source))


def one_finding(report: dict, wanted: str) -> dict:
    found = [finding for finding in report["findings"] if finding["id"] == wanted]
    assert len(found) == 1, [finding["id"] for finding in report["findings"]]
    return found[0]


def make_test(name, future, wanted, mode, scope, helps, stays):
    def test() -> None:
        finding = one_finding(future.result(), wanted)
        diagnosis = finding["diagnosis"]
        assert diagnosis["mode"] == mode and diagnosis["smallest_scope"] == scope and diagnosis["smallest"] is True, diagnosis
        assert 0 < diagnosis["runs"] <= 64 and diagnosis["points_to"] == [], diagnosis
        assert helps <= changes(finding, "goes-away"), diagnosis["changes"]
        assert stays <= changes(finding, "stays"), diagnosis["changes"]
    test.__name__ = f"{name}: {wanted}"
    return test


def make_silent_test(name, future):
    def test() -> None:
        report = future.result()
        assert report["verdict"] == "clean", report["verdict"]
        assert not any("diagnosis" in item for item in report["findings"] + report["modes"])
    test.__name__ = f"{name} repaired: no diagnosis"
    return test


def a_deadlock_points_to_what_helps() -> None:
    finding = one_finding(verify("deadlock", HAZARDS / "h23_not_called.c"), "DEADLOCK")
    assert finding["diagnosis"]["points_to"] == ["H23", "H24", "H25", "H26", "H27"]


def bystanders_drop_out() -> None:
    source = sandbox.file("chain.c", CHAIN)
    finding = one_finding(verify("chain", source), "H11")
    assert finding["diagnosis"]["smallest_scope"] == ["mark", "use"] and finding["diagnosis"]["operators"] == 6
    assert "dcci-after mark" in changes(finding, "goes-away")
    text = sandbox.skv("verify", sandbox.path / "chain").stdout
    assert "diagnosis in mode no-flush: smallest failing scope: mark, use (of 6 fused; " in text, text
    assert "goes away with dcci after operator mark, " in text, text
    assert verify("chain_repaired", source, "-DREPAIRED")["verdict"] == "clean"


def who_does_not_want_one_gets_none() -> None:
    program = sandbox.compile("plain", f"-I{HAZARDS}", HAZARDS / "h11_flush.c")
    text = sandbox.skv("verify", "--no-diagnose", program).stdout
    assert "H11" in text and "diagnosis in mode" not in text, text
    refused = sandbox.skv("run", "--no-diagnose", program)
    assert refused.returncode == 2 and "unknown option '--no-diagnose'" in refused.stderr


def main() -> int:
    tests = [a_deadlock_points_to_what_helps, bystanders_drop_out, who_does_not_want_one_gets_none]
    try:
        with ThreadPoolExecutor(2) as pool:
            for name, *expected in CAUSES:
                tests.append(make_test(name, pool.submit(verify, name, HAZARDS / (name + ".c")), *expected))
                tests.append(make_silent_test(name, pool.submit(verify, name + "_repaired", HAZARDS / (name + ".c"), "-DREPAIRED")))
            return tap.run(tests)
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
