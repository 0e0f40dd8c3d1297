/* test_file.c - files appear whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "harness.h"

/* A directory of this test's own, made current. */
static void enter_fresh_directory(void) {
  static char name[] = "sk-file-XXXXXX";
  const char *root = getenv("TMPDIR");
  assert_int_equal(chdir(root != NULL ? root : P_tmpdir), 0);
  assert_non_null(mkdtemp(name));
  assert_int_equal(chdir(name), 0);
}
static int entries(void) {
  int count = 0;
  DIR *directory = opendir(".");
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}
static void leave(void) {
  char path[4096];
  assert_non_null(getcwd(path, sizeof path));
  DIR *directory = opendir(".");
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (entry->d_name[0] != '.') (void)(unlink(entry->d_name) != 0 && rmdir(entry->d_name) != 0);
  closedir(directory);
  assert_int_equal(chdir("/"), 0);
  assert_int_equal(rmdir(path), 0);
}
static void expect_contents(const char *path, const char *wanted) {
  char *data;
  size_t bytes;
  assert_int_equal(sk__file_read(path, &data, &bytes), SK_OK);
  assert_string_equal(data, wanted);
  assert_int_equal(bytes, strlen(wanted));
  sk__free(data);
}

static void test_a_full_device_is_an_io_error(void **state) {
  (void)state;
  if (access("/dev/full", W_OK) != 0) skip();
  assert_int_equal(sk__file_write("/dev/full", "abc", 3), SK_IO);
  assert_int_equal(errno, ENOSPC);
}

/* A file size limit stands for a full disk: the write stops part of the way. */
static void test_a_write_that_stops_half_way_leaves_the_old_file(void **state) {
  (void)state;
  enter_fresh_directory();
  assert_int_equal(sk__file_write("report.json", "old", 3), SK_OK);
  char *large = sk__calloc(1, 1 << 20);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, small;
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 100000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  assert_int_equal(sk__file_write("report.json", large, 1 << 20), SK_IO);
  assert_int_equal(errno, EFBIG);
  assert_int_equal(sk__file_write("new.json", large, 1 << 20), SK_IO);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  sk__free(large);
  expect_contents("report.json", "old");
  assert_int_equal(entries(), 1);
  leave();
}

static void test_paths_that_cannot_be_written(void **state) {
  (void)state;
  enter_fresh_directory();
  assert_int_equal(sk__file_write("no/such/directory", "a", 1), SK_IO);
  assert_int_equal(errno, ENOENT);
  assert_int_equal(mkdir("here", 0777), 0);
  assert_int_equal(sk__file_write("here", "a", 1), SK_IO);
  assert_int_equal(errno, EISDIR);
  if (geteuid() != 0) { /* root may write anywhere */
    assert_int_equal(chmod("here", 0555), 0);
    assert_int_equal(sk__file_write("here/file", "a", 1), SK_IO);
    assert_int_equal(errno, EACCES);
  }
  assert_int_equal(entries(), 1);
  leave();
}

static void test_an_abandoned_file_leaves_nothing(void **state) {
  (void)state;
  enter_fresh_directory();
  sk__file file;
  assert_int_equal(sk__file_begin(&file, "a"), SK_OK);
  fputs("half", file.stream);
  sk__file_abandon(&file);
  assert_int_equal(entries(), 0);
  leave();
}

static void test_reading_what_is_not_there(void **state) {
  (void)state;
  char *data;
  assert_int_equal(sk__file_read("/no/such/file", &data, NULL), SK_NOT_FOUND);
  assert_null(data);
  assert_int_equal(sk__file_read("/", &data, NULL), SK_IO);
  assert_null(data);
}

static void test_a_committed_file_is_whole_and_alone(void **state) {
  (void)state;
  enter_fresh_directory();
  sk__file file;
  assert_int_equal(sk__file_begin(&file, "a"), SK_OK);
  assert_int_equal(access("a", F_OK), -1); /* not there before it is whole */
  fprintf(file.stream, "%d lines", 3);
  assert_int_equal(sk__file_commit(&file), SK_OK);
  expect_contents("a", "3 lines");
  assert_int_equal(sk__file_write("a", "", 0), SK_OK);
  expect_contents("a", "");
  assert_int_equal(entries(), 1);
  leave();
}

static void test_replacing_keeps_mode_and_link(void **state) {
  (void)state;
  enter_fresh_directory();
  assert_int_equal(sk__file_write("real", "1", 1), SK_OK);
  assert_int_equal(chmod("real", 0600), 0);
  assert_int_equal(symlink("real", "link"), 0);
  assert_int_equal(sk__file_write("link", "2", 1), SK_OK);
  expect_contents("real", "2");
  struct stat info;
  assert_int_equal(lstat("link", &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(stat("real", &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  leave();
}

static void test_large_files_come_back(void **state) {
  (void)state;
  enter_fresh_directory();
  size_t bytes = 300001;
  unsigned char *data = sk__malloc(bytes);
  for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)(i * 31 >> 3);
  assert_int_equal(sk__file_write("large", data, bytes), SK_OK);
  char *back;
  size_t back_bytes;
  assert_int_equal(sk__file_read("large", &back, &back_bytes), SK_OK);
  assert_int_equal(back_bytes, bytes);
  assert_memory_equal(back, data, bytes);
  assert_int_equal(back[bytes], 0);
  sk__free(back);
  sk__free(data);
  leave();
}

SK_TESTS(SK_TEST(test_a_full_device_is_an_io_error), SK_TEST(test_a_write_that_stops_half_way_leaves_the_old_file),
         SK_TEST(test_paths_that_cannot_be_written), SK_TEST(test_an_abandoned_file_leaves_nothing),
         SK_TEST(test_reading_what_is_not_there), SK_TEST(test_a_committed_file_is_whole_and_alone),
         SK_TEST(test_replacing_keeps_mode_and_link), SK_TEST(test_large_files_come_back))
