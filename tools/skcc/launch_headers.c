/* launch_headers.c - --launch-headers=DIR: kernels for hosts that another compiler makes.
 *
 * For each kernel that a source defines, the function aclrtlaunch_NAME(blocks, stream, arguments...) and the header
 * DIR/aclrtlaunch_NAME.h that declares it, with ACLRT_LAUNCH_KERNEL(NAME). Device pointers are void * there, a structure of
 * the kernel's own is passed by its address. */
#include "skcc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_mark(const unit *u, const parameter *p, uint8_t mark) {
  for (uint32_t i = p->first; i < p->last; i++)
    if (is_mark(u, i, mark)) return true;
  return false;
}

static bool is_device_pointer(const unit *u, const parameter *p) {
  for (uint32_t i = p->first; i < p->last; i++)
    if (is_word(u, i, WORD_GM)) return has_mark(u, p, '*');
  return false;
}

/* `struct Name {` somewhere in the text, and the parameter is one of them as a value. */
static bool is_structure(const unit *u, const parameter *p) {
  uint32_t type = p->name != 0 ? p->name - 1 : p->last - 1;
  if (has_mark(u, p, '*') || !is_plain_name(u, type)) return false;
  for (uint32_t i = 2; i + 1 < u->token_count; i++) {
    bool heads = is_word(u, i - 1, WORD_STRUCT) || is_word(u, i - 1, WORD_CLASS) || is_word(u, i - 1, WORD_UNION);
    if (heads && (is_mark(u, i + 1, '{') || is_mark(u, i + 1, ':') || is_spelled(u, i + 1, "final")) && same_name(u, i, type)) return true;
  }
  return false;
}

static char *type_text(const unit *u, const parameter *p) { return tokens_text(u, p->first, p->name != 0 ? p->name : p->last); }

/* What the host passes for a parameter. */
static void write_parameter(const unit *u, const kernel *k, size_t i, text *out) {
  const parameter *p = &k->params[i];
  char *name = param_name(u, k, i);
  if (is_device_pointer(u, p)) text_printf(out, ", void *%s", name);
  else text_printf(out, ", %s %s%s", type_text(u, p), is_structure(u, p) ? "*" : "", name);
}

static void write_head(const unit *u, const kernel *k, const char *number, const char *stream, text *out) {
  text_printf(out, "%s aclrtlaunch_%s(%s sk__blocks, %s sk__stream", number, k->name, number, stream);
  for (size_t i = 0; i < k->param_count; i++) write_parameter(u, k, i, out);
  text_puts(out, ")");
}

static void write_function(const unit *u, const kernel *k, text *out) {
  const token *at = &u->tokens[u->functions[k->definition - 1].name];
  text_printf(out, " %s__attribute__((visibility(\"default\"))) ", u->cplusplus ? "extern \"C\" " : "");
  write_head(u, k, "unsigned", "void *", out);
  text_printf(out, " { return (unsigned)%s%ssk__launch_%s(", u->cplusplus ? "::" : "", u->paths.items[k->path], k->name);
  text_quoted(out, u->files.items[at->file]);
  text_printf(out, ", %u, sk__blocks, 0, sk__stream", at->line);
  for (size_t i = 0; i < k->param_count; i++) {
    const parameter *p = &k->params[i];
    char *name = param_name(u, k, i);
    if (is_device_pointer(u, p)) text_printf(out, ", (%s)%s", type_text(u, p), name);
    else text_printf(out, ", %s%s", is_structure(u, p) ? "*" : "", name);
  }
  text_puts(out, "); }");
}

/* A header that says what it said before keeps its time. */
static bool write_header(const unit *u, const kernel *k) {
  text content = {0}, old = {0};
  text_printf(&content, "/* Made by skcc: kernel '%s'. */\n#ifndef ACLRTLAUNCH_%s_H\n#define ACLRTLAUNCH_%s_H\n#include <stdint.h>\n\n"
              "#include \"acl/acl_base.h\"\n\n#ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel\n#endif\n\n"
              "#ifdef __cplusplus\nextern \"C\"\n#endif\n", k->name, k->name, k->name);
  write_head(u, k, "uint32_t", "aclrtStream", &content);
  text_puts(&content, ";\n#endif\n");
  char *path = format_string("%s/aclrtlaunch_%s.h", u->launch_headers, k->name);
  if (read_file(path, &old) && old.length == content.length && memcmp(old.bytes, content.bytes, content.length) == 0) return true;
  FILE *file = fopen(path, "w");
  bool good = file != NULL && fwrite(content.bytes, 1, content.length, file) == content.length;
  if (file != NULL && fclose(file) != 0) good = false;
  if (!good) fprintf(stderr, "skcc: cannot write '%s': %s\n", path, strerror(errno));
  return good;
}

static bool is_launched(const unit *u, const kernel *k) {
  return k->definition != 0 && !k->is_template && !u->tokens[u->functions[k->definition - 1].name].system;
}

void rewrite_launch_headers(unit *u) {
  if (u->launch_headers == NULL || u->part != PART_HOST) return;
  text out = {0};
  uint32_t last = (uint32_t)u->token_count - 2;
  begin_system_text(u, last, &out);
  for (size_t i = 0; i < u->kernel_count; i++)
    if (is_launched(u, &u->kernels[i])) write_function(u, &u->kernels[i], &out);
  edit_after(u, last, out.bytes);
}

bool write_launch_headers(const unit *u) {
  bool good = true;
  for (size_t i = 0; i < u->kernel_count && u->launch_headers != NULL; i++)
    if (is_launched(u, &u->kernels[i])) good &= write_header(u, &u->kernels[i]);
  return good;
}
