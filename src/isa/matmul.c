/* matmul.c - one tile of a Matmul object on a cube core: pieces of K through L1 into L0A and L0B, two at a time,
 * multiply-adds in L0C, the result out with its conversion.
 *
 * The loads, multiply-adds and results are the instructions a kernel could issue itself, under the site of
 * the Matmul call. The size of the pieces is the tiling's baseK; how many of them L1 keeps is not followed
 * (depth, step), since that only takes time. */
#include <string.h>

#include "isa/cube.h"
#include "isa/matmul.h"
#include "kernel_operator/library.h"
#include "machine/framework.h"

#define L1_ROUND 64u        /* rows and columns of a piece in L1 are padded to what turned loads read */
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
uint32_t sk__matmul_tiles(const sk_matmul *mm) { return rows_of_tiles(mm) * columns_of_tiles(mm); }

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

/* iterateOrder 0 goes down M first, 1 along N. */
sk__matmul_area sk__matmul_area_of(const sk_matmul *mm, uint32_t step) {
  uint32_t down = rows_of_tiles(mm), along = columns_of_tiles(mm);
  bool m_first = mm->tiling.iterateOrder == 0;
  int32_t i = (int32_t)(m_first ? step % down : step / along), j = (int32_t)(m_first ? step / down : step % along);
  sk__matmul_area area = {.m = i * mm->tiling.baseM, .n = j * mm->tiling.baseN};
  area.rows = least(mm->tiling.baseM, mm->single_m - area.m);
  area.columns = least(mm->tiling.baseN, mm->single_n - area.n);
  return area;
}

/* Bytes of a piece of A or B in L1, and in L0 (rows of 16, turned squares whole). */
static uint32_t piece_bytes(uint32_t rows, uint32_t columns, uint32_t bits) {
  return sk__ceil_to(rows, L1_ROUND) * sk__ceil_to(columns, L1_ROUND) * bits / 8;
}
static uint32_t square_side(uint32_t bits) { return bits == 4 ? 64 : bits == 8 ? 32 : 16; }
static uint32_t l0_bytes(uint32_t outer, uint32_t k, uint32_t bits) {
  uint32_t side = square_side(bits);
  return sk__ceil_to(outer, side) * sk__ceil_to(k, side) * bits / 8;
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
  return fits(core, "a piece of A (baseM x baseK), in bytes,", l0_bytes((uint32_t)t->baseM, (uint32_t)t->baseK, bits), SK__MEM_L0A) &&
         fits(core, "a piece of B (baseK x baseN), in bytes,", l0_bytes((uint32_t)t->baseN, (uint32_t)t->baseK, bits), SK__MEM_L0B) &&
         fits(core, "a tile of C (baseM x baseN), in bytes,",
              (uint64_t)sk__ceil_to((uint32_t)t->baseM, 16) * sk__ceil_to((uint32_t)t->baseN, 16) * 4, SK__MEM_L0C);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Where things stand: bias and scales at the start of L1, then two pieces of A and of B. */
typedef struct places {
  uint64_t bias, scales, a, b, l0a, l0b, table, buffer;
  uint32_t a_step, b_step, l0a_step, l0b_step;
  uint32_t pieces; /* at a time: 2, or 1 where L0 is too small */
} places;

static uint32_t side_bytes(const sk_matmul *mm) { return sk__ceil_to((uint32_t)mm->tiling.baseN, L1_ROUND); }
static places places_of(sk__core *core, const sk_matmul *mm) {
  uint32_t bits = sk__matmul_bits(mm->a.element), m = (uint32_t)mm->tiling.baseM, n = (uint32_t)mm->tiling.baseN,
           k = (uint32_t)mm->tiling.baseK;
  places p = {.bias = mm->l1, .scales = mm->l1 + side_bytes(mm) * 4};
  p.a = p.scales + side_bytes(mm) * 8;
  p.l0a = sk__local_place_of(core, SK__MEM_L0A).address;
  p.l0b = sk__local_place_of(core, SK__MEM_L0B).address;
  p.table = sk__local_place_of(core, SK__MEM_BT).address;
  p.buffer = sk__local_place_of(core, SK__MEM_FB).address;
  p.l0a_step = l0_bytes(m, k, bits);
  p.l0b_step = l0_bytes(n, k, bits);
  p.pieces = p.l0a_step * 2 <= sk__local_place_of(core, SK__MEM_L0A).bytes &&
                     p.l0b_step * 2 <= sk__local_place_of(core, SK__MEM_L0B).bytes ? 2 : 1;
  p.a_step = piece_bytes(m, k, bits);
  p.b_step = piece_bytes(n, k, bits);
  p.b = p.a + (uint64_t)p.pieces * p.a_step;
  return p;
}

static uint64_t take(sk_pipe *pipe, uint32_t memory, uint32_t bytes, uint64_t *address, uint32_t *have) {
  if (*have < bytes) {
    *address = sk_pipe_init_buffer(pipe, NULL, memory, bytes).address;
    *have = bytes;
  }
  return *address;
}
void sk__matmul_take_memory(const sk__matmul_call *call, sk_matmul *mm) {
  places p = places_of(call->core, mm);
  uint32_t l1 = side_bytes(mm) * 12 + p.pieces * (p.a_step + p.b_step), had = mm->l1_bytes;
  (void)take(mm->pipe, SK__MEM_L1, l1, &mm->l1, &mm->l1_bytes);
  uint32_t l0c = sk__ceil_to((uint32_t)mm->tiling.baseM, 16) * sk__ceil_to((uint32_t)mm->tiling.baseN, L1_ROUND) * 4;
  uint32_t most = sk__local_place_of(call->core, SK__MEM_L0C).bytes;
  (void)take(mm->pipe, SK__MEM_L0C, l0c < most ? l0c : most, &mm->l0c, &mm->l0c_bytes);
  if (had == mm->l1_bytes) return;
  /* Bias and scales are read in whole units: what no column fills is zero. */
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE2, call->name, call->site);
  memset((void *)(uintptr_t)mm->l1, 0, (size_t)side_bytes(mm) * 12);
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, (const void *)(uintptr_t)mm->l1, (uint64_t)side_bytes(mm) * 12);
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- into L1 ------------------------------------------------------------------------------------------------ */

