/* kernels.c - kernel qualifiers, and what stands around a kernel: argument struct, launcher, entry of
 * each half, record.
 *
 * The text goes before the kernel's first declaration (struct, launcher) and behind its definition
 * (entries, record), marked as system header text so that the user's warning flags do not judge it. */
#include "skcc.h"

#include <stdlib.h>
#include <string.h>
#include <superkernel/kernel.h>

void rewrite_qualifiers(unit *u) {
  for (uint32_t i = 1; i + 1 < u->token_count; i++) {
    word_class class = class_of(u->tokens[i].word);
    bool called = is_mark(u, i + 1, '(') && u->tokens[i + 1].partner != 0;
    if (class == CLASS_QUALIFIER || class == CLASS_MEMORY) edit_blank(u, i, i);
    bool task_type = u->tokens[i].word == WORD_TASK_TYPE || u->tokens[i].word == WORD_TASK_TYPE_DEFAULT;
    if ((class == CLASS_CALL_QUALIFIER || task_type) && called) {
      edit_blank(u, i, u->tokens[i + 1].partner);
      i = u->tokens[i + 1].partner;
    }
  }
}

/* Of several the one with as many parameters. */
kernel *find_template(unit *u, uint32_t name, unsigned parameters) {
  kernel *found = NULL;
  size_t count = 0;
  for (size_t i = 0; i < u->kernel_count; i++) {
    kernel *k = &u->kernels[i];
    if (!is_spelled(u, name, k->name) || !k->is_template) continue;
    if (count++ == 0 || k->param_count == parameters) found = k;
  }
  return count > 1 && found->param_count != parameters ? NULL : found;
}

kernel *find_kernel(unit *u, uint32_t name) {
  for (size_t i = 0; i < u->kernel_count; i++)
    if (is_spelled(u, name, u->kernels[i].name)) return &u->kernels[i];
  return NULL;
}

/* ---- what the qualifiers say ------------------------------------------------------------------- */

static const struct { const char *name; int type; } type_names[] = {
  {"AIV_ONLY", KERNEL_AIV}, {"AIC_ONLY", KERNEL_AIC}, {"MIX_AIV_1_0", KERNEL_MIX_0_1},
  {"MIX_AIC_1_0", KERNEL_MIX_1_0}, {"MIX_AIC_1_1", KERNEL_MIX_1_1}, {"MIX_AIC_1_2", KERNEL_MIX_1_2},
};

bool has_cube_half(int type) { return type != KERNEL_AIV && type != KERNEL_MIX_0_1; }
bool has_vector_half(int type) { return type != KERNEL_AIC && type != KERNEL_MIX_1_0; }

/* A number in parentheses behind the word at i, -1 if it is not a plain one. */
static int literal_argument(const unit *u, uint32_t open, unsigned which, unsigned count) {
  if (!is_mark(u, open, '(') || u->tokens[open].partner != open + 2 * count) return -1;
  const token *t = &u->tokens[open + 1 + 2 * which];
  if (t->kind != TOKEN_NUMBER) return -1;
  return (int)strtol(u->source.bytes + t->at, NULL, 0);
}

static void set_type(unit *u, kernel *k, uint32_t at, int type) {
  if (k->type != KERNEL_UNSET && k->type != type) unit_error(u, at, "kernel '%s' has two different kernel types", k->name);
  k->type = type;
}

static void read_mix(unit *u, kernel *k, uint32_t i) {
  int cube = literal_argument(u, i + 1, 0, 2), vector = literal_argument(u, i + 1, 1, 2);
  int type = cube == 0 && vector == 1 ? KERNEL_MIX_0_1 : cube == 1 && vector == 0 ? KERNEL_MIX_1_0
           : cube == 1 && vector == 1 ? KERNEL_MIX_1_1 : cube == 1 && vector == 2 ? KERNEL_MIX_1_2 : KERNEL_UNSET;
  if (type == KERNEL_UNSET) unit_error(u, i, "__mix__ takes (0,1), (1,0), (1,1) or (1,2)");
  else set_type(u, k, i, type);
}

