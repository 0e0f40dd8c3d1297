/* matmul.c - one tile of a Matmul object on a cube core: pieces of K through L1 into L0A and L0B, two at a time,
 * multiply-adds in L0C, the result out with its conversion.
 *
 * Multiply-adds and results are the instructions a kernel could issue itself, under the site of the Matmul
 * call. The size of the pieces is the tiling's baseK; how many of them L1 keeps is not followed (depth, step),
 * since that only takes time. */
#include <string.h>

#include "isa/cube.h"
#include "isa/cube_sparse.h"
#include "isa/matmul.h"
#include "kernel_operator/library.h"
#include "machine/framework.h"

#define L1_ROUND 64u        /* rows and columns of a piece in L1 are padded to what turned loads read */
#define BYTES_PER_COLUMN 12u /* a bias and a scale */
#define FB_UNIT_BYTES 128u

/* ---- sizes ---------------------------------------------------------------------------------------- */

uint32_t sk__matmul_bits(uint32_t element) {
  switch ((sk_matmul_element)element) {
    case SK_MATMUL_F16:
    case SK_MATMUL_BF16: return 16;
    case SK_MATMUL_F32:
    case SK_MATMUL_I32: return 32;
    case SK_MATMUL_I8:
    case SK_MATMUL_U8: return 8;
    case SK_MATMUL_I4: return 4;
  }
  return 0;
}
uint32_t sk__matmul_pitch(uint32_t columns, uint32_t element) { return sk__ceil_to(columns, 256 / sk__matmul_bits(element)); }

static sk_mmad_type mmad_type(uint32_t element) {
  switch ((sk_matmul_element)element) {
    case SK_MATMUL_F16: return SK_MMAD_F16;
    case SK_MATMUL_BF16: return SK_MMAD_BF16;
    case SK_MATMUL_F32: return SK_MMAD_F32;
    case SK_MATMUL_I4: return SK_MMAD_I4;
    default: return SK_MMAD_I8;
  }
}
static bool sums_are_integers(const sk_matmul *mm) { return mm->a.element == SK_MATMUL_I8 || mm->a.element == SK_MATMUL_I4; }

static uint32_t rows_of_tiles(const sk_matmul *mm) { return sk__ceil_div((uint32_t)mm->single_m, (uint32_t)mm->tiling.baseM); }
static uint32_t columns_of_tiles(const sk_matmul *mm) { return sk__ceil_div((uint32_t)mm->single_n, (uint32_t)mm->tiling.baseN); }
static uint32_t steps_of_tile(const sk_matmul *mm) {
  return mm->partial_output ? sk__ceil_div((uint32_t)mm->single_k, (uint32_t)mm->tiling.baseK) : 1;
}
uint32_t sk__matmul_steps(const sk_matmul *mm) { return rows_of_tiles(mm) * columns_of_tiles(mm) * steps_of_tile(mm); }

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

/* iterateOrder 0 goes down M first, 1 along N. */
sk__matmul_area sk__matmul_area_of(const sk_matmul *mm, uint32_t step) {
  uint32_t down = rows_of_tiles(mm), along = columns_of_tiles(mm);
  bool m_first = mm->tiling.iterateOrder == 0;
  step /= steps_of_tile(mm);
  int32_t i = (int32_t)(m_first ? step % down : step / along), j = (int32_t)(m_first ? step / down : step % along);
  sk__matmul_area area = {.m = i * mm->tiling.baseM, .n = j * mm->tiling.baseN};
  area.rows = least(mm->tiling.baseM, mm->single_m - area.m);
  area.columns = least(mm->tiling.baseN, mm->single_n - area.n);
  return area;
}

/* Tiles that a triangle leaves out are neither computed nor stored. */
static bool left_out(const sk_matmul *mm, const sk__matmul_area *area) {
  int32_t i = area->m / mm->tiling.baseM, j = area->n / mm->tiling.baseN;
  return (mm->triangle == 1 && i > j) || (mm->triangle == 2 && i < j);
}

/* ---- what must be there ------------------------------------------------------------------------------ */

