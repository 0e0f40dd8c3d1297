/* quant_layer.c - half a feed-forward layer on int8: npu_quant_matmul, then npu_dequant_swiglu_quant on its sums, fused as
 * SuperKernel scope "ffn". The product runs on cube cores, what follows on vector cores.
 *
 *   quant_layer [tokens k hidden]        default 96 512 1024
 *
 * Operators are found by name and called by record. The results are checked against the definition in double. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "superkernel/ops.h"

static void check(int error, const char *what) {
  if (error == ACL_SUCCESS) return;
  const char *text = aclGetRecentErrMsg();
  fprintf(stderr, "quant_layer: %s failed: %s\n", what, text != NULL ? text : "no text");
  exit(1);
}

static void *memory(size_t bytes) {
  void *data = malloc(bytes);
  if (data == NULL) exit(1);
  return data;
}

static void allocate(sk_tensor *t) { check(aclrtMalloc(&t->data, sk_tensor_bytes(t), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc"); }

static sk_tensor upload(const void *data, sk_dtype dtype, uint32_t rank, int64_t d0, int64_t d1) {
  sk_tensor t = {NULL, dtype, SK_ND, rank, {d0, d1}};
  allocate(&t);
  check(aclrtMemcpy(t.data, sk_tensor_bytes(&t), data, sk_tensor_bytes(&t), ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  return t;
}

static void *download(const sk_tensor *t) {
  void *data = memory(sk_tensor_bytes(t));
  check(aclrtMemcpy(data, sk_tensor_bytes(t), t->data, sk_tensor_bytes(t), ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
  return data;
}

/* Checks the call, gives its outputs memory, and puts it on the stream. */
static void run(const char *name, sk_call *call) {
  const sk_operator *op = sk_operator_find(name);
  check(sk_operator_plan(op, call), name);
  for (uint32_t i = 0; i < call->output_count; i++) allocate(&call->outputs[i]);
  if (call->workspace_bytes > 0) check(aclrtMalloc(&call->workspace, call->workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  check(sk_operator_launch(op, call), name);
}

static uint32_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 40);
}

typedef struct layer {
  uint32_t tokens, k, hidden;
  int8_t *x, *weight;              /* [tokens, k], [k, 2 * hidden] */
  float *weight_scale, *token_scale; /* [2 * hidden], [tokens] */
} layer;

static layer random_layer(uint32_t tokens, uint32_t k, uint32_t hidden) {
  uint64_t state = 1;
  layer l = {tokens, k, hidden, memory((size_t)tokens * k), memory((size_t)k * 2 * hidden), memory(2 * hidden * sizeof(float)), memory(tokens * sizeof(float))};
  for (size_t i = 0; i < (size_t)tokens * k; i++) l.x[i] = (int8_t)next(&state);
  for (size_t i = 0; i < (size_t)k * 2 * hidden; i++) l.weight[i] = (int8_t)next(&state);
  for (uint32_t i = 0; i < 2 * hidden; i++) l.weight_scale[i] = (float)(next(&state) + 1) * 0x1p-36f;
  for (uint32_t i = 0; i < tokens; i++) l.token_scale[i] = (float)(next(&state) + 1) * 0x1p-24f;
  return l;
}

/* One element before it is quantised: left half times the swish of the right one. */
static double gated(const layer *l, const int64_t *sums, uint32_t token, uint32_t j) {
  double left = (double)sums[j] * (double)l->weight_scale[j] * (double)l->token_scale[token];
  double right = (double)sums[l->hidden + j] * (double)l->weight_scale[l->hidden + j] * (double)l->token_scale[token];
  return right / (1.0 + exp(-right)) * left;
}

