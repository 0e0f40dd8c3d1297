/* options.c - the option string of a graph mode scope: key=value parts between colons. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "fuse/ge/internal.h"

typedef enum value_kind { ALIGN, CHOICE, TEXT, COPIES, COUNT } value_kind;
enum { MAX_COPIES = 64 };

static const struct { const char *key; value_kind kind; uint64_t standard; const char *legal, *help; } table[] = {
#define X(name, key, kind, standard, legal, help) {key, kind, standard, legal, help},
    SK__GE_OPTION_LIST(X)
#undef X
};
static const char *const keys[] = {
#define X(name, key, kind, standard, legal, help) key,
    SK__GE_OPTION_LIST(X)
#undef X
};
static const char all_keys[] =
#define X(name, key, kind, standard, legal, help) " " key
    SK__GE_OPTION_LIST(X)
#undef X
    ;
static const char *const error_names[] = {
#define X(name, text) #name,
    SK__GE_ERROR_LIST(X)
#undef X
};
static const char *const error_texts[] = {
#define X(name, text) text,
    SK__GE_ERROR_LIST(X)
#undef X
};

const char *sk__ge_error_name(sk__ge_error error) { return error_names[error]; }

sk_status sk__ge_fail(sk__ge_failure *failure, sk__ge_error error, const char *key, uint32_t sub, int side, const char *format, ...) {
  *failure = (sk__ge_failure){.error = error, .key = key, .sub = sub, .side = side};
  sk__text why = sk__text_on(failure->why, sizeof failure->why);
  if (key != NULL) sk__text_add(&why, "%.60s: ", key);
  if (sub != UINT32_MAX) sk__text_add(&why, "operator %u: ", sub);
  sk__text_add(&why, "%s", error_texts[error]);
  if (format != NULL) {
    va_list arguments;
    va_start(arguments, format);
    sk__text_add(&why, "; ");
    sk__text_vadd(&why, format, arguments);
    va_end(arguments);
  }
  sk__text_one_line(failure->why);
  return SK_INVALID_ARGUMENT;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* [start, end) without the blanks around it, in the arena. */
static char *trimmed(const char *start, const char *end, sk__arena *arena) {
  while (start < end && sk__ge_blank(*start)) start++;
  while (end > start && sk__ge_blank(end[-1])) end--;
  char *out = sk__arena_alloc(arena, (size_t)(end - start) + 1);
  if (out == NULL) return NULL;
  memcpy(out, start, (size_t)(end - start));
  out[end - start] = '\0';
  return out;
}

static size_t occurrences(const char *text, char c) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += *text == c;
  return count;
}

bool sk__ge_split(const char *text, sk__arena *arena, sk__ge_words *out) {
  *out = (sk__ge_words){0};
  if (text == NULL) return true;
  out->items = sk__arena_array(arena, const char *, occurrences(text, ',') + 1);
  if (out->items == NULL) return false;
  for (const char *at = text; at != NULL;) {
    const char *comma = strchr(at, ',');
    char *word = trimmed(at, comma != NULL ? comma : at + strlen(at), arena);
    if (word == NULL) return false;
    if (*word != '\0') out->items[out->count++] = word;
    at = comma != NULL ? comma + 1 : NULL;
  }
  return true;
}

