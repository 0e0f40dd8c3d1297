"""Mutants of the operators: each change that breaks them is found by skv verify under the right id, and the
unchanged operators are silent on the same shapes.

Not among them, for nothing breaks: flags from the scalar unit (an instruction is issued after what the scalar unit
did), and the flag pair between batches of scales (every row has one between the same pipes).
"""
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs")]
import tap  # noqa: E402
from programs import SOURCE, Sandbox, ids, modes_of  # noqa: E402

OPS = SOURCE / "ops"
GATING, QUANT = "moe_gating_top_k_softmax", "dynamic_quant"

# rows, experts, k, blocks
TILES = (96, 40, 9, 20)         # five rows on most cores, four or one on the last
BATCHES = (600, 8, 3, 1)        # one core: flags and scales in several batches
CHUNKS = (6, 4097, 40, 3)       # rows longer than a chunk, the second of one element
LINES = (320, 40, 9, 20)        # sixteen scales a core: a cache line of its own
ALL_CORES = (96, 40, 9, 48)

# name, source, replacements, shape, ids that must be found
MUTANTS = [
    ("gating: the load does not wait for V to be done with the buffer", GATING,
     [("  if (step >= 2) asc_sync_wait(PIPE_V, PIPE_MTE2, buffer);\n", ""),
      ("  if (step + 2 < g->steps) asc_sync_notify(PIPE_V, PIPE_MTE2, buffer);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("gating: only the wait of that pair is gone", GATING,
     [("  if (step >= 2) asc_sync_wait(PIPE_V, PIPE_MTE2, buffer);\n", "")], TILES, {"SYNC_LOCAL", "FLAG_SET_TWICE", "H22"}),
    ("gating: only the notify of that pair is gone", GATING,
     [("  if (step + 2 < g->steps) asc_sync_notify(PIPE_V, PIPE_MTE2, buffer);\n", "")], TILES, {"FLAG_UNPAIRED"}),
    ("gating: V does not wait for the load", GATING,
     [("  asc_sync_notify(PIPE_MTE2, PIPE_V, buffer);\n", ""), ("  asc_sync_wait(PIPE_MTE2, PIPE_V, buffer);\n", "")], TILES,
     {"SYNC_LOCAL"}),
    ("gating: only the wait for the load is gone", GATING, [("  asc_sync_wait(PIPE_MTE2, PIPE_V, buffer);\n", "")], TILES,
     {"SYNC_LOCAL", "FLAG_SET_TWICE", "H22"}),
    ("gating: results leave before V is done", GATING,
     [("    asc_sync_notify(PIPE_V, PIPE_MTE3, 0);\n    asc_sync_wait(PIPE_V, PIPE_MTE3, 0);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("gating: V overwrites results that have not left", GATING,
     [("    if (i > 0) asc_sync_wait(PIPE_MTE3, PIPE_V, 0); /* the last row's results have left */\n", ""),
      ("    if (i + 1 < g.row_count) asc_sync_notify(PIPE_MTE3, PIPE_V, 0);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("gating: one notify too many behind the last row", GATING,
     [("    if (i + 1 < g.row_count) asc_sync_notify(PIPE_MTE3, PIPE_V, 0);\n", "    asc_sync_notify(PIPE_MTE3, PIPE_V, 0);\n")],
     TILES, {"H22"}),
    ("gating: the mask is read before it is there", GATING,
     [("    asc_sync_notify(PIPE_MTE2, PIPE_S, 2);\n    asc_sync_wait(PIPE_MTE2, PIPE_S, 2);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("gating: tiles begin one row late", GATING,
     [("vector_index() * t->rows_per_core;", "vector_index() * t->rows_per_core + 1;")], TILES, {"UNINITIALISED_READ"}),
    ("gating: tiles are one row too long", GATING,
     [("? t->rows - first : t->rows_per_core;", "? t->rows - first : t->rows_per_core + 1;")], TILES, {"SYNC_GM"}),
    ("gating: the last tile is one row too long as well", GATING,
     [("? t->rows - first : t->rows_per_core;", "? t->rows - first : t->rows_per_core; g.row_count++;")], TILES,
     {"GM_OUT_OF_BOUNDS", "SYNC_GM"}),
    ("gating: rows of the result are one element too long", GATING,
     [("experts, t->k * (uint32_t)sizeof(int32_t));", "experts, (t->k + 1) * (uint32_t)sizeof(int32_t));")], TILES,
     {"GM_OUT_OF_BOUNDS", "SYNC_GM"}),
    ("gating: the tile from the raw block index alone", GATING,
     [("vector_index() * t->rows_per_core;", "(uint32_t)asc_get_block_idx() * t->rows_per_core;")], TILES, {"H5"}),
    ("gating: the rest of the last group was never written", GATING,
     [("    asc_duplicate(best0, 0.0f, 2 * MAX_K * RECORD_FLOATS);\n    asc_duplicate(best1, 0.0f, 2 * MAX_K * RECORD_FLOATS);\n", "")],
     CHUNKS, {"UNINITIALISED_READ"}),
    ("gating: a barrier within V is gone", GATING,
     [("  asc_exp(g->keys, g->keys, count);\n  asc_sync_pipe(PIPE_V);\n", "  asc_exp(g->keys, g->keys, count);\n")], TILES,
     {"SAME_PIPE"}),
    ("quant: a barrier within V is gone", QUANT,
     [("  asc_float2int32_rn(q->integer, q->row, count);\n  asc_sync_pipe(PIPE_V);\n",
       "  asc_float2int32_rn(q->integer, q->row, count);\n")], TILES, {"SAME_PIPE"}),
    ("quant: V does not wait for the load", QUANT,
     [("  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);\n  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("quant: the load does not wait for V", QUANT,
     [("  asc_sync_notify(PIPE_V, PIPE_MTE2, 0);\n  asc_sync_wait(PIPE_V, PIPE_MTE2, 0);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("quant: only the wait of that pair is gone", QUANT, [("  asc_sync_wait(PIPE_V, PIPE_MTE2, 0);\n", "")], TILES,
     {"SYNC_LOCAL", "FLAG_SET_TWICE", "H22"}),
    ("quant: only the notify of that pair is gone", QUANT, [("  asc_sync_notify(PIPE_V, PIPE_MTE2, 0);\n", "")], TILES,
     {"FLAG_UNPAIRED"}),
    ("quant: results leave before V is done", QUANT,
     [("    asc_sync_notify(PIPE_V, PIPE_MTE3, 0);\n    asc_sync_wait(PIPE_V, PIPE_MTE3, 0);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("quant: V overwrites results that have not left", QUANT,
     [("    asc_sync_notify(PIPE_MTE3, PIPE_V, 0); /* the last results have left */\n    asc_sync_wait(PIPE_MTE3, PIPE_V, 0);\n", "")],
     TILES, {"SYNC_LOCAL"}),
    ("quant: scales leave before V is done", QUANT,
     [("  asc_sync_notify(PIPE_V, PIPE_MTE3, 1);\n  asc_sync_wait(PIPE_V, PIPE_MTE3, 1);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("quant: group ends are read before they are there", QUANT,
     [("  asc_sync_notify(PIPE_MTE2, PIPE_S, 0);\n  asc_sync_wait(PIPE_MTE2, PIPE_S, 0);\n", "")], TILES, {"SYNC_LOCAL"}),
    ("quant: tiles begin one row late", QUANT,
     [("(block < more ? block : more), count", "(block < more ? block : more) + 1, count")], TILES, {"GM_OUT_OF_BOUNDS"}),
    ("quant: tiles are one row too long", QUANT, [("count = each + (block < more ? 1 : 0);", "count = each + 1;")], TILES,
     {"GM_OUT_OF_BOUNDS", "SYNC_GM"}),
    ("quant: rows of the result are one element too long", QUANT,
     [("q->packed, count * t->dst_bits / 8);", "q->packed, count * t->dst_bits / 8 + 1);")], TILES, {"SYNC_GM"}),
]

STORE_SCALES = "  asc_copy_ub2gm_align(to, dense, rows * (uint32_t)sizeof(float));\n"
SCALAR_SCALES = ("  asc_sync_notify(PIPE_V, PIPE_S, 1);\n  asc_sync_wait(PIPE_V, PIPE_S, 1);\n"
                 "  for (uint32_t i = 0; i < rows; i++) to[i] = dense[i];\n")
FLUSH = ("  for (uint32_t i = 0; i < rows; i += 16) asc_dcci_single(to + i);\n"
         "  asc_sync_data_barrier(DSB_ALL);\n")
END = "  asc_sync(); /* leave"
MIX = ("__global__ __vector__ void dynamic_quant(", "__global__ __mix__(0, 1) void dynamic_quant(")
BARRIER = (END, "  asc_sync_inter_arrive(PIPE_MTE3, 3);\n  asc_sync_inter_wait(PIPE_MTE3, 3);\n" + END)
LEFT = (END, "  asc_sync_inter_arrive(PIPE_MTE3, 4);\n" + END)

# The same with what must be silent beside what must be found: name, replacements of quant, shape, ids
VARIANTS = [
    ("quant: scales by scalar stores that nothing flushes", [(STORE_SCALES, SCALAR_SCALES)], LINES, {"H11"}),
    ("quant: scales by scalar stores, flushed", [(STORE_SCALES, SCALAR_SCALES + FLUSH)], LINES, set()),
    ("quant: a whole-core barrier on fewer cores than the SK has", [MIX, BARRIER], TILES, {"H1"}),
    ("quant: a whole-core barrier on all cores", [MIX, BARRIER], ALL_CORES, set()),
    ("quant: a cross-core flag is left over", [MIX, LEFT], ALL_CORES, {"H7"}),
]

sandbox = Sandbox()
objects: dict[str, Path] = {}


def build_objects() -> None:
    for source in OPS.glob("*.c"):
        objects[source.stem] = sandbox.compile(source.stem + ".o", "-c", source, "-I", OPS)
    objects["host"] = sandbox.compile("host.o", "-c", HERE / "mutants_host.c")


def mutate(source: str, replacements: list[tuple[str, str]]) -> str:
    text = (OPS / (source + ".c")).read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text, f"{source}.c does not hold:\n{old}"
        text = text.replace(old, new)
    return text


def report_of(number: int, source: str, replacements: list[tuple[str, str]], shape: tuple[int, ...]) -> dict:
    file = sandbox.file(f"mutant{number}.c", mutate(source, replacements))
    mutant = sandbox.compile(f"mutant{number}.o", "-c", file, "-I", OPS)
    others = [path for name, path in objects.items() if name != source]
    return sandbox.verify(sandbox.compile(f"mutant{number}", mutant, *others), *shape)


def make_test(name, future, wanted):
    def test() -> None:
        report = future.result()
        if wanted:
            assert wanted <= ids(report), f"found {sorted(ids(report))}, wanted {sorted(wanted)}"
        else:
            assert ids(report) == set() and report["verdict"] == "clean", f"found {sorted(ids(report))}"
        if wanted == {"H11"}:
            assert modes_of(report, "H11") == {"no-flush"}
        if wanted & {"H1", "H4", "H5", "H11"}:
            assert all(not finding["unfused"] for finding in report["findings"] if finding["id"] in wanted)
    test.__name__ = name
    return test


def make_silent_test(shape):
    def test() -> None:
        program = sandbox.compile("original", *objects.values())
        report = sandbox.verify(program, *shape)
        assert report["verdict"] == "clean" and ids(report) == set(), f"found {sorted(ids(report))}"
        assert any(mode["superkernels"] > 0 for mode in report["modes"])
    test.__name__ = f"unchanged operators are silent on {shape}"
    return test


def main() -> int:
    try:
        build_objects()
        work = [(name, source, replacements, shape, wanted) for name, source, replacements, shape, wanted in MUTANTS]
        work += [(name, QUANT, replacements, shape, wanted) for name, replacements, shape, wanted in VARIANTS]
        with ThreadPoolExecutor(2) as pool:
            tests = [make_silent_test(shape) for shape in (TILES, BATCHES, CHUNKS, LINES, ALL_CORES)]
            for number, (name, source, replacements, shape, wanted) in enumerate(work):
                tests.append(make_test(name, pool.submit(report_of, number, source, replacements, shape), wanted))
            return tap.run(tests)
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
