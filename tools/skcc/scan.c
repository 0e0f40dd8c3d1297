/* scan.c - finds functions and kernels by the shape of declarations; no types, no symbol tables.
 *
 * At namespace and class scope a declaration runs to its ';' or to the '{' of a body. What a '{' opens
 * is decided by what stood before it: a parameter list (function body), class/struct/union, enum, '='. */
#include "skcc.h"

#include <stdlib.h>
#include <string.h>

bool is_spelled(const unit *u, uint32_t index, const char *name) {
  const token *t = &u->tokens[index];
  return strncmp(u->source.bytes + t->at, name, t->length) == 0 && name[t->length] == '\0';
}

bool same_name(const unit *u, uint32_t a, uint32_t b) {
  const token *x = &u->tokens[a], *y = &u->tokens[b];
  return x->length == y->length && memcmp(u->source.bytes + x->at, u->source.bytes + y->at, x->length) == 0;
}

char *token_text(const unit *u, uint32_t index) {
  return copy_string(u->source.bytes + u->tokens[index].at, u->tokens[index].length);
}

char *tokens_text(const unit *u, uint32_t first, uint32_t last) {
  text out = {0};
  text_puts(&out, "");
  for (uint32_t i = first; i < last; i++) {
    word_class class = class_of(u->tokens[i].word);
    if (class == CLASS_QUALIFIER || class == CLASS_MEMORY) continue;
    bool apart = i > first && u->tokens[i - 1].at + u->tokens[i - 1].length < u->tokens[i].at;
    if (apart && out.length > 0) text_puts(&out, " ");
    text_add(&out, u->source.bytes + u->tokens[i].at, u->tokens[i].length);
  }
  return out.bytes;
}

