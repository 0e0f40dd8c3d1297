/* Data movement of vector cores against a model that moves one byte at a time. */
#include "cube_fixture.h"

#define SPACE 65536u

typedef struct move {
  uint8_t *gm_a;         /* device memory */
  uint8_t ub[SPACE];     /* UB before, then after */
  uint32_t n, len, src_gap, dst_gap, left, right, elem;
  uint32_t ub_at, gm_at, ub_to;
  uint64_t pad;
} move;

/* The model: UB and device memory as two arrays. */
static uint8_t gm_image[SPACE], ub_image[SPACE];

static void refuse_kernel(sk__core *core, void *context) {
  move *m = context;
  asc_copy_gm2ub((void *)0, m->gm_a, 4096, 1, 0, 0);
  asc_copy_gm2ub((void *)(uintptr_t)16, m->gm_a, 64);
  asc_copy_gm2ub((void *)(uintptr_t)(192 * 1024 - 32), m->gm_a, 64);
  asc_copy_gm2ub_align((float *)0, (float *)m->gm_a, 1, 4, 9, 0, 0, 0);
  asc_copy_gm2ub_align((float *)0, (float *)m->gm_a, 1, 2097152, 0, 0, 0, 0);
  asc_copy_gm2ub((void *)0, m->gm_a + SPACE, 64);
  (void)core;
}
static void test_refuses_what_the_chip_cannot_do(void **state) {
  (void)state;
  sk__machine *machine = plain_machine();
  move *m = calloc(1, sizeof *m);
  m->gm_a = gm(machine, SPACE, ub_image);
  run_aiv(machine, refuse_kernel, m);
  assert_found(machine, "BAD_ARGUMENT");
  assert_found(machine, "LOCAL_MISALIGNED");
  assert_found(machine, "LOCAL_OUT_OF_BOUNDS");
  assert_found(machine, "GM_OUT_OF_BOUNDS");
  assert_int_equal(finding_count(machine), 6);
  sk__machine_destroy(machine);
}

