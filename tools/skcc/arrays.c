/* arrays.c - local arrays: `__ubuf__ float x[256];` inside a function.
 *
 * C++: a reference to an array.      float (&x)[256] = *(float (*)[256])<storage>;
 * C:   a pointer to an array, and every later use of x in its block becomes (*x), so that sizeof, & and
 *      indexing mean what they meant. Blocks follow the braces; a declaration of the same name in an
 *      inner block hides the array there.
 * Storage comes from sk_local_array, told apart by one static slot per declaration. Contents are
 * undefined at start, as on the chip; a struct's `{}` is accepted and changes nothing about that. */
#include "skcc.h"

#include <stdlib.h>
#include <string.h>

#include "base/window.h"

static unsigned memory_code(word w) {
  switch (w) {
    case WORD_UBUF: return 1;
    case WORD_CBUF: return 2;
    case WORD_CA: return 3;
    case WORD_CB: return 4;
    case WORD_CC: return 5;
    case WORD_BIASBUF: return 6;
    default: return 7; /* __fbuf__ */
  }
}

/* The first token of the statement that i belongs to. */
static uint32_t statement_start(const unit *u, uint32_t i, uint32_t body) {
  while (i - 1 > body) {
    const token *t = &u->tokens[i - 1];
    if (t->kind == TOKEN_MARK && (t->mark == ';' || t->mark == '{' || t->mark == '}')) return i;
    if (t->kind == TOKEN_MARK && t->mark == ':' && i - 2 > body && !is_mark(u, i - 2, '?')) return i;
    if (t->kind == TOKEN_MARK && (t->mark == ')' || t->mark == ']') && t->partner != 0) i = t->partner;
    else i--;
    if (is_mark(u, i, '(')) continue;
  }
  return i;
}

/* A specifier sequence: names, keywords, a::b, T<...>; returns the index of what ends it and the last
 * plain name in it. */
static uint32_t read_specifiers(const unit *u, uint32_t i, uint32_t end, uint32_t *last_name, unsigned *types) {
  *last_name = 0;
  *types = 0;
  while (i < end) {
    const token *t = &u->tokens[i];
    if (t->kind == TOKEN_NAME) {
      word_class class = class_of(t->word);
      if (class == CLASS_NONE) *last_name = i;
      if (class == CLASS_NONE || class == CLASS_TYPE) ++*types;
      if (class == CLASS_ATTRIBUTE && is_mark(u, i + 1, '(') && u->tokens[i + 1].partner != 0) {
        if (t->word == WORD_TYPEOF || t->word == WORD_TYPEOF_ || t->word == WORD_TYPEOF__ || t->word == WORD_DECLTYPE) ++*types;
        i = u->tokens[i + 1].partner;
      }
      i++;
    } else if (is_mark(u, i, MARK_SCOPE)) {
      if (*types > 0) --*types; /* a::b is one */
      i++;
    } else if (u->cplusplus && is_mark(u, i, '<')) {
      uint32_t after = after_angle(u, i, end);
      if (after == 0) return i;
      i = after;
    } else {
      return i;
    }
  }
  return i;
}

/* ---- C: later uses of the name ------------------------------------------------------------------ */

/* Does the name at i stand where a declaration names it? Token shapes that no expression with an array
 * can have: `type x`, `type * x`. */
static bool is_declared_here(const unit *u, uint32_t i) {
  uint32_t before = i - 1;
  bool star = false;
  while (is_mark(u, before, '*') || class_of(u->tokens[before].word) == CLASS_TYPE_QUALIFIER ||
         class_of(u->tokens[before].word) == CLASS_MEMORY || class_of(u->tokens[before].word) == CLASS_QUALIFIER) {
    star |= is_mark(u, before, '*');
    before--;
  }
  const token *t = &u->tokens[before];
  if (t->kind != TOKEN_NAME) return before != i - 1 && !star;
  word_class class = class_of(t->word);
  return class == CLASS_NONE || class == CLASS_TYPE;
}

