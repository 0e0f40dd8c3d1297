/* operators_host.c - calls the operators by record, in chains whose data pass from one to the next, on shapes whose
 * tiles and flags all matter. What a mutant breaks is found by skv verify, not here.
 *
 *   operators_host CASE BLOCKS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "superkernel/ops.h"

static uint32_t blocks; /* of every launch */
static aclrtStream stream;

static void stop(const char *what) {
  const char *text = aclGetRecentErrMsg();
  fprintf(stderr, "operators_host: %s: %s\n", what, text != NULL ? text : "no text");
  exit(1);
}

static sk_tensor tensor(sk_dtype dtype, uint32_t rank, int64_t d0, int64_t d1, int64_t d2) {
  sk_tensor t = {NULL, dtype, SK_ND, rank, {d0, d1, d2}};
  return t;
}
static void give_memory(sk_tensor *t) {
  if (aclrtMalloc(&t->data, sk_tensor_bytes(t), ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) stop("aclrtMalloc");
}
/* Every byte in turn from `first`, below `below`; floats of such bytes are small. */
static sk_tensor filled(sk_tensor t, unsigned first, unsigned below) {
  give_memory(&t);
  size_t bytes = sk_tensor_bytes(&t);
  unsigned char *data = malloc(bytes);
  if (data == NULL) stop("malloc");
  for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)((first + i * 7) % below);
  if (aclrtMemcpy(t.data, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) stop("aclrtMemcpy");
  free(data);
  return t;
}

#define MOST_OUT 3u
static void run(const char *name, const sk_tensor *const *in, uint32_t in_count, const sk_attribute *attributes, uint32_t attribute_count,
                sk_tensor *out, uint32_t out_count) {
  const sk_operator *op = sk_operator_find(name);
  if (op == NULL) stop(name);
  sk_call call = {.inputs = in, .input_count = in_count, .outputs = out, .output_count = out_count, .attributes = attributes,
                  .attribute_count = attribute_count, .blocks = blocks, .stream = stream};
  if (sk_operator_plan(op, &call) != ACL_SUCCESS) stop(name);
  for (uint32_t i = 0; i < out_count; i++) give_memory(&out[i]);
  if (call.workspace_bytes > 0 && aclrtMalloc(&call.workspace, call.workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
    stop("aclrtMalloc");
  if (sk_operator_launch(op, &call) != ACL_SUCCESS) stop(name);
}

static sk_tensor binary(const char *name, const sk_tensor *a, const sk_tensor *b, const sk_attribute *attribute) {
  const sk_tensor *in[] = {a, b};
  sk_tensor out[1] = {{0}};
  run(name, in, 2, attribute, attribute != NULL, out, 1);
  return out[0];
}
static sk_tensor cast(const sk_tensor *a, sk_dtype to) {
  const sk_tensor *in[] = {a};
  sk_attribute attribute = {"dst_type", SK_INTEGER, to, 0.0};
  sk_tensor out[1] = {{0}};
  run("Cast", in, 1, &attribute, 1, out, 1);
  return out[0];
}

/* One type through all three operators, with alpha, one element and a scalar. */
static void arithmetic(sk_dtype dtype) {
  sk_tensor a = filled(tensor(dtype, 2, 5, 8199, 0), 1, 60), b = filled(tensor(dtype, 2, 5, 8199, 0), 2, 60);
  sk_tensor one = filled(tensor(dtype, 0, 0, 0, 0), 3, 60), row = filled(tensor(dtype, 1, 8199, 0, 0), 4, 60), column = filled(tensor(dtype, 2, 5, 1, 0), 5, 60);
  sk_attribute alpha = {"alpha", SK_INTEGER, 3, 0.0}, scalar = {"scalar", SK_INTEGER, 2, 0.0};
  sk_tensor c = binary("Add", &a, &b, &alpha), d = binary("Sub", &c, &one, NULL), e = binary("Mul", &d, NULL, &scalar);
  sk_tensor f = binary("Mul", &e, &c, NULL), g = binary("Add", &f, &row, NULL);
  (void)binary("Mul", &g, &column, NULL);
}
static void float_arithmetic(void) { arithmetic(SK_FLOAT); }
static void bf16_arithmetic(void) { arithmetic(SK_BF16); }
static void int8_arithmetic(void) { arithmetic(SK_INT8); }
static void casts(void) {
  sk_tensor a = filled(tensor(SK_FLOAT, 1, 41001, 0, 0), 1, 60), b = cast(&a, SK_BF16), c = cast(&b, SK_INT64), d = cast(&c, SK_INT8);
  sk_tensor e = cast(&d, SK_BOOL), f = cast(&c, SK_BOOL), g = cast(&d, SK_FLOAT16), h = cast(&b, SK_INT8);
  (void)e, (void)f, (void)g, (void)h;
}

static sk_tensor product(const sk_tensor *a, const sk_tensor *b, int transposed) {
  const sk_tensor *in[] = {a, b};
  sk_attribute attributes[] = {{"transpose_x2", SK_INTEGER, transposed, 0.0}};
  sk_tensor out[1] = {{0}};
  run("BatchMatMulV3", in, 2, attributes, 1, out, 1);
  return out[0];
}
/* Two products in a row, the second of the first; several blocks and several steps along k on a core. */
static void products(sk_dtype dtype) {
  sk_tensor a = filled(tensor(dtype, 2, 140, 600, 0), 1, 56), b = filled(tensor(dtype, 2, 600, 330, 0), 2, 56);
  sk_tensor c = product(&a, &b, 0), d = filled(tensor(dtype, 2, 70, 330, 0), 3, 56);
  if (dtype == SK_INT8) c = cast(&c, SK_INT8);
  (void)product(&c, &d, 1);
}
static void half_products(void) { products(SK_FLOAT16); }
static void int8_products(void) { products(SK_INT8); }
static void float_products(void) { products(SK_FLOAT); }

/* Packed scales on the cube alone, then the other forms on both core types, each on the results of the one before. */
static sk_tensor quant_product(const sk_tensor *x1, const sk_tensor *x2, const sk_tensor *scale, const sk_tensor *pertoken, const sk_tensor *bias,
                               sk_dtype to) {
  const sk_tensor *in[] = {x1, x2, scale, NULL, pertoken, bias};
  sk_attribute attributes[] = {{"output_dtype", SK_INTEGER, to, 0.0}};
  sk_tensor out[1] = {{0}};
  run("QuantBatchMatmulV3", in, 6, attributes, 1, out, 1);
  return out[0];
}
static void quant_products(void) {
  sk_tensor x = filled(tensor(SK_INT8, 2, 140, 600, 0), 1, 56), w = filled(tensor(SK_INT8, 2, 600, 330, 0), 2, 56);
  sk_tensor w2 = filled(tensor(SK_INT8, 2, 330, 270, 0), 2, 56), bias = filled(tensor(SK_INT32, 1, 330, 0, 0), 1, 3);
  sk_tensor number = filled(tensor(SK_FLOAT, 1, 330, 0, 0), 1, 56), one = binary("Mul", &number, NULL, &(sk_attribute){"scalar", SK_REAL, 0, 0.0});
  sk_tensor scale = binary("Add", &one, NULL, &(sk_attribute){"scalar", SK_REAL, 0, 0x1p-10}), bits = scale;
  bits.dtype = SK_INT32;
  sk_tensor words = cast(&bits, SK_INT64);
  sk_tensor tokens = filled(tensor(SK_FLOAT, 1, 140, 0, 0), 63, 64), single = filled(tensor(SK_FLOAT, 1, 1, 0, 0), 62, 63);
  sk_tensor a = quant_product(&x, &w, &scale, NULL, &bias, SK_INT8);   /* both core types */
  sk_tensor b = quant_product(&a, &w2, &single, &tokens, NULL, SK_BF16);
  sk_tensor c = quant_product(&x, &w, &words, NULL, &bias, SK_INT8);   /* cube alone */
  (void)quant_product(&c, &w2, &single, NULL, NULL, SK_INT32);
  (void)binary("Add", &b, &b, NULL);
}

/* A scale for all by the scalar unit, made by the operator before; results clamped by the fixpipe. */
static void half_results(void) {
  sk_tensor x = filled(tensor(SK_INT8, 2, 70, 64, 0), 1, 56), w = filled(tensor(SK_INT8, 2, 64, 330, 0), 2, 56);
  sk_tensor number = filled(tensor(SK_INT32, 1, 1, 0, 0), 63, 64), word = cast(&number, SK_INT64);
  sk_tensor a = quant_product(&x, &w, &word, NULL, NULL, SK_FLOAT16), b = cast(&number, SK_INT64), c = quant_product(&x, &w, &b, NULL, NULL, SK_FLOAT16);
  (void)binary("Add", &a, &c, NULL);
  sk_tensor scales = filled(tensor(SK_FLOAT, 1, 1300, 0, 0), 32, 200), offsets = filled(tensor(SK_FLOAT, 1, 1300, 0, 0), 3, 60);
  (void)binary("TransQuantParamV2", &scales, &offsets, NULL);
}

/* y and scale. */
static void swiglu(const sk_tensor *const *in, int dynamic, int mode, sk_tensor *out) {
  sk_attribute attributes[] = {{"quant_mode", SK_INTEGER, dynamic, 0.0}, {"swiglu_mode", SK_INTEGER, mode, 0.0}};
  out[0] = out[1] = (sk_tensor){0};
  run("DequantSwigluQuant", in, 7, attributes, 2, out, 2);
}
/* Sums of a product, dequantised in several batches of rows and two chunks; then in groups; then by given scales. */
static void gated_rows(void) {
  sk_tensor x = filled(tensor(SK_INT8, 2, 150, 32, 0), 1, 56), w = filled(tensor(SK_INT8, 2, 32, 4160, 0), 2, 56), sums = product(&x, &w, 0);
  sk_tensor number = filled(tensor(SK_FLOAT, 1, 4160, 0, 0), 1, 56), none = binary("Mul", &number, NULL, &(sk_attribute){"scalar", SK_REAL, 0, 0.0});
  sk_tensor weight = binary("Add", &none, NULL, &(sk_attribute){"scalar", SK_REAL, 0, 0x1p-12}), token = filled(tensor(SK_FLOAT, 1, 150, 0, 0), 63, 64);
  sk_tensor bias = filled(tensor(SK_BF16, 1, 4160, 0, 0), 1, 56), counts = filled(tensor(SK_INT32, 1, 3, 0, 0), 0, 1);
  sk_tensor forty = binary("Add", &counts, NULL, &(sk_attribute){"scalar", SK_INTEGER, 40, 0.0}), list = cast(&forty, SK_INT64);
  sk_tensor scale = {weight.data, SK_FLOAT, SK_ND, 1, {2080}}, grouped[2], given[2], dynamic[2];
  sk_tensor x3 = filled(tensor(SK_BF16, 2, 150, 128, 0), 1, 56), weight3 = filled(tensor(SK_FLOAT, 2, 3, 128, 0), 1, 56);
  swiglu((const sk_tensor *[]){&sums, &weight, &token, &bias, NULL, NULL, NULL}, 1, 0, dynamic);
  swiglu((const sk_tensor *[]){&x3, &weight3, NULL, NULL, NULL, NULL, &list}, 1, 1, grouped);
  swiglu((const sk_tensor *[]){&sums, &weight, NULL, NULL, &scale, &scale, NULL}, 0, 0, given);
  (void)binary("Add", &dynamic[1], &dynamic[1], NULL);
  (void)binary("Add", &dynamic[0], &given[0], NULL);
}

static sk_tensor unary(const char *name, const sk_tensor *a, const sk_attribute *attribute) {
  const sk_tensor *in[] = {a};
  sk_tensor out[1] = {{0}};
  run(name, in, 1, attribute, attribute != NULL, out, 1);
  return out[0];
}
/* To NZ and back, a product with the weight so stored, and a pair as published: a power, then which are infinite. */
static void formats(void) {
  sk_tensor a = filled(tensor(SK_FLOAT16, 2, 70, 1100, 0), 1, 56), w = filled(tensor(SK_FLOAT16, 2, 1100, 90, 0), 2, 56);
  sk_tensor nz = unary("TransData", &w, &(sk_attribute){"acl_format", SK_INTEGER, 29, 0.0});
  sk_tensor back = unary("TransData", &nz, &(sk_attribute){"acl_format", SK_INTEGER, 2, 0.0}), one = product(&a, &nz, 0), two = product(&a, &back, 0);
  (void)binary("Sub", &one, &two, NULL);
}
static void powers(void) {
  sk_tensor a = filled(tensor(SK_BF16, 2, 5, 8199, 0), 1, 200), b = unary("Pows", &a, &(sk_attribute){"exponent", SK_REAL, 0, -2.0});
  sk_tensor c = unary("IsInf", &b, NULL), d = unary("Pows", &b, &(sk_attribute){"exponent", SK_REAL, 0, 3.0}), e = cast(&d, SK_FLOAT), f = unary("IsInf", &e, NULL);
  (void)c, (void)f;
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    {"float", float_arithmetic}, {"bf16", bf16_arithmetic}, {"int8", int8_arithmetic}, {"casts", casts},
    {"half products", half_products}, {"int8 products", int8_products}, {"float products", float_products},
    {"quant products", quant_products}, {"half results", half_results}, {"gated rows", gated_rows},
    {"formats", formats}, {"powers", powers},
};

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  aclInit(NULL);
  aclrtSetDevice(0);
  blocks = (uint32_t)atoi(argv[2]);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (strcmp(cases[i].name, argv[1]) != 0) continue;
    if (aclrtCreateStream(&stream) != ACL_SUCCESS || aclskScopeBegin("operators", stream) != ACL_SUCCESS) stop("scope");
    cases[i].run();
    if (aclskScopeEnd("operators", stream) != ACL_SUCCESS) stop("aclskScopeEnd");
    if (aclrtSynchronizeDevice() != ACL_SUCCESS) stop("aclrtSynchronizeDevice");
    return 0;
  }
  fprintf(stderr, "operators_host: no case %s\n", argv[1]);
  return 2;
}
