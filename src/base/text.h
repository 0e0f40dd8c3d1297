/* text.h - text in a buffer of fixed size, and the nearest spelling of a word. */
#ifndef SK_BASE_TEXT_H
#define SK_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends to the caller's buffer, which always holds a terminated string. Text that does not fit is cut
 * and ends in "..."; `cut` then stays true and later appends do nothing. */
typedef struct sk__text {
  char *buffer;
  size_t capacity_bytes, length;
  bool cut;
} sk__text;

/* Empty text on a buffer of at least one byte. */
sk__text sk__text_on(char *buffer, size_t capacity_bytes);
void sk__text_add(sk__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sk__text_vadd(sk__text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
/* "0x2000..."; "host memory" for an address that differs from run to run (window.h). */
void sk__text_add_address(sk__text *text, uint64_t address);
/* Copies into a fixed field such as finding.kernel, cutting as above. */
void sk__text_copy(char *buffer, size_t capacity_bytes, const char *source);

/* Control characters, which names from outside may hold, would break a message into lines: each becomes '?'. */
void sk__text_one_line(char *text);

/* The word of the list that `word` most likely meant, for "did you mean"; NULL when none is near. Letter
 * case counts nothing; swapped neighbours count one. Near = at most a third of the letters, at least one. */
const char *sk__nearest(const char *word, const char *const *list, size_t count);

#endif