static bool in_braces_of(const unit *u, uint32_t i, uint32_t low, word which) {
  for (uint32_t k = i; k > low; k--) {
    if (u->tokens[k].kind != TOKEN_MARK) continue;
    if (is_mark(u, k, '}') && u->tokens[k].partner != 0) {
      k = u->tokens[k].partner;
      continue;
    }
    if (!is_mark(u, k, '{')) continue;
    for (uint32_t h = k - 1; h > low && u->tokens[h].kind == TOKEN_NAME && h + 3 > k; h--)
      if (u->tokens[h].word == which) return true;
  }
  return false;
}

/* In `int a, x;` the name follows a comma of a declaration. */
static bool is_later_declarator(const unit *u, uint32_t i, uint32_t body) {
  if (!is_mark(u, i - 1, ',') && !is_mark(u, i - 1, '*')) return false;
  uint32_t start = statement_start(u, i, body), name = 0;
  unsigned types = 0;
  uint32_t stop = read_specifiers(u, start, i, &name, &types);
  for (uint32_t k = start; k < i; k++)
    if (is_mark(u, k, '(') && u->tokens[k].partner > i) return false; /* an argument list */
  bool pointer = is_mark(u, stop, '*') && types == 1;
  return (types >= 2 || pointer) && class_of(u->tokens[start].word) != CLASS_STATEMENT;
}

static void rename_uses(unit *u, uint32_t name, uint32_t from, uint32_t end, uint32_t body) {
  for (uint32_t i = from; i < end; i++) {
    if (!is_plain_name(u, i) || !same_name(u, i, name)) continue;
    const token *before = &u->tokens[i - 1];
    if (before->kind == TOKEN_MARK && (before->mark == '.' || before->mark == MARK_ARROW)) continue;
    if (before->word == WORD_GOTO || before->word == WORD_STRUCT || before->word == WORD_UNION) continue;
    bool statement_like = before->kind == TOKEN_MARK && (before->mark == ';' || before->mark == '{' || before->mark == '}');
    if (statement_like && is_mark(u, i + 1, ':')) continue; /* a label */
    if (in_braces_of(u, i, body, WORD_ENUM)) {
      unit_error(u, i, "'%s' names a local array here; rename this enumerator", token_text(u, i));
      continue;
    }
    bool member = in_braces_of(u, i, body, WORD_STRUCT) || in_braces_of(u, i, body, WORD_UNION);
    if (!is_declared_here(u, i) && !is_later_declarator(u, i, body)) {
      edit_replace(u, i, i, format_string("(*%s)", token_text(u, i)));
      continue;
    }
    if (member) continue;
    uint32_t block = i;
    while (block > body && !is_mark(u, block, '{') && !is_mark(u, block, '(')) {
      bool closing = is_mark(u, block, '}') || is_mark(u, block, ')') || is_mark(u, block, ']');
      block = closing && u->tokens[block].partner != 0 ? u->tokens[block].partner - 1 : block - 1;
    }
    if (is_mark(u, block, '(')) {
      unit_error(u, i, "'%s' hides a local array here; rename it", token_text(u, i));
      continue;
    }
    i = u->tokens[block].partner; /* hidden to the end of this inner block */
  }
}

/* ---- one declaration ---------------------------------------------------------------------------- */

typedef struct array_declaration {
  uint32_t start, end;  /* first token and the ';' */
  uint32_t memory;      /* the qualifier's token */
  uint32_t block_end, body;
  text slots;
} array_declaration;

static uint32_t enclosing_end(const unit *u, uint32_t i, uint32_t body) {
  for (uint32_t k = i; k > body; k--) {
    if (is_mark(u, k, '}') && u->tokens[k].partner != 0) k = u->tokens[k].partner;
    else if (is_mark(u, k, '{')) return u->tokens[k].partner;
  }
  return u->tokens[body].partner;
}

/* Code of a mixed kernel stands in both halves, and so does a local array that only one of them has. The
 * other half gets an address at which no memory is: passing it on is harmless, using it is found. A kernel
 * with this half alone asks for the storage, so that the runtime can say what is wrong. */
