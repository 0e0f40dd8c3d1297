/* file.c - atomic replacement of files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define TEMPORARY_TRIES 100

/* Opens a new file beside the target. open with 0666 and not mkstemp, so that the umask decides who may
 * read the result. */
static int open_beside(sk__file *file) {
  size_t bytes = strlen(file->target) + 48;
  file->temporary = sk__malloc(bytes);
  if (file->temporary == NULL) return -1;
  for (int i = 0; i < TEMPORARY_TRIES; i++) {
    snprintf(file->temporary, bytes, "%s.%ld-%d.tmp", file->target, (long)getpid(), i);
    int fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/* Frees the names; errno survives. */
static void forget(sk__file *file) {
  int saved = errno;
  sk__free(file->target);
  sk__free(file->temporary);
  *file = (sk__file){0};
  errno = saved;
}

sk_status sk__file_begin(sk__file *file, const char *path) {
  *file = (sk__file){0};
  struct stat before;
  bool exists = stat(path, &before) == 0;
  if (exists && S_ISDIR(before.st_mode)) {
    errno = EISDIR;
    return SK_IO;
  }
  bool direct = exists && !S_ISREG(before.st_mode);
  /* A link stays a link: the file it points to is replaced. */
  char *resolved = exists && !direct ? realpath(path, NULL) : NULL;
  file->target = sk__strdup(resolved != NULL ? resolved : path);
  free(resolved);
  if (file->target == NULL) return SK_OUT_OF_MEMORY;
  int fd = direct ? open(path, O_WRONLY | O_CLOEXEC) : open_beside(file);
  if (fd < 0) {
    bool no_memory = !direct && file->temporary == NULL;
    forget(file);
    return no_memory ? SK_OUT_OF_MEMORY : SK_IO;
  }
  /* The replacement is as readable as what it replaces; if that may not be changed, as the umask says. */
  if (exists && !direct) (void)fchmod(fd, before.st_mode & 07777);
  file->stream = fdopen(fd, "w");
  if (file->stream != NULL) return SK_OK;
  close(fd);
  if (file->temporary != NULL) unlink(file->temporary);
  forget(file);
  return SK_OUT_OF_MEMORY;
}

sk_status sk__file_commit(sk__file *file) {
  bool good = fflush(file->stream) == 0 && !ferror(file->stream);
  if (good && file->temporary != NULL) good = fsync(fileno(file->stream)) == 0;
  int saved = errno;
  if (fclose(file->stream) != 0 && good) {
    good = false;
    saved = errno;
  }
  if (file->temporary != NULL) {
    if (good && rename(file->temporary, file->target) != 0) {
      good = false;
      saved = errno;
    }
    if (!good) unlink(file->temporary);
  }
  errno = saved;
  forget(file);
  return good ? SK_OK : SK_IO;
}

void sk__file_abandon(sk__file *file) {
  fclose(file->stream);
  if (file->temporary != NULL) unlink(file->temporary);
  forget(file);
}

sk_status sk__file_write(const char *path, const void *data, size_t bytes) {
  sk__file file;
  sk_status status = sk__file_begin(&file, path);
  if (status != SK_OK) return status;
  if (bytes != 0 && fwrite(data, 1, bytes, file.stream) != bytes) {
    int saved = errno;
    sk__file_abandon(&file);
    errno = saved;
    return SK_IO;
  }
  return sk__file_commit(&file);
}

/* Reads to the end, whatever the size says: pipes and /proc files have none. */
static sk_status read_all(FILE *stream, char **data, size_t *length) {
  size_t capacity_bytes = 0, used = 0;
  char *buffer = NULL;
  do {
    if (capacity_bytes - used < 2) {
      capacity_bytes = capacity_bytes == 0 ? 4096 : capacity_bytes * 2;
      char *grown = sk__realloc(buffer, capacity_bytes);
      if (grown == NULL) {
        sk__free(buffer);
        return SK_OUT_OF_MEMORY;
      }
      buffer = grown;
    }
    used += fread(buffer + used, 1, capacity_bytes - used - 1, stream);
  } while (!feof(stream) && !ferror(stream));
  if (ferror(stream)) {
    sk__free(buffer);
    return SK_IO;
  }
  buffer[used] = '\0';
  *data = buffer;
  *length = used;
  return SK_OK;
}

sk_status sk__file_read(const char *path, char **data, size_t *bytes) {
  *data = NULL;
  FILE *stream = fopen(path, "re");
  if (stream == NULL) return errno == ENOENT || errno == ENOTDIR ? SK_NOT_FOUND : SK_IO;
  size_t length = 0;
  sk_status status = read_all(stream, data, &length);
  int saved = errno;
  fclose(stream);
  errno = saved;
  if (bytes != NULL) *bytes = length;
  return status;
}
