"""The operators called by record, under skv verify: silent in the whole mode matrix and every schedule, and each mutant
of a synchronising action found under the right id.

test_operators.py [WORD]     only tests whose name holds the word
"""
import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs")]
import tap  # noqa: E402
from programs import SOURCE, Sandbox, ids  # noqa: E402

OPS = SOURCE / "ops"
FULL, ONE, FEW = 0, 1, 2  # blocks of every launch: as many as the operator wants, and fewer than the SuperKernel has

# case, blocks: silent
SILENT = [(case, blocks) for case in ("float", "bf16", "int8", "casts", "half products", "int8 products", "float products", "quant products", "half results", "gated rows", "formats", "powers")
          for blocks in (FULL, FEW)]

# name, file, replacements, case, blocks, ids that must be found
LEFT = ("  if (tile >= 2) asc_sync_wait(PIPE_MTE3, PIPE_MTE2, tile & 1u);\n", "")
LEAVES = ("  if (tile + 2 < tiles) asc_sync_notify(PIPE_MTE3, PIPE_MTE2, tile & 1u);\n", "")
MUTANTS = [
    ("elements: V does not wait for the load", "element_tools.h",
     [("{ asc_sync_wait(PIPE_MTE2, PIPE_V, tile & 1u); }", "{ (void)tile; }"), ("{ asc_sync_notify(PIPE_MTE2, PIPE_V, tile & 1u); }", "{ (void)tile; }")],
     "float", FEW, {"SYNC_LOCAL"}),
    ("elements: results leave before V is done", "element_tools.h",
     [("{ asc_sync_wait(PIPE_V, PIPE_MTE3, tile & 1u); }", "{ (void)tile; }"), ("{ asc_sync_notify(PIPE_V, PIPE_MTE3, tile & 1u); }", "{ (void)tile; }")],
     "float", FEW, {"SYNC_LOCAL"}),
    ("elements: the load does not wait for the store", "element_tools.h", [LEFT, LEAVES], "float", FEW, {"SYNC_LOCAL"}),
    ("elements: only that wait is gone", "element_tools.h", [LEFT], "float", FEW, {"SYNC_LOCAL", "FLAG_SET_TWICE", "H22"}),
    ("elements: one notify too many behind the last tiles", "element_tools.h",
     [("  if (tile + 2 < tiles) asc_sync_notify", "  if (tile < tiles) asc_sync_notify")], "float", FEW, {"H22"}),
    ("elements: the part from the raw block index alone", "element_tools.h",
     [("uint64_t first = vector_index() * per_core;", "uint64_t first = (uint64_t)asc_get_block_idx() * per_core;")], "casts", FULL, {"H5"}),
    ("elements: parts overlap by one", "element_tools.h",
     [("total - first < per_core ? total - first : per_core}", "total - first < per_core ? total - first : per_core + 1}")], "casts", FEW, {"SYNC_GM"}),
    ("binary: the part from the raw block index alone", "binary.c",
     [(".first = vector_index() * t->tiles_per_core", ".first = (uint64_t)asc_get_block_idx() * t->tiles_per_core")], "float", FULL, {"H5"}),
    ("binary: parts overlap by a tile", "binary.c",
     [("t->tiles - b.first < t->tiles_per_core ? t->tiles - b.first : t->tiles_per_core;", "t->tiles - b.first < t->tiles_per_core ? t->tiles - b.first : t->tiles_per_core + 1;")],
     "float", FEW, {"SYNC_GM"}),
    ("binary: one value is spread without a barrier", "binary.c",
     [("(__ubuf__ word *)y, 1, 8, 1);                                                  \\\n      asc_sync_pipe(PIPE_V);                                                                                              \\\n",
       "(__ubuf__ word *)y, 1, 8, 1);                                                  \\\n")], "float", FEW, {"SAME_PIPE"}),
    ("binary: a barrier within V is gone", "binary.c",
     [("  combine_float(b, left, right, count);\n  asc_sync_pipe(PIPE_V);\n", "  combine_float(b, left, right, count);\n")], "bf16", FEW, {"SAME_PIPE"}),
    ("binary: results are one element too long", "binary.c",
     [("b->left[tile & 1u], p.count * t->element_bytes);\n  tile_store_end", "b->left[tile & 1u], (p.count + 1) * t->element_bytes);\n  tile_store_end")], "bf16", FEW, {"SYNC_GM"}),
    ("cast: a barrier within V is gone", "cast.c",
     [("    default: break;\n  }\n  asc_sync_pipe(PIPE_V);\n}\n\n/* Integral", "    default: break;\n  }\n}\n\n/* Integral")], "casts", FEW, {"SAME_PIPE"}),
    ("cube: L1 is filled while MTE1 reads it", "cube_tiles.h",
     [("  asc_sync_wait(PIPE_MTE1, PIPE_MTE2, c->l1);\n", ""), ("    asc_sync_notify(PIPE_MTE1, PIPE_MTE2, c->l1);\n", ""),
      ("    asc_sync_notify(PIPE_MTE1, PIPE_MTE2, i);\n", ""), ("    asc_sync_wait(PIPE_MTE1, PIPE_MTE2, i);\n", "")],
     "half products", FEW, {"SYNC_LOCAL"}),
    ("cube: MTE1 reads L1 before it is filled", "cube_tiles.h",
     [("  asc_sync_notify(PIPE_MTE2, PIPE_MTE1, c->l1);\n", ""), ("    asc_sync_wait(PIPE_MTE2, PIPE_MTE1, c->l1);\n", "")],
     "half products", FEW, {"SYNC_LOCAL"}),
    ("cube: L0A is filled while M reads it", "cube_tiles.h",
     [("  asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + c->l0a);\n", ""), ("  asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + c->l0a);\n", ""),
      ("    asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + i);\n", ""), ("    asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + i);\n", "")],
     "float products", FEW, {"SYNC_LOCAL"}),
    ("cube: M starts before L0 is filled", "cube_tiles.h",
     [("    asc_sync_notify(PIPE_MTE1, PIPE_M, c->l0b); /* covers", "    /* covers"), ("    asc_sync_wait(PIPE_MTE1, PIPE_M, c->l0b);\n", "")],
     "half products", FEW, {"SYNC_LOCAL"}),
    ("cube: only the wait of M is gone", "cube_tiles.h", [("    asc_sync_wait(PIPE_MTE1, PIPE_M, c->l0b);\n", "")], "half products", FEW,
     {"SYNC_LOCAL", "FLAG_SET_TWICE", "H22"}),
    ("cube: M overwrites results that have not left", "cube_tiles.h",
     [("    if (first) asc_sync_wait(PIPE_FIX, PIPE_M, half_block); /* the last block's results have left */\n", ""),
      ("    asc_sync_notify(PIPE_FIX, PIPE_M, i);\n", ""), ("    asc_sync_wait(PIPE_FIX, PIPE_M, i);\n", "")],
     "half products", FEW, {"SYNC_LOCAL"}),
    ("cube: short additions without a barrier", "cube_tiles.h",
     [("    if (!first && (b->m / 16) * (n / 16) < 10) asc_sync_pipe(PIPE_M); /* short additions are not kept in order */\n", "")],
     "half products", FEW, {"SAME_PIPE"}),
    ("cube: free buffers are not taken back", "cube_tiles.h", [("    asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_L0B + i);\n", "")],
     "half products", FEW, {"H22"}),
    ("matmul: results leave before M is done", "matmul.c",
     [("    asc_sync_notify(PIPE_M, PIPE_FIX, half_block);\n    asc_sync_wait(PIPE_M, PIPE_FIX, half_block);\n", "")], "half products", FEW,
     {"SYNC_LOCAL"}),
    ("matmul: blocks overlap by one row", "cube_tiles.h",
     [("b.m = cube_least(t->m - b.m0, t->block_m);", "b.m = cube_least(t->m - b.m0, t->block_m + 1);")], "half products", FULL, {"SYNC_GM"}),
    ("quant_matmul: the cube does not wait for a free slot", "quant_matmul.c",
     [("    if (turn >= SLOTS) asc_sync_block_wait(PIPE_FIX, FREE + turn % SLOTS);\n", "")], "quant products", ONE, {"SYNC_GM", "H7"}),
    ("quant_matmul: the vector cores do not wait for the sums", "quant_matmul.c",
     [("    asc_sync_block_wait(PIPE_MTE2, FULL + turn % SLOTS);\n", "")], "quant products", ONE, {"SYNC_GM", "H7"}),
    ("quant_matmul: flags of the last slots are left", "quant_matmul.c",
     [("  for (uint32_t left = turn < SLOTS ? turn : SLOTS; left > 0; left--) asc_sync_block_wait(PIPE_FIX, FREE + (turn - left) % SLOTS);\n", "")],
     "quant products", ONE, {"H7"}),
    ("quant_matmul: one vector core does not say that the slot is free", "quant_matmul.c",
     [("    asc_sync_block_arrive(PIPE_MTE2, FREE + turn % SLOTS);\n", "    if (asc_get_sub_block_id() == 0) asc_sync_block_arrive(PIPE_MTE2, FREE + turn % SLOTS);\n")],
     "quant products", ONE, {"DEADLOCK"}),
    ("quant_matmul: sums are said to be there before they are", "quant_matmul.c",
     [("asc_sync_block_arrive(PIPE_FIX, FULL + turn % SLOTS);", "asc_sync_block_arrive(PIPE_MTE2, FULL + turn % SLOTS);")], "quant products", ONE, {"SYNC_GM"}),
    ("quant_matmul: the next chunk arrives while V reads", "quant_matmul.c",
     [("  asc_sync_wait(PIPE_V, PIPE_MTE2, turn);\n", ""), ("  asc_sync_notify(PIPE_V, PIPE_MTE2, turn);\n", ""),
      ("for (int i = 0; i < 3; i++) asc_sync_notify(PIPE_V, PIPE_MTE2, i);", "asc_sync_notify(PIPE_V, PIPE_MTE2, 2);"),
      ("for (int i = 0; i < 3; i++) asc_sync_wait(PIPE_V, PIPE_MTE2, i);", "asc_sync_wait(PIPE_V, PIPE_MTE2, 2);")], "quant products", ONE, {"SYNC_LOCAL"}),
    ("quant_matmul: V overwrites results that have not left", "quant_matmul.c",
     [("  asc_sync_wait(PIPE_MTE3, PIPE_V, turn);\n", ""), ("  asc_sync_notify(PIPE_MTE3, PIPE_V, turn);\n", ""),
      ("  for (int i = 0; i < 2; i++) asc_sync_notify(PIPE_MTE3, PIPE_V, i);\n", ""), ("  for (int i = 0; i < 2; i++) asc_sync_wait(PIPE_MTE3, PIPE_V, i);\n", "")],
     "quant products", ONE, {"SYNC_LOCAL"}),
    ("quant_matmul: the fixpipe's table is filled without a barrier", "quant_matmul.c",
     [("cube_up(b->n * 8, 128));\n  asc_sync_pipe(PIPE_FIX);\n", "cube_up(b->n * 8, 128));\n")], "quant products", ONE, {"SAME_PIPE"}),
    ("quant_matmul: CTRL is not set back", "quant_matmul.c", [("  asc_set_ctrl(ctrl);\n}", "}")], "half results", FULL, {"H33"}),
    ("quant_matmul: the bias table is filled while M reads it", "cube_tiles.h",
     [("  asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);\n  asc_copy_l12bt", "  asc_copy_l12bt"),
      ("    if (first && t->has_bias) asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);\n", ""),
      ("  asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);\n}", "}"), ("  asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);\n}", "}")],
     "quant products", ONE, {"SYNC_LOCAL"}),
    ("swiglu: V does not wait for the load", "dequant_swiglu_quant.c",
     [("  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);\n  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);\n", "")], "gated rows", FEW, {"SYNC_LOCAL"}),
    ("swiglu: the load does not wait for V", "dequant_swiglu_quant.c",
     [("  asc_sync_notify(PIPE_V, PIPE_MTE2, 0);\n  asc_sync_wait(PIPE_V, PIPE_MTE2, 0);\n", "")], "gated rows", FEW, {"SYNC_LOCAL"}),
    ("swiglu: V overwrites results that have not left", "dequant_swiglu_quant.c",
     [("  asc_sync_notify(PIPE_MTE3, PIPE_V, 0); /* the last results have left */\n  asc_sync_wait(PIPE_MTE3, PIPE_V, 0);\n", "")], "gated rows", FEW,
     {"SYNC_LOCAL"}),
    ("swiglu: results leave before V is done", "dequant_swiglu_quant.c",
     [("  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);\n  asc_sync_wait(PIPE_V, PIPE_MTE3, 0);\n", "")], "gated rows", FEW, {"SYNC_LOCAL"}),
    ("swiglu: only the notify of that pair is gone", "dequant_swiglu_quant.c",
     [("  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);\n", "")], "gated rows", FEW, {"FLAG_UNPAIRED"}),
    ("swiglu: scales leave before V is done", "dequant_swiglu_quant.c",
     [("  asc_sync_notify(PIPE_V, PIPE_MTE3, 1);\n  asc_sync_wait(PIPE_V, PIPE_MTE3, 1);\n", "")], "gated rows", FEW, {"SYNC_LOCAL"}),
    ("swiglu: counts are read before they are there", "dequant_swiglu_quant.c",
     [("    asc_sync_notify(PIPE_MTE2, PIPE_S, 0);\n    asc_sync_wait(PIPE_MTE2, PIPE_S, 0);\n", "")], "gated rows", FEW, {"SYNC_LOCAL"}),
    ("swiglu: a barrier within V is gone", "dequant_swiglu_quant.c",
     [("  asc_exp(exponent, exponent, count);\n  asc_sync_pipe(PIPE_V);\n", "  asc_exp(exponent, exponent, count);\n")], "gated rows", FEW, {"SAME_PIPE"}),
    ("swiglu: tiles are one row too long", "dequant_swiglu_quant.c",
     [("count = each + (block < more ? 1 : 0);", "count = each + 1;")], "gated rows", FEW, {"SYNC_GM"}),
    ("format: V rearranges a window before it has arrived", "format_cast.c",
     [("  asc_sync_notify(PIPE_MTE2, PIPE_V, turn);\n", ""), ("    asc_sync_wait(PIPE_MTE2, PIPE_V, turn);\n", "")], "formats", ONE, {"SYNC_LOCAL"}),
    ("format: a window leaves before it is rearranged", "format_cast.c",
     [("    asc_sync_notify(PIPE_V, PIPE_MTE3, turn);\n    asc_sync_wait(PIPE_V, PIPE_MTE3, turn);\n", "")], "formats", ONE, {"SYNC_LOCAL"}),
    ("format: V overwrites a window that has not left", "format_cast.c",
     [("    asc_sync_wait(PIPE_MTE3, PIPE_V, turn);\n", ""), ("    asc_sync_notify(PIPE_MTE3, PIPE_V, turn);\n", ""),
      ("  for (uint32_t i = 0; i < 2; i++) asc_sync_notify(PIPE_MTE3, PIPE_V, i);\n", ""), ("  for (uint32_t i = 0; i < 2; i++) asc_sync_wait(PIPE_MTE3, PIPE_V, i);\n", "")],
     "formats", ONE, {"SYNC_LOCAL"}),
    ("format: a window arrives while V reads its buffer or clears it", "format_cast.c",
     [("  asc_sync_notify(PIPE_V, PIPE_MTE2, turn);\n  asc_sync_wait(PIPE_V, PIPE_MTE2, turn);\n", "")], "formats", ONE, {"SYNC_LOCAL"}),
    ("format: the last flags are not taken back", "format_cast.c",
     [("  for (uint32_t i = 0; i < 2; i++) asc_sync_wait(PIPE_MTE3, PIPE_V, i);\n", "")], "formats", ONE, {"H22"}),
    ("format: the padding value is left changed", "format_cast.c", [("asc_set_copy_pad_val((uint16_t)0)", "asc_set_copy_pad_val((uint16_t)1)")], "formats",
     FULL, {"H33"}),
    ("format: the unit from the raw block index alone", "format_cast.c",
     [("uint32_t first = vector_index()", "uint32_t first = (uint32_t)asc_get_block_idx()")], "formats", FULL, {"H5"}),
    ("pows: a barrier within V is gone", "pows.c",
     [("    asc_mul(c->other, value, value, count);\n    asc_sync_pipe(PIPE_V);\n", "    asc_mul(c->other, value, value, count);\n")], "powers", FEW,
     {"SAME_PIPE"}),
    ("isinf: a barrier within V is gone", "is_inf.c",
     [("  asc_mul(c->bits, c->bits, c->bits, count);\n  asc_sync_pipe(PIPE_V);\n", "  asc_mul(c->bits, c->bits, c->bits, count);\n")], "powers", FEW, {"SAME_PIPE"}),
    ("words: put together before the scales are there", "trans_quant_param.c",
     [("  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);\n  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);\n", "")], "half results", FULL, {"SYNC_LOCAL"}),
    ("words: put together before V is done", "trans_quant_param.c",
     [("  asc_sync_notify(PIPE_V, PIPE_S, 0);\n  asc_sync_wait(PIPE_V, PIPE_S, 0);\n", "")], "half results", FULL, {"SYNC_LOCAL"}),
    ("words: overwritten before they have left", "trans_quant_param.c",
     [("    asc_sync_notify(PIPE_MTE3, PIPE_S, 0);\n    asc_sync_wait(PIPE_MTE3, PIPE_S, 0);\n", "")], "half results", FULL, {"SYNC_LOCAL"}),
]