static void read_head(unit *u, kernel *k, const function *f) {
  uint32_t end = f->body != 0 ? f->body : f->end;
  bool is_void = false;
  for (uint32_t i = f->first; i < end; i = i == f->open ? f->close + 1 : i + 1) {
    switch (u->tokens[i].word) {
      case WORD_VECTOR: set_type(u, k, i, KERNEL_AIV); break;
      case WORD_CUBE: set_type(u, k, i, KERNEL_AIC); break;
      case WORD_MIX: read_mix(u, k, i); break;
      case WORD_SCHEDMODE: {
        int mode = literal_argument(u, i + 1, 0, 1);
        if (mode != 0 && mode != 1) unit_error(u, i, "__schedmode__ takes 0 or 1");
        else k->schedmode = (uint32_t)mode;
        break;
      }
      case WORD_STATIC: case WORD_INLINE: case WORD_INLINE_: case WORD_INLINE__: case WORD_CONSTEXPR:
        unit_error(u, i, "kernel '%s' cannot be %.*s: it is started from outside this file", k->name,
                   (int)u->tokens[i].length, u->source.bytes + u->tokens[i].at);
        break;
      case WORD_VOID: is_void |= i < f->name; break;
      default: break;
    }
  }
  if (!is_void) unit_error(u, f->name, "kernel '%s' must return void", k->name);
  if (f->member) unit_error(u, f->name, "kernel '%s' cannot be a class member", k->name);
}

int kernel_function_type(unit *u, const function *f) {
  kernel k = {.name = token_text(u, f->name), .type = KERNEL_UNSET};
  for (uint32_t i = f->first; i < f->name; i++) {
    if (is_word(u, i, WORD_VECTOR)) set_type(u, &k, i, KERNEL_AIV);
    if (is_word(u, i, WORD_CUBE)) set_type(u, &k, i, KERNEL_AIC);
    if (is_word(u, i, WORD_MIX)) read_mix(u, &k, i);
  }
  return k.type;
}

/* KERNEL_TASK_TYPE(key, type) speaks of one tiling key; kernel_operator/tiling.h puts the key of this compilation before it. */
static bool is_of_other_key(const unit *u, uint32_t type) {
  if (type < 6 || !is_word(u, type - 6, WORD_TASK_TYPE)) return false;
  const token *here = &u->tokens[type - 4], *key = &u->tokens[type - 2];
  return here->kind == TOKEN_NUMBER && key->kind == TOKEN_NUMBER &&
         strtoull(u->source.bytes + here->at, NULL, 0) != strtoull(u->source.bytes + key->at, NULL, 0);
}

