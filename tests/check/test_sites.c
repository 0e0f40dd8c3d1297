/* test_sites.c - a return address becomes the user's line. */
#include "harness.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ascendc/forward.h"
#include "check/check.h"

__attribute__((noinline)) const void *library_call(void) {
  __asm__ volatile(""); /* no two calls may be made one */
  return __builtin_extract_return_addr(__builtin_return_address(0));
}

static void test_line_of_a_plain_call(void **state) {
  (void)state;
  const void *volatile site = library_call();
  int line = __LINE__ - 1;
  sk__source source;
  assert_true(sk__site_source(site, &source));
  assert_int_equal(source.line, line);
  assert_string_equal(strrchr(source.file, '/') + 1, "test_sites.c");
  assert_string_equal(source.function, "test_line_of_a_plain_call");
}

static void test_forwarding_header_is_climbed_out_of(void **state) {
  (void)state;
  const void *volatile site = api_outer();
  int line = __LINE__ - 1;
  char text[512], expected[64];
  assert_true(sk__site_text(site, text, sizeof text));
  snprintf(expected, sizeof expected, "test_sites.c:%d:test_forwarding_header_is_climbed_out_of", line);
  assert_non_null(strstr(text, expected));
}

static void test_path_is_relative_below_the_current_directory(void **state) {
  (void)state;
  const void *volatile site = library_call();
  sk__source source;
  assert_true(sk__site_source(site, &source));
  assert_int_equal(chdir(SK_TEST_SOURCE_DIR), 0);
  assert_true(sk__site_source(site, &source));
  assert_string_equal(source.file, "check/test_sites.c");
}

static void test_unknown_addresses_give_a_text_and_false(void **state) {
  (void)state;
  char text[64];
  assert_false(sk__site_text((const void *)(uintptr_t)16, text, sizeof text));
  assert_string_equal(text, "0x10");
  assert_false(sk__site_text(NULL, text, sizeof text));
  assert_string_equal(text, "unknown place");
  sk__source source;
  assert_false(sk__site_source(NULL, &source));
}

static void test_object_without_lines_gives_its_name(void **state) {
  (void)state;
  char text[128];
  const void *inside_libc = (const char *)(uintptr_t)&getpid + 4;
  if (sk__site_text(inside_libc, text, sizeof text)) skip(); /* this host has debug information of libc */
  assert_non_null(strstr(text, "libc"));
  assert_non_null(strstr(text, "+0x"));
}

/* An object that came after the first question: its lines are found too. */
static void test_object_loaded_later(void **state) {
  (void)state;
  const void *volatile site = library_call();
  sk__source source;
  assert_true(sk__site_source(site, &source));
  void *object = dlopen(SK_TEST_LATE_OBJECT, RTLD_NOW);
  assert_non_null(object);
  const void *(*late)(const void *(*)(void)) = (const void *(*)(const void *(*)(void)))dlsym(object, "late_function");
  assert_non_null(late);
  assert_true(sk__site_source(late(library_call), &source));
  assert_string_equal(strrchr(source.file, '/') + 1, "late_object.c");
  assert_string_equal(source.function, "late_function");
  assert_int_equal(source.line, 6);
}

/* What compilers make of one line. */
static void test_sites_of_one_line_are_one_place(void **state) {
  (void)state;
  const void *volatile one = library_call(), *volatile other = library_call();
  const void *volatile below = library_call();
  assert_ptr_not_equal(one, other);
  assert_ptr_equal(sk__site_place(one), sk__site_place(other));
  assert_ptr_not_equal(sk__site_place(one), sk__site_place(below));
  assert_ptr_equal(sk__site_place(one), sk__site_place(one));
}

static void test_without_lines_a_site_is_its_own_place(void **state) {
  (void)state;
  const void *nowhere = (const void *)(uintptr_t)16;
  assert_ptr_equal(sk__site_place(nowhere), nowhere);
  assert_null(sk__site_place(NULL));
  assert_ptr_equal(sk__site_function(nowhere), nowhere);
  assert_null(sk__site_function(NULL));
}

__attribute__((noinline)) static const void *in_two_places(
    int which)
{
  const void *volatile site = library_call();
  if (which == 1) site = library_call();
  return site;
}
static void test_a_function_is_where_it_is_declared(void **state) {
  (void)state;
  int line = __LINE__ - 9;
  const void *one = in_two_places(0), *other = in_two_places(1);
  sk__source source;
  assert_ptr_not_equal(sk__site_place(one), sk__site_place(other));
  assert_ptr_equal(sk__site_function(one), sk__site_function(other));
  assert_true(sk__site_source(sk__site_function(one), &source));
  assert_int_equal(source.line, line);
  assert_string_equal(source.function, "in_two_places");
}

SK_TESTS(SK_TEST(test_sites_of_one_line_are_one_place), SK_TEST(test_without_lines_a_site_is_its_own_place),
         SK_TEST(test_a_function_is_where_it_is_declared), SK_TEST(test_line_of_a_plain_call), SK_TEST(test_forwarding_header_is_climbed_out_of),
         SK_TEST(test_path_is_relative_below_the_current_directory),
         SK_TEST(test_unknown_addresses_give_a_text_and_false), SK_TEST(test_object_without_lines_gives_its_name),
         SK_TEST(test_object_loaded_later))