static bool is_of_other_half(const unit *u, unsigned memory, uint32_t body) {
  bool cube_memory = memory != 1, cube_half = u->part == PART_CUBE;
  if (cube_memory == cube_half) return false;
  for (size_t i = 0; i < u->kernel_count; i++) {
    const kernel *k = &u->kernels[i];
    if (k->definition == 0 || u->functions[k->definition - 1].body != body) continue;
    return cube_half ? k->type != KERNEL_AIC && k->type != KERNEL_MIX_1_0 : k->type != KERNEL_AIV && k->type != KERNEL_MIX_0_1;
  }
  return true;
}

#define NOWHERE (SK__WINDOW_BASE + (UINT64_C(3) << 40)) /* above all memories of the window */

static char *storage(const unit *u, const array_declaration *d, uint32_t name, unsigned slot) {
  char *spelled = token_text(u, name);
  const char *scope = u->cplusplus ? "::" : "";
  unsigned memory = memory_code((word)u->tokens[d->memory].word);
  char *call = is_of_other_half(u, memory, d->body)
                   ? format_string(u->cplusplus ? "reinterpret_cast<void *>(%#llxul)" : "(void *)%#llxul",
                                   (unsigned long long)(NOWHERE + ((uint64_t)memory << 32)))
                   : format_string("%ssk__local_array(&sk__slot_%u, %u, sizeof(%s%s), \"%s\")", scope, slot, memory,
                                   u->cplusplus ? "" : "*", spelled, spelled);
  char *whole = u->cplusplus ? format_string(" = *reinterpret_cast<__typeof__(&%s)>(%s)", spelled, call)
                             : format_string(" = %s", call);
  free(call);
  free(spelled);
  return whole;
}

/* `{}` and `= {}` after a declarator: the index after it; anything else is refused. */
static uint32_t skip_initialiser(unit *u, uint32_t i, uint32_t name) {
  uint32_t brace = is_mark(u, i, '=') ? i + 1 : i;
  if (is_mark(u, brace, '{') && u->tokens[brace].partner == brace + 1) {
    edit_blank(u, i, brace + 1);
    return brace + 2;
  }
  unit_error(u, i, "local memory has no initialiser: '%s' starts undefined", token_text(u, name));
  return 0;
}

/* One declarator from its name; returns the index of the ',' or ';' after it, 0 on error. */
static uint32_t rewrite_declarator(unit *u, array_declaration *d, uint32_t name) {
  unsigned slot = u->slot_count++;
  bool array = is_mark(u, name + 1, '[');
  uint32_t i = name + 1, last = name;
  if (array) {
    last = u->tokens[i].partner;
    if (last == i + 1) {
      unit_error(u, name, "local array '%s' needs a size", token_text(u, name));
      return 0;
    }
    if (is_mark(u, last + 1, '[')) {
      unit_error(u, name, "local array '%s' has more than one dimension; the chip's compiler takes one", token_text(u, name));
      return 0;
    }
    char *size = tokens_text(u, i + 1, last);
    text_printf(&d->slots, "%s((%s) > 0, \"a local array has a constant size\"); ", u->cplusplus ? "static_assert" : "_Static_assert", size);
    free(size);
    i = last + 1;
  }
  while (is_word(u, i, WORD_ATTRIBUTE) && u->tokens[i + 1].partner != 0) {
    last = u->tokens[i + 1].partner;
    i = last + 1;
  }
  text_printf(&d->slots, "static __attribute__((unused)) struct %ssk__slot sk__slot_%u; ", u->cplusplus ? "::" : "", slot);
  edit_replace(u, name, name, format_string(array ? "(%s%s)" : "%s%s", u->cplusplus ? "&" : "*", token_text(u, name)));
  edit_after(u, last, storage(u, d, name, slot));
  u->needs_glue = true;
  if (!is_mark(u, i, ',') && !is_mark(u, i, ';')) i = skip_initialiser(u, i, name);
  if (!u->cplusplus && i != 0) rename_uses(u, name, i, d->block_end, d->body);
  return i;
}

