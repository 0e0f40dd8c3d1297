/* operator.c - what every operator's call goes through: finding its record, checking against it, planning, launching. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "ops_host.h"

const sk_operator *sk_operator_find(const char *name) {
  size_t count = 0;
  const sk_operator *all = sk_operator_all(&count);
  for (size_t i = 0; name != NULL && i < count; i++)
    if (strcmp(all[i].name, name) == 0 || strcmp(all[i].torch_name, name) == 0) return &all[i];
  return NULL;
}

/* ---- tensors ---------------------------------------------------------------------------------- */

/* The set as text: "float16, bfloat16". */
static void dtypes_text(uint64_t set, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
#define X(name, value, word, bytes)                                                                                       \
  if ((set & SK_DTYPE_BIT(value)) != 0 && length < size)                                                                  \
    length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", word);
  SK_DTYPE_LIST(X)
#undef X
}

static int check_tensor(const sk_operator *op, const sk_operator_tensor *rule, const sk_tensor *t) {
  char legal[160];
  if (t == NULL) {
    if (rule->optional) return ACL_SUCCESS;
    dtypes_text(rule->dtypes, legal, sizeof legal);
    return sk_ops_refuse_null(op->name, rule->name, legal);
  }
  if ((uint32_t)t->dtype > 63 || (rule->dtypes & SK_DTYPE_BIT(t->dtype)) == 0) {
    dtypes_text(rule->dtypes, legal, sizeof legal);
    return sk_ops_refuse_dtype(op->name, rule->name, t, legal);
  }
  if (sk_ops_c0(t) > 0 && !rule->may_be_nz) return sk_ops_refuse_text(op->name, rule->name, "in FRACTAL_NZ", "row-major storage");
  char what[64];
  snprintf(what, sizeof what, "rank of %s", rule->name);
  if (t->rank < rule->least_rank || t->rank > rule->most_rank) {
    if (rule->least_rank == rule->most_rank)
      snprintf(legal, sizeof legal, "%u: %s", rule->least_rank, rule->shape);
    else
      snprintf(legal, sizeof legal, "%u to %u: %s", rule->least_rank, rule->most_rank, rule->shape);
    return sk_ops_refuse(op->name, what, t->rank, legal);
  }
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->shape[i] < 0 || t->shape[i] > INT32_MAX)
      return sk_ops_refuse_shape(op->name, rule->name, t, "dimensions from 0 to 2147483647");
  return ACL_SUCCESS;
}

/* ---- attributes -------------------------------------------------------------------------------- */

static void attribute_names(const sk_operator *op, char *text, size_t size) {
  size_t length = 0;
  snprintf(text, size, "no attributes");
  for (uint32_t i = 0; i < op->attribute_count && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", op->attributes[i].name);
}

static int take_attribute(sk_ops_job *job, const sk_attribute *given) {
  const sk_operator *op = job->op;
  const char *name = given->name != NULL ? given->name : "NULL";
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const sk_operator_attribute *rule = &op->attributes[i];
    if (strcmp(rule->name, name) != 0) continue;
    if (given->kind == SK_REAL && rule->kind == SK_INTEGER)
      return sk_ops_refuse_text(op->name, name, "a real number", rule->legal);
    job->attribute[i] = *given;
    if (given->kind == SK_INTEGER) job->attribute[i].real = (double)given->integer;
    job->given[i] = true;
    return ACL_SUCCESS;
  }
  char legal[256];
  attribute_names(op, legal, sizeof legal);
  return sk_ops_refuse_text(op->name, "attribute", name, legal);
}

/* ---- calls ------------------------------------------------------------------------------------- */

static int make_job(sk_ops_job *job, const sk_operator *op, const sk_call *call) {
  if (op == NULL) return sk_ops_refuse_null("sk_operator_plan", "op", "a record of sk_operator_all or sk_operator_find");
  if (call == NULL) return sk_ops_refuse_null(op->name, "call", "an sk_call");
  if (call->input_count > op->input_count) return sk_ops_refuse(op->name, "input_count", call->input_count, "as many as the record lists");
  if (call->output_count != op->output_count) return sk_ops_refuse(op->name, "output_count", call->output_count, "as many as the record lists");
  *job = (sk_ops_job){.op = op, .blocks = call->blocks, .stream = call->stream};
  for (uint32_t i = 0; i < op->input_count; i++) {
    job->in[i] = i < call->input_count ? call->inputs[i] : NULL;
    int error = check_tensor(op, &op->inputs[i], job->in[i]);
    if (error != ACL_SUCCESS) return error;
  }
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    double otherwise = op->attributes[i].otherwise;
    job->attribute[i] = (sk_attribute){op->attributes[i].name, op->attributes[i].kind, (int64_t)otherwise, otherwise};
  }
  for (uint32_t i = 0; i < call->attribute_count; i++) {
    int error = take_attribute(job, &call->attributes[i]);
    if (error != ACL_SUCCESS) return error;
  }
  return op->code->plan(job);
}

