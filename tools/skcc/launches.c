/* launches.c - name<<<blocks, ub, stream>>>(args) becomes a call of the kernel's launcher. */
#include "skcc.h"

static bool is_triple(const unit *u, uint32_t i, uint8_t mark) {
  return is_mark(u, i, mark) && is_mark(u, i + 1, mark) && is_mark(u, i + 2, mark) && touches_next(u, i) &&
         touches_next(u, i + 1);
}

/* The name before '<<<', also of name<T><<<; 0 if there is none. */
static uint32_t launched_name(const unit *u, uint32_t i) {
  uint32_t name = i - 1;
  if (is_mark(u, name, '>')) {
    int depth = 0;
    for (; name > 0; name--) {
      if (is_mark(u, name, ')') || is_mark(u, name, ']') || is_mark(u, name, '}')) name = u->tokens[name].partner;
      else if (is_mark(u, name, ';') || is_mark(u, name, '{') || is_mark(u, name, '(')) return 0;
      else if (is_mark(u, name, '>')) depth++;
      else if (is_mark(u, name, '<') && --depth == 0) break;
      if (name == 0) return 0;
    }
    if (name > 0) name--;
  }
  return name > 0 && is_plain_name(u, name) ? name : 0;
}

typedef struct launch {
  uint32_t open, close; /* first token of '<<<' and of '>>>' */
  uint32_t commas[3];
  unsigned comma_count;
} launch;

/* In C++ `name<a, b>(`, `name<a, b>::` and `name<a, b>{` are templates: their commas are their own. */
static uint32_t template_end(const unit *u, uint32_t i, uint32_t limit) {
  if (!u->cplusplus || !is_mark(u, i, '<') || !is_plain_name(u, i - 1)) return 0;
  uint32_t after = after_angle(u, i, limit);
  if (after == 0 || is_triple(u, after - 1, '>')) return 0;
  return is_mark(u, after, '(') || is_mark(u, after, MARK_SCOPE) || is_mark(u, after, '{') ? after : 0;
}

static bool read_launch(const unit *u, launch *l, uint32_t open) {
  *l = (launch){.open = open};
  uint32_t limit = (uint32_t)u->token_count - 3;
  for (uint32_t i = open + 3; i < limit; i++) {
    const token *t = &u->tokens[i];
    if (t->kind != TOKEN_MARK) continue;
    if (is_triple(u, i, '>')) {
      l->close = i;
      return true;
    }
    if (t->mark == '(' || t->mark == '[' || t->mark == '{') {
      if (t->partner == 0) return false;
      i = t->partner;
      continue;
    }
    if (t->mark == ';' || t->mark == ')' || t->mark == ']' || t->mark == '}') return false;
    uint32_t after = template_end(u, i, limit);
    if (after != 0) i = after - 1;
    else if (t->mark == ',' && l->comma_count++ < 3) l->commas[l->comma_count - 1] = i;
  }
  return false;
}

/* A null pointer as second argument is the older spelling of "no dynamic UB". */
static bool is_null_pointer(const unit *u, uint32_t first, uint32_t last) {
  static const char *const words[] = {"nullptr", "NULL", "__null"};
  static const char *const expanded[] = {"(", "(", "void", "*", ")", "0", ")"}; /* C's NULL */
  const uint32_t length = sizeof expanded / sizeof *expanded;
  for (size_t i = 0; i < sizeof words / sizeof *words && first + 1 == last; i++)
    if (is_spelled(u, first, words[i])) return true;
  uint32_t same = 0;
  while (last - first == length && same < length && is_spelled(u, first + same, expanded[same])) same++;
  return same == length;
}

static void rewrite_launch(unit *u, const launch *l, uint32_t name) {
  uint32_t call = l->close + 3;
  if (!is_mark(u, call, '(') || u->tokens[call].partner == 0) {
    unit_error(u, l->close, "a launch goes on with its arguments: >>>(...)");
    return;
  }
  if (l->comma_count < 1 || l->comma_count > 2) {
    unit_error(u, l->open, "a launch takes <<<blocks, dynamic UB bytes>>> or <<<blocks, dynamic UB bytes, stream>>>; "
               "put an argument that has commas of its own in parentheses");
    return;
  }
  uint32_t second = l->commas[0] + 1, second_end = l->comma_count == 2 ? l->commas[1] : l->close;
  if (is_null_pointer(u, second, second_end)) edit_replace(u, second, second_end - 1, copy_string("0", 1));
  text head = {0};
  text_puts(&head, "(");
  text_quoted(&head, u->files.items[u->tokens[name].file]);
  text_printf(&head, ", %u, ", u->tokens[name].line);
  edit_replace(u, name, name, format_string("sk__launch_%s", token_text(u, name)));
  edit_replace(u, l->open, l->open + 2, head.bytes);
  text tail = {0};
  text_puts(&tail, l->comma_count == 2 ? "" : u->cplusplus ? ", nullptr" : ", (void *)0");
  if (u->tokens[call].partner != call + 1) text_puts(&tail, ", ");
  edit_replace(u, l->close, l->close + 2, tail.bytes);
  edit_replace(u, call, call, copy_string("", 0));
  u->needs_glue = true;
}

void rewrite_launches(unit *u) {
  for (uint32_t i = 2; i + 3 < u->token_count; i++) {
    if (!is_triple(u, i, '<') || is_word(u, i - 1, WORD_OPERATOR)) continue;
    uint32_t name = launched_name(u, i);
    launch l;
    if (name == 0) {
      unit_error(u, i, "<<< needs the name of a kernel before it");
    } else if (!read_launch(u, &l, i)) {
      unit_error(u, i, "this <<< of '%s' has no >>>", token_text(u, name));
    } else if (find_kernel(u, name) == NULL) {
      unit_error(u, name, "'%s' is launched but is no kernel: there is no __global__ declaration of it", token_text(u, name));
    } else {
      rewrite_launch(u, &l, name);
    }
    i += 2;
  }
}
