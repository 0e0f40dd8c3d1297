/* file.h - whole files: written atomically, read in one piece.
 *
 * A regular file appears under its name complete or not at all: the text goes to a temporary file in the
 * same directory, which is synced and renamed. What stands at the path and is no regular file (a device,
 * a pipe) is written to directly. On SK_IO errno tells why and a file that was there before is as it was. */
#ifndef SK_BASE_FILE_H
#define SK_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

SK_MUST_USE sk_status sk__file_write(const char *path, const void *data, size_t bytes);

/* The same in pieces: begin, write to `stream` with stdio, then commit or abandon exactly once. */
typedef struct sk__file {
  FILE *stream;
  char *target, *temporary; /* owned; temporary is NULL for a path written to directly */
} sk__file;
SK_MUST_USE sk_status sk__file_begin(sk__file *file, const char *path);
/* SK_IO also for an error that happened in any write before. */
SK_MUST_USE sk_status sk__file_commit(sk__file *file);
void sk__file_abandon(sk__file *file);

/* The contents, with a 0 byte after the last; *data is the caller's, to sk__free. SK_NOT_FOUND when there
 * is no such file. bytes may be NULL. */
SK_MUST_USE sk_status sk__file_read(const char *path, char **data, size_t *bytes);

#endif
