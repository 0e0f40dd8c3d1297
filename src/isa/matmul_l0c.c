/* matmul_l0c.c - tiles of Matmul objects that stay in L0C from one call to the next, so that partial sums are added to them.
 *
 * All objects of a cube core compute in one piece of L0C. With two vector cores the tiles that stay have a half of it each. A
 * tile stays until its vector core, or the other one with a tile that needs both halves, computes something else. */
#include "isa/cube.h"
#include "isa/matmul.h"
#include "kernel_operator/library.h"
#include "machine/framework.h"

bool sk__matmul_one_tile(const sk__matmul_call *call, const sk_matmul *mm) {
  const sk_cube_tiling *t = &mm->tiling;
  bool in_m = mm->single_m > t->baseM;
  if (!in_m && mm->single_n <= t->baseN) return true;
  sk__bad_argument(call->core, in_m ? "singleCoreM, with partial sums," : "singleCoreN, with partial sums,", in_m ? mm->single_m : mm->single_n,
                   "%s, which is %d: they are of one tile", in_m ? "baseM" : "baseN", in_m ? t->baseM : t->baseN);
  return false;
}

static bool nothing_stands(const sk__matmul_call *call) {
  sk__instr_finding(sk__begin(SK__AIC, SK__PIPE_S, call->name, call->site), "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR,
                    "call Iterate or IterateBatch of this object without partial sums before, and nothing of another object between",
                    "partial sums are added to a tile in L0C, where none of this Matmul object stands");
  return false;
}

bool sk__matmul_place_tile(const sk__matmul_call *call, sk_matmul *mm, uint32_t vector_core, uint32_t vector_cores, sk__matmul_use use) {
  if (mm->l0c != 0) { /* memory of the kernel's own */
    sk__matmul_take_memory(call, mm, false);
    return true;
  }
  sk__framework *f = sk__framework_of(call->core);
  uint32_t share = sk__local_place_of(call->core, SK__MEM_L0C).bytes / 2, bytes = sk__matmul_tile_bytes(mm), object = mm->number + 1u;
  bool halves = vector_cores == 2 && bytes <= share;
  if (use == SK__TILE_ADDS || use == SK__TILE_STORED) {
    if (f->matmul_tiles[vector_core].object != object) return nothing_stands(call);
    sk__matmul_take_memory(call, mm, false);
    mm->l0c = f->matmul_tiles[vector_core].address;
    return true;
  }
  if (use == SK__TILE_STAYS && vector_cores == 2 && !halves) {
    sk__bad_argument(sk__begin(SK__AIC, SK__PIPE_S, call->name, call->site), "a tile of C that stays in L0C, in bytes,", bytes, "at most %u, half of L0C, with two vector cores", share);
    return false;
  }
  bool other_stays = vector_cores == 2 && f->matmul_tiles[1 - vector_core].object != 0, apart = halves && (use == SK__TILE_STAYS || other_stays);
  sk__matmul_take_memory(call, mm, apart);
  const sk_pipe *pipe = mm->pipe;
  mm->l0c = pipe->matmul_address[1] + (apart ? vector_core * share : 0);
  for (uint32_t i = 0; i < 2; i++)
    if (f->matmul_tiles[i].address < mm->l0c + bytes && mm->l0c < f->matmul_tiles[i].address + f->matmul_tiles[i].bytes)
      f->matmul_tiles[i].object = 0;
  f->matmul_tiles[vector_core].address = mm->l0c;
  f->matmul_tiles[vector_core].bytes = bytes;
  f->matmul_tiles[vector_core].object = (uint8_t)object;
  return true;
}
