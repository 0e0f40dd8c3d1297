/* stubs.c - what a kernel's name stands for in host code: a function that launches the kernel.
 *
 * A launch through an expression (a pointer, a table, a template's parameter) tells the library how, and calls the function;
 * that takes what it was told and goes on as a launch by name does. Who calls a kernel like a function has told nothing,
 * which is a finding.
 * Who takes the address of a template's instance names none of its halves' entries: in the halves the kernel's body does. */
#include "skcc.h"

static void name_parameters(unit *u, const kernel *k) {
  for (size_t i = 0; i < k->param_count; i++)
    if (k->params[i].name == 0) edit_after(u, k->params[i].last - 1, format_string(" %s", param_name(u, k, i)));
}

static void write_stub(unit *u, const kernel *k, const kernel *as, const function *f, const char *arguments) {
  const char *scope = u->cplusplus ? "::" : "";
  text out = {0};
  begin_system_text(u, f->body, &out);
  text_printf(&out, "{ struct %ssk__told *sk__t = %ssk__take_launch(%ssk__kernel_%s%s%s, __builtin_return_address(0)); ", scope, scope,
              k->is_template ? "" : "&", k->symbol, arguments, k->is_template ? "()" : "");
  text_printf(&out, "if (sk__t != 0) sk__t->code = sk__launch_%s%s(sk__t->file, sk__t->line, sk__t->blocks, sk__t->ub, sk__t->stream",
              k->name, arguments);
  for (size_t i = 0; i < as->param_count; i++) text_printf(&out, ", %s", param_name(u, as, i));
  text_puts(&out, "); }");
  name_parameters(u, as);
  edit_before(u, f->first, format_string("__attribute__((noinline)) ")); /* its return address is in its caller */
  edit_replace(u, f->body, f->end, out.bytes);
}

static const char *entry_of(const unit *u, const kernel *k) {
  if (u->part == PART_VECTOR && has_vector_half(k->type)) return "aiv";
  return u->part == PART_CUBE && has_cube_half(k->type) ? "aic" : NULL;
}

void rewrite_stub(unit *u, const kernel *k, const function *f, const char *arguments) {
  if (u->part == PART_HOST) {
    kernel as = {.name = k->name};
    read_parameters(u, &as, f);
    write_stub(u, k, &as, f, arguments);
  } else if (k->is_template && entry_of(u, k) != NULL && u->functions[k->definition - 1].start <= f->start) {
    edit_after(u, f->body, format_string(" static __attribute__((used)) void (*const sk__keep)(const void *) = &sk__%s_%s%s;",
                                         entry_of(u, k), k->symbol, arguments));
  }
}