static bool positive(sk__core *core, const char *what, int32_t value) {
  if (value > 0) return true;
  sk__bad_argument(core, what, value, "1 or more");
  return false;
}
static bool missing(sk__core *core, const char *what, const char *remedy) {
  sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, remedy, "%s", what);
  return false;
}
static bool fits(sk__core *core, const char *what, uint64_t bytes, sk__mem mem) {
  uint32_t capacity = sk__mem_bytes(sk__machine_soc(core->machine), SK__AIC, mem);
  if (bytes <= capacity) return true;
  sk__bad_argument(core, what, (int64_t)bytes, "at most the %u bytes of %s; make the tiling's base sizes smaller", capacity,
                   sk__mem_name(mem));
  return false;
}

/* An input in Nz is cut between its column blocks. */
static bool cuts_blocks(sk__core *core, const sk_matmul *mm, const sk_matmul_operand *x) {
  bool is_a = x == &mm->a, k_is_row = x->transposed == is_a;
  int32_t base = !k_is_row ? mm->tiling.baseK : is_a ? mm->tiling.baseM : mm->tiling.baseN;
  int32_t single = !k_is_row ? mm->single_k : is_a ? mm->single_m : mm->single_n, c0 = (int32_t)sk__c0(sk__matmul_bits(x->element));
  if ((x->format != SK_MATMUL_NZ && !x->in_l1) || base % c0 == 0 || base >= single) return false;
  sk__bad_argument(core, !k_is_row ? "the tiling's baseK" : is_a ? "the tiling's baseM" : "the tiling's baseN", base,
                   "multiples of %d with %s in NZ", c0, is_a ? "A" : "B");
  return true;
}