uint32_t after_angle(const unit *u, uint32_t index, uint32_t end) {
  int depth = 0;
  for (uint32_t i = index; i < end; i++) {
    const token *t = &u->tokens[i];
    if (t->kind != TOKEN_MARK) continue;
    if (t->mark == '(' || t->mark == '[' || t->mark == '{') {
      if (t->partner == 0) return 0;
      i = t->partner;
    } else if (t->mark == ';' || t->mark == ')' || t->mark == ']' || t->mark == '}') {
      return 0;
    } else if (t->mark == '<') {
      depth++;
    } else if (t->mark == '>' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

typedef struct declaration {
  uint32_t open, stop;  /* the last parameter list, the ';' or '{' that ends the head (0 = at the end) */
  bool class_seen, enum_seen, frozen, assigned, init_list;
} declaration;

static void scan_scope(unit *u, uint32_t i, uint32_t end, uint32_t path, bool in_class);

static bool range_has(const unit *u, uint32_t first, uint32_t last, word which) {
  for (uint32_t i = first; i < last; i++)
    if (u->tokens[i].word == which) return true;
  return false;
}

static void add_function(unit *u, const function *f) {
  u->functions = grow(u->functions, u->function_count, &u->function_capacity, sizeof *u->functions);
  u->functions[u->function_count++] = *f;
}

static void found_function(unit *u, function f, uint32_t head_end, bool in_class) {
  f.close = u->tokens[f.open].partner;
  f.name = f.open - 1;
  f.kernel = range_has(u, f.first, head_end, WORD_GLOBAL);
  f.bound = range_has(u, f.first, head_end, WORD_SK);
  if (f.kernel && is_mark(u, f.name, '>')) { /* k<float>(...): instantiation or specialisation */
    int depth = 0;
    for (; f.name > f.first; f.name--) {
      if (is_mark(u, f.name, '>')) depth++;
      if (is_mark(u, f.name, '<') && --depth == 0) break;
    }
    f.name--;
    f.instance = true;
  }
  f.device = f.kernel || f.bound || range_has(u, f.first, head_end, WORD_AICORE);
  f.member = in_class || (f.name > f.first && (is_mark(u, f.name - 1, MARK_SCOPE) || is_mark(u, f.name - 1, '~')));
  u->has_device_code |= f.device && f.body != 0 && !u->tokens[f.name].system;
  if (!f.kernel && !f.member && is_plain_name(u, f.name) && !u->tokens[f.name].system) {
    u->no_kernels = grow(u->no_kernels, u->no_kernel_count, &u->no_kernel_capacity, sizeof *u->no_kernels);
    u->no_kernels[u->no_kernel_count++] = f.name;
  }
  if (f.body == 0 && !f.kernel && !f.bound) return;
  if (!is_plain_name(u, f.name)) {
    if (f.kernel) unit_error(u, f.open, "cannot tell the name of this __global__ function");
    if (f.body == 0) return;
    f.member = true; /* operators and the like: nothing but the body matters */
  }
  add_function(u, &f);
}

/* One token of a declaration's head; returns the next index to look at. */
static uint32_t scan_head(const unit *u, declaration *d, uint32_t first, uint32_t j) {
  const token *t = &u->tokens[j];
  if (t->word == WORD_CLASS || t->word == WORD_STRUCT || t->word == WORD_UNION) d->class_seen |= d->open == 0;
  if (t->word == WORD_ENUM) d->enum_seen |= d->open == 0;
  if (t->kind != TOKEN_MARK) return j + 1;
  bool bracket = t->mark == '(' || t->mark == '[';
  if (bracket && t->partner == 0) return j + 1;
  if (t->mark == '(') {
    word_class before = j > first ? class_of(u->tokens[j - 1].word) : CLASS_NONE;
    bool parameters = before != CLASS_ATTRIBUTE && before != CLASS_CALL_QUALIFIER && before != CLASS_STATEMENT;
    if (parameters && !d->frozen && !d->assigned) d->open = j;
  }
  if (bracket) return t->partner + 1;
  if (t->mark == '=' && (j == first || !is_word(u, j - 1, WORD_OPERATOR))) d->assigned = true;
  if (t->mark == MARK_ARROW && d->open != 0) d->frozen = true;
  if (t->mark == ':' && (d->open != 0 || d->class_seen)) {
    d->init_list = d->open != 0;
    d->frozen = true;
  }
  return j + 1;
}

/* What the '{' at j opens; returns the next index of the same declaration, or 0 if it was a body. */
static uint32_t scan_brace(unit *u, declaration *d, function *f, uint32_t j, bool in_class) {
  uint32_t close = u->tokens[j].partner;
  bool member_init = d->init_list && (u->tokens[j - 1].kind == TOKEN_NAME || is_mark(u, j - 1, '>'));
  if (d->assigned || member_init) return close + 1;
  if (d->open != 0) {
    f->open = d->open;
    f->body = j;
    f->end = close;
    found_function(u, *f, j, in_class);
    return 0;
  }
  if (d->class_seen && !d->enum_seen) scan_scope(u, j + 1, close, f->path, true);
  return close + 1;
}

/* `__ubuf__ float x[4];` has a place only while a core runs a function. */
static void refuse_local_memory(unit *u, const function *f, uint32_t end) {
  uint32_t name = 0, memory = 0;
  bool pointer = false;
  for (uint32_t i = f->first; i < end && !is_mark(u, i, '['); i++) {
    if (is_mark(u, i, '{') && u->tokens[i].partner != 0) i = u->tokens[i].partner;
    if (u->tokens[i].word == WORD_TYPEDEF || u->tokens[i].word == WORD_USING) return;
    if (class_of(u->tokens[i].word) == CLASS_MEMORY) memory = i;
    if (is_mark(u, i, '*') || is_mark(u, i, '<')) pointer = true;
    if (is_plain_name(u, i)) name = i;
  }
  if (memory != 0 && name != 0 && !pointer)
    unit_error(u, name, "local memory '%s' can only be declared inside a function", token_text(u, name));
}

/* Variables at namespace scope that the host may change; device code has another copy of them. */
static void found_variables(unit *u, const function *f, uint32_t end) {
  if (f->template_first != f->template_last) return; /* what one instance stores is not the host's to read */
  for (uint32_t i = f->first; i < end; i++) {
    word w = (word)u->tokens[i].word;
    if (w == WORD_CONST || w == WORD_CONSTEXPR || w == WORD_TYPEDEF || w == WORD_USING || w == WORD_STATIC_ASSERT || w == WORD_STATIC_ASSERT_) return;
  }
  bool value = false;
  for (uint32_t i = f->first + 1; i < end; i++) {
    uint32_t after = is_mark(u, i, '<') && is_plain_name(u, i - 1) ? after_angle(u, i, end) : 0;
    if (u->tokens[i].partner > i) i = u->tokens[i].partner;
    else if (after != 0) i = after - 1;
    else if (is_mark(u, i, ',')) value = false;
    else if (is_mark(u, i, '=')) value = true;
    bool stops = is_mark(u, i + 1, ',') || is_mark(u, i + 1, ';') || is_mark(u, i + 1, '=') || is_mark(u, i + 1, '[');
    word before = (word)u->tokens[i - 1].word;
    bool tag = before == WORD_STRUCT || before == WORD_UNION || before == WORD_CLASS || before == WORD_ENUM;
    if (value || !stops || tag || !is_plain_name(u, i) || u->tokens[i].system) continue;
    u->variables = grow(u->variables, u->variable_count, &u->variable_capacity, sizeof *u->variables);
    u->variables[u->variable_count++] = i;
  }
}

/* From the first token after template head and linkage; returns the index after the declaration. */
static uint32_t scan_declaration(unit *u, function f, uint32_t end, bool in_class) {
  declaration d = {0};
  for (uint32_t j = f.first; j < end;) {
    const token *t = &u->tokens[j];
    if (t->kind == TOKEN_MARK && t->mark == ';') {
      f.open = d.open;
      f.end = j;
      if (d.open != 0) found_function(u, f, j, in_class);
      else refuse_local_memory(u, &f, j);
      if (d.open == 0 && !in_class) found_variables(u, &f, j);
      return j + 1;
    }
    if (t->kind == TOKEN_MARK && t->mark == '{') {
      if (t->partner == 0) return end;
      uint32_t next = scan_brace(u, &d, &f, j, in_class);
      if (next == 0) return f.end > j ? f.end + 1 : t->partner + 1;
      j = next;
      continue;
    }
    j = scan_head(u, &d, f.first, j);
  }
  return end;
}

static uint32_t path_index(unit *u, uint32_t outer, uint32_t first, uint32_t last) {
  text name = {0};
  text_puts(&name, u->paths.items[outer]);
  for (uint32_t i = first; i < last; i++)
    if (u->tokens[i].kind == TOKEN_NAME && class_of(u->tokens[i].word) == CLASS_NONE)
      text_printf(&name, "%.*s::", (int)u->tokens[i].length, u->source.bytes + u->tokens[i].at);
  list_add(&u->paths, name.bytes);
  free(name.bytes);
  return (uint32_t)u->paths.count - 1;
}

/* 'namespace a::b {', 'extern "C" {': scans the inside and returns the index after it; 0 if it is neither. */
static uint32_t scan_block(unit *u, uint32_t i, uint32_t end, uint32_t path) {
  uint32_t j = i;
  if (is_word(u, j, WORD_INLINE)) j++;
  if (is_word(u, j, WORD_NAMESPACE)) {
    uint32_t first = ++j;
    while (j < end && !is_mark(u, j, '{') && !is_mark(u, j, ';')) j = is_mark(u, j, '(') && u->tokens[j].partner ? u->tokens[j].partner + 1 : j + 1;
    if (j >= end || !is_mark(u, j, '{') || u->tokens[j].partner == 0) return j + 1;
    scan_scope(u, j + 1, u->tokens[j].partner, path_index(u, path, first, j), false);
    return u->tokens[j].partner + 1;
  }
  bool linkage = is_word(u, i, WORD_EXTERN) && u->tokens[i + 1].kind == TOKEN_STRING;
  if (!linkage || !is_mark(u, i + 2, '{') || u->tokens[i + 2].partner == 0) return 0;
  scan_scope(u, i + 3, u->tokens[i + 2].partner, path, false);
  return u->tokens[i + 2].partner + 1;
}

/* '[[...]]' stays in front of whatever is inserted. */
static uint32_t skip_prefix(const unit *u, uint32_t i) {
  for (;;) {
    if (is_word(u, i, WORD_EXTERN) && u->tokens[i + 1].kind == TOKEN_STRING) i += 2;
    else if (is_word(u, i, WORD_EXTENSION)) i++;
    else if (is_mark(u, i, '[') && is_mark(u, i + 1, '[') && u->tokens[i].partner != 0) i = u->tokens[i].partner + 1;
    else return i;
  }
}

static void scan_scope(unit *u, uint32_t i, uint32_t end, uint32_t path, bool in_class) {
  while (i < end) {
    word w = (word)u->tokens[i].word;
    if (is_mark(u, i, ';')) {
      i++;
      continue;
    }
    if ((w == WORD_PUBLIC || w == WORD_PRIVATE || w == WORD_PROTECTED) && is_mark(u, i + 1, ':')) {
      i += 2;
      continue;
    }
    uint32_t after = in_class ? 0 : scan_block(u, i, end, path);
    if (after != 0) {
      i = after;
      continue;
    }
    function f = {.start = i, .path = path};
    while (is_word(u, i, WORD_TEMPLATE)) {
      uint32_t close = is_mark(u, i + 1, '<') ? after_angle(u, i + 1, end) : 0;
      if (close == 0) {
        i++;
        break;
      }
      f.template_first = i + 1;
      f.template_last = close;
      i = close;
    }
    f.first = skip_prefix(u, i);
    i = scan_declaration(u, f, end, in_class);
  }
}

/* Is the name declared between the function's '(' and the use at i? */
static bool is_local(const unit *u, const function *f, uint32_t use) {
  for (uint32_t i = f->open; i < use; i++) {
    if (!is_plain_name(u, i) || !same_name(u, i, use)) continue;
    const token *before = &u->tokens[i - 1];
    bool mark = before->kind == TOKEN_MARK && (before->mark == '*' || before->mark == '&' || before->mark == '>' || before->mark == ',');
    if (mark || class_of(before->word) == CLASS_TYPE || is_plain_name(u, i - 1)) return true;
  }
  return false;
}

static void warn_of_host_variables(unit *u, const function *f) {
  for (uint32_t i = f->body; i < f->end; i++) {
    if (!is_plain_name(u, i) || is_mark(u, i - 1, '.') || is_mark(u, i - 1, MARK_ARROW) || is_mark(u, i + 1, MARK_SCOPE)) continue;
    if (is_mark(u, i - 1, MARK_SCOPE) && is_mark(u, i - 2, '>')) continue; /* a member of a class template */
    for (size_t v = 0; v < u->variable_count; v++) {
      bool declared = !same_name(u, i, u->variables[v]) || class_of(u->tokens[i - 1].word) == CLASS_TYPE || is_plain_name(u, i - 1);
      if (declared || is_local(u, f, i)) continue;
      unit_warning(u, i, "device code has its own copy of '%s': what it stores there the host never sees, nor the other way round",
                   token_text(u, i));
      return;
    }
  }
}

void scan(unit *u) {
  list_add(&u->paths, "");
  scan_scope(u, 1, (uint32_t)u->token_count - 1, 0, false);
  for (size_t i = 0; i < u->function_count && u->variable_count > 0; i++) {
    const function *f = &u->functions[i];
    if (f->device && f->body != 0 && !u->tokens[f->name].system) warn_of_host_variables(u, f);
  }
}