static void nothing_kernel(sk__core *core, void *context) {
  move *m = context;
  asc_copy_gm2ub((void *)0, m->gm_a, 0);
  asc_copy_gm2ub((void *)0, m->gm_a, 31);
  asc_copy_gm2ub((void *)0, m->gm_a, 0, 1, 0, 0);
  asc_copy_ub2gm(m->gm_a, (void *)0, 3, 0, 0, 0);
  asc_copy_ub2gm_align(m->gm_a, (uint8_t *)0, 0, 5, 0, 0, 0, 0);
  (void)core;
}
static void test_zero_and_the_other_core_type_do_nothing(void **state) {
  (void)state;
  sk__machine *machine = plain_machine();
  move *m = calloc(1, sizeof *m);
  m->gm_a = gm(machine, SPACE, gm_image);
  run_aiv(machine, nothing_kernel, m);
  run_aic(machine, refuse_kernel, m);
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* One random instruction of each kind. UB is written and read behind the machine's back. */
typedef enum move_kind { GM2UB, UB2GM, UB2UB, GM2UB_Z, UB2GM_Z, UB2UB_Z, GM2UB_ALIGN, UB2GM_ALIGN, KINDS } move_kind;
typedef struct step { move *m; move_kind kind; } step;

static void random_kernel(sk__core *core, void *context) {
  step *s = context;
  move *m = s->m;
  uint8_t *ub = local(core, SK__MEM_UB);
  memcpy(ub, m->ub, SPACE);
  uint8_t *u = ub + m->ub_at, *g = m->gm_a + m->gm_at, *u2 = ub + m->ub_to;
  uint16_t n = (uint16_t)m->n, len = (uint16_t)m->len, sg = (uint16_t)m->src_gap, dg = (uint16_t)m->dst_gap;
  uint8_t left = (uint8_t)m->left, right = (uint8_t)m->right;
  switch (s->kind) {
    case GM2UB: asc_copy_gm2ub((void *)u, (void *)g, n, len, sg, dg); break;
    case UB2GM: asc_copy_ub2gm((void *)g, (void *)u, n, len, sg, dg); break;
    case UB2UB: asc_copy_ub2ub((void *)u2, (void *)u, n, len, sg, dg); break;
    case GM2UB_Z: asc_copy_gm2ub((void *)u, (void *)g, m->len); break;
    case UB2GM_Z: asc_copy_ub2gm((void *)g, (void *)u, m->len); break;
    case UB2UB_Z: asc_copy_ub2ub((void *)u2, (void *)u, m->len); break;
    case GM2UB_ALIGN:
      if (m->elem == 1) {
        asc_set_copy_pad_val((uint8_t)m->pad);
        asc_copy_gm2ub_align(u, g, n, m->len, left, right, m->src_gap, m->dst_gap);
      } else if (m->elem == 2) {
        asc_set_copy_pad_val((uint16_t)m->pad);
        asc_copy_gm2ub_align((half *)u, (half *)g, n, m->len, left, right, m->src_gap, m->dst_gap);
      } else {
        asc_set_copy_pad_val((uint32_t)m->pad);
        asc_copy_gm2ub_align((float *)u, (float *)g, n, m->len, left, right, m->src_gap, m->dst_gap);
      }
      break;
    case UB2GM_ALIGN:
      if (m->elem == 1) asc_copy_ub2gm_align(g, u, n, m->len, left, right, m->src_gap, m->dst_gap);
      if (m->elem == 2) asc_copy_ub2gm_align((int16_t *)g, (int16_t *)u, n, m->len, left, right, m->src_gap, m->dst_gap);
      if (m->elem == 4) asc_copy_ub2gm_align((int32_t *)g, (int32_t *)u, n, m->len, left, right, m->src_gap, m->dst_gap);
      break;
    case KINDS: break;
  }
  memcpy(m->ub, ub, SPACE);
}

static void model(const move *m, move_kind kind) {
  uint32_t n = m->n, bytes = m->len * 32, src = (m->len + m->src_gap) * 32, dst = (m->len + m->dst_gap) * 32;
  if (kind == GM2UB_Z || kind == UB2GM_Z || kind == UB2UB_Z) n = 1, bytes = m->len / 32 * 32, src = dst = 0;
  uint8_t *to = ub_image + m->ub_at, *from = gm_image + m->gm_at;
  if (kind == UB2GM || kind == UB2GM_Z || kind == UB2GM_ALIGN) to = gm_image + m->gm_at, from = ub_image + m->ub_at;
  if (kind == UB2UB || kind == UB2UB_Z) to = ub_image + m->ub_to, from = ub_image + m->ub_at;
  uint32_t left = m->left * m->elem, burst = (left + m->len + m->right * m->elem + 31) / 32 * 32;
  for (uint32_t i = 0; i < n; i++) {
    if (kind < GM2UB_ALIGN) {
      for (uint32_t b = 0; b < bytes; b++) to[i * dst + b] = from[i * src + b];
    } else if (kind == GM2UB_ALIGN) {
      uint8_t *start = to + i * (burst + m->dst_gap * 32);
      for (uint32_t b = 0; b < left; b++) start[b] = (uint8_t)(m->pad >> (b % m->elem * 8));
      for (uint32_t b = 0; b < m->len; b++) start[left + b] = from[i * (m->len + m->src_gap) + b];
      for (uint32_t b = left + m->len; b < burst; b++) start[b] = (uint8_t)(m->pad >> ((b - left - m->len) % m->elem * 8));
    } else {
      for (uint32_t b = 0; b < m->len; b++) to[i * (m->len + m->dst_gap) + b] = from[i * (burst + m->src_gap * 32) + left + b];
    }
  }
}

static void test_random_copies_equal_the_byte_model(void **state) {
  (void)state;
  random_state = sk_test_seed("moves");
  sk__machine *machine = plain_machine();
  move *m = calloc(1, sizeof *m);
  random_fill(gm_image, SPACE);
  m->gm_a = gm(machine, SPACE, gm_image);
  for (uint32_t round = 0; round < 800; round++) {
    move_kind kind = (move_kind)(round % KINDS);
    bool align = kind >= GM2UB_ALIGN, size = !align && kind >= GM2UB_Z;
    m->n = 1 + random_below(9);
    m->len = size ? random_below(4000) : align ? 1 + random_below(300) : 1 + random_below(20);
    m->src_gap = random_below(3) * random_below(8);
    m->dst_gap = random_below(3) * random_below(8);
    m->elem = 1u << random_below(3);
    if (align) m->len = (m->len + m->elem - 1) / m->elem * m->elem;
    m->left = random_below(2) * random_below(32 / m->elem + 1);
    m->right = random_below(2) * random_below(32 / m->elem + 1);
    m->pad = random_bits() & (m->elem == 4 ? UINT32_MAX : (1u << (8 * m->elem)) - 1);
    m->ub_at = random_below(256) * 32;
    m->ub_to = 32768 + random_below(256) * 32;
    m->gm_at = random_below(8192);
    random_fill(ub_image, SPACE);
    memcpy(m->ub, ub_image, SPACE);
    run_aiv(machine, random_kernel, &(step){m, kind});
    model(m, kind);
    assert_memory_equal(m->ub, ub_image, SPACE);
    static uint8_t back[SPACE];
    gm_read(machine, back, m->gm_a, SPACE);
    assert_memory_equal(back, gm_image, SPACE);
  }
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* Padding by the burst's first element, as the C++ layer asks for. */
static void first_element_kernel(sk__core *core, void *context) {
  move *m = context;
  asc_set_copy_pad_val((uint16_t)0xffff);
  sk_copy_gm2ub_pad(local(core, SK__MEM_UB), m->gm_a, 2, 2, 6, 1, 0, 2, 0, 2, 0);
  sk_copy_gm2ub_pad(local(core, SK__MEM_UB) + 64, m->gm_a, 2, 1, 6, 0, 1, 0, 0, 1, 0x1234);
  memcpy(m->ub, local(core, SK__MEM_UB), 96);
}
static void test_padding_by_first_element_or_by_value(void **state) {
  (void)state;
  sk__machine *machine = plain_machine();
  move *m = calloc(1, sizeof *m);
  const uint16_t source[8] = {1, 2, 3, 9, 4, 5, 6, 9};
  m->gm_a = gm(machine, sizeof source, source);
  run_aiv(machine, first_element_kernel, m);
  const uint16_t *row = (const uint16_t *)m->ub;
  const uint16_t want[3][4] = {{1, 1, 2, 3}, {4, 4, 5, 6}, {1, 2, 3, 0x1234}};
  const uint16_t rest[3] = {1, 4, 0x1234};
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t e = 0; e < 16; e++) assert_int_equal(row[16 * i + e], e < 4 ? want[i][e] : rest[i]);
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* Order: what a missing synchronisation is, and the repaired twin. */
static void unordered_kernel(sk__core *core, void *context) {
  move *m = context;
  (void)core;
  asc_copy_gm2ub((void *)0, m->gm_a, 1024);
  asc_copy_ub2gm(m->gm_a + 4096, (void *)0, 1024);
}
static void by_flag_kernel(sk__core *core, void *context) {
  move *m = context;
  (void)core;
  asc_copy_gm2ub((void *)0, m->gm_a, 1024);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  asc_sync_wait(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  asc_copy_ub2gm(m->gm_a + 4096, (void *)0, 1024);
}
static void by_sync_form_kernel(sk__core *core, void *context) {
  move *m = context;
  (void)core;
  asc_copy_gm2ub_sync((void *)0, m->gm_a, 1024);
  asc_copy_ub2ub_sync((void *)(uintptr_t)2048, (void *)0, 1024);
  asc_copy_ub2gm_sync(m->gm_a + 4096, (void *)(uintptr_t)2048, 1024);
}
static void by_transfer_sync_kernel(sk__core *core, void *context) {
  move *m = context;
  (void)core;
  asc_copy_gm2ub((void *)0, m->gm_a, 1024);
  asc_sync_mte2(0);
  asc_copy_ub2ub((void *)(uintptr_t)2048, (void *)0, 1024);
  asc_sync_vec();
  asc_copy_ub2gm(m->gm_a + 4096, (void *)(uintptr_t)2048, 1024);
  asc_sync_mte3(0);
  asc_copy_gm2ub((void *)(uintptr_t)2048, m->gm_a, 1024);
}
static void expect_order(half_fn kernel, const char *id) {
  sk__machine *machine = small_machine();
  random_fill(gm_image, SPACE);
  move *m = calloc(1, sizeof *m);
  m->gm_a = gm(machine, SPACE, gm_image);
  run_aiv(machine, kernel, m);
  if (id != NULL)
    assert_only(machine, id);
  else
    assert_silent(machine);
  static uint8_t back[1024];
  gm_read(machine, back, m->gm_a + 4096, 1024);
  assert_memory_equal(back, gm_image, 1024);
  sk__machine_destroy(machine);
}
static void test_missing_flag_between_load_and_store(void **state) { (void)state; expect_order(unordered_kernel, "SYNC_LOCAL"); }
static void test_flag_between_load_and_store(void **state) { (void)state; expect_order(by_flag_kernel, NULL); }
static void test_sync_forms_order_everything(void **state) { (void)state; expect_order(by_sync_form_kernel, NULL); }
static void test_transfer_syncs(void **state) { (void)state; expect_order(by_transfer_sync_kernel, NULL); }

/* Atomics of the mode register reach every later store, until it is switched off. */
static void atomic_kernel(sk__core *core, void *context) {
  move *m = context;
  float *ub = (float *)local(core, SK__MEM_UB);
  for (uint32_t i = 0; i < 16; i++) ub[i] = 1.5f;
  asc_set_atomic_add_float();
  asc_copy_ub2gm(m->gm_a, (void *)ub, 64);
  asc_copy_ub2gm(m->gm_a, (void *)ub, 64);
  asc_store_atomic_config cfg;
  asc_get_store_atomic_config(cfg);
  assert_int_equal(cfg.atomic_type, 1);
  asc_set_atomic_max_float();
  asc_copy_ub2gm(m->gm_a + 64, (void *)ub, 64);
  asc_set_atomic_none();
  asc_copy_ub2gm(m->gm_a + 128, (void *)ub, 64);
}
static void test_atomics(void **state) {
  (void)state;
  sk__machine *machine = plain_machine();
  move *m = calloc(1, sizeof *m);
  float before[48], after[48];
  for (uint32_t i = 0; i < 48; i++) before[i] = (float)(i % 16);
  m->gm_a = gm(machine, sizeof before, before);
  run_aiv(machine, atomic_kernel, m);
  gm_read(machine, after, m->gm_a, sizeof after);
  for (uint32_t i = 0; i < 16; i++) {
    assert_true(after[i] == (float)i + 3);
    assert_true(after[16 + i] == (i < 2 ? 1.5f : (float)i));
    assert_true(after[32 + i] == 1.5f);
  }
  assert_silent(machine);
  sk__machine_destroy(machine);
}

SK_TESTS(SK_TEST(test_refuses_what_the_chip_cannot_do), SK_TEST(test_zero_and_the_other_core_type_do_nothing),
         SK_TEST(test_random_copies_equal_the_byte_model), SK_TEST(test_padding_by_first_element_or_by_value),
         SK_TEST(test_missing_flag_between_load_and_store), SK_TEST(test_flag_between_load_and_store),
         SK_TEST(test_sync_forms_order_everything), SK_TEST(test_transfer_syncs), SK_TEST(test_atomics))