sandbox = Sandbox()
objects: dict[str, Path] = {}


def sources_with(name: str) -> list[str]:
    """Sources that hold the file's text: the file itself, or all that include it."""
    if name.endswith(".c"):
        return [name]
    text = {path.name: path.read_text(encoding="utf-8") for path in OPS.glob("*.[ch]")}
    holders, more = {name}, True
    while more:
        found = {other for other, body in text.items() if any(f'#include "{held}"' in body for held in holders)} - holders
        holders |= found
        more = bool(found)
    return sorted(holder for holder in holders if holder.endswith(".c"))


def build_objects(pool: ThreadPoolExecutor) -> None:
    def build(source: Path) -> None:
        objects[source.name] = sandbox.compile(source.stem + ".o", "-c", source, "-I", OPS)
    list(pool.map(build, [*sorted(OPS.glob("*.c")), HERE / "operators_host.c"]))


def report_of(number: int, name: str, replacements: list[tuple[str, str]], case: str, blocks: int) -> dict:
    text = (OPS / name).read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text, f"{name} does not hold:\n{old}"
        text = text.replace(old, new)
    place = sandbox.path / f"mutant{number}.d"
    changed = sources_with(name)
    shutil.copytree(OPS, place)  # headers find each other in their own directory
    (place / name).write_text(text, encoding="utf-8")
    linked = [path for source, path in objects.items() if source not in changed]
    linked += [sandbox.compile(f"mutant{number}_{source}.o", "-c", place / source) for source in changed]
    return sandbox.verify(sandbox.compile(f"mutant{number}", *linked), case, blocks)