static int wrong_in_token(const layer *l, uint32_t token, const int8_t *y, float scale, int64_t *sums, double *row) {
  double most = 0.0;
  int wrong = 0;
  for (uint32_t j = 0; j < 2 * l->hidden; j++) sums[j] = 0;
  for (uint32_t i = 0; i < l->k; i++)
    for (uint32_t j = 0; j < 2 * l->hidden; j++) sums[j] += l->x[(size_t)token * l->k + i] * l->weight[(size_t)i * 2 * l->hidden + j];
  for (uint32_t j = 0; j < l->hidden; j++) {
    row[j] = gated(l, sums, token, j);
    most = fmax(most, fabs(row[j]));
  }
  wrong += fabs((double)scale - most / 127.0) > most / 127.0 * 1e-5;
  for (uint32_t j = 0; j < l->hidden; j++) wrong += fabs(row[j] * 127.0 / most - (double)y[j]) > 0.5 + 1e-2;
  return wrong;
}

static uint32_t argument(int argc, char **argv, int at, uint32_t fallback) {
  if (argc <= at) return fallback;
  char *end = NULL;
  unsigned long value = strtoul(argv[at], &end, 10);
  if (*argv[at] == '\0' || *end != '\0' || value < 1 || value > 16384) {
    fprintf(stderr, "quant_layer: '%s'; usage: quant_layer [tokens k hidden], each 1 to 16384\n", argv[at]);
    exit(2);
  }
  return (uint32_t)value;
}

int main(int argc, char **argv) {
  layer l = random_layer(argument(argc, argv, 1, 96), argument(argc, argv, 2, 512), argument(argc, argv, 3, 1024));
  check(aclInit(NULL), "aclInit");
  check(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = NULL;
  check(aclrtCreateStream(&stream), "aclrtCreateStream");

  sk_tensor x = upload(l.x, SK_INT8, 2, l.tokens, l.k), weight = upload(l.weight, SK_INT8, 2, l.k, 2 * l.hidden);
  sk_tensor weight_scale = upload(l.weight_scale, SK_FLOAT, 1, 2 * l.hidden, 0), token_scale = upload(l.token_scale, SK_FLOAT, 2, l.tokens, 1);
  sk_tensor sums = {0}, results[2] = {{0}}; /* y and scale */

  check(aclskScopeBegin("ffn", stream), "aclskScopeBegin");
  const sk_tensor *matmul_inputs[] = {&x, &weight, &weight_scale};
  const sk_attribute output_dtype = {"output_dtype", SK_INTEGER, SK_INT32, 0.0};
  run("npu_quant_matmul", &(sk_call){.inputs = matmul_inputs, .input_count = 3, .outputs = &sums, .output_count = 1, .attributes = &output_dtype,
                                     .attribute_count = 1, .stream = stream});
  const sk_tensor *swiglu_inputs[] = {&sums, &weight_scale, &token_scale};
  const sk_attribute quant_mode = {"quant_mode", SK_INTEGER, 1, 0.0};
  run("npu_dequant_swiglu_quant", &(sk_call){.inputs = swiglu_inputs, .input_count = 3, .outputs = results, .output_count = 2, .attributes = &quant_mode,
                                             .attribute_count = 1, .stream = stream});
  check(aclskScopeEnd("ffn", stream), "aclskScopeEnd");
  check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");

  int8_t *y = download(&results[0]);
  float *scale = download(&results[1]);
  int64_t *row_sums = memory(2 * l.hidden * sizeof *row_sums);
  double *row = memory(l.hidden * sizeof *row);
  int wrong = 0;
  for (uint32_t i = 0; i < l.tokens; i++) wrong += wrong_in_token(&l, i, y + (size_t)i * l.hidden, scale[i], row_sums, row);
  printf("quant_layer: %u tokens, %u x %u: %s (%d wrong)\n", l.tokens, l.k, 2 * l.hidden, wrong == 0 ? "correct" : "WRONG", wrong);

  void *all[] = {x.data, weight.data, weight_scale.data, token_scale.data, sums.data, results[0].data, results[1].data};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) check(aclrtFree(all[i]), "aclrtFree");
  free(l.x), free(l.weight), free(l.weight_scale), free(l.token_scale), free(y), free(scale), free(row_sums), free(row);
  check(aclrtDestroyStream(stream), "aclrtDestroyStream");
  check(aclrtResetDevice(0), "aclrtResetDevice");
  check(aclFinalize(), "aclFinalize");
  return wrong != 0;
}
