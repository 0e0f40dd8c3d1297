/* text.c - bounded text building and spelling distance. */
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/window.h"

sk__text sk__text_on(char *buffer, size_t capacity_bytes) {
  buffer[0] = '\0';
  return (sk__text){.buffer = buffer, .capacity_bytes = capacity_bytes};
}

void sk__text_one_line(char *text) {
  for (; *text != '\0'; text++)
    if (iscntrl((unsigned char)*text)) *text = '?';
}

/* A cut must not leave half a UTF-8 character in front of the dots. */
static void mark_cut(sk__text *text) {
  static const char dots[] = "...";
  text->cut = true;
  text->length = text->capacity_bytes - 1;
  if (text->capacity_bytes < sizeof dots) return;
  size_t at = text->capacity_bytes - sizeof dots;
  while (at > 0 && ((unsigned char)text->buffer[at] & 0xc0u) == 0x80u) at--;
  memcpy(text->buffer + at, dots, sizeof dots);
  text->length = at + sizeof dots - 1;
}

void sk__text_vadd(sk__text *text, const char *format, va_list arguments) {
  if (text->cut) return;
  size_t room = text->capacity_bytes - text->length;
  int length = vsnprintf(text->buffer + text->length, room, format, arguments);
  if (length < 0) {
    text->buffer[text->length] = '\0';
    return;
  }
  if ((size_t)length >= room)
    mark_cut(text);
  else
    text->length += (size_t)length;
}

void sk__text_add(sk__text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  sk__text_vadd(text, format, arguments);
  va_end(arguments);
}

void sk__text_add_address(sk__text *text, uint64_t address) {
  if (sk__is_stable_address(address)) sk__text_add(text, "0x%" PRIx64, address);
  else sk__text_add(text, "host memory");
}

void sk__text_copy(char *buffer, size_t capacity_bytes, const char *source) {
  sk__text text = sk__text_on(buffer, capacity_bytes);
  sk__text_add(&text, "%s", source);
}

#define LONGEST_WORD 96

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* Letters to insert, drop, change or swap with their neighbour; UINT_MAX for words too long to compare. */
static unsigned distance(const char *a, const char *b) {
  size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > LONGEST_WORD || b_length > LONGEST_WORD) return ~0u;
  unsigned rows[3][LONGEST_WORD + 1]; /* row i uses i-1 and, for swaps, i-2 */
  for (size_t j = 0; j <= b_length; j++) rows[0][j] = (unsigned)j;
  for (size_t i = 1; i <= a_length; i++) {
    unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= b_length; j++) {
      int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
      row[j] = smaller(smaller(above[j] + 1, row[j - 1] + 1), above[j - 1] + (ca != cb));
      if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
          cb == tolower((unsigned char)a[i - 2]))
        row[j] = smaller(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a_length % 3][b_length];
}

const char *sk__nearest(const char *word, const char *const *list, size_t count) {
  unsigned limit = (unsigned)(strlen(word) / 3);
  if (limit == 0) limit = 1;
  const char *best = NULL;
  unsigned best_distance = limit + 1;
  for (size_t i = 0; i < count; i++) {
    unsigned d = distance(word, list[i]);
    /* A distance as long as the candidate shares no letter with it. */
    if (d < best_distance && d < strlen(list[i])) {
      best = list[i];
      best_distance = d;
    }
  }
  return best;
}
