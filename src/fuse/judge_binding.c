/* judge_binding.c - findings about an SK binding as such: is it the only one, does a bound function read its arguments
 * where the launch put them, and does it ask for the cores of its kernel?
 *
 * A field may be what a parameter is, or be made of such fields, or lie in the gap between two parameters. An array of
 * bytes may stand for whole parameters. A structure may end early. Anything else reads what was not put there. */
#include <stdio.h>
#include <strings.h>

#include "base/text.h"
#include "fuse/fuse.h"

static sk__finding finding_of(const sk_binding *binding, const sk_bound_function *function, const char *id) {
  sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 1, .count = 1, .in_fused = true};
  sk__text_copy(finding.id, sizeof finding.id, id);
  sk__end *end = &finding.ends[0];
  *end = (sk__end){.role = "bound function", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(end->kernel, sizeof end->kernel, function->name);
  sk__text detail = sk__text_on(end->detail, sizeof end->detail);
  sk__text_add(&detail, "bound to %s at %s:%u", binding->kernel->name, binding->file, binding->line);
  return finding;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static uint32_t end_of_parameter(const sk_kernel_param *p) { return p->offset_bytes + p->size_bytes; }
static uint32_t end_of_field(const sk__layout_field *f) { return f->offset_bytes + f->bytes; }

static const sk_kernel_param *parameter_under(const sk_kernel *kernel, const sk__layout_field *f) {
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (f->offset_bytes < end_of_parameter(&kernel->params[i]) && kernel->params[i].offset_bytes < end_of_field(f)) return &kernel->params[i];
  return NULL;
}

static bool same_place(const sk__layout_field *f, const sk_kernel_param *p) {
  return f->offset_bytes == p->offset_bytes && f->bytes == p->size_bytes;
}

/* A field of the structure, not a part of one, that covers the parameter with bytes. */
static bool stands_for(const sk__layout_field *f, const sk_kernel_param *p) {
  return f->bytes_only && f->offset_bytes <= p->offset_bytes && end_of_field(f) >= end_of_parameter(p);
}

static bool is_read(const sk__layout *layout, const sk_kernel_param *p) {
  for (uint32_t i = 0; i < layout->count; i++)
    if (same_place(&layout->fields[i], p) || stands_for(&layout->fields[i], p)) return true;
  return false;
}

/* A parameter of this name stands elsewhere. */
static const sk_kernel_param *misplaced(const sk_kernel *kernel, const sk__layout_field *f) {
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (strcasecmp(kernel->params[i].name, f->name) == 0) return kernel->params[i].offset_bytes != f->offset_bytes ? &kernel->params[i] : NULL;
  return NULL;
}

/* The first thing wrong with the structure, in words; false when it fits. */
static bool is_wrong(const sk_kernel *kernel, const sk__layout *layout, sk__text *words) {
  for (uint32_t i = 0; i < layout->count; i++) {
    const sk__layout_field *f = &layout->fields[i];
    const sk_kernel_param *own = misplaced(kernel, f), *under = parameter_under(kernel, f);
    if (own != NULL && !f->part) {
      sk__text_add(words, "field '%s' stands at byte %u, parameter '%s' at byte %u", f->name, f->offset_bytes, own->name, own->offset_bytes);
      return true;
    }
    if (f->composite && !f->bytes_only) continue; /* its parts follow */
    if (f->bytes != 0 && end_of_field(f) > kernel->args_bytes) {
      sk__text_add(words, "field '%s' reaches to byte %u, the arguments end at byte %u", f->name, end_of_field(f), kernel->args_bytes);
      return true;
    }
    bool inside = under != NULL && f->offset_bytes >= under->offset_bytes && end_of_field(f) <= end_of_parameter(under);
    bool part = inside && is_read(layout, under); /* of a structure or array that is the parameter */
    if (under != NULL && !part && !stands_for(f, under)) {
      sk__text_add(words, "field '%s' takes bytes %u to %u, parameter '%s' bytes %u to %u", f->name, f->offset_bytes, end_of_field(f) - 1,
                   under->name, under->offset_bytes, end_of_parameter(under) - 1);
      return true;
    }
  }
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const sk_kernel_param *p = &kernel->params[i];
    if (is_read(layout, p) || end_of_parameter(p) > layout->bytes) continue;
    sk__text_add(words, "no field stands at bytes %u to %u, where parameter '%s' is", p->offset_bytes, end_of_parameter(p) - 1, p->name);
    return true;
  }
  return false;
}

