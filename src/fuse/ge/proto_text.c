/* proto_text.c - see proto_text.h. */
#include "fuse/ge/proto_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---------------------------------------------------------------------------------- */

sk_status sk__proto_refuse(const sk__proto *r, const char *place, const char *format, ...) {
  size_t line = 1, column = 1;
  for (const char *at = r->begin; at < place && at < r->end; at++) {
    column++;
    if (*at != '\n') continue;
    line++;
    column = 1;
  }
  if (r->why->length != 0) return SK_PARSE;
  sk__text_add(r->why, "line %zu, column %zu: ", line, column);
  va_list arguments;
  va_start(arguments, format);
  sk__text_vadd(r->why, format, arguments);
  va_end(arguments);
  return SK_PARSE;
}

/* Shortest forms only, no surrogates, nothing above the last plane. */
bool sk__is_utf8(const char *text, size_t bytes, size_t *bad) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < bytes;) {
    unsigned char lead = (unsigned char)text[i];
    size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    uint32_t point = length == 1 ? lead : lead & (0xffu >> (length + 1));
    bool good = length > 0 && i + length <= bytes;
    for (size_t k = 1; good && k < length; k++) {
      good = ((unsigned char)text[i + k] & 0xc0u) == 0x80;
      point = point << 6 | ((unsigned char)text[i + k] & 0x3fu);
    }
    if (!good || point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
      *bad = i;
      return false;
    }
    i += length;
  }
  return true;
}

