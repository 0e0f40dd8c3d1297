/* cube_unwritten.c - bytes that nobody has written, on their way through the cube. Cold but for kernels that load them. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "isa/cube_unwritten.h"

enum {
  L0_BYTES = 64 << 10, L0C_BYTES = 128 << 10, BT_BYTES = 1 << 10, FB_BYTES = 8 << 10,
  L0_FRACTALS = L0_BYTES / 512, L0C_FRACTALS = L0C_BYTES / 1024,
};

/* The load that brought such bytes, and the first of them. */
typedef struct source {
  const char *instr; /* NULL: there are none */
  const void *site;
  sk__pipe pipe;
  uint64_t low, bytes; /* in L1 */
  sk__leaver leaver;
} source;

/* A fractal of C: what of it is made of such bytes, and how they came into it. */
typedef struct result {
  uint16_t columns[16]; /* by row: bit per column */
  uint16_t rows;        /* whole rows: by way of A; what else there is, by way of B or the bias */
  uint8_t first_row;    /* the row that by_row is of */
  const char *instr;    /* the product, NULL: nothing */
  const void *site;
  source by_row, by_column;
} result;

typedef struct unwritten {
  /* Empty when a kernel begins to need it. */
  source l0a_from[L0_FRACTALS], l0b_from[L0_FRACTALS], bt_from, fb_from;
  result l0c[L0C_FRACTALS];
  uint8_t bt[BT_BYTES], fb[FB_BYTES];
  /* Of fractals that have a source. */
  uint8_t l0a[L0_BYTES], l0b[L0_BYTES];
} unwritten;

static unwritten *in_use(sk__core *core) { return sk__cube_memory_of(core, sizeof(unwritten)); }

static uint64_t place(const sk__core *core, sk__mem mem, const void *at) {
  return (uint64_t)(uintptr_t)at - core->local - sk__mem_slot_offset(mem);
}

/* ---- masks ----------------------------------------------------------------------------------- */

static uint8_t *mask_of(unwritten *u, sk__mem mem) {
  return mem == SK__MEM_L0A ? u->l0a : mem == SK__MEM_L0B ? u->l0b : mem == SK__MEM_BT ? u->bt : u->fb;
}
static source *source_of(unwritten *u, sk__mem mem, uint64_t offset) {
  return mem == SK__MEM_L0A   ? &u->l0a_from[offset / SK__FRACTAL_BYTES]
         : mem == SK__MEM_L0B ? &u->l0b_from[offset / SK__FRACTAL_BYTES]
         : mem == SK__MEM_BT  ? &u->bt_from
                              : &u->fb_from;
}

static bool any_set(const uint8_t *mask, uint64_t bytes) { return bytes != 0 && (mask[0] != 0 || memcmp(mask, mask + 1, bytes - 1) != 0); }
static bool any_bit_set(const uint8_t *mask, uint64_t bits) {
  return any_set(mask, bits / 8) || (bits % 8 != 0 && (mask[bits / 8] & ((1u << bits % 8) - 1)) != 0);
}

typedef struct image { uint8_t *mask; uint64_t start; } image;
static void mark(void *context, uint64_t start, uint64_t bytes, sk__leaver leaver) {
  const image *to = context;
  (void)leaver;
  memset(to->mask + (start - to->start), 0xff, bytes);
}

bool sk__unwritten_begin(sk__unwritten_load *load, sk__core *core, sk__pipe pipe, sk__mem mem, const void *to, const void *from,
                         uint64_t span) {
  sk__framework *framework = sk__framework_of(core);
  unwritten *u = in_use(core);
  if (u == NULL) return false;
  if (!framework->unwritten) memset(u, 0, offsetof(unwritten, l0a));
  framework->unwritten = true;
  image whole = {core->scratch, (uint64_t)(uintptr_t)from};
  memset(whole.mask, 0, span);
  sk__shadow_local_unwritten(core->checker, &core->order, whole.start, span, mark, &whole);
  *load = (sk__unwritten_load){mask_of(u, mem) + place(core, mem, to), whole.mask, core, mem, pipe, to, from};
  return true;
}

