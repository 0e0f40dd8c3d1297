/* lex.c - preprocessed C or C++ to tokens; line markers become each token's file and line. */
#include "skcc.h"

#include <stdlib.h>
#include <string.h>
#include <superkernel/kernel.h>

static const struct { const char *spelling; uint8_t class, length; } words[WORD_COUNT] = {
  [WORD_NONE] = {"", CLASS_NONE, 0},
#define X(name, spelling, class) [WORD_##name] = {spelling, CLASS_##class, sizeof spelling - 1},
  WORD_LIST(X)
#undef X
};

word_class class_of(word which) { return (word_class)words[which].class; }

/* Open hash of the words: a name that is none of them costs one probe almost always. */
#define SLOTS 1024u
static uint8_t slots[SLOTS];

static uint32_t word_hash(const char *name, size_t length) {
  uint32_t hash = (uint32_t)length;
  for (size_t i = 0; i < length; i++) hash = hash * 31 + (unsigned char)name[i];
  return (hash ^ hash >> 10) & (SLOTS - 1);
}

static void words_prepare(void) {
  if (slots[word_hash("int", 3)] != WORD_NONE) return;
  for (unsigned w = 1; w < WORD_COUNT; w++) {
    uint32_t slot = word_hash(words[w].spelling, words[w].length);
    while (slots[slot] != WORD_NONE) slot = (slot + 1) & (SLOTS - 1);
    slots[slot] = (uint8_t)w;
  }
}

static uint8_t word_of(const char *name, size_t length) {
  if (length > 24) return WORD_NONE;
  for (uint32_t slot = word_hash(name, length); slots[slot] != WORD_NONE; slot = (slot + 1) & (SLOTS - 1)) {
    unsigned w = slots[slot];
    if (words[w].length == length && memcmp(words[w].spelling, name, length) == 0) return (uint8_t)w;
  }
  return WORD_NONE;
}

/* A megabyte of system headers goes through here for a kernel of forty lines. */
enum { NAME_START = 1, NAME_REST = 2, DIGIT = 4 };
static const uint8_t character[256] = {
  ['a' ... 'z'] = NAME_START | NAME_REST, ['A' ... 'Z'] = NAME_START | NAME_REST, ['_'] = NAME_START | NAME_REST,
  ['$'] = NAME_START | NAME_REST, [0x80 ... 0xff] = NAME_START | NAME_REST, ['0' ... '9'] = NAME_REST | DIGIT,
};
static inline bool starts_name(char c) { return (character[(unsigned char)c] & NAME_START) != 0; }
static inline bool continues_name(char c) { return (character[(unsigned char)c] & NAME_REST) != 0; }
static inline bool is_digit(char c) { return (character[(unsigned char)c] & DIGIT) != 0; }

/* ---- where a token ends ----------------------------------------------------------------------- */

static const char *after_quoted(const char *c, const char *end, char quote) {
  for (c++; c < end && *c != quote && *c != '\n'; c++)
    if (*c == '\\' && c + 1 < end) c++;
  return c < end && *c == quote ? c + 1 : c;
}

/* At the '"' of R"tag( ... )tag". */
static const char *after_raw_string(const char *c, const char *end) {
  const char *tag = c + 1, *open = tag;
  while (open < end && *open != '(' && *open != '\n' && open - tag < 17) open++;
  if (open >= end || *open != '(') return after_quoted(c, end, '"');
  size_t length = (size_t)(open - tag);
  for (c = open + 1; c < end; c++)
    if (*c == ')' && (size_t)(end - c) > length + 1 && memcmp(c + 1, tag, length) == 0 && c[length + 1] == '"')
      return c + length + 2;
  return end;
}

/* A preprocessing number; 1'000 is one in C++. */
static const char *after_number(const char *c, const char *end) {
  while (c < end) {
    if ((*c == 'e' || *c == 'E' || *c == 'p' || *c == 'P') && c + 1 < end && (c[1] == '+' || c[1] == '-')) c += 2;
    else if (continues_name(*c) || *c == '.') c++;
    else if (*c == '\'' && c + 1 < end && continues_name(c[1])) c += 2;
    else break;
  }
  return c;
}

static bool is_literal_prefix(const char *name, size_t length, bool *raw) {
  *raw = length > 0 && name[length - 1] == 'R';
  if (*raw) length--;
  return length == 0 || (length == 1 && (*name == 'L' || *name == 'u' || *name == 'U')) ||
         (length == 2 && name[0] == 'u' && name[1] == '8');
}

/* ---- the lexer -------------------------------------------------------------------------------- */

typedef struct lexer {
  unit *u;
  const char *start, *c, *end;
  uint32_t line;
  uint16_t file;
  bool system, raw; /* raw: before preprocessing, directives are text like any other */
  uint32_t *open;   /* stack of open brackets */
  size_t open_count, open_capacity;
} lexer;

