/* bindings.c - SK_BIND and instantiations of kernel templates.
 *
 * SK_BIND(kernel, capabilities, f0, ...) becomes a record in the host part and, in each half that the
 * kernel has, one entry per bound function. `template __global__ ... k<float>(...)` makes the halves
 * instantiate their entries and the host part register the record. */
#include "skcc.h"

#include <stdlib.h>
#include <string.h>
#include <superkernel/kernel.h>

/* One argument of SK_BIND: a possibly qualified, possibly instantiated name. */
typedef struct named {
  uint32_t first, last; /* tokens [first, last) */
  uint32_t name;        /* the last plain name before any '<' */
  char *path, *arguments; /* "a::b::" or "", "<float>" or "" */
} named;

static named read_named(const unit *u, uint32_t first, uint32_t last) {
  named n = {.first = first, .last = last};
  uint32_t angle = first;
  while (angle < last && !is_mark(u, angle, '<')) angle++;
  if (angle > first && is_plain_name(u, angle - 1)) n.name = angle - 1;
  n.path = tokens_text(u, first, n.name != 0 ? n.name : first);
  n.arguments = tokens_text(u, angle, last);
  return n;
}

static const function *bound_function(const unit *u, uint32_t name) {
  for (size_t i = 0; i < u->function_count; i++)
    if (u->functions[i].bound && same_name(u, u->functions[i].name, name)) return &u->functions[i];
  return NULL;
}

static unsigned parameter_count(const unit *u, const function *f) {
  unsigned count = f->close > f->open + 1;
  for (uint32_t i = f->open + 1; i < f->close; i++) {
    if (is_mark(u, i, ',')) count++;
    if (u->tokens[i].partner > i) i = u->tokens[i].partner;
  }
  return count;
}

static const char half_names[][4] = {"aic", "aiv"};

static char *entry_symbol(const unit *u, const kernel *k, uint32_t at, const char *half, unsigned index) {
  return format_string("sk__%s_bound_%s_%u_%u", half, k->name, u->tokens[at].line, index);
}

/* The call of f with the types it declares; C converts void pointers by itself. */
static void write_bound_entry(const unit *u, const char *symbol, const char *f, unsigned parameters, text *out) {
  text_printf(out, " __attribute__((visibility(\"hidden\"), no_sanitize(\"thread\"))) void %s(const void *sk__p, void *sk__s) {"
              " (void)sk__s; ", symbol);
  if (u->cplusplus) text_printf(out, "::sk__call_bound(%s, sk__p, sk__s); }", f);
  else text_printf(out, parameters > 1 ? "%s(sk__p, sk__s); }" : "%s(sk__p); }", f);
}

static void write_binding(const unit *u, const kernel *k, const named *target, uint32_t at, const char *capabilities,
                          const char *functions, unsigned count, text *out) {
  unsigned line = u->tokens[at].line;
  text_printf(out, " static struct sk__binding sk__binding_%s_%u = {%u, %u, %s, 0, ", k->name, line, (unsigned)SK_KERNEL_ABI, count, capabilities);
  text_quoted(out, u->files.items[u->tokens[at].file]);
  text_printf(out, ", %u, {%s}}; static __attribute__((constructor)) void sk__bind_%s_%u(void) {", line, functions, k->name, line);
  text_printf(out, " sk__binding_%s_%u.kernel = %s%ssk__kernel_%s%s%s; ", k->name, line, k->is_template ? "" : "&", target->path,
              k->symbol, target->arguments, k->is_template ? "()" : "");
  text_printf(out, "%ssk__bind_kernel(&sk__binding_%s_%u); }", u->cplusplus ? "::" : "", k->name, line);
}

/* In a half: the entries. In the host part: their declarations, and the record that names them. */
static void write_bound(unit *u, const kernel *k, const named *target, uint32_t at, const char *capabilities,
                        const named *functions, unsigned count, text *out) {
  text records = {0};
  for (unsigned i = 0; i < count; i++) {
    const function *f = bound_function(u, functions[i].name);
    char *spelled = tokens_text(u, functions[i].first, functions[i].last);
    int type = kernel_function_type(u, f);
    text_printf(&records, "{\"%s\", %d", spelled, type == KERNEL_UNSET ? k->type : type);
    for (unsigned h = 0; h < 2; h++) {
      bool has = h == 0 ? has_cube_half(k->type) : has_vector_half(k->type);
      char *symbol = entry_symbol(u, k, at, half_names[h], i);
      if (has && u->part == (h == 0 ? PART_CUBE : PART_VECTOR)) write_bound_entry(u, symbol, spelled, parameter_count(u, f), out);
      if (has && u->part == PART_HOST) text_printf(out, " __attribute__((visibility(\"hidden\"))) void %s(const void *, void *);", symbol);
      text_printf(&records, ", %s", has ? symbol : "0");
    }
    text_puts(&records, "}, ");
  }
  if (u->part == PART_HOST) write_binding(u, k, target, at, capabilities, records.bytes, count, out);
}

