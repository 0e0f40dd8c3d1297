/* twin_fixture.c - see twin_fixture.h. */
#include "twin_fixture.h"

static sk__verifier *verifier;

static uint32_t my_index(const sk__core *core) {
  return core->type == SK__AIC ? core->block_idx : core->block_idx * core->ratio + core->sub_block;
}

/* Not inlined: the place is in the kernel that calls. */
__attribute__((noinline)) static void load(uint64_t from, void *to) {
  sk__enter(SK__PIPE_MTE2, "load", __builtin_return_address(0));
  (void)sk__gm_load(sk__self, SK__PIPE_MTE2, to, from, 32);
}

__attribute__((noinline)) static void store(uint64_t to, const void *from) {
  sk__pipe pipe = sk__self->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3;
  sk__enter(pipe, "store", __builtin_return_address(0));
  (void)sk__gm_store(sk__self, pipe, to, from, 32);
}

static void barrier(void) {
  sk__enter(SK__PIPE_S, "barrier", NULL);
  sk__pipe_barrier(sk__self, SK__PIPE_ALL);
}

static void add_kernel(const void *raw) {
  const twin_args *a = raw;
  uint32_t words[8];
  for (uint32_t slot = my_index(sk__self); slot < a->slots; slot += sk__self->view.block_num) {
    load(a->from + slot * 32u, words);
    for (int i = 0; i < 8; i++) words[i] += a->add;
    barrier();
    store(a->to + slot * 32u, words);
  }
  barrier();
}

static void nothing(const void *raw) { (void)raw; }

static void fill_slot(const twin_args *a, uint32_t word) {
  uint32_t words[8];
  if (sk__self->sub_block != 0) return;
  for (int i = 0; i < 8; i++) words[i] = word;
  store(a->to + sk__self->block_idx * 32u, words);
  barrier();
}

static void ratio_words_kernel(const void *raw) {
  const twin_args *a = raw;
  fill_slot(a, a->add + sk__self->ratio);
}
static void ratio_floats_kernel(const void *raw) {
  float value = 1.0f + (float)sk__self->ratio * 0x1p-23f;
  uint32_t word;
  memcpy(&word, &value, 4);
  fill_slot(raw, word);
}
static void both_vectors_kernel(const void *raw) {
  const twin_args *a = raw;
  uint32_t words[8] = {a->add, a->add, a->add, a->add, a->add, a->add, a->add, a->add};
  store(a->to + sk__self->block_idx * 32u, words);
  barrier();
}
static void first_vector_kernel(const void *raw) {
  if (sk__self->sub_block == 0) both_vectors_kernel(raw);
}
static void load_last_kernel(const void *raw) {
  const twin_args *a = raw;
  uint32_t words[8];
  load(a->from, words);
}
static void load_drained_kernel(const void *raw) {
  load_last_kernel(raw);
  barrier();
}
static void touch_local(sk__pipe pipe, const void *site) {
  sk__core *core = sk__enter(pipe, "touch", site);
  sk__local_access(core, pipe, SK__WRITE, (void *)core->local, 32);
}
static void local_last_kernel(const void *raw) {
  (void)raw;
  touch_local(SK__PIPE_V, __builtin_return_address(0));
}
static void local_drained_kernel(const void *raw) {
  local_last_kernel(raw);
  barrier();
}
static void local_first_kernel(const void *raw) {
  (void)raw;
  touch_local(SK__PIPE_MTE2, local_first_kernel);
  barrier();
}
static void crash_always_kernel(const void *raw) {
  volatile int *volatile nowhere = (volatile int *)16; /* at NULL a sanitizer stops first */
  (void)raw;
  *nowhere = 1;
}
static void crash_fused_kernel(const void *raw) {
  volatile int *volatile nowhere = (volatile int *)16; /* at NULL a sanitizer stops first */
  if (sk__self->ratio == 2) *nowhere = 1;
  fill_slot(raw, 1);
}

static const sk_kernel_param words[] = {
    {"from", 0, 8, 1, "__gm__ uint32_t *"}, {"to", 8, 8, 1, "__gm__ uint32_t *"}, {"add", 16, 4, 0, "uint32_t"}, {"slots", 20, 4, 0, "uint32_t"}};
static const sk_kernel_param floats[] = {
    {"from", 0, 8, 1, "__gm__ float *"}, {"to", 8, 8, 1, "__gm__ float *"}, {"add", 16, 4, 0, "uint32_t"}, {"slots", 20, 4, 0, "uint32_t"}};
static const sk_kernel_param numbers[] = {
    {"from", 0, 8, 0, "uint64_t"}, {"to", 8, 8, 0, "uint64_t"}, {"add", 16, 4, 0, "uint32_t"}, {"slots", 20, 4, 0, "uint32_t"}};
