/* seed_case.c - MoE gating top-k softmax, fused as SuperKernel scope "sp1", then dynamic quantisation.
 *
 *   seed_case [tokens experts k]        default 864 2048 1024, bfloat16
 *
 * The results are checked against the definition, computed here in double. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "superkernel/ops.h"

static void check(int error, const char *what) {
  if (error == ACL_SUCCESS) return;
  const char *text = aclGetRecentErrMsg();
  fprintf(stderr, "seed_case: %s failed: %s\n", what, text != NULL ? text : "no text");
  exit(1);
}

static float from_bf16(uint16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static uint16_t to_bf16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

/* About normally distributed: the sum of twelve uniform numbers. */
static float next_normal(uint64_t *state) {
  float sum = -6.0f;
  for (int i = 0; i < 12; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += (float)(*state >> 40) * 0x1p-24f;
  }
  return sum;
}

static uint16_t *random_bf16(size_t count, uint64_t seed) {
  uint16_t *data = malloc(count * sizeof *data);
  if (data == NULL) exit(1);
  for (size_t i = 0; i < count; i++) data[i] = to_bf16(next_normal(&seed));
  return data;
}

static void *upload(const void *data, size_t bytes) {
  void *device = NULL;
  check(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  if (data != NULL) check(aclrtMemcpy(device, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  return device;
}

static void *download(const void *device, size_t bytes) {
  void *data = malloc(bytes);
  if (data == NULL) exit(1);
  check(aclrtMemcpy(data, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
  return data;
}

/* Weights of one row in double; the number of chosen experts that break the definition. */
static int wrong_in_row(const uint16_t *x, const uint16_t *y, const int32_t *chosen, uint32_t experts, uint32_t k,
                        double *weight) {
  double maximum = -INFINITY, sum = 0.0, last = INFINITY, left_out = 0.0;
  int wrong = 0;
  for (uint32_t e = 0; e < experts; e++) maximum = fmax(maximum, (double)from_bf16(x[e]));
  for (uint32_t e = 0; e < experts; e++) sum += weight[e] = exp((double)from_bf16(x[e]) - maximum);
  for (uint32_t e = 0; e < experts; e++) weight[e] /= sum;
  for (uint32_t j = 0; j < k; j++) {
    if (chosen[j] < 0 || chosen[j] >= (int32_t)experts) return (int)k;
    double expected = weight[chosen[j]];
    wrong += fabs((double)from_bf16(y[j]) - expected) > expected * 0x1p-7 || expected > last * (1.0 + 1e-5);
    last = expected;
    weight[chosen[j]] = -1.0; /* taken; a second choice of it would be wrong */
  }
  for (uint32_t e = 0; e < experts; e++) left_out = fmax(left_out, weight[e]);
  return wrong + (left_out > last * (1.0 + 1e-5));
}

static int wrong_in_quantised(const uint16_t *y, const uint16_t *smooth, const int8_t *q, float scale, uint32_t k) {
  double maximum = 0.0;
  int wrong = 0;
  for (uint32_t j = 0; j < k; j++) maximum = fmax(maximum, fabs((double)from_bf16(y[j]) * (double)from_bf16(smooth[j])));
  wrong += fabs((double)scale - maximum / 127.0) > maximum / 127.0 * 1e-4;
  for (uint32_t j = 0; j < k; j++) {
    double exact = (double)from_bf16(y[j]) * (double)from_bf16(smooth[j]) * 127.0 / maximum;
    wrong += fabs(exact - (double)q[j]) > 0.5 + 1e-3;
  }
  return wrong;
}

static uint32_t argument(int argc, char **argv, int at, uint32_t fallback, uint32_t most) {
  if (argc <= at) return fallback;
  char *end = NULL;
  unsigned long value = strtoul(argv[at], &end, 10);
  if (*argv[at] == '\0' || *end != '\0' || value < 1 || value > most) {
    fprintf(stderr, "seed_case: '%s'; usage: seed_case [tokens experts k], each 1 to %u\n", argv[at], most);
    exit(2);
  }
  return (uint32_t)value;
}

int main(int argc, char **argv) {
  uint32_t tokens = argument(argc, argv, 1, 864, 1u << 20), experts = argument(argc, argv, 2, 2048, 1u << 20);
  uint32_t k = argument(argc, argv, 3, experts < 1024 ? experts : 1024, 1024);
  size_t in = (size_t)tokens * experts, out = (size_t)tokens * k;
  check(aclInit(NULL), "aclInit");
  check(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = NULL;
  check(aclrtCreateStream(&stream), "aclrtCreateStream");

  uint16_t *x = random_bf16(in, 1), *smooth = random_bf16(k, 2);
  void *d_x = upload(x, in * 2), *d_smooth = upload(smooth, (size_t)k * 2);
  void *d_y = upload(NULL, out * 2), *d_experts = upload(NULL, out * 4), *d_rows = upload(NULL, out * 4);
  void *d_q = upload(NULL, out), *d_scale = upload(NULL, (size_t)tokens * 4);

  check(aclskScopeBegin("sp1", stream), "aclskScopeBegin");
  check(sk_moe_gating_top_k_softmax(d_x, NULL, d_y, d_experts, d_rows, tokens, experts, k, SK_BF16, 0, stream), "gating");
  check(aclskScopeEnd("sp1", stream), "aclskScopeEnd");
  check(sk_dynamic_quant(d_y, d_smooth, NULL, d_q, d_scale, tokens, k, 0, SK_BF16, 8, 0, stream), "quantisation");
  check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");

  uint16_t *y = download(d_y, out * 2);
  int32_t *chosen = download(d_experts, out * 4), *rows = download(d_rows, out * 4);
  int8_t *q = download(d_q, out);
  float *scale = download(d_scale, (size_t)tokens * 4);
  double *weight = malloc(experts * sizeof *weight);
  if (weight == NULL) return 1;
  int wrong = 0;
  for (uint32_t i = 0; i < tokens; i++) {
    wrong += wrong_in_row(x + (size_t)i * experts, y + (size_t)i * k, chosen + (size_t)i * k, experts, k, weight);
    wrong += wrong_in_quantised(y + (size_t)i * k, smooth, q + (size_t)i * k, scale[i], k);
    for (uint32_t j = 0; j < k; j++) wrong += rows[(size_t)i * k + j] != (int32_t)(i + j * tokens);
  }
  printf("seed_case: %u tokens x %u experts, k %u: %s (%d wrong)\n", tokens, experts, k, wrong == 0 ? "correct" : "WRONG", wrong);

  void *all[] = {d_x, d_smooth, d_y, d_experts, d_rows, d_q, d_scale};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) check(aclrtFree(all[i]), "aclrtFree");
  free(x); free(smooth); free(y); free(chosen); free(rows); free(q); free(scale); free(weight);
  check(aclrtDestroyStream(stream), "aclrtDestroyStream");
  check(aclrtResetDevice(0), "aclrtResetDevice");
  check(aclFinalize(), "aclFinalize");
  return wrong != 0;
}
