/* call.h - a call of an operator by its record, from words: NAME [blocks=N] [in=TYPE:D0,D1[=V,V..]]... [nz=TYPE:D0,D1]...
 * [in=-] [attr=NAME:VALUE]... [written=N]
 *
 * in=- leaves an optional input out; nz= is stored as FRACTAL_NZ. Inputs hold small numbers of their type, the first of
 * them what is given, or all of them if a `*` stands behind. written=N: the call writes only its first N outputs. Who
 * includes it defines CALL_PROGRAM, the name before messages. */
#ifndef CALL_H
#define CALL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "superkernel/ops.h"

enum { MOST = 16 };

/* ---- tensors ---- */

static void stop(const char *what) {
  const char *text = aclGetRecentErrMsg();
  fprintf(stderr, "%s: %s: %s\n", CALL_PROGRAM, what, text != NULL ? text : "no text");
  exit(2);
}

static void *device(size_t bytes) {
  void *memory = NULL;
  if (bytes > 0 && aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) stop("aclrtMalloc");
  return memory;
}

static sk_dtype dtype_of(const char *word, size_t length) {
#define X(name, value, text, bytes) \
  if (strlen(text) == length && strncmp(word, text, length) == 0) return name;
  SK_DTYPE_LIST(X)
#undef X
  stop(word);
  return SK_FLOAT;
}

static uint16_t half_of(float value) { /* small numbers with few bits only */
  uint32_t word;
  memcpy(&word, &value, 4);
  return value == 0.0f ? 0 : (uint16_t)((word >> 16 & 0x8000u) | ((word >> 23 & 0xffu) - 112u) << 10 | (word >> 13 & 0x3ffu));
}

static void put(unsigned char *to, sk_dtype dtype, double value) {
  float single = (float)value;
  uint32_t word;
  uint16_t half = half_of(single);
  int64_t integer = (int64_t)value;
  memcpy(&word, &single, 4);
  uint16_t top = (uint16_t)(word >> 16);
  if (dtype == SK_FLOAT) memcpy(to, &single, 4);
  else if (dtype == SK_FLOAT16) memcpy(to, &half, 2);
  else if (dtype == SK_BF16) memcpy(to, &top, 2);
  else memcpy(to, &integer, sk_dtype_bytes(dtype)); /* the low bytes */
}

/* TYPE:D0,D1 and perhaps =V,V.. or =V,V..* */
static sk_tensor read_tensor(const char *word, sk_format format) {
  sk_tensor t = {.format = format};
  const char *at = strchr(word, ':');
  if (at == NULL) stop(word);
  t.dtype = dtype_of(word, (size_t)(at - word));
  char *end = (char *)(uintptr_t)at + 1;
  for (; *end != '\0' && *end != '=' && t.rank < SK_MAX_RANK; end += *end == ',') t.shape[t.rank++] = strtoll(end, &end, 10);
  size_t size = sk_dtype_bytes(t.dtype), count = sk_tensor_bytes(&t) / size, given = 0;
  unsigned char *data = malloc(count * size + 8);
  if (data == NULL) stop("malloc");
  for (size_t i = 0; i < count; i++) put(data + i * size, t.dtype, t.dtype == SK_BOOL ? (double)(i % 3 == 1) : (double)((i * 7 + 1) % 13) - (t.dtype == SK_UINT8 ? 0 : 4));
  if (*end == '=') end++;
  for (; *end != '\0' && *end != '*' && given < count; end += *end == ',') put(data + given++ * size, t.dtype, strtod(end, &end));
  for (size_t i = given; *end == '*' && given > 0 && i < count; i++) memcpy(data + i * size, data + i % given * size, size);
  t.data = device(count * size);
  if (count > 0 && aclrtMemcpy(t.data, count * size, data, count * size, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) stop("aclrtMemcpy");
  free(data);
  return t;
}

/* ---- the call ---- */

typedef struct request {
  const sk_operator *op;
  sk_tensor inputs[MOST];
  const sk_tensor *given[MOST];
  sk_attribute attributes[MOST];
  uint32_t input_count, attribute_count, blocks, written;
  void *workspace;
} request;

static void read_word(request *r, char *word) {
  if (strncmp(word, "blocks=", 7) == 0) {
    r->blocks = (uint32_t)atoi(word + 7);
  } else if (strncmp(word, "written=", 8) == 0) {
    r->written = (uint32_t)atoi(word + 8);
  } else if (strcmp(word, "in=-") == 0 && r->input_count < MOST) {
    r->given[r->input_count++] = NULL;
  } else if ((strncmp(word, "in=", 3) == 0 || strncmp(word, "nz=", 3) == 0) && r->input_count < MOST) {
    r->inputs[r->input_count] = read_tensor(word + 3, word[0] == 'n' ? SK_FRACTAL_NZ : SK_ND);
    r->given[r->input_count] = &r->inputs[r->input_count];
    r->input_count++;
  } else if (strncmp(word, "attr=", 5) == 0 && strchr(word, ':') != NULL && r->attribute_count < MOST) {
    char *value = strchr(word, ':');
    *value++ = '\0';
    bool real = strpbrk(value, ".e") != NULL;
    r->attributes[r->attribute_count++] = (sk_attribute){word + 5, real ? SK_REAL : SK_INTEGER, real ? 0 : strtoll(value, NULL, 10), real ? strtod(value, NULL) : 0.0};
  } else {
    stop(word);
  }
}

/* Fills the outputs and their memory where they have none yet, and queues the call. */
static void launch(request *r, sk_tensor *outputs) {
  sk_call call = {.inputs = r->given, .input_count = r->input_count, .outputs = outputs, .output_count = r->op->output_count,
                  .attributes = r->attributes, .attribute_count = r->attribute_count, .blocks = r->blocks};
  if (sk_operator_plan(r->op, &call) != ACL_SUCCESS) stop(r->op->name);
  for (uint32_t i = 0; i < call.output_count; i++)
    if (outputs[i].data == NULL) outputs[i].data = device(sk_tensor_bytes(&outputs[i]));
  if (r->workspace == NULL) r->workspace = device(call.workspace_bytes);
  call.workspace = r->workspace;
  if (sk_operator_launch(r->op, &call) != ACL_SUCCESS) stop(r->op->name);
}

/* The words of a command line: argv[first] is the operator's name. */
static void read_call(request *r, int argc, char **argv, int first) {
  if (argc <= first || (r->op = sk_operator_find(argv[first])) == NULL) stop("no such operator");
  r->written = r->op->output_count;
  for (int i = first + 1; i < argc; i++) read_word(r, argv[i]);
}

#endif