/* A rectangle of an input as it is stored, and where it goes: Nz with `height` rows per column block; `groups`:
 * every 16 rows an Nz of their own, which turned loads of 32-bit elements want. */
typedef struct part {
  const sk_matmul_operand *from;
  int32_t row, rows, column, columns;
  int32_t all_rows, pitch; /* of the whole matrix */
  uint32_t height;
  bool groups;
} part;

static void load_rows(const sk__matmul_call *call, const part *x, int32_t row, int32_t rows, uint64_t to, uint32_t height) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE2, call->name, call->site);
  uint32_t bits = sk__matmul_bits(x->from->element), c0 = sk__c0(bits);
  if (x->from->format == SK_MATMUL_NZ) {
    uint64_t block = (uint64_t)sk__ceil_to((uint32_t)x->all_rows, 16) * SK__BLOCK_BYTES;
    uint64_t from = x->from->address + (uint32_t)x->column / c0 * block + (uint64_t)row * SK__BLOCK_BYTES;
    uint64_t bytes = (uint64_t)sk__ceil_to((uint32_t)rows, 16) * SK__BLOCK_BYTES;
    sk__bursts b = {sk__ceil_div((uint32_t)x->columns, c0), bytes, block, (uint64_t)height * SK__BLOCK_BYTES};
    sk__move_gm_to_local(core, SK__PIPE_MTE2, SK__MEM_L1, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, b, SK__BLOCK_BYTES);
    return;
  }
  uint32_t bytes = bits < 8 ? 1 : bits / 8, per_byte = bits < 8 ? 8 / bits : 1; /* int4: pairs, as bytes */
  sk__nd2nz p = {.elem_bytes = bytes, .nd_num = 1, .rows = (uint32_t)rows, .columns = (uint32_t)x->columns / per_byte,
                 .src_row = (uint32_t)x->pitch / per_byte, .c0_stride = height, .row_stride = 1};
  uint64_t from = x->from->address + ((uint64_t)row * (uint32_t)x->pitch + (uint32_t)x->column) / per_byte * bytes;
  sk__nd2nz_run(core, &p, (void *)(uintptr_t)to, (const void *)(uintptr_t)from);
}

static void load_part(const sk__matmul_call *call, const part *x, uint64_t to) {
  if (!x->groups) {
    load_rows(call, x, x->row, x->rows, to, x->height);
    return;
  }
  uint64_t group = (uint64_t)sk__ceil_to((uint32_t)x->columns, 16) * 16 * 4;
  for (int32_t r = 0; r < x->rows; r += 16) load_rows(call, x, x->row + r, least(16, x->rows - r), to + (uint64_t)r / 16 * group, 16);
}