static uint16_t file_index(unit *u, const char *name, size_t length) {
  for (size_t i = u->files.count; i > 0; i--)
    if (strncmp(u->files.items[i - 1], name, length) == 0 && u->files.items[i - 1][length] == '\0') return (uint16_t)(i - 1);
  char *copy = copy_string(name, length);
  list_add(&u->files, copy);
  free(copy);
  return (uint16_t)(u->files.count - 1);
}

/* '# 12 "name" flags' or '#line 12 "name"'; other directives are passed over. */
static void read_directive(lexer *l) {
  const char *c = l->c + 1, *line_end = memchr(c, '\n', (size_t)(l->end - c));
  if (line_end == NULL) line_end = l->end;
  while (c < line_end && (*c == ' ' || *c == '\t')) c++;
  if (line_end - c > 4 && memcmp(c, "line", 4) == 0) c += 4;
  while (c < line_end && *c == ' ') c++;
  l->c = line_end;
  if (c >= line_end || !is_digit(*c)) return;
  char *after = NULL;
  l->line = (uint32_t)strtoul(c, &after, 10) - 1; /* the newline that follows counts up */
  c = after;
  while (c < line_end && *c == ' ') c++;
  if (c >= line_end || *c != '"') return;
  text name = {0};
  for (c++; c < line_end && *c != '"'; c++) {
    if (*c == '\\' && c + 1 < line_end) c++;
    text_add(&name, c, 1);
  }
  l->file = file_index(l->u, name.length > 0 ? name.bytes : "", name.length);
  free(name.bytes);
  l->system = false;
  for (c++; c < line_end; c++) l->system |= *c == '3';
}

static token *add_token(lexer *l, uint8_t kind, const char *from, const char *to) {
  unit *u = l->u;
  u->tokens = grow(u->tokens, u->token_count, &u->token_capacity, sizeof *u->tokens);
  token *t = &u->tokens[u->token_count++];
  *t = (token){.at = (uint32_t)(from - l->start), .length = (uint32_t)(to - from), .line = l->line, .file = l->file,
               .kind = kind, .system = l->system};
  return t;
}

static void pair_bracket(lexer *l, uint32_t index) {
  unit *u = l->u;
  uint8_t mark = u->tokens[index].mark;
  if (mark == '(' || mark == '[' || mark == '{') {
    l->open = grow(l->open, l->open_count, &l->open_capacity, sizeof *l->open);
    l->open[l->open_count++] = index;
  } else if (l->open_count > 0) {
    uint32_t other = l->open[l->open_count - 1];
    uint8_t want = u->tokens[other].mark == '(' ? ')' : u->tokens[other].mark == '[' ? ']' : '}';
    if (mark != want) return;
    l->open_count--;
    u->tokens[other].partner = index;
    u->tokens[index].partner = other;
  }
}

/* `[aicore]` and `[host, aicore]` are __aicore__ in the compiler's own spelling. Behind a name or a bracket they index. */
static void join_attribute(unit *u, uint32_t open, uint32_t close) {
  const token *before = &u->tokens[open - 1];
  bool indexes = open > 1 && ((before->kind == TOKEN_NAME && before->word == WORD_NONE) ||
                              (before->kind == TOKEN_MARK && (before->mark == ')' || before->mark == ']')));
  bool aicore = false;
  for (uint32_t i = open + 1; i < close && !indexes; i++) {
    const token *t = &u->tokens[i];
    const char *name = u->source.bytes + t->at;
    bool comma = t->kind == TOKEN_MARK && t->mark == ',', host = t->kind == TOKEN_NAME && t->length == 4 && memcmp(name, "host", 4) == 0;
    bool here = t->kind == TOKEN_NAME && t->length == 6 && memcmp(name, "aicore", 6) == 0;
    aicore |= here;
    if (!comma && !host && !here) return;
  }
  if (!aicore) return;
  token *joined = &u->tokens[open];
  joined->length = u->tokens[close].at + u->tokens[close].length - joined->at;
  joined->kind = TOKEN_NAME, joined->word = WORD_AICORE, joined->mark = 0, joined->partner = 0;
  u->token_count = open + 1;
}

static void lex_mark(lexer *l) {
  const char *from = l->c;
  uint8_t mark = (uint8_t)*from;
  size_t length = 1;
  if (mark == ':' && from + 1 < l->end && from[1] == ':') mark = MARK_SCOPE, length = 2;
  if (mark == '-' && from + 1 < l->end && from[1] == '>') mark = MARK_ARROW, length = 2;
  l->c += length;
  add_token(l, TOKEN_MARK, from, l->c)->mark = mark;
  if (mark == '(' || mark == ')' || mark == '[' || mark == ']' || mark == '{' || mark == '}') pair_bracket(l, (uint32_t)l->u->token_count - 1);
  const token *last = &l->u->tokens[l->u->token_count - 1];
  if (mark == ']' && last->partner != 0) join_attribute(l->u, last->partner, (uint32_t)l->u->token_count - 1);
}