static void judge_layout(sk__checker *checker, const sk_binding *binding, const sk_bound_function *function) {
  const void *entry = function->aiv != NULL ? (const void *)(uintptr_t)function->aiv : (const void *)(uintptr_t)function->aic;
  sk__layout layout;
  char what[200];
  sk__text words = sk__text_on(what, sizeof what);
  if (entry == NULL || !sk__parameter_layout(entry, function->name, &layout) || !is_wrong(binding->kernel, &layout, &words)) return;
  sk__finding finding = finding_of(binding, function, "H28");
  snprintf(finding.message, sizeof finding.message,
           "the argument structure of %s is not the argument block that launches of %s have: %s", function->name,
           binding->kernel->name, what);
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                "declare one field per parameter, in order, with alignas(4) for types below four bytes");
  sk__report(checker, &finding);
}

/* ---- core types ------------------------------------------------------------------------------ */

/* With and without the cross-core scheduler a kernel has the same cores. */
static uint32_t cores_of(uint32_t type) {
  switch (type) {
    case SK_AIV_ONLY:
    case SK_MIX_AIV_1_0: return SK_MIX_AIV_1_0;
    case SK_AIC_ONLY:
    case SK_MIX_AIC_1_0: return SK_MIX_AIC_1_0;
    default: return type;
  }
}

static void judge_type(sk__checker *checker, const sk_binding *binding, const sk_bound_function *function) {
  static const char *const names[] = {
      [SK_MIX_AIV_1_0] = "vector cores only", [SK_MIX_AIC_1_0] = "cube cores only", [SK_MIX_AIC_1_1] = "one vector core per cube core",
      [SK_MIX_AIC_1_2] = "two vector cores per cube core"};
  uint32_t own = cores_of(function->type), kernels = cores_of(binding->kernel->type);
  if (own == kernels || own > SK_MIX_AIC_1_2 || kernels > SK_MIX_AIC_1_2) return;
  sk__finding finding = finding_of(binding, function, "H29");
  snprintf(finding.message, sizeof finding.message, "%s is declared for %s, the kernel %s that it stands for is for %s", function->name,
           names[own], binding->kernel->name, names[kernels]);
  snprintf(finding.remedy, sizeof finding.remedy, "give %s the kernel type keyword of %s", function->name, binding->kernel->name);
  sk__report(checker, &finding);
}

static void judge_conflict(sk__checker *checker, const sk_binding *binding) {
  const sk_binding *other = sk__runtime_binding_conflict(binding);
  if (other == NULL) return;
  sk__finding finding = finding_of(binding, &binding->functions[0], "H30");
  finding.severity = SK__WARNING;
  snprintf(finding.message, sizeof finding.message, "%s is bound twice with different content (BINDMAP_ENTRY_CONFLICT), at %s:%u and at %s:%u: it is not fused",
           binding->kernel->name, binding->file, binding->line, other->file, other->line);
  snprintf(finding.remedy, sizeof finding.remedy, "keep one SK_BIND of %s", binding->kernel->name);
  sk__report(checker, &finding);
}

void sk__judge_binding(sk__checker *checker, const sk_binding *binding) {
  judge_conflict(checker, binding);
  for (uint32_t i = 0; i < binding->count; i++) {
    judge_layout(checker, binding, &binding->functions[i]);
    judge_type(checker, binding, &binding->functions[i]);
  }
}