static void rewrite_dynamic(unit *u, const array_declaration *d, uint32_t name) {
  if (u->tokens[d->memory].word != WORD_UBUF) {
    unit_error(u, d->memory, "only __ubuf__ memory has a dynamic part");
    return;
  }
  for (uint32_t i = d->start; i < name; i++)
    if (is_word(u, i, WORD_EXTERN)) edit_blank(u, i, i);
  char *type = NULL;
  uint32_t first = d->start + (is_word(u, d->start, WORD_EXTERN) ? 1 : 0);
  type = tokens_text(u, first, name);
  edit_replace(u, name, u->tokens[name + 1].partner,
               format_string(u->cplusplus ? "*const %s = reinterpret_cast<%s *>(::sk__local_dynamic())"
                                          : "*const %s = (%s *)sk__local_dynamic()", token_text(u, name), type));
  u->needs_glue = true;
  free(type);
}

static bool refuse_specifiers(unit *u, const array_declaration *d, uint32_t name) {
  for (uint32_t i = d->start; i < name; i++) {
    switch (u->tokens[i].word) {
      case WORD_STATIC: case WORD_THREAD_LOCAL: case WORD_THREAD_LOCAL_: case WORD_THREAD: case WORD_REGISTER:
      case WORD_CONSTEXPR: case WORD_TYPEDEF: case WORD_ALIGNAS: case WORD_ALIGNAS_:
        unit_error(u, i, "local array '%s' cannot be %.*s: place, lifetime and alignment are the core's", token_text(u, name),
                   (int)u->tokens[i].length, u->source.bytes + u->tokens[i].at);
        return true;
      default: break;
    }
    if (class_of(u->tokens[i].word) == CLASS_MEMORY && i != d->memory) {
      unit_error(u, i, "'%s' names two memories", token_text(u, name));
      return true;
    }
  }
  return false;
}

/* A memory qualifier at i inside a function: a local array, or a pointer that only loses its qualifier.
 * Returns the index to go on from. */
static uint32_t rewrite_statement(unit *u, uint32_t i, uint32_t body) {
  array_declaration d = {.start = statement_start(u, i, body), .memory = i, .body = body};
  uint32_t name = 0;
  unsigned types = 0;
  uint32_t stop = read_specifiers(u, d.start, u->tokens[body].partner, &name, &types);
  bool declares = stop > i && name > 0 && name + 1 == stop && types >= 2;
  bool array = is_mark(u, stop, '['), object = is_mark(u, stop, ';') || is_mark(u, stop, ',') || is_mark(u, stop, '=') || is_mark(u, stop, '{');
  if (!declares || (!array && !object)) return i + 1;
  bool dynamic = false;
  for (uint32_t k = d.start; k < name; k++) dynamic |= is_word(u, k, WORD_EXTERN);
  if (refuse_specifiers(u, &d, name)) return stop;
  if (dynamic) {
    bool open_ended = array && u->tokens[stop].partner == stop + 1 && is_mark(u, stop + 2, ';');
    if (open_ended) rewrite_dynamic(u, &d, name);
    else unit_error(u, name, "the dynamic part of UB is declared 'extern __ubuf__ T %s[];'", token_text(u, name));
    return stop;
  }
  d.block_end = enclosing_end(u, d.start - 1, body);
  while (name != 0) {
    uint32_t after = rewrite_declarator(u, &d, name);
    if (after == 0) return stop;
    stop = after;
    if (!is_mark(u, after, ',')) break;
    name = after + 1;
    while (is_mark(u, name, '*')) name++; /* a pointer among arrays stays as it is */
    if (name != after + 1 || !is_plain_name(u, name)) {
      unit_error(u, after, "declare pointers and local arrays in separate statements");
      return stop;
    }
  }
  edit_before(u, d.start, d.slots.bytes);
  return stop;
}

void rewrite_arrays(unit *u) {
  for (size_t k = 0; k < u->function_count; k++) {
    const function *f = &u->functions[k];
    if (f->body == 0) continue;
    for (uint32_t i = f->body + 1; i < f->end;) {
      bool nested = is_mark(u, i, '(') && u->tokens[i].partner != 0; /* casts, sizeof, parameters */
      bool lambda = false;
      for (uint32_t j = i; nested && j < u->tokens[i].partner && !lambda; j++) lambda = is_mark(u, j, '{');
      if (nested && !lambda) i = u->tokens[i].partner + 1;
      else if (class_of(u->tokens[i].word) == CLASS_MEMORY) i = rewrite_statement(u, i, f->body);
      else i++;
    }
  }
}
