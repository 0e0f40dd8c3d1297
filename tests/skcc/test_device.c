/* test_device.c - what skcc makes runs on the simulated device: the whole way, with the real library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox.h"

static void run_on_device(const char *compiler, const char *file) {
  assert_runs("%s --cc=%s -Wall -Wextra -Werror %s -o program && ./program", SKCC, compiler, file);
}

static void test_vector_kernel_and_host_in_cpp(void **state) {
  (void)state;
  sandbox_open();
  put("add.asc",
      "#include \"acl/acl.h\"\n#include \"c_api/asc_simd.h\"\n#include <cstdio>\n#include <vector>\n"
      "constexpr uint32_t tile = 512;\n"
      "__global__ __vector__ void add(__gm__ float *x, __gm__ float *y, __gm__ float *z, uint32_t n) {\n"
      "  asc_init();\n  __ubuf__ float a[tile], b[tile];\n"
      "  uint32_t per_block = n / (uint32_t)asc_get_block_num(), first = per_block * (uint32_t)asc_get_block_idx();\n"
      "  for (uint32_t i = first; i < first + per_block; i += tile) {\n"
      "    asc_copy_gm2ub(a, x + i, sizeof a);\n    asc_copy_gm2ub(b, y + i, sizeof b);\n    asc_sync();\n"
      "    asc_add(a, a, b, tile);\n    asc_sync();\n    asc_copy_ub2gm(z + i, a, sizeof a);\n    asc_sync();\n  }\n}\n"
      "int main() {\n"
      "  const uint32_t n = 8192, bytes = n * 4;\n"
      "  aclrtStream stream; void *d[3]; std::vector<float> h(n), r(n);\n"
      "  if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtCreateStream(&stream)) return 1;\n"
      "  for (auto &p : d) if (aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) return 2;\n"
      "  for (uint32_t i = 0; i < n; i++) h[i] = float(i);\n"
      "  for (int k = 0; k < 2; k++) if (aclrtMemcpy(d[k], bytes, h.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE)) return 3;\n"
      "  add<<<4, 0, stream>>>((float *)d[0], (float *)d[1], (float *)d[2], n);\n"
      "  if (aclrtSynchronizeStream(stream) || aclrtMemcpy(r.data(), bytes, d[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST)) return 4;\n"
      "  for (uint32_t i = 0; i < n; i++) if (r[i] != 2 * float(i)) { printf(\"%u: %g\\n\", i, r[i]); return 5; }\n"
      "  puts(\"right\");\n  return 0;\n}\n");
  run_on_device("gcc", "add.asc");
  assert_said("right");
  if (has_compiler("clang")) run_on_device("clang", "add.asc");
  assert_said("right");
  sandbox_close();
}

/* Two halves of one kernel in C: each core sees its own, and their plain accesses go to device memory. */
static void test_mixed_kernel_in_c(void **state) {
  (void)state;
  sandbox_open();
  put("mixed.c",
      "#include \"acl/acl.h\"\n#include \"c_api/asc_simd.h\"\n#include <stdio.h>\n"
      "__global__ __mix__(1, 2) void k(__gm__ int32_t *x) {\n"
      "  int64_t core = asc_get_block_idx() * 3 + (ASCEND_IS_AIC ? 0 : 1 + asc_get_sub_block_id());\n"
      "  __ubuf__ int32_t u[8]; __cbuf__ int32_t l1[8]; (void)l1;\n"
      "  int32_t value = 100;\n"
      "  if (ASCEND_IS_AIV) { u[1] = 200; value = u[1]; }\n"
      "  x[core * 16] = value + (int32_t)core;\n}\n"
      "int main(void) {\n"
      "  void *d; int32_t h[6 * 16];\n"
      "  if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&d, sizeof h, ACL_MEM_MALLOC_HUGE_FIRST)) return 1;\n"
      "  aclrtMemset(d, sizeof h, 0, sizeof h);\n"
      "  k<<<2, 0>>>(d);\n"
      "  if (aclrtSynchronizeDevice() || aclrtMemcpy(h, sizeof h, d, sizeof h, ACL_MEMCPY_DEVICE_TO_HOST)) return 2;\n"
      "  for (int i = 0; i < 6; i++) printf(\"%d \", h[i * 16]);\n  return 0;\n}\n");
  run_on_device("gcc", "mixed.c");
  assert_said("100 201 202 103 204 205 ");
  if (has_compiler("clang")) run_on_device("clang", "mixed.c");
  assert_said("100 201 202 103 204 205 ");
  sandbox_close();
}

SK_TESTS(SK_TEST(test_vector_kernel_and_host_in_cpp), SK_TEST(test_mixed_kernel_in_c))