int sk_operator_plan(const sk_operator *op, sk_call *call) {
  sk_ops_job job;
  int error = make_job(&job, op, call);
  if (error != ACL_SUCCESS) return error;
  for (uint32_t i = 0; i < op->output_count; i++) {
    void *data = call->outputs[i].data;
    call->outputs[i] = job.out[i];
    call->outputs[i].data = data;
  }
  call->workspace_bytes = job.workspace_bytes;
  return ACL_SUCCESS;
}

static int check_output(sk_ops_job *job, uint32_t i, const sk_tensor *given) {
  const char *name = job->op->outputs[i].name;
  sk_tensor *planned = &job->out[i];
  char legal[64];
  if (given->dtype != planned->dtype) {
    snprintf(legal, sizeof legal, "%s", sk_dtype_name(planned->dtype));
    return sk_ops_refuse_dtype(job->op->name, name, given, legal);
  }
  if (!sk_ops_same_shape(given, planned)) return sk_ops_refuse_shape(job->op->name, name, given, "the shape sk_operator_plan gives");
  if (sk_ops_c0(given) != sk_ops_c0(planned)) {
    snprintf(legal, sizeof legal, "%d, as sk_operator_plan gives", (int)planned->format);
    char what[64];
    snprintf(what, sizeof what, "format of %s", name);
    return sk_ops_refuse(job->op->name, what, (uint64_t)given->format, legal);
  }
  planned->data = given->data;
  if (given->data == NULL && sk_ops_elements(given) > 0) return sk_ops_refuse_null(job->op->name, name, "device memory");
  return ACL_SUCCESS;
}

int sk_operator_launch(const sk_operator *op, const sk_call *call) {
  sk_ops_job job;
  int error = make_job(&job, op, call);
  uint64_t elements = 0;
  for (uint32_t i = 0; error == ACL_SUCCESS && i < op->output_count; i++) {
    error = check_output(&job, i, &call->outputs[i]);
    elements += sk_ops_elements(&job.out[i]);
  }
  if (error != ACL_SUCCESS || elements == 0) return error;
  for (uint32_t i = 0; i < op->input_count; i++)
    if (job.in[i] != NULL && job.in[i]->data == NULL && sk_ops_elements(job.in[i]) > 0)
      return sk_ops_refuse_null(op->name, op->inputs[i].name, "device memory");
  if (job.workspace_bytes > 0) {
    char legal[64];
    snprintf(legal, sizeof legal, "at least %zu", job.workspace_bytes);
    if (call->workspace == NULL) return sk_ops_refuse_null(op->name, "workspace", "device memory of workspace_bytes");
    if (call->workspace_bytes < job.workspace_bytes) return sk_ops_refuse(op->name, "workspace_bytes", call->workspace_bytes, legal);
    job.workspace = call->workspace;
  }
  return op->code->launch(&job);
}

uint32_t sk_ops_c0(const sk_tensor *t) {
  switch (t->format) {
    case SK_FRACTAL_NZ: return sk_dtype_bytes(t->dtype) == 1 ? 32 : 16;
    case SK_FRACTAL_NZ_C0_8: return 8;
    case SK_FRACTAL_NZ_C0_16: return 16;
    case SK_FRACTAL_NZ_C0_32: return 32;
    default: return 0;
  }
}

size_t sk_tensor_bytes(const sk_tensor *t) {
  uint64_t c0 = sk_ops_c0(t), elements = sk_ops_elements(t);
  if (c0 > 0 && t->rank >= 2) {
    uint64_t rows = (uint64_t)t->shape[t->rank - 2], columns = (uint64_t)t->shape[t->rank - 1];
    elements = sk_ops_product(t, 0, t->rank - 2) * ((rows + 15) / 16 * 16) * ((columns + c0 - 1) / c0 * c0);
  }
  return (size_t)elements * sk_dtype_bytes(t->dtype);
}

bool sk_ops_same_shape(const sk_tensor *a, const sk_tensor *b) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->shape[i] != b->shape[i]) return false;
  return true;
}

void sk_ops_output(sk_tensor *out, const sk_tensor *shape, sk_dtype dtype) {
  *out = *shape;
  out->data = NULL;
  out->dtype = dtype;
  out->format = SK_ND;
}

void sk_ops_begin_launch(void) { (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL); }
int sk_ops_end_launch(void) { return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL); }