/* Kernels for several chips name a type for each. */
static bool is_of_other_chip(const char *name) {
  static const char *const names[] = {"AICORE", "VECTORCORE", "MIX_AICORE", "MIX_VECTOR_CORE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_...) inside the body, however the macro was spelled out. */
static void read_body_type(unit *u, kernel *k, const function *f) {
  static const char prefix[] = "KERNEL_TYPE_";
  uint32_t foreign = 0;
  for (uint32_t i = f->body; i < f->end; i++) {
    if (!is_plain_name(u, i) || u->tokens[i].length < sizeof prefix ||
        memcmp(u->source.bytes + u->tokens[i].at, prefix, sizeof prefix - 1) != 0) continue;
    char *name = token_text(u, i);
    int type = KERNEL_UNSET;
    for (size_t t = 0; t < sizeof type_names / sizeof *type_names; t++)
      if (strcmp(name + sizeof prefix - 1, type_names[t].name) == 0) type = type_names[t].type;
    if (type != KERNEL_UNSET) {
      if (!is_of_other_key(u, i)) set_type(u, k, i, type);
    } else if (is_of_other_chip(name + sizeof prefix - 1)) foreign = i;
    else unit_error(u, i, "kernel type '%s' does not exist on this chip", name);
    free(name);
  }
  if (foreign != 0 && k->type == KERNEL_UNSET) {
    char *name = token_text(u, foreign);
    unit_error(u, foreign, "kernel type '%s' does not exist on this chip", name);
    free(name);
  }
}

/* Of a kernel whose source leaves it to the compiler: a workspace of the matmul service is for a kernel that has one, and so
 * is REGIST_MATMUL_OBJ; on cube cores on their own (ASCENDC_CUBE_ONLY) it needs no workspace. */
static int implied_type(const unit *u, const kernel *k, const function *f) {
  for (size_t i = 0; i < k->param_count; i++)
    if (k->params[i].workspace) return KERNEL_MIX_1_2;
  int type = u->kernel_type;
  for (uint32_t i = f->body; i < f->end; i++) {
    if (is_spelled(u, i, "sk_matmul_workspace")) return KERNEL_MIX_1_2;
    if (is_spelled(u, i, "matmuls_init")) type = KERNEL_AIC;
  }
  return type;
}

/* ---- parameters -------------------------------------------------------------------------------- */

static bool is_type_token(const unit *u, uint32_t i) {
  word_class class = class_of(u->tokens[i].word);
  return class == CLASS_TYPE || class == CLASS_NONE;
}

/* The declared name of [first, last), 0 if there is none: a last identifier with a type before it. */
static uint32_t parameter_name(const unit *u, uint32_t first, uint32_t last) {
  uint32_t name = last - 1;
  if (!is_plain_name(u, name) || name == first || is_mark(u, name - 1, MARK_SCOPE)) return 0;
  for (uint32_t i = first; i < name; i++) {
    word w = (word)u->tokens[i].word;
    bool tag = w == WORD_STRUCT || w == WORD_UNION || w == WORD_ENUM || w == WORD_CLASS || w == WORD_TYPENAME;
    if (tag && i + 1 == name) return 0;
    if (u->tokens[i].kind == TOKEN_NAME && is_type_token(u, i)) return name;
  }
  return 0;
}

static void read_parameter(unit *u, kernel *k, parameter p) {
  for (uint32_t i = p.first; i < p.last; i++) {
    if (is_word(u, i, WORD_KFC)) p.workspace = true;
    if (class_of(u->tokens[i].word) == CLASS_MEMORY)
      unit_error(u, i, "a parameter of kernel '%s' cannot point to local memory", k->name);
    if (is_mark(u, i, '&')) unit_error(u, i, "a parameter of kernel '%s' cannot be a reference", k->name);
    if (is_mark(u, i, '[') || is_mark(u, i, '(')) {
      unit_error(u, i, "a parameter of kernel '%s' must be a pointer or a value, not an array or function", k->name);
      break;
    }
    if (is_mark(u, i, '.')) {
      unit_error(u, i, "kernel '%s' cannot have variable arguments", k->name);
      break;
    }
  }
  p.name = parameter_name(u, p.first, p.last);
  k->params = grow(k->params, k->param_count, &k->param_capacity, sizeof *k->params);
  k->params[k->param_count++] = p;
}

void read_parameters(unit *u, kernel *k, const function *f) {
  uint32_t i = f->open + 1;
  if (i == f->close || (i + 1 == f->close && is_word(u, i, WORD_VOID))) return;
  while (i < f->close) {
    parameter p = {.first = i};
    int angle = 0;
    for (; i < f->close; i++) {
      const token *t = &u->tokens[i];
      if (t->kind != TOKEN_MARK) continue;
      if ((t->mark == '(' || t->mark == '[' || t->mark == '{') && t->partner != 0) {
        i = t->partner;
        continue;
      }
      if (t->mark == '<') angle++;
      if (t->mark == '>') angle--;
      if (t->mark == ',' && angle <= 0) break;
      if (t->mark == '=' && angle <= 0 && p.default_first == 0) {
        p.last = i;
        p.default_first = i + 1;
      }
    }
    if (p.default_first != 0) p.default_last = i;
    else p.last = i;
    read_parameter(u, k, p);
    i++;
  }
}

/* Reports and launcher use the user's names; an unnamed parameter gets one. */
char *param_name(const unit *u, const kernel *k, size_t i) {
  if (k->params[i].name != 0) return token_text(u, k->params[i].name);
  return format_string("sk__%zu", i);
}

/* The parameter declared under another name. Fields are numbered: declaration and definition of one
 * kernel may name its parameters differently. */
static char *declare_as(const unit *u, const kernel *k, size_t i, const char *name) {
  const parameter *p = &k->params[i];
  uint32_t last = p->name != 0 ? p->name : p->last;
  char *type = tokens_text(u, p->first, last), *declared = format_string("%s %s", type, name);
  free(type);
  return declared;
}

/* As the user wrote it, qualifiers and all: what reports show. */
static char *param_type(const unit *u, const kernel *k, size_t i) {
  text out = {0};
  text_puts(&out, "");
  const parameter *p = &k->params[i];
  for (uint32_t t = p->first; t < p->last; t++) {
    if (t == p->name) continue;
    bool apart = t > p->first && u->tokens[t - 1].at + u->tokens[t - 1].length < u->tokens[t].at;
    text_printf(&out, "%s%.*s", apart ? " " : "", (int)u->tokens[t].length, u->source.bytes + u->tokens[t].at);
  }
  return out.bytes;
}

/* ---- template heads ---------------------------------------------------------------------------- */

typedef struct template_text {
  char *defaulted; /* "template <typename T, int n = 4> " or "" */
  char *head;      /* the same without defaults, which may be given only once */
  char *arguments; /* "<T, n>" or "" */
} template_text;

static template_text read_template(unit *u, const function *f) {
  template_text t = {copy_string("", 0), copy_string("", 0), copy_string("", 0)};
  if (f->template_first == f->template_last) return t;
  t.defaulted = format_string("template %s ", tokens_text(u, f->template_first, f->template_last));
  text names = {0}, bare = {0};
  uint32_t last = f->template_last - 1;
  for (uint32_t i = f->template_first + 1; i < last; i++) {
    uint32_t first = i, name = 0, value = 0;
    bool pack = false;
    int angle = 0;
    for (; i < last && !(is_mark(u, i, ',') && angle == 0); i++) {
      if (is_mark(u, i, '<')) angle++;
      if (is_mark(u, i, '>')) angle--;
      if (is_mark(u, i, '=') && angle == 0 && value == 0) value = i;
      if (is_mark(u, i, '.')) pack = true;
      if (value == 0 && angle == 0 && i > first && is_plain_name(u, i)) name = i;
      if (u->tokens[i].partner > i) i = u->tokens[i].partner;
    }
    if (name == 0) {
      unit_error(u, first, "name this template parameter: the launch needs it");
      continue;
    }
    text_printf(&bare, "%s%s", names.length > 0 ? ", " : "", tokens_text(u, first, value != 0 ? value : i));
    text_printf(&names, "%s%.*s%s", names.length > 0 ? ", " : "", (int)u->tokens[name].length,
                u->source.bytes + u->tokens[name].at, pack ? "..." : "");
  }
  t.head = format_string("template <%s> ", bare.length > 0 ? bare.bytes : "");
  t.arguments = format_string("<%s>", names.length > 0 ? names.bytes : "");
  return t;
}

/* ---- the text around a kernel -------------------------------------------------------------------- */

/* Argument blocks are read without hooks: on the chip the arguments come in registers and constants. */
#define HIDDEN "__attribute__((visibility(\"hidden\"), no_sanitize(\"thread\")))"

static void write_struct(const unit *u, const kernel *k, const char *head, text *out) {
  text_printf(out, "%sstruct sk__args_%s {", head, k->symbol);
  for (size_t i = 0; i < k->param_count; i++)
    text_printf(out, " %s __attribute__((aligned(4)));", declare_as(u, k, i, format_string("sk__f%zu", i)));
  text_puts(out, " };");
}

static void write_launcher(const unit *u, const kernel *k, const template_text *t, text *out) {
  const char *scope = u->cplusplus ? "::" : "";
  text_printf(out, " %sstatic inline __attribute__((unused)) int sk__launch_%s(const char *sk__file, "
              "unsigned sk__line, unsigned sk__blocks, unsigned long sk__ub, void *sk__stream", t->defaulted, k->name);
  for (size_t i = 0; i < k->param_count; i++) {
    text_printf(out, ", %s", declare_as(u, k, i, param_name(u, k, i)));
    const parameter *p = &k->params[i];
    if (p->default_first != 0) text_printf(out, " = %s", tokens_text(u, p->default_first, p->default_last));
  }
  text_puts(out, ") {");
  if (k->param_count > 0)
    text_printf(out, " typedef struct sk__args_%s%s sk__a; unsigned char sk__block[sizeof(sk__a)] = {0};", k->symbol, t->arguments);
  for (size_t i = 0; i < k->param_count; i++) {
    char *name = param_name(u, k, i);
    if (u->cplusplus)
      text_printf(out, " static_assert(__is_trivially_copyable(decltype(sk__a::sk__f%zu)), \"a kernel parameter is copied as bytes\");", i);
    text_printf(out, " __builtin_memcpy(sk__block + __builtin_offsetof(sk__a, sk__f%zu), &%s, sizeof(%s));", i, name, name);
  }
  text_printf(out, " return %ssk__launch_kernel(%ssk__kernel_%s%s%s, sk__blocks, sk__ub, sk__stream, %s, sk__file, sk__line); }",
              scope, k->is_template ? "" : "&", k->symbol, t->arguments, k->is_template ? "()" : "",
              k->param_count > 0 ? "sk__block" : "(const void *)0");
}

/* The parameter that is the workspace of a kernel in a library (--launch-headers), or param_count. The kernel gets the user's
 * part of it, behind the system's 16 MiB; a kernel with a cube half does nothing without. */
static size_t library_workspace(const unit *u, const kernel *k) {
  if (u->workspace == 0 || k->param_count == 0) return k->param_count;
  return k->param_count > u->workspace ? k->param_count - u->workspace : k->param_count > 1 ? 0 : k->param_count - 1;
}

static void write_entry(const unit *u, const kernel *k, const template_text *t, const char *half, text *out) {
  size_t workspace = library_workspace(u, k);
  text_printf(out, " %s" HIDDEN " void sk__%s_%s(const void *sk__p) {", t->head, half, k->symbol);
  if (k->param_count > 0)
    text_printf(out, " typedef struct sk__args_%s%s sk__a; const sk__a *sk__v = (const sk__a *)sk__p;", k->symbol, t->arguments);
  else text_puts(out, " (void)sk__p;");
  for (size_t i = 0; i < k->param_count; i++)
    if (k->params[i].workspace) text_printf(out, " sk__system_workspace((unsigned long)sk__v->sk__f%zu);", i);
  if (workspace < k->param_count) {
    if (k->type != KERNEL_AIV && k->type != KERNEL_AIC) text_printf(out, " if (sk__v->sk__f%zu == 0) return;", workspace);
    text_printf(out, " sk__system_workspace((unsigned long)sk__v->sk__f%zu);", workspace);
  }
  text_printf(out, " %s%s(", k->name, t->arguments);
  for (size_t i = 0; i < k->param_count; i++)
    text_printf(out, i == workspace ? "%s(__typeof__(sk__v->sk__f%zu))((char *)sk__v->sk__f%zu + (16 << 20))" : "%ssk__v->sk__f%zu",
                i > 0 ? ", " : "", i, i);
  text_puts(out, "); }");
}

static void write_params(const unit *u, const kernel *k, const char *arguments, text *out) {
  if (k->param_count == 0) return;
  text_printf(out, " typedef struct sk__args_%s%s sk__args_%s_t; static const struct sk__param sk__params_%s[] = {", k->symbol,
              arguments, k->symbol, k->symbol);
  for (size_t i = 0; i < k->param_count; i++) {
    text_printf(out, "{\"%s\", __builtin_offsetof(sk__args_%s_t, sk__f%zu), sizeof(((sk__args_%s_t *)0)->sk__f%zu), "
                "__builtin_classify_type(((sk__args_%s_t *)0)->sk__f%zu) == 5, ", param_name(u, k, i), k->symbol, i, k->symbol, i, k->symbol, i);
    text_quoted(out, param_type(u, k, i));
    text_puts(out, "},");
  }
  text_puts(out, "};");
}

/* The braces of a record; name and entries as given. */
static void write_record(const unit *u, const kernel *k, const function *f, const char *name, const char *aic,
                         const char *aiv, text *out) {
  text_printf(out, "{%u, %d, %s, ", (unsigned)SK_KERNEL_ABI, k->type, name);
  text_quoted(out, u->files.items[u->tokens[f->name].file]);
  text_printf(out, ", %u, %u, %uu, ", u->tokens[f->name].line, k->schedmode, u->flags);
  if (k->param_count > 0)
    text_printf(out, "sizeof(sk__args_%s_t), %zu, sk__params_%s, ", k->symbol, k->param_count, k->symbol);
  else text_puts(out, "0, 0, 0, ");
  text_printf(out, "%s, %s};", aic, aiv);
}

static void declare_entry(const kernel *k, const template_text *t, const char *half, text *out) {
  text_printf(out, " %s__attribute__((visibility(\"hidden\"))) void sk__%s_%s(const void *);", t->head, half, k->symbol);
}

/* Declared in the host part, where the record is, and in its half, where a template's body names it. */
static void declare_entries(const unit *u, const kernel *k, const template_text *t, text *out) {
  if (has_cube_half(k->type) && u->part != PART_VECTOR) declare_entry(k, t, "aic", out);
  if (has_vector_half(k->type) && u->part != PART_CUBE) declare_entry(k, t, "aiv", out);
}

static void write_entries(const unit *u, const kernel *k, const template_text *t, text *out) {
  if (has_cube_half(k->type) && u->part == PART_CUBE) write_entry(u, k, t, "aic", out);
  if (has_vector_half(k->type) && u->part == PART_VECTOR) write_entry(u, k, t, "aiv", out);
}

static char *entry_name(const kernel *k, const template_text *t, const char *half, bool has) {
  return has ? format_string("&sk__%s_%s%s", half, k->symbol, t->arguments) : copy_string("0", 1);
}

static void write_plain(const unit *u, const kernel *k, const function *f, const template_text *t, text *out) {
  if (u->part != PART_HOST) return;
  write_params(u, k, "", out);
  text_printf(out, " const struct sk__record sk__kernel_%s = ", k->name);
  write_record(u, k, f, format_string("\"%s\"", k->name), entry_name(k, t, "aic", has_cube_half(k->type)),
               entry_name(k, t, "aiv", has_vector_half(k->type)), out);
  text_printf(out, " static __attribute__((constructor)) void sk__register_%s(void) { %ssk__register_kernel(&sk__kernel_%s); }",
              k->name, u->cplusplus ? "::" : "", k->name);
}

/* A template's record is made at the first launch of an instantiation. Every part has it: that is what
 * makes the halves instantiate their entries; a half names its own alone. */
static void write_template(const unit *u, const kernel *k, const function *f, const template_text *t, text *out) {
  text_printf(out, " %s" HIDDEN " const struct sk__record *sk__kernel_%s() {", t->head, k->symbol);
  write_params(u, k, t->arguments, out);
  text_puts(out, " static char sk__name[256]; static const struct sk__record sk__record = ");
  write_record(u, k, f, "sk__name", entry_name(k, t, "aic", has_cube_half(k->type) && u->part != PART_VECTOR),
               entry_name(k, t, "aiv", has_vector_half(k->type) && u->part != PART_CUBE), out);
  text_printf(out, " static const bool sk__known = (::sk__template_name(sk__name, sizeof sk__name, \"%s\", __PRETTY_FUNCTION__), "
              "::sk__register_kernel(&sk__record), true); (void)sk__known; return &sk__record; }", k->name);
}

static void announce(const unit *u, kernel *k, const function *f, const template_text *t, text *out) {
  begin_system_text(u, f->start, out);
  k->announced = true;
  write_struct(u, k, t->head, out);
  if (k->is_template) text_printf(out, " %s" HIDDEN " const struct sk__record *sk__kernel_%s();", t->head, k->symbol);
  else text_printf(out, " extern __attribute__((visibility(\"default\"))) const struct sk__record sk__kernel_%s;", k->name);
  begin_system_text(u, f->start, out);
  write_launcher(u, k, t, out);
}

/* ---- one function at a time ---------------------------------------------------------------------- */

/* Templates of one name are one kernel for each number of parameters. Their symbols say it, the same in every file. */
static bool is_of(const unit *u, const kernel *k, const function *f, const kernel *as) {
  bool is_template = f->template_first != f->template_last;
  return is_spelled(u, f->name, k->name) && strcmp(u->paths.items[f->path], u->paths.items[k->path]) == 0 &&
         (!u->cplusplus || (k->is_template == is_template && (!is_template || k->param_count == as->param_count)));
}

static kernel *kernel_of(unit *u, const function *f) {
  kernel new = {.name = token_text(u, f->name), .path = f->path, .type = KERNEL_UNSET, .is_template = f->template_first != f->template_last};
  read_parameters(u, &new, f);
  for (size_t i = 0; i < u->kernel_count; i++) {
    kernel *k = &u->kernels[i];
    if (!is_of(u, k, f, &new)) continue;
    k->params = new.params, k->param_count = new.param_count, k->param_capacity = new.param_capacity;
    return k;
  }
  new.symbol = new.is_template ? format_string("%s_%zu", new.name, new.param_count) : new.name;
  u->kernels = grow(u->kernels, u->kernel_count, &u->kernel_capacity, sizeof *u->kernels);
  u->kernels[u->kernel_count] = new;
  return &u->kernels[u->kernel_count++];
}

static void rewrite_kernel(unit *u, uint32_t index) {
  const function *f = &u->functions[index];
  unsigned errors = u->error_count;
  kernel *k = kernel_of(u, f);
  read_head(u, k, f);
  if (f->body != 0 && k->definition != 0) {
    unit_error(u, f->name, k->is_template ? "kernel '%s' is defined twice; templates of one name must differ in their number of parameters"
                                          : "kernel '%s' is defined twice; only templates can be overloaded", k->name);
    return;
  }
  if (f->body != 0) {
    k->definition = index + 1;
    read_body_type(u, k, f);
    if (k->type == KERNEL_UNSET) k->type = implied_type(u, k, f);
    u->needs_cube_half |= has_cube_half(k->type);
    u->needs_vector_half |= has_vector_half(k->type);
  }
  template_text t = read_template(u, f);
  if (u->error_count != errors || (k->announced && f->body == 0)) return;
  text before = {0}, after = {0};
  if (!k->announced) announce(u, k, f, &t, &before);
  if (f->body != 0) {
    begin_system_text(u, f->start, &before);
    declare_entries(u, k, &t, &before);
    begin_system_text(u, f->end, &after);
    write_entries(u, k, &t, &after);
    if (k->is_template) write_template(u, k, f, &t, &after);
    else write_plain(u, k, f, &t, &after);
    edit_after(u, f->end, after.bytes);
  }
  edit_before(u, f->start, before.bytes);
  if (f->body != 0) rewrite_stub(u, k, f, t.arguments);
}

void rewrite_kernels(unit *u) {
  for (uint32_t i = 0; i < u->function_count; i++)
    if (u->functions[i].kernel && !u->functions[i].instance) rewrite_kernel(u, i);
}