static void note_first(void *context, uint64_t start, uint64_t bytes, sk__leaver leaver) {
  source *from = context;
  if (from->instr != NULL) return;
  from->low = start;
  from->bytes = bytes;
  from->leaver = leaver;
  from->instr = "";
}

void sk__unwritten_unit(const sk__unwritten_load *load, const void *to, const void *from, uint64_t bytes) {
  sk__core *core = load->core;
  source found = {0};
  sk__shadow_local_unwritten(core->checker, &core->order, (uint64_t)(uintptr_t)from, bytes, note_first, &found);
  bool table = load->mem == SK__MEM_BT || load->mem == SK__MEM_FB;
  if (found.instr != NULL) {
    found.instr = core->instr;
    found.site = core->site;
    found.pipe = load->pipe;
  } else if (table) {
    return; /* other parts of it may have such bytes */
  }
  *source_of(in_use(core), load->mem, place(core, load->mem, to)) = found;
}

/* ---- other data ------------------------------------------------------------------------------- */

static void forget_piece(unwritten *u, sk__mem mem, uint64_t offset, uint64_t bytes) {
  if (mem == SK__MEM_BT || mem == SK__MEM_FB) {
    memset(mask_of(u, mem) + offset, 0, bytes);
  } else if (mem == SK__MEM_L0C) {
    for (uint64_t at = offset; at < offset + bytes; at += SK__L0C_ALIGN) {
      result *r = &u->l0c[at / SK__L0C_FRACTAL_BYTES];
      uint32_t row = (uint32_t)(at % SK__L0C_FRACTAL_BYTES / SK__L0C_ALIGN);
      r->columns[row] = 0;
      r->rows = (uint16_t)(r->rows & ~(1u << row));
    }
  } else {
    for (uint64_t at = offset; at < offset + bytes; at += SK__FRACTAL_BYTES) source_of(u, mem, at)->instr = NULL;
  }
}

void sk__unwritten_forget(sk__core *core, sk__mem mem, const void *to, uint64_t n, uint64_t bytes, uint64_t step) {
  for (uint64_t i = 0; i < n; i++) forget_piece(in_use(core), mem, place(core, mem, to) + i * step, bytes);
}

/* ---- products --------------------------------------------------------------------------------- */

/* Of a group of four of A's elements each column of B takes two, whichever: all four count, some of them may not. */
static bool whole_group(const uint8_t *mask, uint32_t bytes) {
  for (uint32_t at = 0; at + 4 <= bytes; at += 4)
    if ((mask[at] & mask[at + 1] & mask[at + 2] & mask[at + 3]) == 0xff) return true;
  return false;
}

/* Where such bytes come into row `row` of a line of fractals, `step` apart in memory: k elements, C0 in each. */
static const source *in_row(const uint8_t *masks, const source *from, uint32_t fractal, uint32_t step, uint32_t row, uint32_t bits,
                            uint32_t k, bool groups) {
  uint32_t c0 = sk__c0(bits);
  for (uint32_t done = 0; done < k; done += c0, fractal += step) {
    if (from[fractal].instr == NULL) continue;
    uint32_t used = (k - done < c0 ? k - done : c0) * bits;
    const uint8_t *at = masks + (size_t)fractal * SK__FRACTAL_BYTES + row * SK__BLOCK_BYTES;
    if (groups ? whole_group(at, used / 8) : any_bit_set(at, used)) return &from[fractal];
  }
  return NULL;
}

static const source *in_flat_row(const unwritten *u, uint64_t offset, uint64_t bits) {
  for (uint64_t done = 0; done < bits; done += SK__FRACTAL_BYTES * 8) {
    uint64_t left = bits - done < SK__FRACTAL_BYTES * 8 ? bits - done : SK__FRACTAL_BYTES * 8, at = offset + done / 8;
    const source *from = &u->l0a_from[at / SK__FRACTAL_BYTES];
    if (from->instr != NULL && any_bit_set(u->l0a + at, left)) return from;
  }
  return NULL;
}

