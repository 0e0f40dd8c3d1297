/* device_fixture.c - see device_fixture.h. */
#include "device_fixture.h"

static uint32_t my_index(const sk__core *core) {
  return core->type == SK__AIC ? core->block_idx : core->block_idx * core->ratio + core->sub_block;
}

static void add_kernel(const void *raw) {
  const add_args *a = raw;
  sk__core *core = sk__self;
  uint32_t local[SLOT_BYTES / 4];
  sk__pipe store = core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3;
  for (uint32_t slot = my_index(core); slot < a->slots; slot += core->view.block_num) {
    sk__enter(SK__PIPE_MTE2, "load", NULL);
    if (!sk__gm_load(core, SK__PIPE_MTE2, local, a->from + slot * SLOT_BYTES, SLOT_BYTES)) return;
    for (int i = 0; i < SLOT_BYTES / 4; i++) local[i] += a->add;
    sk__pipe_barrier(core, SK__PIPE_ALL);
    sk__enter(store, "store", NULL);
    if (!sk__gm_store(core, store, a->to + slot * SLOT_BYTES, local, SLOT_BYTES)) return;
  }
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

static void crash_kernel(const void *raw) {
  (void)raw;
  volatile int *volatile nowhere = (volatile int *)16; /* at NULL a sanitizer stops first */
  *nowhere = 1;
}

static void hang_kernel(const void *raw) {
  (void)raw;
  sk__enter(SK__PIPE_S, "wait", NULL);
  sk__cross_wait(sk__self, 3);
}

static void endless_kernel(const void *raw) {
  (void)raw;
  for (;;) {
    sk__enter(SK__PIPE_S, "nothing", NULL);
    sk__checkpoint(sk__self);
  }
}

static const sk_kernel_param add_params[] = {
    {"from", 0, 8, 1, "__gm__ uint32_t *"}, {"to", 8, 8, 1, "__gm__ uint32_t *"}, {"add", 16, 4, 0, "uint32_t"}, {"slots", 20, 4, 0, "uint32_t"}};
#define ADD(core_type, half)                                                                                       \
  {.abi = SK_KERNEL_ABI, .type = core_type, .name = "add", .file = "add.c", .line = 7, .args_bytes = sizeof(add_args), \
   .param_count = 4, .params = add_params, .half = add_kernel}
#define PLAIN(core_type, text, half, function) \
  {.abi = SK_KERNEL_ABI, .type = core_type, .name = text, .file = "plain.c", .line = 1, .half = function}
const sk_kernel add_vector = ADD(SK_AIV_ONLY, aiv), add_cube = ADD(SK_AIC_ONLY, aic);
const sk_kernel crash_vector = PLAIN(SK_AIV_ONLY, "crash", aiv, crash_kernel);
const sk_kernel crash_cube = PLAIN(SK_AIC_ONLY, "crash", aic, crash_kernel);
const sk_kernel hang_vector = PLAIN(SK_MIX_AIV_1_0, "hang", aiv, hang_kernel);
const sk_kernel endless_vector = PLAIN(SK_AIV_ONLY, "endless", aiv, endless_kernel);

void device_open(void) {
  assert_ok(aclInit(NULL));
  assert_ok(aclrtSetDevice(0));
}

aclrtStream stream_new(void) {
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  return stream;
}

void *buffer_new(uint32_t value) {
  uint32_t words[BUFFER_BYTES / 4];
  void *buffer = NULL;
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) words[i] = value;
  assert_ok(aclrtMalloc(&buffer, BUFFER_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  assert_ok(aclrtMemcpy(buffer, BUFFER_BYTES, words, BUFFER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
  return buffer;
}

void buffer_check(const void *buffer, uint32_t value) {
  uint32_t words[BUFFER_BYTES / 4];
  assert_ok(aclrtSynchronizeDevice());
  assert_ok(aclrtMemcpy(words, BUFFER_BYTES, buffer, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) assert_int_equal(words[i], value);
}

int launch_add(aclrtStream stream, const sk_kernel *kernel, uint32_t blocks, const void *from, void *to, uint32_t add) {
  add_args args = {(uint64_t)from, (uint64_t)to, add, SLOTS};
  return sk_kernel_launch(kernel, blocks, 0, stream, &args, "host.c", 12);
}

int launch_plain(aclrtStream stream, const sk_kernel *kernel, uint32_t blocks) {
  return sk_kernel_launch(kernel, blocks, 0, stream, "", "host.c", 34);
}

static const sk__finding *findings(size_t *count) {
  return sk__findings(sk__machine_checker(sk__runtime_machine(sk__runtime_get())), count);
}

size_t findings_of(const char *id) {
  size_t count = 0, found = 0;
  const sk__finding *all = findings(&count);
  for (size_t i = 0; i < count; i++) found += strcmp(all[i].id, id) == 0;
  return found;
}

size_t findings_all(void) {
  size_t count = 0;
  const sk__finding *all = findings(&count);
  for (size_t i = 0; i < count; i++) print_message("finding %s: %s\n", all[i].id, all[i].message);
  return count;
}