bool sk__matmul_complete(const sk__matmul_call *call, const sk_matmul *mm) {
  sk__core *core = sk__enter(SK__PIPE_S, call->name, call->site);
  const sk_cube_tiling *t = &mm->tiling;
  if (!mm->ready) return missing(core, "the Matmul object has no tiling", "register it with REGIST_MATMUL_OBJ, or call Init");
  if (mm->a.address == 0) return missing(core, "A is not given", "call SetTensorA before");
  if (mm->b.address == 0) return missing(core, "B is not given", "call SetTensorB before");
  if (mm->with_bias && mm->bias.address == 0)
    return missing(core, "the tiling asks for a bias and none is given", "call SetBias, or DisableBias");
  if (!positive(core, "the tiling's baseM", t->baseM) || !positive(core, "the tiling's baseN", t->baseN) ||
      !positive(core, "the tiling's baseK", t->baseK) || !positive(core, "singleCoreM", mm->single_m) ||
      !positive(core, "singleCoreN", mm->single_n) || !positive(core, "singleCoreK", mm->single_k))
    return false;
  if (mm->single_m > mm->org_m || mm->single_n > mm->org_n) {
    bool in_m = mm->single_m > mm->org_m;
    sk__bad_argument(core, in_m ? "singleCoreM" : "singleCoreN", in_m ? mm->single_m : mm->single_n, "1..%d, the whole matrix",
                     in_m ? mm->org_m : mm->org_n);
    return false;
  }
  uint32_t bits = sk__matmul_bits(mm->a.element);
  if (cuts_blocks(core, mm, &mm->a) || cuts_blocks(core, mm, &mm->b)) return false;
  if (mm->sparse_index != 0 && (!mm->b.transposed || t->baseK % 64 != 0)) {
    if (!mm->b.transposed) return missing(core, "a dense B with an index is stored as (N, K / 2)", "call SetTensorB(b, true)");
    sk__bad_argument(core, "the tiling's baseK", t->baseK, "multiples of 64 with a dense B");
    return false;
  }
  return fits(core, "a piece of A (baseM x baseK), in bytes,", sk__matmul_l0_bytes((uint32_t)t->baseM, (uint32_t)t->baseK, bits), SK__MEM_L0A) &&
         fits(core, "a piece of B (baseK x baseN), in bytes,", sk__matmul_l0_bytes((uint32_t)t->baseN, (uint32_t)t->baseK, bits), SK__MEM_L0B) &&
         fits(core, "a tile of C (baseM x baseN), in bytes,",
              (uint64_t)sk__ceil_to((uint32_t)t->baseM, 16) * sk__ceil_to((uint32_t)t->baseN, 16) * 4, SK__MEM_L0C);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Where things stand: bias and scales at the start of L1, then two pieces of A and of B, then their indices. */
typedef struct places {
  uint64_t bias, scales, a, b, index, l0a, l0b, l0c, table, buffer;
  uint32_t a_step, b_step, index_step, l0a_step, l0b_step;
  uint32_t pieces; /* at a time: 2, or 1 where L0 is too small */
  uint32_t bytes;  /* of L1 */
} places;

static uint32_t side_elems(const sk_matmul *mm) { return sk__ceil_to((uint32_t)mm->tiling.baseN, L1_ROUND); }
static places places_of(sk__core *core, const sk_matmul *mm) {
  uint32_t bits = sk__matmul_bits(mm->a.element), m = (uint32_t)mm->tiling.baseM, n = (uint32_t)mm->tiling.baseN,
           k = (uint32_t)mm->tiling.baseK, k_b = mm->sparse_index != 0 ? k / 2 : k;
  const sk_pipe *pipe = mm->pipe;
  places p = {.bias = pipe->matmul_address[0], .scales = pipe->matmul_address[0] + side_elems(mm) * 4};
  p.a = p.scales + side_elems(mm) * 8;
  p.l0a = sk__local_place_of(core, SK__MEM_L0A).address;
  p.l0b = sk__local_place_of(core, SK__MEM_L0B).address;
  p.l0c = mm->l0c != 0 ? mm->l0c : pipe->matmul_address[1];
  p.table = sk__local_place_of(core, SK__MEM_BT).address;
  p.buffer = sk__local_place_of(core, SK__MEM_FB).address;
  p.l0a_step = sk__matmul_l0_bytes(m, k, bits);
  p.l0b_step = sk__matmul_l0_bytes(n, k_b, bits);
  p.pieces = p.l0a_step * 2 <= sk__local_place_of(core, SK__MEM_L0A).bytes &&
                     p.l0b_step * 2 <= sk__local_place_of(core, SK__MEM_L0B).bytes ? 2 : 1;
  p.a_step = mm->a.in_l1 ? 0 : sk__matmul_piece_bytes(m, k, bits);
  p.b_step = mm->b.in_l1 ? 0 : sk__matmul_piece_bytes(n, k_b, bits);
  p.index_step = mm->sparse_index != 0 ? p.b_step / 4 : 0;
  p.b = p.a + (uint64_t)p.pieces * p.a_step;
  p.index = p.b + (uint64_t)p.pieces * p.b_step;
  p.bytes = side_elems(mm) * BYTES_PER_COLUMN + p.pieces * (p.a_step + p.b_step + p.index_step);
  return p;
}

/* The buffer made last becomes part of the one that it continues. */
static void join_last(sk_pipe *pipe) {
  const sk_buffer *more = &pipe->buffers[pipe->buffer_count - 1];
  for (uint32_t i = 0; i + 1 < pipe->buffer_count; i++) {
    sk_buffer *buffer = &pipe->buffers[i];
    if (buffer->memory != more->memory || buffer->pool != NULL || buffer->address + buffer->bytes != more->address) continue;
    buffer->bytes += more->bytes;
    pipe->buffer_count--;
    pipe->own_count--;
    return;
  }
}

/* All Matmul objects of a pipe use one piece of each memory, the size of the largest; one that was taken last grows. */
static void take(sk_pipe *pipe, sk__mem memory, uint32_t bytes, uint64_t start) {
  uint32_t at = memory == SK__MEM_L1 ? 0 : 1, have = pipe->matmul_bytes[at];
  if (have >= bytes) return;
  bool last = have != 0 && pipe->matmul_address[at] + have == start + pipe->used_bytes[memory];
  uint64_t address = sk_pipe_init_buffer(pipe, NULL, memory, last ? bytes - have : bytes).address;
  if (last) join_last(pipe);
  else pipe->matmul_address[at] = address;
  pipe->matmul_bytes[at] = sk__ceil_to(bytes, SK__BLOCK_BYTES);
}
uint32_t sk__matmul_tile_bytes(const sk_matmul *mm) {
  return sk__ceil_to((uint32_t)mm->tiling.baseM, 16) * sk__ceil_to((uint32_t)mm->tiling.baseN, L1_ROUND) * 4;
}
void sk__matmul_take_memory(const sk__matmul_call *call, const sk_matmul *mm, bool whole_l0c) {
  sk_pipe *pipe = mm->pipe;
  take(pipe, SK__MEM_L1, places_of(call->core, mm).bytes, sk__local_place_of(call->core, SK__MEM_L1).address);
  sk__local_place results = sk__local_place_of(call->core, SK__MEM_L0C);
  uint32_t l0c = sk__matmul_tile_bytes(mm);
  if (mm->l0c == 0) take(pipe, SK__MEM_L0C, l0c < results.bytes && !whole_l0c ? l0c : results.bytes, results.address);
  uint32_t clear = side_elems(mm) * BYTES_PER_COLUMN;
  if (pipe->matmul_cleared_bytes >= clear) return;
  /* Bias and scales are read in whole units: what no column fills is zero. */
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE2, call->name, call->site);
  void *start = (void *)(uintptr_t)pipe->matmul_address[0];
  memset(start, 0, clear);
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, start, clear);
  sk__pipe_barrier(core, SK__PIPE_ALL);
  pipe->matmul_cleared_bytes = clear;
}