static const source *in_a(const unwritten *u, const sk__unwritten_product *p, uint64_t offset, uint32_t row) {
  if (p->gemv) return in_flat_row(u, offset, (uint64_t)p->k * p->bits);
  uint32_t fractal = (uint32_t)(offset / SK__FRACTAL_BYTES) + row / 16 * p->k_fractals;
  return in_row(u->l0a, u->l0a_from, fractal, 1, row % 16, p->bits, p->sparse ? 2 * p->k : p->k, p->sparse);
}

static const source *in_b(const unwritten *u, const sk__core *core, const sk__unwritten_product *p, uint32_t column) {
  uint32_t fractal = (uint32_t)(place(core, SK__MEM_L0B, p->b) / SK__FRACTAL_BYTES) + column / 16;
  const source *from = in_row(u->l0b, u->l0b_from, fractal, p->n_fractals, column % 16, p->bits, p->k, false);
  if (from != NULL || p->bias == NULL || u->bt_from.instr == NULL) return from;
  return any_set(u->bt + place(core, SK__MEM_BT, p->bias) + column * 4, 4) ? &u->bt_from : NULL;
}

/* The parts of a product that a fractal of C is made of. */
typedef struct parts {
  uint16_t rows, columns;
  uint32_t first_row;
  const source *by_row, *by_column;
} parts;

static void add_result(sk__core *core, result *r, const parts *x, uint32_t rows, bool keep) {
  if (!keep) {
    for (uint32_t i = 0; i < rows; i++) r->columns[i] = 0;
    r->rows = (uint16_t)(r->rows & ~((1u << rows) - 1));
  }
  if ((x->rows | x->columns) == 0) return;
  if (x->rows != 0 && (r->rows == 0 || x->first_row < r->first_row)) {
    r->by_row = *x->by_row;
    r->first_row = (uint8_t)x->first_row;
  }
  if (x->columns != 0) r->by_column = *x->by_column;
  for (uint32_t i = 0; i < rows; i++) r->columns[i] = (uint16_t)(r->columns[i] | ((x->rows >> i & 1) != 0 ? 0xffffu : x->columns));
  r->rows = (uint16_t)(r->rows | x->rows);
  r->instr = core->instr;
  r->site = core->site;
}

static uint32_t rows_of(const sk__unwritten_product *p, uint32_t first) { return p->m - first < 16 ? p->m - first : 16; }

static void find_rows(const unwritten *u, const sk__core *core, const sk__unwritten_product *p, uint32_t first, parts *x) {
  *x = (parts){0};
  for (uint32_t i = rows_of(p, first); i-- > 0;) {
    const source *from = in_a(u, p, place(core, SK__MEM_L0A, p->a), first + i);
    if (from == NULL) continue;
    x->rows = (uint16_t)(x->rows | 1u << i);
    x->first_row = i;
    x->by_row = from;
  }
}

static void find_columns(const unwritten *u, const sk__core *core, const sk__unwritten_product *p, uint32_t first, parts *x) {
  for (uint32_t i = 16; i-- > 0;) {
    const source *from = first + i < p->n ? in_b(u, core, p, first + i) : NULL;
    if (from == NULL) continue;
    x->columns = (uint16_t)(x->columns | 1u << i);
    x->by_column = from;
  }
}

void sk__unwritten_multiply(sk__core *core, const sk__unwritten_product *p) {
  unwritten *u = in_use(core);
  uint32_t first = (uint32_t)(place(core, SK__MEM_L0C, p->c) / SK__L0C_FRACTAL_BYTES), high = sk__ceil_div(p->m, 16);
  parts row_parts[L0C_FRACTALS];
  for (uint32_t i = 0; i < high; i++) find_rows(u, core, p, i * 16, &row_parts[i]);
  for (uint32_t j = 0; j < p->n_fractals; j++) {
    parts column_parts = {0};
    find_columns(u, core, p, j * 16, &column_parts);
    for (uint32_t i = 0; i < high; i++) {
      parts x = row_parts[i];
      x.columns = column_parts.columns;
      x.by_column = column_parts.by_column;
      add_result(core, &u->l0c[first + j * high + i], &x, rows_of(p, i * 16), p->keep);
    }
  }
}

