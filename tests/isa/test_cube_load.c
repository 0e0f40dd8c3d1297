/* The ways into the cube's memories against models that move one element at a time. */
#include "cube_fixture.h"

enum { SPACE = 65536 };
static uint8_t source[SPACE], before[SPACE], want[SPACE], got[SPACE];

typedef struct load {
  uint8_t *gm;
  uint32_t bits, which;
  uint16_t p[8];
  bool flag;
} load;

/* Copies `count` elements between two byte images; nibbles for 4 bits. */
static void copy_element(uint8_t *to, size_t t, const uint8_t *from, size_t f, uint32_t bits) {
  if (bits == 4) {
    uint32_t v = (uint32_t)(from[f / 2] >> (f % 2 * 4)) & 15u;
    to[t / 2] = (uint8_t)(t % 2 ? (to[t / 2] & 15u) | v << 4 : (to[t / 2] & 0xf0u) | v);
    return;
  }
  memcpy(to + t * (bits / 8), from + f * (bits / 8), bits / 8);
}

static void run_load(half_fn kernel, load *l) {
  sk__machine *machine = plain_machine();
  l->gm = gm(machine, SPACE, source);
  run_aic(machine, kernel, l);
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* ---- ND to Nz -------------------------------------------------------------------------------- */

static void nd2nz_kernel(sk__core *core, void *context) {
  load *l = context;
  uint8_t *l1 = local(core, SK__MEM_L1), *g = l->gm + 3 * (l->bits / 8);
  const uint16_t *p = l->p;
  memcpy(l1, before, SPACE);
  if (l->bits == 8) asc_copy_gm2l1_nd2nz((int8_t *)l1, (int8_t *)g, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
  if (l->bits == 16) asc_copy_gm2l1_nd2nz((half *)l1, (half *)g, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
  if (l->bits == 32) asc_copy_gm2l1_nd2nz((float *)l1, (float *)g, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
  memcpy(got, l1, SPACE);
}
static void test_nd2nz(void **state) {
  (void)state;
  random_state = sk_test_seed("nd2nz");
  random_fill(source, SPACE);
  for (uint32_t round = 0; round < 90; round++) {
    load l = {.bits = 8u << (round % 3)};
    uint32_t s = l.bits / 8, c0 = 32 / s;
    uint16_t rows = (uint16_t)(1 + random_below(40)), columns = (uint16_t)(1 + random_below(70));
    uint16_t nd = (uint16_t)(1 + random_below(3)), blocks = (uint16_t)((columns + c0 - 1) / c0);
    uint16_t n_stride = (uint16_t)(1 + random_below(2)), c0_stride = (uint16_t)(rows * n_stride + random_below(4));
    l.p[0] = nd, l.p[1] = rows, l.p[2] = columns;
    l.p[4] = (uint16_t)(columns + (round % 2) * random_below(9));
    l.p[3] = (uint16_t)(rows * l.p[4] + random_below(5));
    l.p[5] = c0_stride, l.p[6] = n_stride, l.p[7] = (uint16_t)((uint32_t)blocks * c0_stride * c0);
    if ((uint32_t)(nd * l.p[7]) * s > SPACE || (uint32_t)(nd * l.p[3]) * s + 64 > SPACE) continue;
    random_fill(before, SPACE);
    memcpy(want, before, SPACE);
    for (uint32_t i = 0; i < nd; i++)
      for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < blocks * c0; c++) {
          uint8_t *to = want + i * l.p[7] * s + c / c0 * c0_stride * 32 + r * n_stride * 32 + c % c0 * s;
          if (c < columns)
            memcpy(to, source + (3 + i * l.p[3] + r * l.p[4] + c) * s, s);
          else
            memset(to, 0, s);
        }
    run_load(nd2nz_kernel, &l);
    assert_memory_equal(got, want, SPACE);
  }
}

/* ---- fractals -------------------------------------------------------------------------------- */

static void fractal_kernel(sk__core *core, void *context) {
  load *l = context;
  const uint16_t *p = l->p;
  uint8_t *l1 = local(core, SK__MEM_L1), *l0a = local(core, SK__MEM_L0A), *l0b = local(core, SK__MEM_L0B), *to = l0a;
  memcpy(l1, source, SPACE);
  memcpy(l0a, before, SPACE);
  memcpy(l0b, before, SPACE);
  uint8_t repeat = (uint8_t)p[1];
  switch (l->which) {
    case 0: asc_copy_l12l0a((half *)l0a, (half *)l1, p[0], repeat, p[2], p[3]); break;
    case 1: asc_copy_l12l0b((int4b_t *)l0b, (int4b_t *)l1, p[0], repeat, p[2], p[3]), to = l0b; break;
    case 2: asc_copy_gm2l0a((float *)l0a, (float *)l->gm, p[0], repeat, p[2], p[3]); break;
    case 3: asc_copy_gm2l0b((int8_t *)l0b, (int8_t *)l->gm, p[0], repeat, p[2], p[3]), to = l0b; break;
    default:
      to = l1 + SPACE;
      memcpy(to, before, SPACE);
      asc_copy_gm2l1((half *)to, (half *)l->gm, p[0], repeat, p[2], p[3]);
      break;
  }
  memcpy(got, to, SPACE);
}
static void test_fractals_as_they_are(void **state) {
  (void)state;
  random_state = sk_test_seed("fractals");
  random_fill(source, SPACE);
  random_fill(before, SPACE);
  for (uint32_t round = 0; round < 40; round++) {
    load l = {.which = round % 5};
    l.p[0] = (uint16_t)random_below(10), l.p[1] = (uint16_t)(1 + random_below(12));
    l.p[2] = (uint16_t)random_below(8), l.p[3] = (uint16_t)random_below(4);
    memcpy(want, before, SPACE);
    for (uint32_t i = 0; i < l.p[1]; i++)
      memcpy(want + i * (1u + l.p[3]) * 512, source + (l.p[0] + i * l.p[2]) * 512, 512);
    run_load(fractal_kernel, &l);
    assert_memory_equal(got, want, SPACE);
  }
}

/* A square of side x side elements as consecutive fractals: element (r, c). */
static size_t square_at(uint32_t bits, uint32_t r, uint32_t c) {
  if (bits == 32) return c / 8 * 128 + r * 8 + c % 8;
  uint32_t c0 = 256 / bits;
  return (size_t)r * c0 + c; /* 16-row fractals one above the other */
}
static void trans_kernel(sk__core *core, void *context) {
  load *l = context;
  const uint16_t *p = l->p;
  uint8_t *l1 = local(core, SK__MEM_L1), *to = local(core, l->which ? SK__MEM_L0B : SK__MEM_L0A);
  memcpy(l1, source, SPACE);
  memcpy(to, before, SPACE);
  uint8_t n = (uint8_t)p[1];
  if (l->bits == 4) sk_copy_l12l0b_trans_b4(to, l1, p[0], n, p[2], p[3], l->flag, p[4]);
  else if (l->bits == 8 && l->which) asc_copy_l12l0b_trans((int8_t *)to, (int8_t *)l1, p[0], n, p[2], p[3], l->flag, p[4]);
  else if (l->bits == 8) asc_copy_l12l0a_trans((uint8_t *)to, (uint8_t *)l1, p[0], n, p[2], p[3], l->flag, p[4]);
  else if (l->bits == 16 && l->which) asc_copy_l12l0b_trans((half *)to, (half *)l1, p[0], n, p[2], p[3], l->flag, p[4]);
  else if (l->bits == 16) asc_copy_l12l0a_trans((bfloat16_t *)to, (bfloat16_t *)l1, p[0], n, p[2], p[3], l->flag, p[4]);
  else if (l->which) asc_copy_l12l0b_trans((float *)to, (float *)l1, p[0], n, p[2], p[3], l->flag, p[4]);
  else asc_copy_l12l0a_trans((uint32_t *)to, (uint32_t *)l1, p[0], n, p[2], p[3], l->flag, p[4]);
  memcpy(got, to, SPACE);
}
static void test_transposing_loads(void **state) {
  (void)state;
  random_state = sk_test_seed("transposing loads");
  random_fill(source, SPACE);
  random_fill(before, SPACE);
  for (uint32_t round = 0; round < 64; round++) {
    load l = {.bits = 4u << (round % 4), .which = round % 4 == 0 ? 1 : random_below(2), .flag = random_below(2)};
    uint32_t parts = l.bits == 4 ? 4 : l.bits == 16 ? 1 : 2, bytes = parts * 512, side = l.bits == 4 ? 64 : l.bits == 8 ? 32 : 16;
    l.p[1] = (uint16_t)(1 + random_below(4)), l.p[2] = (uint16_t)random_below(3);
    l.p[0] = (uint16_t)(6 + random_below(3)), l.p[4] = (uint16_t)random_below(3);
    l.p[3] = (uint16_t)(parts * (l.p[4] + 1u) - 1 + random_below(3));
    memcpy(want, before, SPACE);
    for (uint32_t i = 0; i < l.p[1]; i++) {
      uint32_t square = l.flag ? l.p[0] - i * l.p[2] : l.p[0] + i * l.p[2];
      for (uint32_t r = 0; r < side; r++)
        for (uint32_t c = 0; c < side; c++) { /* element (r, c) of the transposed square */
          uint32_t part = l.bits == 32 ? c / 8 : r / 16;
          uint32_t c0 = 256 / l.bits, in_part = (r % 16) * c0 + c % c0;
          copy_element(want + i * (l.p[3] + 1u) * 512 + part * (l.p[4] + 1u) * 512, in_part, source + square * bytes,
                       square_at(l.bits, c, r), l.bits);
        }
    }
    run_load(trans_kernel, &l);
    assert_memory_equal(got, want, SPACE);
  }
}
static void bad_decrement_kernel(sk__core *core, void *context) {
  (void)context;
  asc_copy_l12l0a_trans((half *)local(core, SK__MEM_L0A), (half *)local(core, SK__MEM_L1), 2, 3, 2, 0, true, 0);
}

/* ---- images ---------------------------------------------------------------------------------- */

typedef struct image_case {
  uint32_t h, w, c, left, right, top, bottom, sw, sh, fw, fh, dw, dh, k_start, m_start, k_ext, m_ext;
  int target; /* 0 L0A, 1 L0A transposed, 2 L0B */
} image_case;
static void image_kernel(sk__core *core, void *context) {
  const image_case *t = context;
  uint8_t *l1 = local(core, SK__MEM_L1), *to = local(core, t->target == 2 ? SK__MEM_L0B : SK__MEM_L0A);
  memcpy(l1, source, SPACE);
  asc_l13d_fmatrix_config f = {.config = 0};
  f.l1_h_size = (uint16_t)t->h, f.l1_w_size = (uint16_t)t->w;
  f.padding_left_size = (uint8_t)t->left, f.padding_right_size = (uint8_t)t->right;
  f.padding_top_size = (uint8_t)t->top, f.padding_bottom_size = (uint8_t)t->bottom;
  asc_set_l13d_fmatrix(f);
  asc_set_l13d_padding((uint16_t)0x1234);
#define ARGS                                                                                                      \
  (uint16_t)t->k_ext, (uint16_t)t->m_ext, (uint16_t)t->k_start, (uint16_t)t->m_start, (uint8_t)t->sw, (uint8_t)t->sh, \
      (uint8_t)t->fw, (uint8_t)t->fh, (uint8_t)t->dw, (uint8_t)t->dh, false, false, t->target == 1, false, (uint16_t)t->c
  if (t->target == 2)
    asc_copy_l12l0b((half *)to, (half *)l1, ARGS);
  else
    asc_copy_l12l0a((half *)to, (half *)l1, ARGS);
  memcpy(got, to, SPACE);
}
static void test_images_become_matrices(void **state) {
  (void)state;
  random_state = sk_test_seed("images");
  random_fill(source, SPACE);
  for (uint32_t round = 0; round < 40; round++) {
    image_case t = {.h = 3 + random_below(6), .w = 3 + random_below(6), .c = 16 * (1 + random_below(2)),
                    .left = random_below(2), .right = random_below(2), .top = random_below(2), .bottom = random_below(2),
                    .sw = 1 + random_below(2), .sh = 1 + random_below(2), .fw = 1 + random_below(3), .fh = 1 + random_below(3),
                    .dw = 1, .dh = 1, .target = (int)(round % 3)};
    uint32_t wo = (t.w + t.left + t.right - t.fw) / t.sw + 1, ho = (t.h + t.top + t.bottom - t.fh) / t.sh + 1;
    uint32_t k_all = t.c * t.fw * t.fh;
    t.k_start = 16 * random_below(k_all / 16);
    t.k_ext = 1 + random_below(k_all - t.k_start);
    t.m_start = random_below(wo * ho);
    t.m_ext = 1 + random_below(wo * ho - t.m_start);
    sk__machine *machine = plain_machine();
    run_aic(machine, image_kernel, &t);
    assert_silent(machine);
    sk__machine_destroy(machine);
    for (uint32_t m = 0; m < t.m_ext; m++)
      for (uint32_t k = 0; k < t.k_ext; k++) {
        uint32_t kk = t.k_start + k, mm = t.m_start + m;
        uint32_t c0 = kk % 16, kw = kk / 16 % t.fw, kh = kk / 16 / t.fw % t.fh, c1 = kk / 16 / t.fw / t.fh;
        int y = (int)(mm / wo * t.sh + kh) - (int)t.top, x = (int)(mm % wo * t.sw + kw) - (int)t.left;
        uint16_t value = 0x1234, found;
        if (y >= 0 && x >= 0 && y < (int)t.h && x < (int)t.w)
          memcpy(&value, source + (((c1 * t.h + (uint32_t)y) * t.w + (uint32_t)x) * 16 + c0) * 2, 2);
        uint32_t r = t.target ? k : m, col = t.target ? m : k;
        uint32_t rows1 = ((t.target ? t.k_ext : t.m_ext) + 15) / 16, cols1 = ((t.target ? t.m_ext : t.k_ext) + 15) / 16;
        uint32_t fractal = t.target == 2 ? col / 16 * rows1 + r / 16 : r / 16 * cols1 + col / 16;
        memcpy(&found, got + (fractal * 256 + r % 16 * 16 + col % 16) * 2, 2);
        assert_int_equal(found, value);
      }
  }
}

/* Elements of 32 bits, transposed on the way to L0A: fractals of 16 by 8 of the turned matrix. */
enum { FLOAT_M = 24, FLOAT_K = 40 };
static void float_image_kernel(sk__core *core, void *context) {
  (void)context;
  uint8_t *l1 = local(core, SK__MEM_L1), *to = local(core, SK__MEM_L0A);
  memcpy(l1, source, SPACE);
  asc_l13d_fmatrix_config f = {.config = 0};
  f.l1_h_size = 1, f.l1_w_size = FLOAT_M;
  asc_set_l13d_fmatrix(f);
  asc_copy_l12l0a((float *)to, (float *)l1, FLOAT_K, FLOAT_M, 0, 0, 1, 1, 1, 1, 1, 1, false, false, true, false, FLOAT_K);
  memcpy(got, to, SPACE);
}
static void test_float_image_transposed(void **state) {
  (void)state;
  random_state = sk_test_seed("float image");
  random_fill(source, SPACE);
  sk__machine *machine = plain_machine();
  run_aic(machine, float_image_kernel, NULL);
  assert_silent(machine);
  sk__machine_destroy(machine);
  for (uint32_t m = 0; m < FLOAT_M; m++)
    for (uint32_t k = 0; k < FLOAT_K; k++) {
      uint32_t fractal = k / 16 * (FLOAT_M / 8) + m / 8;
      assert_memory_equal(got + ((fractal * 16 + k % 16) * 8 + m % 8) * 4, source + ((k / 8 * FLOAT_M + m) * 8 + k % 8) * 4, 4);
    }
}

/* ---- tables, fills, bulk ----------------------------------------------------------------------- */

static void tables_kernel(sk__core *core, void *context) {
  load *l = context;
  uint8_t *l1 = local(core, SK__MEM_L1), *bt = local(core, SK__MEM_BT), *fb = local(core, SK__MEM_FB);
  asc_copy_gm2l1((void *)l1, (void *)l->gm, 4096);
  asc_copy_l12bt((uint64_t)bt, l1, 0, 256);
  asc_copy_l12bt((uint64_t)(bt + 256), l1 + 512, 0, 2, 1, 2, 1);
  asc_copy_l12bt((uint64_t)(bt + 512), l1 + 32, 1, 64);
  asc_copy_l12fb(fb, l1 + 64, 300);
  asc_copy_l12fb(fb + 512, l1 + 1024, 2, 1, 5, 2);
  asc_copy_l12gm((void *)(l->gm + 8192), (void *)l1, 2, 3, 1, 2);
  memcpy(got, bt, 1024);
  memcpy(got + 1024, fb, 2048);
}
static void test_tables_and_bulk(void **state) {
  (void)state;
  random_state = sk_test_seed("tables");
  random_fill(source, SPACE);
  sk__machine *machine = plain_machine();
  load l = {.gm = gm(machine, SPACE, source)};
  run_aic(machine, tables_kernel, &l);
  assert_silent(machine);
  assert_memory_equal(got, source, 256);
  assert_memory_equal(got + 256, source + 512, 64);
  assert_memory_equal(got + 256 + 128, source + 512 + 128, 64);
  for (uint32_t i = 0; i < 32; i++) {
    uint16_t h;
    memcpy(&h, source + 32 + 2 * i, 2);
    uint32_t f = sk__bits_from_f32(sk__f32_from_f16(h));
    assert_memory_equal(got + 512 + 4 * i, &f, 4);
  }
  assert_memory_equal(got + 1024, source + 64, 256);
  assert_memory_equal(got + 1024 + 512, source + 1024, 128);
  assert_memory_equal(got + 1024 + 512 + 256, source + 1024 + 160, 128);
  gm_read(machine, got, l.gm, SPACE);
  assert_memory_equal(got + 8192, source, 96);
  assert_memory_equal(got + 8192 + 96, source + 8192 + 96, 64);
  assert_memory_equal(got + 8192 + 160, source + 128, 96);
  sk__machine_destroy(machine);
}

static void fill_kernel(sk__core *core, void *context) {
  (void)context;
  uint8_t *l1 = local(core, SK__MEM_L1), *l0a = local(core, SK__MEM_L0A);
  memset(l1, 0xee, 1024);
  memset(l0a, 0xee, 4096);
  asc_fill_value_config cfg = {.config = 0};
  cfg.repeat = 2, cfg.blk_num = 1, cfg.dst_gap = 2;
  union { uint16_t u; half h; } value = {0x3c01};
  asc_fill_l1((half *)l1, value.h, cfg);
  asc_fill_l0a((uint32_t *)l0a, 0x01020304u, cfg);
  cfg.repeat = 0;
  asc_fill_l1((half *)(l1 + 512), value.h, cfg);
  memcpy(got, l1, 1024);
  memcpy(got + 1024, l0a, 4096);
}
static void test_fills(void **state) {
  (void)state;
  sk__machine *machine = plain_machine();
  run_aic(machine, fill_kernel, NULL);
  assert_silent(machine);
  for (uint32_t i = 0; i < 1024; i++)
    assert_int_equal(got[i], i < 32 || (i >= 96 && i < 128) ? (i % 2 ? 0x3c : 0x01) : 0xee);
  for (uint32_t i = 0; i < 4096; i++)
    assert_int_equal(got[1024 + i], i < 512 || (i >= 1536 && i < 2048) ? 4 - i % 4 : 0xee);
  sk__machine_destroy(machine);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void misuse_kernel(sk__core *core, void *context) {
  load *l = context;
  uint8_t *l1 = local(core, SK__MEM_L1), *l0a = local(core, SK__MEM_L0A);
  asc_l13d_fmatrix_config f = {.config = 0};
  f.l1_h_size = 4, f.l1_w_size = 4;
  switch (l->which) {
    case 0: asc_copy_gm2l1_nd2nz((half *)l1, (half *)l->gm, 4096, 1, 1, 1, 1, 1, 1, 1); break;
    case 1: asc_copy_gm2l1_nd2nz((half *)(l1 + 512 * 1024 - 64), (half *)l->gm, 1, 3, 16, 0, 16, 3, 1, 0); break;
    case 2: asc_copy_l12l0a((half *)(l0a + 65536 - 512), (half *)l1, 0, 2, 1, 0); break;
    case 3: asc_copy_l12l0a((half *)(l0a + 32), (half *)l1, 0, 1, 1, 0); break;
    case 4: bad_decrement_kernel(core, NULL); break;
    case 5: asc_copy_gm2l1_pad1((void *)l1, (void *)l->gm, 64); break;
    case 6: asc_load_image_to_cbuf((half *)l1, 1, 2, 3); break;
    case 7:
      asc_set_l13d_fmatrix(f);
      asc_copy_l12l0a((half *)l0a, (half *)l1, 16, 16, 8, 0, 1, 1, 1, 1, 1, 1, false, false, false, false, 16);
      break;
    case 8:
      asc_set_l13d_fmatrix(f);
      asc_copy_l12l0a((half *)l0a, (half *)l1, 16, 16, 0, 0, 64, 1, 1, 1, 1, 1, false, false, false, false, 16);
      break;
    case 9: asc_copy_l12bt((uint64_t)local(core, SK__MEM_BT), l1, 2, 64); break;
    default: break;
  }
}
static void test_misuse_is_found(void **state) {
  (void)state;
  const char *const ids[] = {"BAD_ARGUMENT", "LOCAL_OUT_OF_BOUNDS", "LOCAL_OUT_OF_BOUNDS", "LOCAL_MISALIGNED",
                             "BAD_ARGUMENT", "NOT_MODELLED", "NOT_MODELLED", "BAD_ARGUMENT", "BAD_ARGUMENT",
                             "BAD_ARGUMENT"};
  for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
    sk__machine *machine = plain_machine();
    load l = {.which = i, .gm = gm(machine, SPACE, source)};
    run_aic(machine, misuse_kernel, &l);
    assert_only(machine, ids[i]);
    sk__machine_destroy(machine);
  }
}

SK_TESTS(SK_TEST(test_misuse_is_found), SK_TEST(test_nd2nz), SK_TEST(test_fractals_as_they_are), SK_TEST(test_transposing_loads),
         SK_TEST(test_images_become_matrices), SK_TEST(test_float_image_transposed),
         SK_TEST(test_tables_and_bulk), SK_TEST(test_fills))