#define KERNEL(variable, kernel_type, parameters, aic_half, aiv_half)                                                 \
  const sk_kernel variable = {.abi = SK_KERNEL_ABI, .type = kernel_type, .name = #variable, .file = "k.c", .line = 1, \
                              .args_bytes = sizeof(twin_args), .param_count = 4, .params = parameters, .aic = aic_half, .aiv = aiv_half}
KERNEL(add_vector, SK_AIV_ONLY, words, NULL, add_kernel);
KERNEL(add_cube, SK_AIC_ONLY, words, add_kernel, NULL);
KERNEL(add_hidden, SK_AIV_ONLY, numbers, NULL, add_kernel);
KERNEL(ratio_words, SK_MIX_AIC_1_1, words, nothing, ratio_words_kernel);
KERNEL(ratio_hidden, SK_MIX_AIC_1_1, numbers, nothing, ratio_words_kernel);
KERNEL(ratio_floats, SK_MIX_AIC_1_1, floats, nothing, ratio_floats_kernel);
KERNEL(both_vectors, SK_MIX_AIC_1_1, words, nothing, both_vectors_kernel);
KERNEL(first_vector, SK_MIX_AIC_1_1, words, nothing, first_vector_kernel);
KERNEL(load_last, SK_AIV_ONLY, words, NULL, load_last_kernel);
KERNEL(load_drained, SK_AIV_ONLY, words, NULL, load_drained_kernel);
KERNEL(store_first, SK_AIV_ONLY, words, NULL, both_vectors_kernel);
KERNEL(local_last, SK_AIV_ONLY, words, NULL, local_last_kernel);
KERNEL(local_drained, SK_AIV_ONLY, words, NULL, local_drained_kernel);
KERNEL(local_first, SK_AIV_ONLY, words, NULL, local_first_kernel);
KERNEL(crash_always, SK_AIV_ONLY, words, NULL, crash_always_kernel);
KERNEL(crash_fused, SK_MIX_AIC_1_1, words, nothing, crash_fused_kernel);

sk__verifier *twin_open(const char *names) {
  char why[320] = "";
  sk__mode *modes = NULL;
  size_t count = 0;
  sk__verifier_destroy(verifier);
  assert_ok(aclrtSetDevice(0));
  if (names == NULL) {
    assert_int_equal(sk__recorder_create(sk__runtime_get(), &verifier), SK_OK);
    return verifier;
  }
  if (sk__mode_list(names, 0, &modes, &count, why, sizeof why) != SK_OK) fail_msg("%s", why);
  assert_int_equal(sk__verifier_create(sk__runtime_get(), modes, count, &verifier), SK_OK);
  return verifier;
}

const sk__verify_result *twin_result(void) { return sk__verifier_result(verifier); }

void *buffer_new(uint32_t value) {
  uint32_t content[BUFFER_BYTES / 4];
  void *buffer = NULL;
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) content[i] = value;
  assert_ok(aclrtMalloc(&buffer, BUFFER_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  assert_ok(aclrtMemcpy(buffer, BUFFER_BYTES, content, BUFFER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
  return buffer;
}

void buffer_check(const void *buffer, uint32_t value) {
  uint32_t content[BUFFER_BYTES / 4];
  assert_ok(aclrtMemcpy(content, BUFFER_BYTES, buffer, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) assert_int_equal(content[i], value);
}

void launch(aclrtStream stream, const sk_kernel *kernel, uint32_t blocks, const void *from, void *to, uint32_t add) {
  twin_args args = {(uint64_t)from, (uint64_t)to, add, SLOTS};
  assert_ok(sk_kernel_launch(kernel, blocks, 0, stream, &args, "host.c", 1));
}

size_t shown(const char *id) {
  const sk__verify_result *result = twin_result();
  size_t found = 0;
  for (size_t i = 0; i < result->finding_count; i++) {
    sk__finding finding;
    sk__classified(&result->findings[i], &finding);
    if (strcmp(finding.id, id) != 0) continue;
    const sk__hazard *hazard = sk__hazard_find(id);
    assert_int_equal(finding.category, hazard->category);
    assert_true(finding.message[0] != '\0' && finding.remedy[0] != '\0');
    found++;
  }
  return found;
}

size_t shown_all(void) {
  const sk__verify_result *result = twin_result();
  for (size_t i = 0; i < result->finding_count; i++) {
    sk__finding finding;
    sk__classified(&result->findings[i], &finding);
    print_message("%s: %s\n", finding.id, finding.message);
  }
  return result->finding_count;
}

const sk__mode_result *mode_of(const char *name) {
  const sk__verify_result *result = twin_result();
  for (size_t i = 0; i < result->mode_count; i++) {
    char text[SK__MODE_NAME_BYTES];
    sk__mode_name(result->modes[i].mode, text);
    if (strcmp(text, name) == 0) return &result->modes[i];
  }
  fail_msg("no mode '%s'", name);
  return NULL;
}