static void lex_name(lexer *l) {
  const char *from = l->c;
  while (l->c < l->end && continues_name(*l->c)) l->c++;
  size_t length = (size_t)(l->c - from);
  bool raw_string = false;
  if (l->c < l->end && (*l->c == '"' || *l->c == '\'') && length <= 3 && is_literal_prefix(from, length, &raw_string)) {
    char quote = *l->c;
    bool raw_literal = raw_string && quote == '"' && l->u->cplusplus;
    if (!raw_string || raw_literal) {
      l->c = raw_literal ? after_raw_string(l->c, l->end) : after_quoted(l->c, l->end, quote);
      add_token(l, quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER, from, l->c);
      for (const char *c = from; c < l->c; c++) l->line += *c == '\n';
      return;
    }
  }
  add_token(l, TOKEN_NAME, from, l->c)->word = word_of(from, length);
}

/* Comments survive preprocessing only with -C; raw files have them. */
static bool skip_comment(lexer *l) {
  if (l->c + 1 >= l->end) return false;
  if (l->c[1] == '/') {
    while (l->c < l->end && *l->c != '\n') l->c += *l->c == '\\' && l->c + 1 < l->end && l->c[1] == '\n' ? 2 : 1;
    return true;
  }
  if (l->c[1] != '*') return false;
  for (l->c += 2; l->c < l->end && !(l->c[0] == '*' && l->c + 1 < l->end && l->c[1] == '/'); l->c++)
    l->line += *l->c == '\n';
  l->c = l->c + 2 < l->end ? l->c + 2 : l->end;
  return true;
}

static void lex_all(lexer *l) {
  bool line_start = true;
  while (l->c < l->end) {
    char c = *l->c;
    if (c == '\n') {
      l->line++;
      l->c++;
      line_start = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\') {
      l->c++;
    } else if (c == '#' && line_start && !l->raw) {
      read_directive(l);
    } else if (c == '/' && skip_comment(l)) {
      continue;
    } else {
      line_start = false;
      const char *from = l->c;
      if (starts_name(c)) {
        lex_name(l);
      } else if (is_digit(c) || (c == '.' && l->c + 1 < l->end && is_digit(l->c[1]))) {
        l->c = after_number(l->c, l->end);
        add_token(l, TOKEN_NUMBER, from, l->c);
      } else if (c == '"' || c == '\'') {
        l->c = after_quoted(l->c, l->end, c);
        add_token(l, c == '"' ? TOKEN_STRING : TOKEN_CHARACTER, from, l->c);
      } else {
        lex_mark(l);
      }
    }
  }
}

static void lex_text(unit *u, bool raw) {
  words_prepare();
  const char *start = u->source.length > 0 ? u->source.bytes : "";
  lexer l = {.u = u, .start = start, .c = start, .end = start + u->source.length, .line = 1, .raw = raw};
  l.file = file_index(u, u->name, strlen(u->name));
  add_token(&l, TOKEN_END, start, start); /* index 0 means "none" everywhere */
  lex_all(&l);
  add_token(&l, TOKEN_END, l.end, l.end);
  free(l.open);
}

void lex(unit *u) { lex_text(u, false); }

static bool begins(const char *name, size_t length, const char *prefix) {
  size_t n = strlen(prefix);
  return length >= n && memcmp(name, prefix, n) == 0;
}

/* Macros of the API header are gone after preprocessing, so the facts are read from what the user wrote. */
bool lex_raw_facts(const char *path, uint32_t *flags, bool *cube) {
  static const char *const atomics[] = {"asc_set_atomic", "asc_set_store_atomic", "SetAtomic"};
  static const char *const crossings[] = {"asc_sync_inter_", "asc_sync_block_", "asc_sync_subblock_",
                                          "CrossCore", "SyncAll", "sk_sync_all"};
  unit raw = {.name = path, .cplusplus = true};
  if (!read_file(path, &raw.source)) return false;
  lex_text(&raw, true);
  for (uint32_t i = 1; i < raw.token_count; i++) {
    const token *t = &raw.tokens[i];
    if (t->kind != TOKEN_NAME) continue;
    const char *name = raw.source.bytes + t->at;
    if (t->word == WORD_CUBE || t->word == WORD_MIX || t->word == WORD_KFC || begins(name, t->length, "KERNEL_TYPE_")) *cube = true;
    bool resets = t->length > 4 && (memcmp(name + t->length - 4, "none", 4) == 0 || memcmp(name + t->length - 4, "None", 4) == 0);
    for (size_t k = 0; k < sizeof atomics / sizeof *atomics && !resets; k++)
      if (begins(name, t->length, atomics[k])) *flags |= SK_KERNEL_USES_ATOMICS;
    for (size_t k = 0; k < sizeof crossings / sizeof *crossings; k++)
      if (begins(name, t->length, crossings[k])) *flags |= SK_KERNEL_USES_CROSS_CORE;
  }
  free(raw.tokens);
  free(raw.source.bytes);
  return true;
}