bool sk__ge_listed(const sk__ge_words *words, const char *word) {
  if (word == NULL) return false;
  for (size_t i = 0; i < words->count; i++)
    if (strcmp(words->items[i], word) == 0) return true;
  return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool digits_only(const char *text) {
  for (const char *c = text; *c != '\0'; c++)
    if (!isdigit((unsigned char)*c)) return false;
  return *text != '\0';
}

/* Index of the word among those between bars; -1 none. */
static int choice_of(const char *legal, const char *word) {
  size_t length = strlen(word);
  int index = 0;
  for (const char *at = legal; at != NULL; index++) {
    const char *bar = strchr(at, '|');
    size_t have = bar != NULL ? (size_t)(bar - at) : strlen(at);
    if (have == length && memcmp(at, word, length) == 0) return index;
    at = bar != NULL ? bar + 1 : NULL;
  }
  return -1;
}

/* Numbers past this are out of every range. */
static uint64_t number_of(const char *digits) {
  const uint64_t most = UINT64_C(1) << 62;
  uint64_t value = 0;
  for (; *digits != '\0'; digits++) {
    value = value * 10 + (uint64_t)(*digits - '0');
    if (value > most) return most + 1;
  }
  return value;
}

static sk_status take_value(sk__ge_options *out, int key, const char *text, sk__ge_failure *failure) {
  const char *legal = table[key].legal, *name = table[key].key;
  out->values[key].given = true;
  out->values[key].text = text;
  if (table[key].kind == TEXT) return SK_OK;
  if (table[key].kind == CHOICE) {
    int choice = choice_of(legal, text);
    if (choice < 0) return sk__ge_fail(failure, SK__GE_OPT_VALUE, name, UINT32_MAX, -1, "'%.60s'; legal: %s", text, legal);
    out->values[key].number = (uint64_t)choice;
    return SK_OK;
  }
  if (!digits_only(text)) return sk__ge_fail(failure, SK__GE_OPT_DIGIT, name, UINT32_MAX, -1, "'%.60s'; legal: %s", text, legal);
  uint64_t number = number_of(text);
  if (table[key].kind == ALIGN && (number == 1 || (number & (number - 1)) != 0))
    return sk__ge_fail(failure, SK__GE_OPT_ALIGN, name, UINT32_MAX, -1, "%.60s; legal: %s", text, legal);
  if (table[key].kind == COPIES && (number == 0 || number > MAX_COPIES))
    return sk__ge_fail(failure, SK__GE_OPT_RANGE, name, UINT32_MAX, -1, "%.60s; legal: %s", text, legal);
  out->values[key].number = number;
  return SK_OK;
}

static sk_status unknown_key(const char *key, sk__ge_failure *failure) {
  const char *meant = sk__nearest(key, keys, SK__GE_KEYS);
  if (meant != NULL) return sk__ge_fail(failure, SK__GE_OPT_UNKNOWN, key, UINT32_MAX, -1, "did you mean '%s'?", meant);
  return sk__ge_fail(failure, SK__GE_OPT_UNKNOWN, key, UINT32_MAX, -1, "legal:%s", all_keys);
}

/* The order of the tests is that of the real parser: it decides which error a bad part gives. */
static sk_status take_part(const char *part, sk__arena *arena, sk__ge_options *out, sk__ge_failure *failure) {
  const char *equals = strchr(part, '=');
  if (equals == NULL) {
    out->ignored[out->ignored_count++] = part;
    return SK_OK;
  }
  char *key = trimmed(part, equals, arena), *value = trimmed(equals + 1, part + strlen(part), arena);
  if (key == NULL || value == NULL) return SK_OUT_OF_MEMORY;
  if (*key == '\0' || *value == '\0') return sk__ge_fail(failure, SK__GE_OPT_EMPTY, NULL, UINT32_MAX, -1, "part '%.80s'; wanted key=value", part);
  for (int i = 0; i < SK__GE_KEYS; i++) {
    if (strcmp(key, keys[i]) != 0) continue;
    if (out->values[i].given) return sk__ge_fail(failure, SK__GE_OPT_REPEAT, keys[i], UINT32_MAX, -1, NULL);
    return take_value(out, i, value, failure);
  }
  return unknown_key(key, failure);
}

sk_status sk__ge_options_read(const char *text, sk__arena *arena, sk__ge_options *out, sk__ge_failure *failure) {
  *out = (sk__ge_options){0};
  for (int i = 0; i < SK__GE_KEYS; i++) out->values[i].number = table[i].standard;
  if (text == NULL) return SK_OK;
  const char *start = text, *end = text + strlen(text);
  if ((size_t)(end - start) > SK__GE_MAX_OPTION_BYTES)
    return sk__ge_fail(failure, SK__GE_OPT_RANGE, NULL, UINT32_MAX, -1, "option string of %zu bytes; at most %u", (size_t)(end - start), SK__GE_MAX_OPTION_BYTES);
  while (start < end && *start == '"') start++;
  while (end > start && end[-1] == '"') end--;
  out->ignored = sk__arena_array(arena, const char *, occurrences(text, ':') + 1);
  if (out->ignored == NULL) return SK_OUT_OF_MEMORY;
  while (start < end) {
    const char *colon = memchr(start, ':', (size_t)(end - start));
    char *part = trimmed(start, colon != NULL ? colon : end, arena);
    if (part == NULL) return SK_OUT_OF_MEMORY;
    if (*part != '\0') {
      sk_status status = take_part(part, arena, out, failure);
      if (status != SK_OK) return status;
    }
    start = colon != NULL ? colon + 1 : end;
  }
  return SK_OK;
}

void sk__ge_options_help(FILE *to) {
  for (int i = 0; i < SK__GE_KEYS; i++) {
    fprintf(to, "  %-26s %-20s %s", table[i].key, table[i].legal, table[i].help);
    if (table[i].kind == CHOICE) {
      const char *at = table[i].legal;
      for (uint64_t n = 0; n < table[i].standard; n++) at = strchr(at, '|') + 1;
      fprintf(to, " (default %.*s)", (int)strcspn(at, "|"), at);
    } else if (table[i].kind != TEXT) {
      fprintf(to, " (default %llu)", (unsigned long long)table[i].standard);
    }
    fputc('\n', to);
  }
}
