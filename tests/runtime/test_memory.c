/* Device and host memory, copies and fills: misuse first, then use. */
#include "device_fixture.h"
#include "superkernel/device.h"

static void test_malloc_refuses(void **state) {
  (void)state;
  device_open();
  void *p = NULL;
  assert_fails(aclrtMalloc(NULL, 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
  assert_fails(aclrtMalloc(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM, "size is 0");
  assert_fails(aclrtMalloc(&p, 32, (aclrtMemMallocPolicy)8), ACL_ERROR_INVALID_PARAM, "policy 0x8");
  assert_fails(aclrtMallocAlign32(&p, 32, (aclrtMemMallocPolicy)0x400), ACL_ERROR_INVALID_PARAM, "policy 0x400");
  assert_fails(aclrtMalloc(&p, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION, "more than the device has");
  assert_null(p);
}
static void test_device_memory_runs_out(void **state) {
  (void)state;
  device_open();
  void *all[16] = {0};
  size_t free_bytes = 0, total = 0, got = 0;
  assert_ok(aclrtGetMemInfo(0, &free_bytes, &total));
  int error = ACL_SUCCESS;
  while (got < 16 && (error = aclrtMalloc(&all[got], total / 4, ACL_MEM_MALLOC_HUGE_FIRST)) == ACL_SUCCESS) got++;
  assert_in_range(got, 3, 4); /* each allocation has guards around it */
  assert_fails(error, ACL_ERROR_RT_MEMORY_ALLOCATION, "bytes in use of");
  assert_ok(aclrtFree(all[1]));
  assert_ok(aclrtMalloc(&all[1], total / 4, ACL_MEM_MALLOC_HUGE_FIRST));
}
static void test_free_refuses(void **state) {
  (void)state;
  device_open();
  void *buffer = buffer_new(1);
  int host;
  assert_fails(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
  assert_int_equal(findings_of("GM_FREE_INVALID"), 0);
  assert_int_equal(aclrtFree(&host), ACL_ERROR_RT_MEMORY_FREE);
  assert_int_equal(aclrtFree((char *)buffer + 32), ACL_ERROR_RT_MEMORY_FREE);
  assert_ok(aclrtFree(buffer));
  assert_int_equal(aclrtFree(buffer), ACL_ERROR_RT_MEMORY_FREE);
  assert_int_equal(findings_of("GM_FREE_INVALID"), 1); /* one cause, three times */
}
static void test_host_memory_refuses(void **state) {
  (void)state;
  device_open();
  void *p = NULL, *other = malloc(8);
  assert_fails(aclrtMallocHost(NULL, 8), ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
  assert_fails(aclrtMallocHost(&p, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
  assert_int_equal(aclrtMallocHost(&p, SIZE_MAX - 8), ACL_ERROR_BAD_ALLOC);
  assert_int_equal(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclrtFreeHost(other), ACL_ERROR_INVALID_PARAM);
  assert_ok(aclrtMallocHost(&p, 8));
  assert_ok(aclrtFreeHost(p));
  assert_int_equal(aclrtFreeHost(p), ACL_ERROR_INVALID_PARAM);
  free(other);
}
static void test_copy_refuses(void **state) {
  (void)state;
  device_open();
  char *buffer = buffer_new(1), host[64] = {0};
  assert_fails(aclrtMemcpy(NULL, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "dst is NULL");
  assert_fails(aclrtMemcpy(buffer, 8, NULL, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "src is NULL");
  assert_fails(aclrtMemcpy(buffer, 8, host, 9, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "count 9 is above destMax 8");
  assert_fails(aclrtMemcpy(buffer, 8, host, 8, (aclrtMemcpyKind)8), ACL_ERROR_INVALID_PARAM, "kind 8");
  assert_fails(aclrtMemcpy(buffer + BUFFER_BYTES - 16, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
               "leave the allocation");
  assert_int_equal(aclrtMemcpy(host, 64, buffer - 8, 16, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_INVALID_PARAM);
  assert_ok(aclrtMemcpy(buffer, 0, host, 0, ACL_MEMCPY_HOST_TO_DEVICE));
  buffer_check(buffer, 1);
}
static void test_asynchronous_copy_refuses(void **state) {
  (void)state;
  device_open();
  char *buffer = buffer_new(1), host[64] = {0};
  int no_stream;
  assert_fails(aclrtMemcpyAsync(host, 64, host, 32, ACL_MEMCPY_HOST_TO_HOST, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "host to host");
  assert_int_equal(aclrtMemcpyAsync(buffer, 8, host, 9, ACL_MEMCPY_HOST_TO_DEVICE, NULL), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclrtMemcpyAsync(buffer, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE, &no_stream), ACL_ERROR_RT_INVALID_HANDLE);
}
static void test_copy_2d_refuses(void **state) {
  (void)state;
  device_open();
  char *buffer = buffer_new(1), host[64] = {0};
  assert_fails(aclrtMemcpy2d(buffer, 16, host, 8, 12, 2, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "spitch");
  assert_fails(aclrtMemcpy2d(buffer, 8, host, 16, 12, 2, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "destMax");
  assert_int_equal(aclrtMemcpy2d(NULL, 16, host, 16, 8, 2, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
}
static void test_set_refuses(void **state) {
  (void)state;
  device_open();
  char *buffer = buffer_new(1), host[8];
  assert_fails(aclrtMemset(host, 8, 0, 8), ACL_ERROR_INVALID_PARAM, "no device memory");
  assert_fails(aclrtMemset(NULL, 8, 0, 8), ACL_ERROR_INVALID_PARAM, "no device memory");
  assert_fails(aclrtMemset(buffer, 8, 0, 9), ACL_ERROR_INVALID_PARAM, "count 9 is above maxCount 8");
  assert_fails(aclrtMemset(buffer + BUFFER_BYTES - 8, 64, 0, 64), ACL_ERROR_INVALID_PARAM, "leave the allocation");
  assert_int_equal(aclrtMemsetAsync(host, 8, 0, 8, NULL), ACL_ERROR_INVALID_PARAM);
  buffer_check(buffer, 1);
}
static void test_memory_info_refuses(void **state) {
  (void)state;
  device_open();
  size_t n = 0;
  assert_int_equal(aclrtGetMemInfo(0, NULL, &n), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclrtGetMemInfo(0, &n, NULL), ACL_ERROR_INVALID_PARAM);
}

static void test_memory_is_aligned_and_counted(void **state) {
  (void)state;
  device_open();
  size_t before = 0, after = 0, total = 0;
  void *p = NULL, *q = NULL;
  assert_ok(aclrtGetMemInfo(0, &before, &total));
  assert_ok(aclrtMalloc(&p, 1, (aclrtMemMallocPolicy)(ACL_MEM_MALLOC_NORMAL_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH)));
  assert_ok(aclrtMallocAlign32(&q, 100, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P));
  assert_int_equal((uint64_t)p % 64, 0);
  assert_int_equal((uint64_t)q % 64, 0);
  assert_ok(aclrtGetMemInfo(0, &after, &total));
  assert_in_range(before - after, 101, 4096);
}
static void test_copies_in_all_directions(void **state) {
  (void)state;
  device_open();
  char *a = buffer_new(1), *b = buffer_new(2);
  uint32_t host[8] = {9, 9, 9, 9, 9, 9, 9, 9}, back[8] = {0};
  assert_ok(aclrtMemcpy(b, BUFFER_BYTES, a, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
  buffer_check(b, 1);
  assert_ok(aclrtMemcpy(b + 5, 32, host, 32, ACL_MEMCPY_DEFAULT)); /* any byte address */
  assert_ok(aclrtMemcpy(back, 32, b + 5, 32, ACL_MEMCPY_DEVICE_TO_HOST));
  assert_memory_equal(host, back, 32);
  memset(back, 0, sizeof back);
  assert_ok(aclrtMemcpy(back, 32, host, 32, ACL_MEMCPY_HOST_TO_HOST));
  assert_memory_equal(host, back, 32);
}
static void test_copy_2d_leaves_the_gaps(void **state) {
  (void)state;
  device_open();
  char *buffer = buffer_new(0), from[6] = "abcdef", to[9] = "---------", back[12] = {0};
  assert_ok(aclrtMemcpy2d(buffer, 4, from, 2, 2, 3, ACL_MEMCPY_HOST_TO_DEVICE));
  assert_ok(aclrtMemcpy(back, 12, buffer, 12, ACL_MEMCPY_DEVICE_TO_HOST));
  assert_memory_equal(back, "ab\0\0cd\0\0ef\0\0", 12);
  assert_ok(aclrtMemcpy2d(to, 3, buffer, 4, 2, 3, ACL_MEMCPY_DEVICE_TO_HOST));
  assert_memory_equal(to, "ab-cd-ef-", 9);
  assert_ok(aclrtMemcpy2d(to, 3, buffer, 4, 2, 0, ACL_MEMCPY_DEVICE_TO_HOST));
}
static void test_sets_now_and_on_a_stream(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1);
  aclrtStream stream = stream_new();
  assert_ok(aclrtMemset(a, BUFFER_BYTES, 0x102, BUFFER_BYTES)); /* the low byte counts */
  buffer_check(a, 0x02020202);
  assert_ok(aclrtMemsetAsync(a, BUFFER_BYTES, 3, BUFFER_BYTES, stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 1));
  buffer_check(a, 0x03030304);
}
/* What the host does with its own memory after the call must not matter. */
static void test_pageable_source_is_read_at_the_call(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0);
  uint32_t host[BUFFER_BYTES / 4];
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) host[i] = 5;
  assert_ok(aclrtMemcpyAsync(a, BUFFER_BYTES, host, BUFFER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream_new()));
  memset(host, 0xff, sizeof host);
  buffer_check(a, 5);
}
static void test_pageable_target_is_filled_at_the_call(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0);
  aclrtStream stream = stream_new();
  uint32_t host[BUFFER_BYTES / 4] = {0};
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 6));
  assert_ok(aclrtMemcpyAsync(host, BUFFER_BYTES, a, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) assert_int_equal(host[i], 6);
}
static void test_pinned_memory_is_copied_in_stream_order(void **state) {
  (void)state;
  device_open();
  uint32_t *host = NULL;
  void *a = buffer_new(0);
  aclrtStream stream = stream_new();
  assert_ok(aclrtMallocHost((void **)&host, BUFFER_BYTES));
  assert_int_equal((uint64_t)host % 64, 0);
  memset(host, 0, BUFFER_BYTES);
  assert_ok(aclrtMemcpyAsync(a, BUFFER_BYTES, host, BUFFER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 2));
  assert_ok(aclrtMemcpyAsync(host, BUFFER_BYTES, a, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  assert_int_equal(host[0], 0);
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(host[BUFFER_BYTES / 4 - 1], 2);
  assert_ok(aclrtFreeHost(host));
}
/* Messages name device memory by the first kernel argument that held it. */
static void test_host_writes_refuse(void **state) {
  (void)state;
  device_open();
  char *buffer = buffer_new(1), host[64];
  assert_fails(sk_device_host_writes(host, sizeof host), ACL_ERROR_INVALID_PARAM, "leave device memory");
  assert_fails(sk_device_host_writes(buffer + BUFFER_BYTES - 4, 8), ACL_ERROR_INVALID_PARAM, "leave device memory");
  assert_ok(sk_device_host_writes(buffer, 0));
}
/* Bytes that the host wrote in place count as written when it said so, and only then. */
static void test_host_writes_in_place(void **state) {
  (void)state;
  device_open();
  uint32_t *from = NULL;
  void *to = buffer_new(0);
  assert_ok(aclrtMalloc((void **)&from, BUFFER_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) from[i] = 5;
  assert_ok(launch_add(NULL, &add_vector, 2, from, to, 1));
  buffer_check(to, 6);
  assert_int_equal(findings_of("UNINITIALISED_READ"), 1);
  assert_ok(sk_device_host_writes(from, BUFFER_BYTES));
  for (size_t i = 0; i < BUFFER_BYTES / 4; i++) from[i] = 7;
  size_t before = findings_all();
  assert_ok(launch_add(NULL, &add_vector, 2, from, to, 1));
  buffer_check(to, 8);
  assert_int_equal(findings_all(), before);
}
/* A synchronous copy waits for no stream: only of what a task queued before it writes it is told. */
static void test_copy_that_should_have_waited(void **state) {
  (void)state;
  device_open();
  char host[BUFFER_BYTES];
  void *a = buffer_new(1), *b = buffer_new(2), *c = buffer_new(3);
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  assert_ok(launch_add(stream, &add_vector, 2, a, b, 1));
  assert_ok(aclrtMemcpy(host, sizeof host, c, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST)); /* another buffer */
  assert_ok(launch_add(stream, &add_vector, 2, b, c, 1));                               /* queued later */
  assert_ok(aclrtSynchronizeStream(stream));
  assert_ok(aclrtMemcpy(host, sizeof host, b, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST)); /* nothing is pending */
  assert_int_equal(findings_all(), 0);
  assert_ok(launch_add(stream, &add_vector, 2, a, b, 1));
  assert_ok(aclrtMemcpy(host, sizeof host, b, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST));
  assert_int_equal(findings_all(), 0); /* the task has not run yet */
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(findings_of("SYNC_GM"), 1);
  assert_ok(aclrtMemsetAsync(c, BUFFER_BYTES, 0, BUFFER_BYTES, stream));
  assert_ok(aclrtMemcpy(host, sizeof host, c, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST));
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(findings_of("SYNC_GM"), 2);
  assert_int_equal(findings_all(), 2);
}
static void test_host_operators_are_listed_once(void **state) {
  (void)state;
  size_t count = 0;
  sk_device_not_simulated("b");
  sk_device_not_simulated("a");
  sk_device_not_simulated("b");
  const char *const *names = sk__runtime_not_simulated(&count);
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "a");
  assert_string_equal(names[1], "b");
}
static void test_memory_is_named_after_its_argument(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(2);
  sk__gm_info info;
  sk__machine *machine = sk__runtime_machine(sk__runtime_get());
  assert_true(sk__gm_find(machine, (uint64_t)a, &info));
  assert_string_equal(info.label, "aclrtMalloc");
  assert_ok(launch_add(NULL, &add_vector, 1, a, b, 1));
  assert_ok(launch_add(NULL, &add_vector, 1, b, a, 1));
  assert_true(sk__gm_find(machine, (uint64_t)a, &info));
  assert_string_equal(info.label, "from (argument 1 of add)");
  assert_true(sk__gm_find(machine, (uint64_t)b, &info));
  assert_string_equal(info.label, "to (argument 2 of add)");
}

SK_TESTS(SK_TEST(test_malloc_refuses), SK_TEST(test_device_memory_runs_out), SK_TEST(test_free_refuses), SK_TEST(test_host_memory_refuses),
         SK_TEST(test_copy_refuses), SK_TEST(test_asynchronous_copy_refuses), SK_TEST(test_copy_2d_refuses), SK_TEST(test_set_refuses),
         SK_TEST(test_memory_info_refuses), SK_TEST(test_memory_is_aligned_and_counted), SK_TEST(test_copies_in_all_directions),
         SK_TEST(test_copy_2d_leaves_the_gaps), SK_TEST(test_sets_now_and_on_a_stream), SK_TEST(test_pageable_source_is_read_at_the_call),
         SK_TEST(test_pageable_target_is_filled_at_the_call), SK_TEST(test_pinned_memory_is_copied_in_stream_order),
         SK_TEST(test_memory_is_named_after_its_argument), SK_TEST(test_host_writes_refuse), SK_TEST(test_host_writes_in_place), SK_TEST(test_copy_that_should_have_waited),
         SK_TEST(test_host_operators_are_listed_once))