/* ---- a tile ------------------------------------------------------------------------------------------------------- */

typedef struct events { int32_t l1_free[2], l0_free[2], arrived, loaded; } events;
enum { MTE1_MTE2 = 1, MTE2_MTE1 = 0, MTE1_M = 2, M_MTE1 = 3 }; /* in the order of SK_HARD_EVENT_LIST */

static const uint8_t pipes_of[][2] = {
  [MTE2_MTE1] = {SK__PIPE_MTE2, SK__PIPE_MTE1}, [MTE1_MTE2] = {SK__PIPE_MTE1, SK__PIPE_MTE2},
  [MTE1_M] = {SK__PIPE_MTE1, SK__PIPE_M}, [M_MTE1] = {SK__PIPE_M, SK__PIPE_MTE1},
};

static void set(sk__core *core, uint32_t kind, int32_t id) { sk__set_flag(core, pipes_of[kind][0], pipes_of[kind][1], (uint32_t)id); }
static void wait(sk__core *core, uint32_t kind, int32_t id) { sk__wait_flag(core, pipes_of[kind][0], pipes_of[kind][1], (uint32_t)id); }

static events take_events(sk__core *core, const sk_matmul *mm) {
  events e;
  for (int i = 0; i < 2; i++) {
    e.l1_free[i] = sk_event_alloc(mm->pipe, MTE1_MTE2);
    e.l0_free[i] = sk_event_alloc(mm->pipe, M_MTE1);
    set(core, MTE1_MTE2, e.l1_free[i]);
    set(core, M_MTE1, e.l0_free[i]);
  }
  e.arrived = sk_event_alloc(mm->pipe, MTE2_MTE1);
  e.loaded = sk_event_alloc(mm->pipe, MTE1_M);
  return e;
}
static void give_events(sk__core *core, const sk_matmul *mm, const events *e) {
  for (int i = 0; i < 2; i++) {
    wait(core, MTE1_MTE2, e->l1_free[i]);
    wait(core, M_MTE1, e->l0_free[i]);
    sk_event_release(mm->pipe, MTE1_MTE2, e->l1_free[i]);
    sk_event_release(mm->pipe, M_MTE1, e->l0_free[i]);
  }
  sk_event_release(mm->pipe, MTE2_MTE1, e->arrived);
  sk_event_release(mm->pipe, MTE1_M, e->loaded);
}

/* Bias of the tile's columns: L1, then the bias table, as float or int32. */
static void load_bias(const sk__matmul_call *call, const sk_matmul *mm, const places *p, const sk__matmul_area *area) {
  sk__matmul_part x = {.from = &mm->bias, .rows = 1, .columns = area->columns, .column = area->n, .height = 1};
  sk__matmul_load_rows(call, &x, 0, 1, p->bias, 1);
  sk__core *core = call->core;
  uint32_t bytes = sk__matmul_bits(mm->bias.element) / 8;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  uint64_t length = sk__ceil_to((uint32_t)area->columns, L1_ROUND) * bytes;
  sk__l1_to_bt(sk__begin(SK__AIC, SK__PIPE_MTE1, call->name, call->site), p->table, (const void *)(uintptr_t)p->bias, mm->bias.element == SK_MATMUL_F16 ? 1 : 0,
               (sk__bursts){1, length, length, length});
}