sk_status sk__proto_open(sk__proto *r, const char *text, size_t bytes, sk__arena *arena, sk__text *why) {
  *r = (sk__proto){.begin = text, .at = text, .end = text + bytes, .arena = arena, .why = why};
  size_t bad;
  if (!sk__is_utf8(text, bytes, &bad)) return sk__proto_refuse(r, text + bad, "not UTF-8");
  return SK_OK;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void skip_blanks(sk__proto *r) {
  while (r->at < r->end) {
    if (*r->at == '#')
      while (r->at < r->end && *r->at != '\n') r->at++;
    else if (isspace((unsigned char)*r->at) || *r->at == ',' || *r->at == ';') r->at++;
    else return;
  }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' || c == '+' || c == '/'; }

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

/* One character behind a backslash; the place moves behind it. */
static sk_status decode_escape(sk__proto *r, const char **at, char *out) {
  static const char plain[] = "n\nt\tr\ra\ab\bf\fv\v\\\\''\"\"??";
  const char *p = *at;
  if (p == r->end) return sk__proto_refuse(r, p, "the text ends inside a string");
  for (size_t i = 0; i + 1 < sizeof plain; i += 2)
    if (*p == plain[i]) {
      *out = plain[i + 1];
      *at = p + 1;
      return SK_OK;
    }
  unsigned value = 0, digits = 0;
  if (*p == 'x' || *p == 'X') {
    for (p++; p < r->end && digits < 2 && hex_digit(*p) >= 0; p++, digits++) value = value * 16 + (unsigned)hex_digit(*p);
  } else {
    for (; p < r->end && digits < 3 && *p >= '0' && *p <= '7'; p++, digits++) value = value * 8 + (unsigned)(*p - '0');
  }
  if (digits == 0 || value > 255) return sk__proto_refuse(r, *at - 1, "no such escape in a string");
  *out = (char)value;
  *at = p;
  return SK_OK;
}

static sk_status scan_string(sk__proto *r, const char **end) {
  char quote = *r->at;
  const char *p = r->at + 1;
  while (p < r->end && *p != quote && *p != '\n') p += *p == '\\' ? 2 : 1;
  if (p >= r->end || *p != quote) return sk__proto_refuse(r, r->at, "a string without its closing %c", quote);
  *end = p;
  return SK_OK;
}

/* Strings that follow each other are one; all are found before the memory for them is taken. */
static sk_status read_string(sk__proto *r, sk__proto_field *out) {
  const char *begin = r->at, *last = r->at, *end = NULL;
  while (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
    sk_status status = scan_string(r, &end);
    if (status != SK_OK) return status;
    last = r->at = end + 1;
    skip_blanks(r);
  }
  char *text = sk__arena_alloc(r->arena, (size_t)(last - begin));
  if (text == NULL) return SK_OUT_OF_MEMORY;
  out->kind = SK__PROTO_TEXT;
  out->text = text;
  for (r->at = begin; r->at < last;) {
    sk_status status = scan_string(r, &end);
    for (const char *p = r->at + 1; status == SK_OK && p < end;) {
      char c = *p++;
      if (c == '\\') status = decode_escape(r, &p, &c);
      text[out->length++] = c;
    }
    if (status != SK_OK) return status;
    r->at = end + 1;
    skip_blanks(r);
  }
  text[out->length] = '\0';
  return SK_OK;
}

static sk_status read_value(sk__proto *r, sk__proto_field *out) {
  out->place = r->at;
  if (r->at == r->end) return sk__proto_refuse(r, r->at, "the text ends where a value should stand");
  if (*r->at == '"' || *r->at == '\'') return read_string(r, out);
  if (*r->at == '{' || *r->at == '<') {
    if (r->depth == SK__PROTO_MAX_DEPTH) return sk__proto_refuse(r, r->at, "nested deeper than %u", SK__PROTO_MAX_DEPTH);
    r->lists[++r->depth] = (sk__proto_list){NULL, 0};
    r->at++;
    out->kind = SK__PROTO_MESSAGE;
    return SK_OK;
  }
  const char *begin = r->at;
  while (r->at < r->end && is_word(*r->at)) r->at++;
  if (r->at == begin) return sk__proto_refuse(r, r->at, "no value");
  out->kind = SK__PROTO_WORD;
  out->length = (size_t)(r->at - begin);
  char *copy = sk__arena_alloc(r->arena, out->length + 1);
  if (copy == NULL) return SK_OUT_OF_MEMORY;
  memcpy(copy, begin, out->length);
  copy[out->length] = '\0';
  out->text = copy;
  return SK_OK;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The next item of the list in work; *out keeps the list's name. false: there is no list, or it has ended. */
static sk_status next_item(sk__proto *r, sk__proto_field *out, bool *found) {
  sk__proto_list *list = &r->lists[r->depth];
  *found = false;
  if (list->name == NULL) return SK_OK;
  skip_blanks(r);
  if (r->at == r->end) return sk__proto_refuse(r, list->name, "a list without its closing ]");
  if (*r->at == ']') {
    r->at++;
    list->name = NULL;
    return SK_OK;
  }
  *out = (sk__proto_field){.name = list->name, .name_length = list->name_length};
  *found = true;
  return read_value(r, out);
}

static sk_status read_name(sk__proto *r, sk__proto_field *out) {
  while (r->at < r->end && is_word(*r->at)) r->at++;
  out->name_length = (size_t)(r->at - out->name);
  if (out->name_length == 0) return sk__proto_refuse(r, r->at, "no name of a field");
  skip_blanks(r);
  if (r->at < r->end && *r->at == ':') r->at++;
  else if (r->at == r->end || (*r->at != '{' && *r->at != '<'))
    return sk__proto_refuse(r, out->name, "field '%.*s' has no value", (int)(out->name_length > 60 ? 60 : out->name_length), out->name);
  skip_blanks(r);
  return SK_OK;
}

sk_status sk__proto_next(sk__proto *r, sk__proto_field *out) {
  for (;;) {
    bool item;
    sk_status status = next_item(r, out, &item);
    if (status != SK_OK || item) return status;
    skip_blanks(r);
    *out = (sk__proto_field){.name = r->at, .place = r->at};
    if (r->at == r->end) return r->depth == 0 ? SK_OK : sk__proto_refuse(r, r->at, "the text ends inside a message");
    if (*r->at == '}' || *r->at == '>') {
      if (r->depth == 0) return sk__proto_refuse(r, r->at, "%c without its opening", *r->at);
      r->depth--;
      r->at++;
      return SK_OK;
    }
    status = read_name(r, out);
    if (status != SK_OK) return status;
    if (r->at == r->end || *r->at != '[') return read_value(r, out);
    r->at++;
    r->lists[r->depth] = (sk__proto_list){out->name, out->name_length};
  }
}

sk_status sk__proto_skip(sk__proto *r) {
  uint32_t outer = r->depth - 1;
  sk__proto_field field;
  do {
    sk_status status = sk__proto_next(r, &field);
    if (status != SK_OK) return status;
  } while (field.kind != SK__PROTO_END || r->depth != outer);
  return SK_OK;
}

bool sk__proto_is(const sk__proto_field *field, const char *name) {
  return strlen(name) == field->name_length && memcmp(field->name, name, field->name_length) == 0;
}

sk_status sk__proto_number(const sk__proto *r, const sk__proto_field *field, int64_t low, int64_t high, int64_t *out) {
  char *end = NULL;
  errno = 0;
  long long number = field->kind == SK__PROTO_MESSAGE ? 0 : strtoll(field->text, &end, 0);
  bool digits = field->kind != SK__PROTO_MESSAGE && (isdigit((unsigned char)field->text[0]) || field->text[0] == '-');
  if (!digits || *end != '\0' || errno != 0 || (size_t)(end - field->text) != field->length) return sk__proto_refuse(r, field->place, "not a whole number");
  if (number < low || number > high) return sk__proto_refuse(r, field->place, "%lld is out of range; legal: %" PRId64 " to %" PRId64, number, low, high);
  *out = number;
  return SK_OK;
}