static const kernel *bound_kernel(unit *u, const named *target) {
  const kernel *k = target->name != 0 ? find_kernel(u, target->name) : NULL;
  if (k == NULL || k->definition == 0) {
    unit_error(u, target->first, "SK_BIND: there is no kernel '%s' defined in this file", tokens_text(u, target->first, target->last));
    return NULL;
  }
  for (size_t i = 0; i < u->kernel_count; i++) {
    if (&u->kernels[i] == k || strcmp(u->kernels[i].name, k->name) != 0) continue;
    unit_error(u, target->first, "SK_BIND: there are several kernels '%s'; bind one that has a name of its own", k->name);
    return NULL;
  }
  return k;
}

static void rewrite_bind(unit *u, uint32_t at) {
  uint32_t open = at + 1, close = u->tokens[open].partner;
  uint32_t starts[8] = {open + 1};
  unsigned count = 1;
  int angle = 0;
  for (uint32_t i = open + 1; i < close; i++) {
    if (is_mark(u, i, '<')) angle++;
    if (is_mark(u, i, '>')) angle--;
    if (u->tokens[i].partner > i) i = u->tokens[i].partner;
    else if (is_mark(u, i, ',') && angle == 0 && count++ < 7) starts[count - 1] = i + 1;
  }
  if (count < 3 || count > 2 + SK_MAX_BOUND) {
    unit_error(u, at, "SK_BIND takes a kernel, capabilities and one to four __sk__ functions");
    return;
  }
  starts[count] = close + 1;
  named target = read_named(u, starts[0], starts[1] - 1), functions[SK_MAX_BOUND];
  const kernel *k = bound_kernel(u, &target);
  for (unsigned i = 2; i < count; i++) {
    functions[i - 2] = read_named(u, starts[i], starts[i + 1] - 1);
    uint32_t name = functions[i - 2].name;
    if (name == 0 || bound_function(u, name) == NULL) {
      unit_error(u, starts[i], "SK_BIND: '%s' is no __sk__ function", tokens_text(u, starts[i], starts[i + 1] - 1));
      k = NULL;
    }
  }
  if (k == NULL) return;
  text out = {0};
  begin_system_text(u, at, &out);
  write_bound(u, k, &target, at, tokens_text(u, starts[1], starts[2] - 1), functions, count - 2, &out);
  if (k->is_template) write_instance(u, k, target.path, target.arguments, at, &out);
  edit_replace(u, at, close, out.bytes);
  u->needs_glue = true;
}

/* ---- instantiations ------------------------------------------------------------------------------ */

void write_instance(unit *u, const kernel *k, const char *path, const char *arguments, uint32_t at, text *out) {
  const struct { bool has; part part; const char *name; } halves[] = {
    {has_cube_half(k->type), PART_CUBE, "aic"}, {has_vector_half(k->type), PART_VECTOR, "aiv"}};
  for (size_t i = 0; i < 2; i++)
    if (halves[i].has && u->part == halves[i].part)
      text_printf(out, " static __attribute__((used)) void (*const sk__keep_%s_%u_%u)(const void *) = &%ssk__%s_%s%s;", k->name,
                  u->tokens[at].line, u->tokens[at].at, path, halves[i].name, k->symbol, arguments);
  if (u->part == PART_HOST)
    text_printf(out, " static __attribute__((constructor)) void sk__instance_%s_%u_%u(void) { (void)%ssk__kernel_%s%s(); }", k->name,
                u->tokens[at].line, u->tokens[at].at, path, k->symbol, arguments);
}

/* Explicit specialisations are compiled as they stand: the entry of the template calls them. */
static void rewrite_instance(unit *u, const function *f) {
  kernel *k = find_template(u, f->name, parameter_count(u, f));
  if (k == NULL) {
    unit_error(u, f->name, "there is no __global__ template '%s' with as many parameters before this line", token_text(u, f->name));
    return;
  }
  const char *arguments = tokens_text(u, f->name + 1, f->open);
  if (f->body != 0) {
    rewrite_stub(u, k, f, arguments);
    return;
  }
  text out = {0};
  begin_system_text(u, f->end, &out);
  write_instance(u, k, "", arguments, f->end, &out);
  edit_after(u, f->end, out.bytes);
}

void rewrite_bindings(unit *u) {
  for (size_t i = 0; i < u->function_count; i++)
    if (u->functions[i].instance) rewrite_instance(u, &u->functions[i]);
  for (uint32_t i = 1; i + 1 < u->token_count; i++)
    if (is_word(u, i, WORD_BIND) && is_mark(u, i + 1, '(') && u->tokens[i + 1].partner != 0) rewrite_bind(u, i);
}
