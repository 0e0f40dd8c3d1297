"""What other build systems find after an installation: pkg-config, CMake, ccache, editors."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(sys.argv[1]).resolve()
MESON = [sys.argv[2]]
PREFIX = sys.argv[3].lstrip("/")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cpp_add.cpp"

scratch = tempfile.TemporaryDirectory()
ROOT = Path(scratch.name)
INSTALLED = ROOT / "image" / PREFIX
# A plain host program brings no address sanitizer of its own before the library's.
PLAIN_HOST = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


def run(*words: object, where: Path = ROOT, **more) -> str:
    done = subprocess.run([str(word) for word in words], cwd=where, capture_output=True, text=True, timeout=200, check=False, **more)
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def needs(tool: str) -> str:
    path = shutil.which(tool)
    if path is None or subprocess.run([path, "--version"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip(f"{tool} is not installed")
    return path


def test_install():
    run(*MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", ROOT / "image")
    assert (INSTALLED / "bin" / "skcc").exists()


def test_installed_compiler_and_runner():
    run(INSTALLED / "bin" / "skv", "cc", EXAMPLE, f"-I{EXAMPLE.parent}", "-o", "add")
    assert "0 wrong" in run(INSTALLED / "bin" / "skv", "run", "./add")
    assert "npu_dynamic_quant" in run(INSTALLED / "bin" / "skv", "ops", "DynamicQuant")


def test_pkg_config():
    tool = needs("pkg-config")
    folder = next(INSTALLED.rglob("superkernel.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder), "PKG_CONFIG_SYSROOT_DIR": str(ROOT / "image")}
    flags = run(tool, "--cflags", "--libs", "superkernel", env=environment).split()
    skcc = run(tool, "--variable=skcc", "superkernel", env=environment).strip()
    assert Path(skcc).exists() or (ROOT / "image" / skcc.lstrip("/")).exists(), skcc
    (ROOT / "host.cpp").write_text('#include "acl/acl.h"\nint main() { return aclInit(nullptr) != ACL_SUCCESS; }\n')
    run("c++", "host.cpp", "-o", "host", *flags)
    library = next(INSTALLED.rglob("libsuperkernel.so")).parent
    run("./host", env={**PLAIN_HOST, "LD_LIBRARY_PATH": str(library)})


PROJECT = """cmake_minimum_required(VERSION 3.20)
project(demo LANGUAGES NONE)
enable_testing()
find_package(SuperKernel 0.1 REQUIRED)
superkernel_add_executable(add add.cpp OPTIONS -O2 -I${CMAKE_CURRENT_SOURCE_DIR})
superkernel_add_verify_test(add_is_clean add)
"""


def cmake_project(name: str, text: str) -> Path:
    folder = ROOT / name
    folder.mkdir()
    (folder / "more.h").write_text("/* a header that the source includes */\n")
    (folder / "add.cpp").write_text('#include "more.h"\n' + EXAMPLE.read_text())
    (folder / "host.hpp").write_text((EXAMPLE.parent / "host.hpp").read_text())
    (folder / "CMakeLists.txt").write_text(text)
    return folder


def test_cmake_package():
    cmake = needs("cmake")
    folder = cmake_project("package", PROJECT)
    run(cmake, "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={INSTALLED}", where=folder)
    run(cmake, "--build", "out", where=folder)
    run(needs("ctest"), "--test-dir", "out", where=folder)
    again = run(cmake, "--build", "out", where=folder)
    assert "skcc add.cpp" not in again, again
    os.utime(folder / "more.h")
    assert "skcc add.cpp" in run(cmake, "--build", "out", where=folder)


def test_meson_dependency():
    """The snippet of docs/building-kernels.md, in a project of its own."""
    needs("pkg-config")
    text = (EXAMPLE.parents[1] / "docs" / "building-kernels.md").read_text()
    snippet = text.split("```meson\n")[1].split("```")[0].replace("add.asc", "add.cpp")
    folder = cmake_project("meson", "")
    (folder / "meson.build").write_text("project('demo')\n" + snippet)
    place = next(INSTALLED.rglob("superkernel.pc"))
    moved = ROOT / "pkgconfig"
    moved.mkdir()
    (moved / "superkernel.pc").write_text(place.read_text().replace(f"prefix=/{PREFIX}", f"prefix={INSTALLED}"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(moved)}
    run(*MESON, "setup", "out", where=folder, env=environment)
    run(*MESON, "test", "-C", "out", where=folder, env=environment)


def test_cmake_refuses_a_later_version():
    cmake = needs("cmake")
    folder = cmake_project("later", PROJECT.replace("SuperKernel 0.1", "SuperKernel 99"))
    done = subprocess.run([cmake, "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={INSTALLED}"], cwd=folder, capture_output=True,
                          text=True, check=False)
    assert done.returncode != 0 and "99" in done.stderr, done.stderr


def test_cmake_toolchain():
    cmake = needs("cmake")
    toolchain = next(INSTALLED.rglob("SuperKernelToolchain.cmake"))
    folder = cmake_project("toolchain", """cmake_minimum_required(VERSION 3.20)
