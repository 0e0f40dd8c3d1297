/* launches.c - name<<<blocks, ub, stream>>>(args) becomes a call of the kernel's launcher; with an expression instead of a
 * kernel's name, a call of what the expression points to, told how to launch (stubs.c).
 *
 * C++: ::sk__launch_through(expression, "file", line, blocks, ub, stream)(args)
 * C:   ({ __auto_type sk__k = expression; if (sk__tell_launch("file", line, blocks, ub, stream, sk__k != 0, 0) == 0)
 *         sk__k(args); sk__end_launch(); }) */
#include "skcc.h"

static bool is_triple(const unit *u, uint32_t i, uint8_t mark) {
  return is_mark(u, i, mark) && is_mark(u, i + 1, mark) && is_mark(u, i + 2, mark) && touches_next(u, i) &&
         touches_next(u, i + 1);
}

/* The '<' of the '>' at i, 0 if there is none in the same expression. */
static uint32_t before_angle(const unit *u, uint32_t i) {
  int depth = 0;
  for (; i > 0; i--) {
    if (is_mark(u, i, ')') || is_mark(u, i, ']') || is_mark(u, i, '}')) i = u->tokens[i].partner;
    else if (is_mark(u, i, ';') || is_mark(u, i, '{') || is_mark(u, i, '(')) return 0;
    else if (is_mark(u, i, '>')) depth++;
    else if (is_mark(u, i, '<') && --depth == 0) return i;
    if (i == 0) return 0;
  }
  return 0;
}

/* What stands before '<<<': a name, also name<T>, or the end of an expression (name 0). */
typedef struct launched {
  uint32_t first; /* token */
  uint32_t name;
} launched;

/* Whether the token can end what a '(' or '[' behind it calls or indexes. */
static bool ends_operand(const unit *u, uint32_t i) {
  if (is_mark(u, i, ']')) return true;
  if (!is_mark(u, i, ')')) return is_plain_name(u, i);
  uint32_t open = u->tokens[i].partner; /* of `if (x)` and the like it does not */
  return open != 0 && !is_word(u, open - 1, WORD_IF) && !is_word(u, open - 1, WORD_FOR) && !is_word(u, open - 1, WORD_WHILE) &&
         !is_word(u, open - 1, WORD_SWITCH) && !is_word(u, open - 1, WORD_CATCH);
}

