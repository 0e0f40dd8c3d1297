"""Kernels from shared objects that the host program loads itself, from a file and from memory."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "docs")]
import tap  # noqa: E402
from programs import Sandbox  # noqa: E402

sandbox = Sandbox()

KERNELS = r"""
#include "c_api/asc_simd.h"
__global__ __vector__ void fill(__gm__ int32_t *x, int16_t low, int32_t high) {
  __ubuf__ int32_t a[64];
  asc_init();
  asc_duplicate(a, (int32_t)low + high, 64);
  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
  asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
  asc_copy_ub2gm(x + asc_get_block_idx() * 64, a, sizeof a);
  asc_sync();
}
"""

# argument 1: file or data; argument 2: the binary; argument 3: what to do
HOST = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "acl/acl.h"
static int failed(int code, const char *what) {
  if (code != 0) printf("%s: %d %s\n", what, code, aclGetRecentErrMsg());
  return code != 0;
}
static int load(const char *how, const char *path, aclrtBinHandle *bin) {
  if (strcmp(how, "file") == 0) return aclrtBinaryLoadFromFile(path, NULL, bin);
  static char data[1 << 20];
  FILE *file = fopen(path, "rb");
  size_t length = file != NULL ? fread(data, 1, sizeof data, file) : 0;
  return aclrtBinaryLoadFromData(data, length, NULL, bin);
}
int main(int argc, char **argv) {
  aclrtBinHandle bin = NULL;
  aclrtFuncHandle function = NULL;
  int32_t *x = NULL, out[128], high = 40;
  int16_t low = 2;
  void *args[3] = {&x, &low, &high};
  if (argc < 3) return 2;
  aclInit(NULL);
  aclrtSetDevice(0);
  if (failed(load(argv[1], argv[2], &bin), "load")) return 3;
  if (failed(aclrtBinaryGetFunction(bin, "fill", &function), "function")) return 4;
  aclrtMalloc((void **)&x, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  if (argc > 3) args[1] = NULL;
  if (failed(aclrtLaunchKernelWithArgsArray(function, 2, NULL, NULL, args), "launch")) return 5;
  if (failed(aclrtSynchronizeDevice(), "run")) return 6;
  aclrtMemcpy(out, sizeof out, x, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  for (int i = 0; i < 128; i++) if (out[i] != 42) return 7;
  if (failed(aclrtBinaryUnLoad(bin), "unload")) return 8;
  if (aclrtBinaryUnLoad(bin) != ACL_ERROR_RT_INVALID_HANDLE || aclrtBinaryGetFunction(bin, "fill", &function) != ACL_ERROR_RT_INVALID_HANDLE) return 9;
  puts("good");
  return 0;
}
"""

# A library launches its kernel itself; argument 1 and 2: libraries. The first is closed with its launch pending.
LIBRARY = r"""
#include "c_api/asc_simd.h"
__global__ __vector__ void fill(__gm__ int32_t *x) {
  __ubuf__ int32_t a[64];
  asc_init();
  asc_duplicate(a, 1, 64);
  FLAG
  asc_copy_ub2gm(x, a, sizeof a);
  asc_sync();
}
void go(void *x) { fill<<<1, 0, 0>>>(x); }
"""
CLOSER = r"""
#include <dlfcn.h>
#include "acl/acl.h"
static void *load(const char *path, void *x) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != 0) ((void (*)(void *))dlsym(library, "go"))(x);
  return library;
}
int main(int argc, char **argv) {
  void *x = 0;
  aclInit(0);
  aclrtSetDevice(0);
  aclrtMalloc(&x, 256, ACL_MEM_MALLOC_HUGE_FIRST);
  void *first = load(argv[1], x);
  if (argc != 3 || first == 0 || dlclose(first) != 0 || load(argv[2], x) == 0) return 2;
  return aclrtSynchronizeDevice();
}
"""


def build() -> None:
    sandbox.compile("kernels.so", "-shared", "-fPIC", sandbox.file("kernels.c", KERNELS))
    sandbox.compile("other.so", "-shared", "-fPIC", sandbox.file("other.c", "int nothing;\n"))
    sandbox.compile("host", sandbox.file("host.c", HOST))
    flag = "asc_sync_notify(PIPE_V, PIPE_MTE3, 0); asc_sync_wait(PIPE_V, PIPE_MTE3, 0);"
    sandbox.compile("broken.so", "-shared", "-fPIC", sandbox.file("broken.c", LIBRARY.replace("FLAG", "")))
    sandbox.compile("sound.so", "-shared", "-fPIC", sandbox.file("sound.c", "\n\n" + LIBRARY.replace("FLAG", flag)))
    sandbox.compile("closer", sandbox.file("closer.c", CLOSER), "-ldl")


def run(*words: str, code: int, said: str) -> None:
    done = sandbox.run(sandbox.path / "host", *words)
    assert done.returncode == code and said in done.stdout, f"{done.returncode}: {done.stdout}{done.stderr}"


def a_missing_file() -> None:
    run("file", "none.so", code=3, said="none.so")


def a_file_without_kernels() -> None:
    run("file", "other.so", code=3, said="brings no kernel")


def a_file_that_is_no_binary() -> None:
    run("file", "host.c", code=3, said="cannot be loaded")
    run("data", "host.c", code=3, said="cannot be loaded")


def an_argument_that_is_missing() -> None:
    run("file", "kernels.so", "x", code=5, said="args[1] (low of 'fill') is NULL")


def kernels_from_a_file() -> None:
    run("file", "kernels.so", code=0, said="good")


def kernels_from_memory() -> None:
    run("data", "kernels.so", code=0, said="good")


def a_library_that_is_closed() -> None:
    report = sandbox.verify(sandbox.path / "closer", sandbox.path / "broken.so", sandbox.path / "sound.so")
    assert [finding["id"] for finding in report["findings"]] == ["SYNC_LOCAL"], report["findings"]
    places = [(Path(end["file"]).name, end["line"]) for end in report["findings"][0]["ends"]]
    assert places == [("broken.c", 6), ("broken.c", 8)], places
    report = sandbox.verify(sandbox.path / "closer", sandbox.path / "sound.so", sandbox.path / "sound.so")
    assert report["verdict"] == "clean", report


def main() -> int:
    try:
        build()
        return tap.run([a_missing_file, a_file_without_kernels, a_file_that_is_no_binary, an_argument_that_is_missing, kernels_from_a_file,
                        kernels_from_memory, a_library_that_is_closed])
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
