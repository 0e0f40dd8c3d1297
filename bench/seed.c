/* seed.c - the two operators of examples/seed_case, un-fused: 864 rows x 2048 experts, k 1024, bfloat16.
 *
 *   seed both|gating|quant */
#include "device.h"
#include "superkernel/ops.h"

enum { ROWS = 864, EXPERTS = 2048, K = 1024 };

typedef struct job {
  const char *which;
  void *x, *smooth, *y, *experts, *rows, *quantised, *scale;
  aclrtStream stream;
} job;

static void run(void *context) {
  const job *j = context;
  if (strcmp(j->which, "quant") != 0)
    device_check(sk_moe_gating_top_k_softmax(j->x, NULL, j->y, j->experts, j->rows, ROWS, EXPERTS, K, SK_BF16, 0, j->stream),
                 "sk_moe_gating_top_k_softmax");
  if (strcmp(j->which, "gating") != 0)
    device_check(sk_dynamic_quant(j->y, j->smooth, NULL, j->quantised, j->scale, ROWS, K, 0, SK_BF16, 8, 0, j->stream),
                 "sk_dynamic_quant");
  device_check(aclrtSynchronizeStream(j->stream), "the operators");
}

/* bfloat16 numbers in [-3, 3). */
static void *upload_random(size_t count, uint64_t seed) {
  uint16_t *data = malloc(count * sizeof *data);
  if (data == NULL) contender_stop("seed", "out of memory");
  for (size_t i = 0; i < count; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    float value = ((float)(seed >> 40) * 0x1p-24f - 0.5f) * 6.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    data[i] = (uint16_t)(bits >> 16);
  }
  void *device = device_upload(data, count * sizeof *data);
  free(data);
  return device;
}

int main(int argc, char **argv) {
  job j = {.which = argc > 1 ? argv[1] : "both", .stream = device_open()};
  j.x = upload_random((size_t)ROWS * EXPERTS, 1);
  j.smooth = upload_random(K, 2);
  j.y = upload_random((size_t)ROWS * K, 3);
  j.experts = device_upload(NULL, (size_t)ROWS * K * 4);
  j.rows = device_upload(NULL, (size_t)ROWS * K * 4);
  j.quantised = device_upload(NULL, (size_t)ROWS * K);
  j.scale = device_upload(NULL, (size_t)ROWS * 4);
  return contender_serve(run, &j);
}