MODES = "unfused,fused,per-op,full-cores,no-flush,ge,alone,twice,neighbour"
SCHEDULES = ("reversed", "slow-consumer", "slow-aiv1", "waves", "random:7")


def report_in_all_modes(program: Path, case: str, blocks: int) -> dict:
    """Every mode, the fused ones in every schedule, and random schedules."""
    modes = ",".join([MODES, *(f"{mode}/{schedule}" for mode in ("fused", "no-flush", "ge") for schedule in SCHEDULES)])
    report = sandbox.path / (program.name + ".json")
    done = sandbox.skv("verify", "--quiet", "--json", report, "--random", 4, "--modes", modes, program, case, blocks)
    assert report.exists(), f"exit code {done.returncode}: {done.stderr}"
    return json.loads(report.read_text(encoding="utf-8"))


def make_mutant_test(name, future, wanted):
    def test() -> None:
        report = future.result()
        assert wanted <= ids(report), f"found {sorted(ids(report))}, wanted {sorted(wanted)}"
    test.__name__ = name
    return test


def make_silent_test(case, blocks, future):
    def test() -> None:
        report = future.result()
        assert report["verdict"] == "clean" and ids(report) == set(), f"{report['verdict']}, found {sorted(ids(report))}"
        names = {mode["name"] for mode in report["modes"]}
        assert {"fused", "ge", "neighbour", "no-flush/random:7"} <= names, f"modes {sorted(names)}"
        assert all(mode["superkernels"] > 0 for mode in report["modes"] if mode["name"].startswith(("fused", "no-flush", "ge")))
    test.__name__ = f"{case} is silent on {blocks or 'all'} blocks"
    return test


def main() -> int:
    try:
        with ThreadPoolExecutor(2) as pool:
            build_objects(pool)
            tests = []
            word = sys.argv[1] if len(sys.argv) > 1 else ""
            for number, (case, blocks) in enumerate(SILENT):
                if word not in case:
                    continue
                program = sandbox.compile(f"silent{number}", *objects.values())
                tests.append(make_silent_test(case, blocks, pool.submit(report_in_all_modes, program, case, blocks)))
            for number, (name, file, replacements, case, blocks, wanted) in enumerate(MUTANTS):
                if word not in name:
                    continue
                tests.append(make_mutant_test(name, pool.submit(report_of, number, file, replacements, case, blocks), wanted))
            return tap.run(tests)
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