project(demo LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_executable(add add.cpp)
""")
    run(cmake, "-S", ".", "-B", "out", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", where=folder)
    run(cmake, "--build", "out", where=folder)
    assert "0 wrong" in run(INSTALLED / "bin" / "skv", "run", "out/add", where=folder)
    entries = json.loads((folder / "out" / "compile_commands.json").read_text())
    assert len(entries) == 1 and "skcc" in entries[0]["command"], entries


def test_cmake_language_asc():
    """A project for the chip, as it is: kernels in a program, in a library, C++ beside them, the chip's libraries by name."""
    cmake = needs("cmake")
    folder = cmake_project("asc", """cmake_minimum_required(VERSION 3.16)
set(CMAKE_ASC_ARCHITECTURES "dav-2201" CACHE STRING "")
find_package(ASC REQUIRED)
project(demo LANGUAGES ASC CXX)
add_executable(add add.asc)
target_compile_options(add PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=${CMAKE_ASC_ARCHITECTURES}>)
target_compile_definitions(add PRIVATE FROM_CMAKE=1)
add_library(half SHARED half.asc)
add_library(fixed STATIC fixed.asc)
add_executable(both main.cpp)
target_link_libraries(both PRIVATE half fixed ascendcl m)
""")
    (folder / "add.asc").write_text("#ifndef FROM_CMAKE\n#error no definition\n#endif\n" + (folder / "add.cpp").read_text())
    for name in ("half", "fixed"):
        (folder / f"{name}.asc").write_text(f"""#include "kernel_operator.h"
__global__ __vector__ void {name}() {{ AscendC::printf("{name} %d\\n", AscendC::GetBlockIdx()); }}
void Launch{name}(void *stream) {{ {name}<<<1, nullptr, stream>>>(); }}
""")
    (folder / "main.cpp").write_text("""#include "acl/acl.h"
void Launchhalf(void *), Launchfixed(void *);
int main() {
  aclrtStream stream = nullptr;
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS) return 1;
  Launchhalf(stream);
  Launchfixed(stream);
  return aclrtSynchronizeStream(stream) != ACL_SUCCESS;
}
""")
    run(cmake, "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={INSTALLED}", where=folder)
    run(cmake, "--build", "out", where=folder)
    assert "0 wrong" in run(INSTALLED / "bin" / "skv", "run", "out/add", where=folder)
    said = run(INSTALLED / "bin" / "skv", "run", "out/both", where=folder, env=PLAIN_HOST)
    assert "half 0\nfixed 0\n" in said and "verdict: clean" in said, said
    os.utime(folder / "more.h")
    assert "Building ASC object CMakeFiles/add.dir/add.asc.o" in run(cmake, "--build", "out", where=folder)
    refused = subprocess.run([cmake, "-S", ".", "-B", "other", f"-DCMAKE_PREFIX_PATH={INSTALLED}", "-DCMAKE_ASC_ARCHITECTURES=dav-3510"],
                             cwd=folder, capture_output=True, text=True, check=True)
    refused = subprocess.run([cmake, "--build", "other"], cwd=folder, capture_output=True, text=True, check=False)
    assert refused.returncode != 0 and "the simulated chip is dav-2201" in refused.stdout + refused.stderr, refused


# An older project: ascendc_library and generated headers, host code by the project's C++ compiler.
LIBRARIES = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.16)
project(Ascend_c)
set(RUN_MODE "npu" CACHE STRING "cpu/sim/npu")
set(SOC_VERSION "Ascend910B1" CACHE STRING "")
set(ASCEND_CANN_PACKAGE_PATH "" CACHE PATH "")
set(CMAKE_INSTALL_PREFIX "${CMAKE_CURRENT_LIST_DIR}/out" CACHE STRING "" FORCE)
file(GLOB KERNEL_FILES ${CMAKE_CURRENT_SOURCE_DIR}/scale_custom.cpp)
include(cmake/npu_lib.cmake)
add_executable(bbit ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
target_compile_options(bbit PRIVATE -O2 -std=c++17 -Wall -Werror)
target_link_libraries(bbit PRIVATE
  $<BUILD_INTERFACE:$<$<OR:$<STREQUAL:${RUN_MODE},npu>,$<STREQUAL:${RUN_MODE},sim>>:host_intf_pub>>
  ascendc_kernels_${RUN_MODE} more_kernels)
install(TARGETS bbit ascendc_kernels_${RUN_MODE} LIBRARY DESTINATION lib RUNTIME DESTINATION bin)
""",
    "cmake/npu_lib.cmake": """if(EXISTS ${ASCEND_CANN_PACKAGE_PATH}/compiler/tikcpp/ascendc_kernel_cmake)
  set(ASCENDC_CMAKE_DIR ${ASCEND_CANN_PACKAGE_PATH}/compiler/tikcpp/ascendc_kernel_cmake)
endif()
include(${ASCENDC_CMAKE_DIR}/ascendc.cmake)
ascendc_library(ascendc_kernels_${RUN_MODE} SHARED ${KERNEL_FILES})
ascendc_compile_definitions(ascendc_kernels_${RUN_MODE} PRIVATE -DHAVE_WORKSPACE HAVE_TILING FACTOR=3)
ascendc_include_directories(ascendc_kernels_${RUN_MODE} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/more)
ascendc_library(more_kernels STATIC more/plain_custom.cpp)
ascendc_compile_options(more_kernels PRIVATE -O1 -forward-options-to-host-compiler -g)
ascendc_fatbin_library(alone more/plain_custom.cpp)
""",
    "more/tiling.h": "#pragma once\n#include <cstdint>\nstruct ScaleTiling { uint32_t length; float add; };\n",
    "scale_custom.cpp": """#include "kernel_operator.h"
#include "tiling.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, ScaleTiling tiling) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, tiling.length * 4);
  pipe.InitBuffer(out, 1, tiling.length * 4);
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * tiling.length, tiling.length);
  to.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * tiling.length, tiling.length);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, from, tiling.length);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> b = out.AllocTensor<float>();
  Muls(b, a, 1.0f * FACTOR, tiling.length);
  Adds(b, b, tiling.add + (workspace == GetSysWorkSpacePtr() + 16 * 1024 * 1024 ? 0.0f : 100.0f), tiling.length);
  out.EnQue(b);
  b = out.DeQue<float>();
  DataCopy(to, b, tiling.length);
  out.FreeTensor(b);
  in.FreeTensor(a);
}
""",
    "more/plain_custom.cpp": """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void plain_custom(uint32_t n) { AscendC::printf("plain %d\\n", n); }