/* The postfix expression that ends before token `end`; first 0 if it is none. */
static launched read_launched(const unit *u, uint32_t end) {
  launched l = {0};
  bool plain = true;
  for (uint32_t i = end - 1; i > 0;) {
    bool angle = is_mark(u, i, '>');
    if (is_mark(u, i, ')') || is_mark(u, i, ']')) {
      bool index = is_mark(u, i, ']');
      i = u->tokens[i].partner;
      if (i == 0) return (launched){0};
      plain = false;
      bool called = is_mark(u, i - 1, '>') && before_angle(u, i - 1) > 1 && is_plain_name(u, before_angle(u, i - 1) - 1);
      if (called || ends_operand(u, i - 1)) {
        i--;
        continue;
      }
      if (index) return (launched){0};
    } else {
      if (angle) i = before_angle(u, i);
      if (i > 1 && angle) i--;
      if (i == 0 || !is_plain_name(u, i)) return (launched){0};
      if (plain && l.first == 0) l.name = i;
    }
    l.first = i;
    bool member = is_mark(u, i - 1, '.') || is_mark(u, i - 1, MARK_ARROW);
    if (member) l.name = 0;
    if (is_mark(u, i - 1, MARK_SCOPE) && (is_plain_name(u, i - 2) || is_mark(u, i - 2, '>'))) i -= 2;
    else if (is_mark(u, i - 1, MARK_SCOPE)) return l.first = i - 1, l;
    else if (member) i -= 2;
    else return l;
    plain = false;
  }
  return (launched){0};
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

static bool check_launch(unit *u, const launch *l) {
  uint32_t call = l->close + 3;
  if (!is_mark(u, call, '(') || u->tokens[call].partner == 0)
    return unit_error(u, l->close, "a launch goes on with its arguments: >>>(...)"), false;
  if (l->comma_count < 1 || l->comma_count > 2)
    return unit_error(u, l->open, "a launch takes <<<blocks, dynamic UB bytes>>> or <<<blocks, dynamic UB bytes, stream>>>; "
                      "put an argument that has commas of its own in parentheses"), false;
  uint32_t second = l->commas[0] + 1, second_end = l->comma_count == 2 ? l->commas[1] : l->close;
  if (is_null_pointer(u, second, second_end)) edit_replace(u, second, second_end - 1, copy_string("0", 1));
  u->needs_glue = true;
  return true;
}

/* In place of '<<<': what stands before it, then where the launch is. */
static void write_place(unit *u, const launch *l, uint32_t at, const char *before) {
  text place = {0};
  text_puts(&place, before);
  text_quoted(&place, u->files.items[u->tokens[at].file]);
  text_printf(&place, ", %u, ", u->tokens[at].line);
  edit_replace(u, l->open, l->open + 2, place.bytes);
}

static const char *no_stream(const unit *u, const launch *l) {
  return l->comma_count == 2 ? "" : u->cplusplus ? ", nullptr" : ", (void *)0";
}

static void launch_name(unit *u, const launch *l, uint32_t name) {
  uint32_t call = l->close + 3;
  edit_replace(u, name, name, format_string("sk__launch_%s", token_text(u, name)));
  write_place(u, l, name, "(");
  edit_replace(u, l->close, l->close + 2, format_string("%s%s", no_stream(u, l), u->tokens[call].partner != call + 1 ? ", " : ""));
  edit_replace(u, call, call, copy_string("", 0));
}

static void launch_expression(unit *u, const launch *l, uint32_t first) {
  if (u->cplusplus) {
    edit_before(u, first, format_string("::sk__launch_through("));
    write_place(u, l, first, ", ");
    edit_replace(u, l->close, l->close + 2, format_string("%s)", no_stream(u, l)));
  } else {
    edit_before(u, first, format_string("__extension__ ({ __auto_type sk__k = "));
    write_place(u, l, first, "; if (sk__tell_launch(");
    edit_replace(u, l->close, l->close + 2, format_string("%s, sk__k != 0, 0) == 0) sk__k", no_stream(u, l)));
    edit_after(u, u->tokens[l->close + 3].partner, format_string("; sk__end_launch(); })"));
  }
}

/* ---- what a name stands for ---------------------------------------------------------------------- */

static bool is_type_end(const unit *u, uint32_t i) {
  return is_plain_name(u, i) || is_mark(u, i, '>') || is_word(u, i, WORD_AUTO) || class_of(u->tokens[i].word) == CLASS_TYPE;
}

/* `T name =`, `T *name)`, `R (*name)(`: the name at i is a variable's, said here. */
static bool declares(const unit *u, uint32_t i) {
  uint32_t type = i - 1;
  while (is_mark(u, type, '*') || is_mark(u, type, '&') || class_of(u->tokens[type].word) == CLASS_TYPE_QUALIFIER) type--;
  if (type < i - 1 && is_mark(u, type, '(') && is_mark(u, i + 1, ')') && is_mark(u, i + 2, '(')) return is_type_end(u, type - 1);
  static const char behind[] = "=;,){[(:>";
  for (const char *c = behind; *c != '\0'; c++)
    if (is_mark(u, i + 1, (uint8_t)*c)) return is_type_end(u, type);
  return false;
}

static bool is_declared_in(const unit *u, uint32_t name, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i < last; i++)
    if (is_plain_name(u, i) && same_name(u, i, name) && declares(u, i)) return true;
  return false;
}

/* Of the function around it: a variable, a parameter, also of a template or of a lambda. */
static bool is_local_name(const unit *u, uint32_t name) {
  if (is_mark(u, name - 1, MARK_SCOPE)) return false;
  for (size_t i = 0; i < u->function_count; i++) {
    const function *f = &u->functions[i];
    if (f->body == 0 || name < f->body || name > f->end) continue;
    if (is_declared_in(u, name, f->template_first, f->template_last) || is_declared_in(u, name, f->open, name)) return true;
  }
  return false;
}

static bool is_no_kernel(const unit *u, uint32_t name) {
  for (size_t i = 0; i < u->no_kernel_count; i++)
    if (same_name(u, u->no_kernels[i], name)) return true;
  return false;
}

void rewrite_launches(unit *u) {
  for (uint32_t i = 2; i + 3 < u->token_count; i++) {
    if (!is_triple(u, i, '<') || is_word(u, i - 1, WORD_OPERATOR)) continue;
    launched what = read_launched(u, i);
    uint32_t name = what.name != 0 && !is_local_name(u, what.name) ? what.name : 0;
    launch l;
    if (what.first == 0) {
      unit_error(u, i, "<<< needs a kernel, or an expression that points to one, before it");
    } else if (!read_launch(u, &l, i)) {
      unit_error(u, i, "this <<< of '%s' has no >>>", tokens_text(u, what.first, i));
    } else if (name != 0 && find_kernel(u, name) == NULL && is_no_kernel(u, name)) {
      unit_error(u, name, "'%s' is launched but is no kernel: there is no __global__ declaration of it", token_text(u, name));
    } else if (check_launch(u, &l)) {
      if (name != 0 && find_kernel(u, name) != NULL) launch_name(u, &l, name);
      else launch_expression(u, &l, what.first);
    }
    i += 2;
  }
}