/* A or B: rows and columns of the piece [outer.., k..]; `turned` when its rows are those of K for A, not of K for B. */
static part part_of(const sk_matmul *mm, bool is_a, int32_t outer, int32_t outer_size, int32_t k, int32_t k_size) {
  const sk_matmul_operand *from = is_a ? &mm->a : &mm->b;
  bool k_is_row = from->transposed == is_a;
  uint32_t bits = sk__matmul_bits(from->element);
  part x = {.from = from};
  int32_t org_k = is_a ? mm->org_ka : mm->org_kb, org_outer = is_a ? mm->org_m : mm->org_n;
  x.row = k_is_row ? k : outer;
  x.rows = k_is_row ? k_size : outer_size;
  x.column = k_is_row ? outer : k;
  x.columns = k_is_row ? outer_size : k_size;
  x.all_rows = from->rows != 0 ? from->rows : k_is_row ? org_k : org_outer;
  x.pitch = from->pitch != 0 ? from->pitch : k_is_row ? org_outer : org_k;
  bool turn = is_a ? from->transposed : !from->transposed;
  x.groups = turn && bits == 32;
  x.height = sk__ceil_to((uint32_t)x.rows, turn ? square_side(bits) : 16);
  return x;
}

/* ---- into L0A and L0B ------------------------------------------------------------------------------------------ */

static sk__core *loader(const sk__matmul_call *call) { return sk__begin(SK__AIC, SK__PIPE_MTE1, call->name, call->site); }
static void *fractal(uint64_t base, uint32_t index) { return (void *)(uintptr_t)(base + (uint64_t)index * SK__FRACTAL_BYTES); }

/* Fractals of K in a row of L0A, in a column of L0B: 32-bit elements in pairs, as Mmad's direction align has it. */
static uint32_t k_fractals(uint32_t k, uint32_t bits) { return bits == 32 ? sk__ceil_div(k, 16) * 2 : sk__ceil_div(k, sk__c0(bits)); }
/* Columns that Mmad computes: whole squares, where loads write those. */
static uint32_t n_computed(uint32_t n, uint32_t bits, bool turned) { return turned ? sk__ceil_to(n, square_side(bits)) : n; }

/* Squares that lie side by side in row group g of the part; square i's fractals go to `first` + i * step + f * apart. */
static void load_squares(const sk__matmul_call *call, sk__mem mem, const part *x, uint64_t from, uint32_t g, uint64_t to,
                         uint32_t first, uint32_t step, uint32_t apart) {
  uint32_t bits = sk__matmul_bits(x->from->element), side = square_side(bits);
  uint32_t count = sk__ceil_div((uint32_t)x->columns, side), index = x->groups ? g * count : g, stride = x->groups ? 1 : x->height / side;
  sk__l1_transposed(loader(call), mem, bits, fractal(to, first), (const void *)(uintptr_t)from, (uint16_t)index, (uint8_t)count,
                    (uint16_t)stride, (uint16_t)(step - 1), false, (uint16_t)(apart - 1));
}

static void load_a(const sk__matmul_call *call, const part *x, uint64_t from, uint64_t to, uint32_t m, uint32_t k) {
  uint32_t bits = sk__matmul_bits(x->from->element), k1 = k_fractals(k, bits), side = square_side(bits);
  if (x->from->transposed) {
    for (uint32_t g = 0; g * side < k; g++)
      if (x->groups) load_squares(call, SK__MEM_L0A, x, from, g, to, 2 * g, k1, 1);
      else load_squares(call, SK__MEM_L0A, x, from, g, to, g, side / 16 * k1, k1);
    return;
  }
  for (uint32_t r = 0; r * 16 < m; r++)
    sk__l1_fractals(loader(call), SK__MEM_L0A, fractal(to, r * k1), (const void *)(uintptr_t)from, (uint16_t)r,
                    (uint8_t)sk__ceil_div(k, sk__c0(bits)), (uint16_t)(x->height / 16), 0);
}

static void load_b(const sk__matmul_call *call, const part *x, uint64_t from, uint64_t to, uint32_t n, uint32_t k) {
  uint32_t bits = sk__matmul_bits(x->from->element), side = square_side(bits), n1 = sk__ceil_div(n_computed(n, bits, !x->from->transposed), 16);
  if (!x->from->transposed) {
    for (uint32_t g = 0; g * side < k; g++)
      if (x->groups) load_squares(call, SK__MEM_L0B, x, from, g, to, 2 * g * n1, 1, n1);
      else load_squares(call, SK__MEM_L0B, x, from, g, to, g * n1, side / 16, 1);
    return;
  }
  for (uint32_t f = 0; f * sk__c0(bits) < k; f++)
    sk__l1_fractals(loader(call), SK__MEM_L0B, fractal(to, f * n1), (const void *)(uintptr_t)from, (uint16_t)(f * (x->height / 16)),
                    (uint8_t)n1, 1, 0);
}

