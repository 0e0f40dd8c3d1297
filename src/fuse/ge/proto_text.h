/* proto_text.h - a pull reader of protobuf text: field after field, without a schema. Private to fuse/ge. */
#ifndef SK_FUSE_GE_PROTO_TEXT_H
#define SK_FUSE_GE_PROTO_TEXT_H

#include "base/arena.h"
#include "base/text.h"
#include "base/status.h"

/* Nesting that is read; what is deeper is refused. */
#define SK__PROTO_MAX_DEPTH 64u

typedef struct sk__proto_list { const char *name; size_t name_length; } sk__proto_list;
typedef struct sk__proto {
  const char *begin, *at, *end;
  uint32_t depth;        /* messages open */
  sk__proto_list lists[SK__PROTO_MAX_DEPTH + 1]; /* per depth: the list in work; name NULL none */
  sk__arena *arena;      /* of decoded texts */
  sk__text *why;
} sk__proto;

/* MESSAGE: the reader stands inside it; read its fields up to END, or skip them. */
typedef enum sk__proto_kind { SK__PROTO_END, SK__PROTO_TEXT, SK__PROTO_WORD, SK__PROTO_MESSAGE } sk__proto_kind;
typedef struct sk__proto_field {
  const char *name;      /* not terminated */
  size_t name_length;
  sk__proto_kind kind;
  const char *text;      /* TEXT: decoded, terminated; WORD: as written, terminated */
  size_t length;
  const char *place;     /* of the value, for messages */
} sk__proto_field;

/* The whole text must be UTF-8. why: one line with the place. */
SK_MUST_USE sk_status sk__proto_open(sk__proto *reader, const char *text, size_t bytes, sk__arena *arena, sk__text *why);
/* The next field of the message in work; END closes it, or ends the text. Of a list every item comes as a field. */
SK_MUST_USE sk_status sk__proto_next(sk__proto *reader, sk__proto_field *out);
/* Everything up to and with the END of the message just entered. */
SK_MUST_USE sk_status sk__proto_skip(sk__proto *reader);
bool sk__proto_is(const sk__proto_field *field, const char *name);
/* "line L, column C: ..." of the reader's text; SK_PARSE. */
SK_MUST_USE sk_status sk__proto_refuse(const sk__proto *reader, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A whole number of a WORD, or of a TEXT that holds one; SK_PARSE after a message otherwise. */
SK_MUST_USE sk_status sk__proto_number(const sk__proto *reader, const sk__proto_field *field, int64_t low, int64_t high, int64_t *out);
bool sk__is_utf8(const char *text, size_t bytes, size_t *bad);

#endif