""",
    "main.cpp": """#include "more/tiling.h"
#include "acl/acl.h"
#include "aclrtlaunch_scale_custom.h"
#include "aclrtlaunch_plain_custom.h"
#include <cstdio>
extern "C" uint32_t aclrtlaunch_plain_custom(uint32_t, void *, uint32_t); // the same once more: the types are these
int main() {
  constexpr uint32_t blocks = 8, length = 64, bytes = blocks * length * 4;
  float host[blocks * length];
  void *x = nullptr, *y = nullptr, *workspace = nullptr;
  aclrtStream stream = nullptr;
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS) return 1;
  aclrtMalloc(&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&workspace, 16 * 1024 * 1024 + 64, ACL_MEM_MALLOC_HUGE_FIRST);
  for (uint32_t i = 0; i < blocks * length; i++) host[i] = i;
  aclrtMemcpy(x, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  ScaleTiling tiling = {length, 0.5f};
  ACLRT_LAUNCH_KERNEL(scale_custom)(blocks, stream, x, y, workspace, &tiling);
  aclrtlaunch_plain_custom(1, stream, 7);
  if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) return 2;
  aclrtMemcpy(host, bytes, y, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  unsigned wrong = 0;
  for (uint32_t i = 0; i < blocks * length; i++) wrong += host[i] != 3.0f * i + 0.5f;
  printf("%u wrong\\n", wrong);
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle function = nullptr;
  uint32_t n = 9;
  if (aclrtBinaryLoadFromFile("out/fatbin/alone/alone.o", nullptr, &binary) != ACL_SUCCESS) return 3;
  if (aclrtBinaryGetFunction(binary, "plain_custom", &function) != ACL_SUCCESS) return 4;
  if (aclrtLaunchKernel(function, 1, &n, sizeof n, stream) != ACL_SUCCESS) return 5;
  return aclrtSynchronizeStream(stream) != ACL_SUCCESS || aclrtFree(x) != ACL_SUCCESS || aclrtFree(y) != ACL_SUCCESS ||
         aclrtFree(workspace) != ACL_SUCCESS;
}
""",
}


def test_cmake_ascendc_library():
    cmake = needs("cmake")
    folder = ROOT / "libraries"
    for name, text in LIBRARIES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    toolkit = f"-DASCEND_CANN_PACKAGE_PATH={INSTALLED}/share/superkernel/toolkit"
    for wrong, words in (("-DRUN_MODE=cpu", "RUN_MODE cpu is not modelled"), ("-DSOC_VERSION=Ascend310P3", "SOC_VERSION Ascend310P3 is another")):
        done = subprocess.run([cmake, "-S", ".", "-B", "refused", toolkit, wrong], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode != 0 and words in " ".join(done.stderr.split()), done.stderr
        shutil.rmtree(folder / "refused")
    run(cmake, "-S", ".", "-B", "build", toolkit, where=folder)
    run(cmake, "--build", "build", "--parallel", "2", where=folder)
    said = run(INSTALLED / "bin" / "skv", "run", "build/bbit", where=folder, env=PLAIN_HOST)
    assert all(word in said for word in ("0 wrong", "plain 7\n", "plain 9\n", "verdict: clean")), said
    again = run(cmake, "--build", "build", where=folder)
    assert "skcc" not in again and "main.cpp" not in again, again
    os.utime(folder / "more" / "tiling.h")
    again = run(cmake, "--build", "build", where=folder)
    assert "skcc" in again and "scale_custom.cpp" in again and "plain_custom.cpp" not in again, again
    run(cmake, "--install", "build", where=folder)
    for name in ("lib/libascendc_kernels_npu.so", "lib/libmore_kernels.a", "include/more_kernels/aclrtlaunch_plain_custom.h"):
        assert (folder / "out" / name).exists(), name


def test_names_of_the_tool_kit():
    """Link lines with a folder and -l names, as other build systems have them."""
    toolkit = INSTALLED / "share" / "superkernel" / "toolkit"
    (ROOT / "plain.c").write_text('#include "acl/acl.h"\nint main(void) { return aclInit(0) != ACL_SUCCESS; }\n')
    run("cc", "plain.c", f"-I{toolkit}/include", f"-L{toolkit}/lib64", "-lascendcl", "-lruntime", "-o", "plain")
    library = next(INSTALLED.rglob("libsuperkernel.so")).parent
    run("./plain", env={**PLAIN_HOST, "LD_LIBRARY_PATH": str(library)})


def test_entries_for_editors():
    run(BUILD / "skcc", "-c", EXAMPLE, f"-I{EXAMPLE.parent}", "-MJ", "add.json", "-o", "add.o")
    text = (ROOT / "add.json").read_text()
    entry, = json.loads("[" + text.rstrip().rstrip(",") + "]")
    assert entry["file"] == str(EXAMPLE) and "-D__aicore__=" in entry["arguments"], entry
    # Everything but the launch itself reads as C++.
    plain = ROOT / "plain.cpp"
    plain.write_text('#include "kernel_operator.h"\n__global__ __vector__ void k(GM_ADDR x) { AscendC::GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float *)x); }\n')
    arguments = [plain if word == str(EXAMPLE) else word for word in entry["arguments"]]
    run(*arguments, "-fsyntax-only")


def test_the_same_source_gives_the_same_object():
    for name in ("one.o", "two.o"):
        run(BUILD / "skcc", "-c", EXAMPLE, f"-I{EXAMPLE.parent}", "-O2", "-g", "-o", name)
    assert (ROOT / "one.o").read_bytes() == (ROOT / "two.o").read_bytes()


def test_ccache():
    ccache = needs("ccache")
    environment = {**os.environ, "CCACHE_DIR": str(ROOT / "cache"), "CCACHE_NODIRECT": "", "CCACHE_BASEDIR": ""}
    environment = {name: value for name, value in environment.items() if value != ""}
    command = [ccache, BUILD / "skcc", "-c", EXAMPLE, f"-I{EXAMPLE.parent}", "-O2", "-o"]
    run(*command, "first.o", env=environment)
    run(*command, "second.o", env=environment)
    assert (ROOT / "first.o").read_bytes() == (ROOT / "second.o").read_bytes()
    counted = dict(line.split("\t")[:2] for line in run(ccache, "--print-stats", env=environment).splitlines())
    assert int(counted["direct_cache_hit"]) + int(counted["preprocessed_cache_hit"]) == 1, counted


if __name__ == "__main__":
    code = tap.run([test_install, test_installed_compiler_and_runner, test_pkg_config, test_meson_dependency, test_cmake_package,
                    test_cmake_refuses_a_later_version, test_cmake_toolchain, test_cmake_language_asc, test_cmake_ascendc_library, test_names_of_the_tool_kit,
                    test_entries_for_editors, test_the_same_source_gives_the_same_object, test_ccache])
    scratch.cleanup()
    sys.exit(code)