/* ---- a tile ------------------------------------------------------------------------------------------------------- */

typedef struct events { int32_t l1_free[2], l0_free[2], arrived, loaded; } events;
enum { MTE1_MTE2 = 1, MTE2_MTE1 = 0, MTE1_M = 2, M_MTE1 = 3 }; /* in the order of SK_HARD_EVENT_LIST */

static void set(sk__core *core, uint32_t kind, int32_t id) {
  static const uint8_t pipes[][2] = {{SK__PIPE_MTE2, SK__PIPE_MTE1}, {SK__PIPE_MTE1, SK__PIPE_MTE2}, {SK__PIPE_MTE1, SK__PIPE_M},
                                     {SK__PIPE_M, SK__PIPE_MTE1}};
  sk__set_flag(core, pipes[kind][0], pipes[kind][1], (uint32_t)id);
}
static void wait(sk__core *core, uint32_t kind, int32_t id) {
  static const uint8_t pipes[][2] = {{SK__PIPE_MTE2, SK__PIPE_MTE1}, {SK__PIPE_MTE1, SK__PIPE_MTE2}, {SK__PIPE_MTE1, SK__PIPE_M},
                                     {SK__PIPE_M, SK__PIPE_MTE1}};
  sk__wait_flag(core, pipes[kind][0], pipes[kind][1], (uint32_t)id);
}

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
  part x = {.from = &mm->bias, .rows = 1, .columns = area->columns, .column = area->n, .height = 1};
  load_rows(call, &x, 0, 1, p->bias, 1);
  sk__core *core = call->core;
  uint32_t bytes = sk__matmul_bits(mm->bias.element) / 8;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  uint64_t length = sk__ceil_to((uint32_t)area->columns, L1_ROUND) * bytes;
  sk__l1_to_bt(loader(call), p->table, (const void *)(uintptr_t)p->bias, mm->bias.element == SK_MATMUL_F16 ? 1 : 0,
               (sk__bursts){1, length, length, length});
}

static void multiply(const sk__matmul_call *call, const sk_matmul *mm, const places *p, const sk__matmul_area *area, int32_t k_size,
                     uint32_t piece, bool first, bool keep) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_M, call->name, call->site);
  uint32_t bits = sk__matmul_bits(mm->a.element), n = n_computed((uint32_t)area->columns, bits, !mm->b.transposed);
  uint32_t m = area->rows == 1 ? 2 : (uint32_t)area->rows; /* one row would be the other layout of A */
  bool bias = first && mm->with_bias;
  const void *a = (const void *)(uintptr_t)(p->l0a + piece * p->l0a_step), *b = (const void *)(uintptr_t)(p->l0b + piece * p->l0b_step);
  if (!first || keep) sk__pipe_barrier(core, SK__PIPE_M);
  sk__mmad_run(core, mmad_type(mm->a.element), (void *)(uintptr_t)mm->l0c, a, b, bias ? (const void *)(uintptr_t)p->table : NULL, m,
               (uint32_t)k_size, n, 0, true, bias, first && !keep && !bias);
}