static void multiply(const sk__matmul_call *call, const sk_matmul *mm, const places *p, const sk__matmul_area *area, int32_t k_size,
                     uint32_t piece, bool bias, bool zero) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_M, call->name, call->site);
  uint32_t bits = sk__matmul_bits(mm->a.element), n = sk__matmul_n_computed((uint32_t)area->columns, bits, !mm->b.transposed);
  uint32_t m = area->rows == 1 ? 2 : (uint32_t)area->rows; /* one row would be the other layout of A */
  void *c = (void *)(uintptr_t)p->l0c;
  const void *a = (const void *)(uintptr_t)(p->l0a + piece * p->l0a_step), *b = (const void *)(uintptr_t)(p->l0b + piece * p->l0b_step);
  const void *table = bias ? (const void *)(uintptr_t)p->table : NULL;
  if (!bias && !zero) sk__pipe_barrier(core, SK__PIPE_M);
  if (mm->sparse_index != 0) sk__mmad_sparse_run(core, c, a, b, table, m, (uint32_t)k_size, n, 0, bias, zero);
  else sk__mmad_run(core, mmad_type(mm->a.element), c, a, b, table, m, (uint32_t)k_size, n, 0, true, bias, zero);
}

/* A piece of each input from where it stands into L0A and L0B; the events say when L1 may be used and is free again. */
static void load_pieces(const sk__matmul_call *call, const sk_matmul *mm, const places *p, const sk__matmul_area *area, int32_t k,
                        int32_t size, uint32_t piece, const events *e) {
  sk__core *core = call->core;
  sk__matmul_part a = sk__matmul_part_of(mm, true, area->m, area->rows, k, size);
  sk__matmul_part b = sk__matmul_part_of(mm, false, area->n, area->columns, k, size);
  uint64_t l1_a = mm->a.in_l1 ? sk__matmul_in_l1(&a) : p->a + (uint64_t)piece * p->a_step;
  uint64_t l1_b = mm->b.in_l1 ? sk__matmul_in_l1(&b) : p->b + (uint64_t)piece * p->b_step;
  uint64_t index = p->index + (uint64_t)piece * p->index_step, l0b = p->l0b + piece * p->l0b_step;
  wait(core, MTE1_MTE2, e->l1_free[piece]);
  if (!mm->a.in_l1) sk__matmul_load_part(call, mm, &a, l1_a);
  if (!mm->b.in_l1) sk__matmul_load_part(call, mm, &b, l1_b);
  if (mm->sparse_index != 0) sk__matmul_load_index(call, mm, &b, index);
  set(core, MTE2_MTE1, e->arrived);
  wait(core, MTE2_MTE1, e->arrived);
  wait(core, M_MTE1, e->l0_free[piece]);
  sk__matmul_load_a(call, &a, l1_a, p->l0a + piece * p->l0a_step, (uint32_t)area->rows, (uint32_t)size);
  if (mm->sparse_index != 0) sk__matmul_load_sparse(call, &b, l1_b, index, l0b);
  else sk__matmul_load_b(call, &b, l1_b, l0b, (uint32_t)area->columns, (uint32_t)size);
  set(core, MTE1_MTE2, e->l1_free[piece]);
  set(core, MTE1_M, e->loaded);
  wait(core, MTE1_M, e->loaded);
}

