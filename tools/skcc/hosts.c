/* hosts.c - host functions are kept free of memory hooks.
 *
 * The attribute goes in front of plain functions at namespace scope. Class members, operators and
 * lambdas keep their hooks: harmless, since the hooks let every host address pass. */
#include "skcc.h"

void rewrite_hosts(unit *u) {
  for (size_t i = 0; i < u->function_count; i++) {
    const function *f = &u->functions[i];
    bool host = f->body != 0 && !f->device && !f->host_reaches && !f->member;
    if (!host || u->tokens[f->name].system || u->tokens[f->first].system) continue;
    edit_before(u, f->first, format_string("__attribute__((no_sanitize(\"thread\"))) "));
  }
}