void sk__matmul_compute(const sk__matmul_call *call, const sk_matmul *mm, uint32_t step, bool keep) {
  sk__core *core = call->core;
  places p = places_of(core, mm);
  sk__matmul_area area = sk__matmul_area_of(mm, step);
  uint64_t ctrl = core->ctrl;
  if (mm->a.element == SK_MATMUL_F32) {
    sk__ctrl_set(core, SK__CTRL_HF32, mm->hf32);
    sk__ctrl_set(core, SK__CTRL_HF32_TIES, mm->hf32_toward_zero);
  }
  if (mm->with_bias && !keep) load_bias(call, mm, &p, &area);
  events e = take_events(core, mm);
  for (int32_t k = 0, n = 0; k < mm->single_k; k += mm->tiling.baseK, n++) {
    uint32_t piece = (uint32_t)n % p.pieces;
    int32_t size = least(mm->tiling.baseK, mm->single_k - k);
    part a = part_of(mm, true, area.m, area.rows, k, size), b = part_of(mm, false, area.n, area.columns, k, size);
    uint64_t l1_a = p.a + (uint64_t)piece * p.a_step, l1_b = p.b + (uint64_t)piece * p.b_step;
    wait(core, MTE1_MTE2, e.l1_free[piece]);
    load_part(call, &a, l1_a);
    load_part(call, &b, l1_b);
    set(core, MTE2_MTE1, e.arrived);
    wait(core, MTE2_MTE1, e.arrived);
    wait(core, M_MTE1, e.l0_free[piece]);
    load_a(call, &a, l1_a, p.l0a + piece * p.l0a_step, (uint32_t)area.rows, (uint32_t)size);
    load_b(call, &b, l1_b, p.l0b + piece * p.l0b_step, (uint32_t)area.columns, (uint32_t)size);
    set(core, MTE1_MTE2, e.l1_free[piece]);
    set(core, MTE1_M, e.loaded);
    wait(core, MTE1_M, e.loaded);
    multiply(call, mm, &p, &area, size, piece, n == 0, keep);
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

static void load_scales(const sk__matmul_call *call, const sk_matmul *mm, const places *p, const sk__matmul_area *area) {
  sk_matmul_operand scales = {.address = mm->quant_vector, .element = SK_MATMUL_I32}; /* 64 bits as two times 32 */
  part x = {.from = &scales, .rows = 1, .columns = 2 * area->columns, .column = 2 * area->n, .height = 1};
  load_rows(call, &x, 0, 1, p->scales, 1);
  sk__core *core = call->core;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  uint64_t bytes = sk__ceil_to((uint32_t)area->columns * 8, FB_UNIT_BYTES);
  sk__core *fix = sk__begin(SK__AIC, SK__PIPE_FIX, call->name, call->site);
  sk__l1_to_fb(fix, (void *)(uintptr_t)p->buffer, (const void *)(uintptr_t)p->scales, (sk__bursts){1, bytes, bytes, bytes});
  sk__pipe_barrier(core, SK__PIPE_FIX);
  core->fix_config[1] = p->buffer;
}

void sk__matmul_store(const sk__matmul_call *call, const sk_matmul *mm, uint32_t step, const sk_matmul_target *target) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_FIX, call->name, call->site);
  sk__matmul_area area = sk__matmul_area_of(mm, step);
  places p = places_of(core, mm);
  sk__fix_element element;
  QuantMode_t mode;
  if (!conversion(core, mm, target->element, &element, &mode)) return;
  if (mm->quant_per_column && (mode == VDEQF16 || mode == VREQ8 || mode == VQF322B8_PRE)) load_scales(call, mm, &p, &area);
  else core->l0c_prequant = mm->quant_scalar;
  uint32_t bytes = sk__matmul_bits(target->element) / 8, rows = (uint32_t)area.rows, columns = (uint32_t)area.columns;
  uint32_t from_height = sk__ceil_to(rows == 1 ? 2 : rows, 16);
  bool nz = target->format == SK_MATMUL_NZ;
  uint64_t to = target->address;
  uint32_t stride;
  if (nz) {
    uint32_t block = bytes == 1 ? 32 : 16, height = sk__ceil_to(target->sequential ? rows : (uint32_t)(target->rows > 0 ? target->rows : mm->org_m), 16);
    stride = height * block * bytes / SK__BLOCK_BYTES;
    columns = sk__ceil_to(columns, 16);
    if (!target->sequential) to += (uint64_t)(uint32_t)area.n / block * stride * SK__BLOCK_BYTES + (uint64_t)(uint32_t)area.m * block * bytes;
  } else {
    bool aligned = target->format == SK_MATMUL_ND_ALIGN;
    uint32_t whole = (uint32_t)(target->pitch > 0 ? target->pitch : mm->org_kc > 0 ? mm->org_kc : mm->org_n);
    stride = target->sequential ? (aligned ? sk__matmul_pitch(columns, target->element) : columns)
                                : aligned ? sk__matmul_pitch(whole, target->element) : whole;
    if (!target->sequential) to += ((uint64_t)(uint32_t)area.m * stride + (uint32_t)area.n) * bytes;
  }
  static const uint8_t atomic_types[] = {[SK_MATMUL_F16] = 2, [SK_MATMUL_BF16] = 6, [SK_MATMUL_F32] = 1, [SK_MATMUL_I8] = 5,
                                         [SK_MATMUL_I4] = 0, [SK_MATMUL_I32] = 4, [SK_MATMUL_U8] = 0};
  uint32_t type = core->atomic_type, op = core->atomic_op;
  if (target->atomic != 0) core->atomic_type = atomic_types[target->element], core->atomic_op = target->atomic - 1u;
  core->l0c_nd_params = 0;
  sk__fix(core, element, sums_are_integers(mm) ? SK__FIX_I32 : SK__FIX_F32, false, (void *)(uintptr_t)to,
          (const void *)(uintptr_t)mm->l0c, (uint16_t)columns, (uint16_t)rows, stride, (uint16_t)from_height, 0, mode, 0, false, !nz);
  core->atomic_type = type, core->atomic_op = op;
  sk__pipe_barrier(core, SK__PIPE_ALL);
}
