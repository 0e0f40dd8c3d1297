"""The bound of ORDER_DEPENDENT through whole programs, from both sides: eight cores add 8 to each of sixteen sums, exactly in any
order, and the function for SuperKernels adds a given excess on one core. With 2 n u P = 2 * 8 * u * 64, where u is half a unit
in the last place of 1, up to 8 units in the last place of 64 may be a matter of order; more is a difference like any.
"""
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs")]
import tap  # noqa: E402
from programs import SOURCE, Sandbox, ids  # noqa: E402

PROGRAM = """
#include "hazard.h"
typedef struct { __gm__ number *sums; __gm__ number *parts; } arguments;
__aicore__ static inline void add_part(__gm__ number *sums, __gm__ number *part) {
  __ubuf__ number tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, part + vector_index() * LINE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_set_store_atomic_config_v1(ATOMIC_TYPE, 0);
  asc_copy_ub2gm(sums, tile, sizeof tile);
  asc_set_store_atomic_config_v1(0, 0);
  asc_sync();
}
__global__ __mix__(0, 1) void add_up(__gm__ number *sums, __gm__ number *parts) { add_part(sums, parts); }
__sk__ __mix__(0, 1) void add_up_sk(const arguments *args) { add_part(args->sums, args->parts + CORES * LINE); }
SK_BIND(add_up, 0, add_up_sk);
int main(void) {
  start();
  static number host[2 * CORES * LINE];
  for (uint32_t i = 0; i < 2 * CORES * LINE; i++) host[i] = EIGHT;
  host[CORES * LINE + 3 * LINE + 5] = EIGHT_AND_EXCESS; /* core 3 of the SK adds it to sum 5 */
  number *parts = device(sizeof host, 0), *sums = device(LINE * sizeof *sums, 0);
  if (aclrtMemcpy(parts, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) return 1;
  add_up<<<CORES, 0, NULL>>>(sums, parts);
  return finish();
}
"""
FLOAT = ("float", 1, lambda excess: f"{8.0 + excess!r}f", 2.0 ** -17)             # a unit in the last place of 64
HALF = ("uint16_t", 2, lambda excess: struct.unpack("<H", struct.pack("<e", 8 + excess))[0], 2.0 ** -4)

sandbox = Sandbox()


def verified(kind, units: float) -> dict:
    """The report where one of the sums is so many units too large inside an SK."""
    name, atomic, text, unit = kind
    source = sandbox.file(f"bound_{name}_{units}.c", PROGRAM)
    program = sandbox.compile(source.stem, f"-I{SOURCE / 'tests/hazards'}", f"-Dnumber={name}", f"-DATOMIC_TYPE={atomic}",
                              f"-DEIGHT={text(0)}", f"-DEIGHT_AND_EXCESS={text(units * unit)}", source)
    return sandbox.verify(program, "--modes", "unfused,fused")


def excused(report: dict) -> bool:
    """Else it counts as a function that does something else than its kernel (H29)."""
    assert ids(report) in ({"ORDER_DEPENDENT"}, {"H29"}), ids(report)
    assert (report["verdict"] == "clean") == ("ORDER_DEPENDENT" in ids(report)), report["verdict"]
    return report["verdict"] == "clean"


def floats_at_the_bound_are_a_matter_of_order() -> None:
    assert excused(verified(FLOAT, 8)) and excused(verified(FLOAT, -8))


def floats_beyond_it_are_a_difference() -> None:
    assert not excused(verified(FLOAT, 9)) and not excused(verified(FLOAT, -9))


def halves_at_the_bound_are_a_matter_of_order() -> None:
    assert excused(verified(HALF, 8)) and excused(verified(HALF, -8))


def halves_beyond_it_are_a_difference() -> None:
    assert not excused(verified(HALF, 9)) and not excused(verified(HALF, -9))


def the_same_sums_say_nothing() -> None:
    report = verified(FLOAT, 0)
    assert report["verdict"] == "clean" and not ids(report), ids(report)


def a_lost_addition_is_a_difference() -> None:
    assert not excused(verified(FLOAT, -8 / FLOAT[3]))


if __name__ == "__main__":
    try:
        sys.exit(tap.run([floats_at_the_bound_are_a_matter_of_order, floats_beyond_it_are_a_difference, halves_at_the_bound_are_a_matter_of_order,
                          halves_beyond_it_are_a_difference, the_same_sums_say_nothing, a_lost_addition_is_a_difference]))
    finally:
        sandbox.close()