void sk__matmul_compute(const sk__matmul_call *call, const sk_matmul *mm, uint32_t step, bool keep) {
  sk__core *core = call->core;
  places p = places_of(core, mm);
  sk__matmul_area area = sk__matmul_area_of(mm, step);
  if (left_out(mm, &area)) return;
  int32_t first = mm->partial_output ? (int32_t)(step % steps_of_tile(mm)) * mm->tiling.baseK : 0;
  int32_t end = mm->partial_output ? least(first + mm->tiling.baseK, mm->single_k) : mm->single_k;
  uint64_t ctrl = core->ctrl;
  if (mm->a.element == SK_MATMUL_F32) {
    sk__ctrl_set(core, SK__CTRL_HF32, mm->hf32);
    sk__ctrl_set(core, SK__CTRL_HF32_TIES, mm->hf32_toward_zero);
  }
  bool with_bias = mm->with_bias && !keep && first == 0;
  if (with_bias) load_bias(call, mm, &p, &area);
  events e = take_events(core, mm);
  for (int32_t k = first, n = 0; k < end; k += mm->tiling.baseK, n++) {
    uint32_t piece = (uint32_t)n % p.pieces;
    int32_t size = least(mm->tiling.baseK, end - k);
    load_pieces(call, mm, &p, &area, k, size, piece, &e);
    multiply(call, mm, &p, &area, size, piece, k == first && with_bias, k == first && !with_bias && !keep);
    set(core, M_MTE1, e.l0_free[piece]);
  }
  give_events(core, mm, &e);
  core->ctrl = ctrl;
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- the result --------------------------------------------------------------------------------------------------- */

/* The conversion from L0C; false: a finding said that there is none. */
static bool conversion(sk__core *core, const sk_matmul *mm, uint32_t to, sk__fix_element *element, QuantMode_t *mode) {
  bool integer = sums_are_integers(mm), scaled = true;
  switch ((sk_matmul_element)to) {
    case SK_MATMUL_F32: *element = SK__FIX_F32, *mode = NoQuant, scaled = false; break;
    case SK_MATMUL_I32: *element = SK__FIX_I32, *mode = NoQuant, scaled = false; break;
    case SK_MATMUL_BF16: *element = SK__FIX_BF16, *mode = F322BF16, scaled = false; break;
    case SK_MATMUL_F16:
      *element = SK__FIX_F16;
      scaled = integer;
      *mode = !integer ? F322F16 : mm->quant_per_column ? VDEQF16 : DEQF16;
      break;
    default:
      *element = to == SK_MATMUL_U8 ? SK__FIX_U8 : SK__FIX_I8;
      *mode = integer ? (mm->quant_per_column ? VREQ8 : REQ8) : mm->quant_per_column ? VQF322B8_PRE : QF322B8_PRE;
  }
  if (!scaled || mm->quant_given) return true;
  return missing(core, "the type of C needs a scale and none is given", "call SetQuantScalar or SetQuantVector before");
}

/* Scales of the tile's columns, from device memory through L1 or from L1, into the fixpipe's buffer. */
static void load_scales(const sk__matmul_call *call, const sk_matmul *mm, const places *p, const sk__matmul_area *area) {
  sk__core *core = call->core;
  uint64_t from = mm->quant_vector + (uint64_t)(uint32_t)area->n * 8, bytes = sk__ceil_to((uint32_t)area->columns * 8, SK__BLOCK_BYTES);
  if (!mm->quant_in_l1) {
    sk_matmul_operand scales = {.address = mm->quant_vector, .element = SK_MATMUL_I32}; /* 64 bits as two times 32 */
    sk__matmul_part x = {.from = &scales, .rows = 1, .columns = 2 * area->columns, .column = 2 * area->n, .height = 1};
    sk__matmul_load_rows(call, &x, 0, 1, p->scales, 1);
    from = p->scales;
    bytes = sk__ceil_to((uint32_t)area->columns * 8, FB_UNIT_BYTES);
  }
  sk__pipe_barrier(core, SK__PIPE_ALL);
  sk__core *fix = sk__begin(SK__AIC, SK__PIPE_FIX, call->name, call->site);
  sk__l1_to_fb(fix, (void *)(uintptr_t)p->buffer, (const void *)(uintptr_t)from, (sk__bursts){1, bytes, bytes, bytes});
  sk__pipe_barrier(core, SK__PIPE_FIX);
  core->fix_config[1] = p->buffer;
}

/* Where a tile goes and how far its rows or columns of blocks are apart. */
typedef struct destination { uint64_t address; uint32_t stride, columns; } destination;

static destination destination_of(const sk_matmul *mm, const sk__matmul_area *area, const sk_matmul_target *target) {
  uint32_t bytes = sk__matmul_bits(target->element) / 8, rows = (uint32_t)area->rows;
  destination d = {.address = target->address, .columns = (uint32_t)area->columns};
  if (target->format == SK_MATMUL_NZ) {
    uint32_t block = bytes == 1 ? 32 : target->channel_split ? 8 : 16;
    uint32_t height = sk__ceil_to(target->sequential ? rows : (uint32_t)(target->rows > 0 ? target->rows : mm->org_m), 16);
    d.stride = height * block * bytes / SK__BLOCK_BYTES;
    d.columns = sk__ceil_to(d.columns, target->channel_split ? 8 : 16);
    if (!target->sequential)
      d.address += (uint64_t)(uint32_t)area->n / block * d.stride * SK__BLOCK_BYTES + (uint64_t)(uint32_t)area->m * block * bytes;
    return d;
  }
  bool aligned = target->format == SK_MATMUL_ND_ALIGN;
  uint32_t whole = (uint32_t)(target->pitch > 0 ? target->pitch : mm->org_kc > 0 ? mm->org_kc : mm->org_n);
  uint32_t pitch = target->sequential ? d.columns : whole;
  d.stride = aligned ? sk__matmul_pitch(pitch, target->element) : pitch;
  if (!target->sequential) d.address += ((uint64_t)(uint32_t)area->m * d.stride + (uint32_t)area->n) * bytes;
  return d;
}

/* The kernel's own function takes the tile out of L0C. */
static void store_by_function(const sk__matmul_call *call, const sk_matmul *mm, const places *p, const sk__matmul_area *area,
                              const destination *d, bool nz) {
  uint32_t rows = sk__ceil_to(area->rows == 1 ? 2 : (uint32_t)area->rows, 16), columns = sk__ceil_to((uint32_t)area->columns, 16);
  sk_matmul_out out = {.cBurstNum = (uint16_t)(columns / 16), .burstLen = (uint16_t)((uint32_t)area->rows * SK__L0C_ALIGN / SK__BLOCK_BYTES),
                       .dstStride = d->stride, .oriNSize = (uint16_t)(nz ? 0 : area->columns), .quantScalar = mm->quant_scalar,
                       .cbufWorkspaceAddr = !mm->quant_per_column ? 0 : mm->quant_in_l1 ? mm->quant_vector + (uint64_t)(uint32_t)area->n * 8 : p->scales};
  mm->functions->copy_out(d->address, p->l0c, rows * columns * 4, &out, mm->user, mm->data);
  (void)sk__begin(SK__AIC, SK__PIPE_FIX, call->name, call->site);
  sk__pipe_barrier(call->core, SK__PIPE_ALL);
}

void sk__matmul_store(const sk__matmul_call *call, const sk_matmul *mm, uint32_t step, const sk_matmul_target *target) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_FIX, call->name, call->site);
  sk__matmul_area area = sk__matmul_area_of(mm, step);
  if (left_out(mm, &area)) return;
  places p = places_of(core, mm);
  sk__fix_element element;
  QuantMode_t mode;
  if (!conversion(core, mm, target->element, &element, &mode)) return;
  if (mm->quant_per_column && (mode == VDEQF16 || mode == VREQ8 || mode == VQF322B8_PRE)) load_scales(call, mm, &p, &area);
  else core->l0c_prequant = mm->quant_scalar;
  bool nz = target->format == SK_MATMUL_NZ;
  destination d = destination_of(mm, &area, target);
  if (mm->functions != NULL && mm->functions->copy_out != NULL) {
    store_by_function(call, mm, &p, &area, &d, nz);
    return;
  }
  static const uint8_t atomic_types[] = {[SK_MATMUL_F16] = 2, [SK_MATMUL_BF16] = 6, [SK_MATMUL_F32] = 1, [SK_MATMUL_I8] = 5,
                                         [SK_MATMUL_I4] = 0, [SK_MATMUL_I32] = 4, [SK_MATMUL_U8] = 0};
  uint32_t type = core->atomic_type, op = core->atomic_op, rows = (uint32_t)area.rows;
  if (target->atomic != 0) core->atomic_type = atomic_types[target->element], core->atomic_op = target->atomic - 1u;
  core->l0c_nd_params = 0;
  sk__fix(core, element, sums_are_integers(mm) ? SK__FIX_I32 : SK__FIX_F32, false, (void *)(uintptr_t)d.address,
          (const void *)(uintptr_t)p.l0c, (uint16_t)d.columns, (uint16_t)rows, d.stride, (uint16_t)sk__ceil_to(rows == 1 ? 2 : rows, 16),
          0, mode, 0, target->channel_split, !nz);
  core->atomic_type = type, core->atomic_op = op;
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

void sk__matmul_run(const sk__matmul_call *call, const sk_matmul *mm, const sk_matmul_target *target) {
  for (uint32_t step = 0; step < sk__matmul_steps(mm); step++) {
    sk__matmul_compute(call, mm, step, false);
    sk__matmul_store(call, mm, step, target);
  }
}