/* ---- results ---------------------------------------------------------------------------------- */

/* An end of this core and kernel. */
static sk__end *add_end(const sk__core *core, sk__finding *f, const char *role, sk__pipe pipe, const char *instr, const void *site) {
  sk__end *end = &f->ends[f->end_count++];
  sk__instr_end(core, end);
  end->role = role;
  end->pipe = (int8_t)pipe;
  end->instr = instr;
  end->site = site;
  return end;
}

/* The running instruction stores what has come of `from`, by way of a product (NULL: as its scales). */
static void tell(sk__core *core, const source *from, const result *product, const char *remedy) {
  if (core->order.refused) return;
  bool left = from->leaver.stamp != 0;
  sk__finding f = {.category = SK__CAT_OPERATOR, .severity = SK__WARNING};
  sk__text_copy(f.id, sizeof f.id, left ? "H34" : "UNINITIALISED_READ");
  sk__text_copy(f.remedy, sizeof f.remedy, remedy);
  sk__end *reader = add_end(core, &f, "reader", from->pipe, from->instr, from->site);
  reader->address = from->low;
  reader->bytes = from->bytes;
  reader->mem = SK__MEM_L1;
  uint64_t at = place(core, SK__MEM_L1, (const void *)(uintptr_t)from->low);
  sk__text m = sk__text_on(f.message, sizeof f.message);
  sk__text_add(&m, "%s of AIC core %" PRIu32 " (block %" PRId32 ") loads L1 bytes 0x%" PRIx64 "..0x%" PRIx64, from->instr, core->index,
               reader->block, at, at + from->bytes - 1);
  if (left) {
    sk__end *writer = &f.ends[f.end_count++];
    sk__leaver_end(core->checker, from->leaver, writer);
    sk__text_add(&m, ", which this sub-kernel has not written: they hold what %s of %s left there",
                 writer->instr != NULL ? writer->instr : "an access", writer->kernel[0] != '\0' ? writer->kernel : "an earlier sub-kernel");
  } else {
    sk__text_add(&m, ", which this kernel has not written");
  }
  if (product != NULL) {
    (void)add_end(core, &f, "product", SK__PIPE_M, product->instr, product->site);
    sk__text_add(&m, "; %s takes them into its result, and %s stores that", product->instr, core->instr);
  } else {
    sk__text_add(&m, "; %s scales its result by them", core->instr);
  }
  (void)add_end(core, &f, "store", SK__PIPE_FIX, core->instr, core->site);
  sk__report(core->checker, &f);
}

void sk__unwritten_store(sk__core *core, const void *c, uint32_t rows, uint32_t columns, uint32_t src_stride, bool to_l1) {
  unwritten *u = in_use(core);
  const result *first = NULL;
  uint32_t first_row = 0;
  bool all = true;
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t b = 0; b < columns; b += 16) {
      uint64_t at = place(core, SK__MEM_L0C, c) + ((uint64_t)b / 16 * src_stride + r) * SK__L0C_ALIGN;
      const result *here = &u->l0c[at / SK__L0C_FRACTAL_BYTES];
      uint32_t row = (uint32_t)(at % SK__L0C_FRACTAL_BYTES / SK__L0C_ALIGN), wanted = columns - b < 16 ? (1u << (columns - b)) - 1 : 0xffffu;
      if ((here->columns[row] & wanted) != wanted) all = false;
      if ((here->columns[row] & wanted) == 0 || first != NULL) continue;
      first = here;
      first_row = row;
    }
  if (first == NULL || (to_l1 && !all)) return;
  tell(core, (first->rows >> first_row & 1) != 0 ? &first->by_row : &first->by_column, first,
       "write these bytes of L1 first, or keep what is made of them out of what is stored: a smaller K, fewer rows or columns");
}

void sk__unwritten_scales(sk__core *core, const void *scales, uint64_t bytes) {
  unwritten *u = in_use(core);
  if (u->fb_from.instr == NULL || !any_set(u->fb + place(core, SK__MEM_FB, scales), bytes)) return;
  tell(core, &u->fb_from, NULL, "write the scales into L1 first, one for each column that is stored");
}
