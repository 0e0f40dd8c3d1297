/* source.c - the source line of each end goes into the document, so that a saved one shows it anywhere. */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "report/parts.h"
#include "report/report.h"

#define LONGEST_BYTES 160

/* Line `wanted` of an open file; NULL when it has fewer. Owned by the caller (free). */
static char *read_line(FILE *file, long long wanted) {
  char *line = NULL;
  size_t capacity = 0;
  for (long long number = 1; getline(&line, &capacity, file) >= 0; number++)
    if (number == wanted) return line;
  free(line);
  return NULL;
}

/* Without the blanks around it; a long line is cut between two characters. */
static char *trim(char *line) {
  line += strspn(line, " \t\r\n\f\v");
  size_t length = strlen(line);
  if (length > LONGEST_BYTES) {
    length = LONGEST_BYTES;
    while (length > 0 && ((unsigned char)line[length] & 0xC0) == 0x80) length--;
  }
  while (length > 0 && strchr(" \t\r\n\f\v", line[length - 1]) != NULL) length--;
  line[length] = '\0';
  return line;
}

static bool is_newer(const struct stat *one, const struct stat *other) {
  if (one->st_mtim.tv_sec != other->st_mtim.tv_sec) return one->st_mtim.tv_sec > other->st_mtim.tv_sec;
  return one->st_mtim.tv_nsec > other->st_mtim.tv_nsec;
}

/* A file that changed after the program was built may have something else in that line. */
static void add_line(json_t *end, const struct stat *program) {
  const char *path = sk__string_of(end, "file");
  long long number = sk__integer_of(end, "line");
  struct stat status;
  if (number < 1 || stat(path, &status) != 0 || is_newer(&status, program)) return;
  if (!S_ISREG(status.st_mode)) return; /* a pipe would never end */
  FILE *file = fopen(path, "r");
  if (file == NULL) return;
  char *line = read_line(file, number);
  fclose(file);
  if (line == NULL) return;
  const char *code = trim(line);
  json_t *value = code[0] != '\0' ? json_string(code) : NULL; /* NULL also for what is no UTF-8 */
  if (value != NULL) json_object_set_new(end, "code", value);
  free(line);
}

void sk__report_add_source(json_t *document, const char *program) {
  size_t i, j;
  struct stat built;
  if (stat(program, &built) != 0) return;
  json_t *finding, *end;
  json_array_foreach(json_object_get(document, "findings"), i, finding)
    json_array_foreach(json_object_get(finding, "ends"), j, end) add_line(end, &built);
}
