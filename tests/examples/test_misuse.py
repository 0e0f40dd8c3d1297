"""Kernels that misuse the tensor API: each is found at the user's line, and its repaired twin is silent."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(sys.argv[1])

PROGRAM = """#include <cstdio>
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
constexpr int32_t N = 256;
%s
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *x = nullptr;
  float zeros[2 * N] = {0};
  aclrtMalloc(&x, sizeof zeros, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(x, sizeof zeros, zeros, sizeof zeros, ACL_MEMCPY_HOST_TO_DEVICE);
  k<<<1, 0, nullptr>>>((GM_ADDR)x);
  aclrtSynchronizeDevice();
  aclrtFree(x);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
"""
QUEUE_KERNEL = """
__global__ __vector__ void k(GM_ADDR x) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out;
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  %s
}
"""
INIT = "pipe.InitBuffer(in, 2, N * 4); pipe.InitBuffer(out, 2, N * 4);\n"
LOAD = "LocalTensor<float> a = in.AllocTensor<float>();\n DataCopy(a, gm, N);\n in.EnQue(a);\n a = in.DeQue<float>();\n"
STORE = "out.EnQue(b);\n b = out.DeQue<float>();\n DataCopy(gm[N], b, N);\n out.FreeTensor(b);\n"
ADD = "LocalTensor<float> b = out.AllocTensor<float>();\n Adds(b, a, 1.0f, N);\n"

LIST = ("auto *list = (__gm__ uint64_t *)x;\n list[0] = 24, list[1] = 1, list[2] = 8, list[3] = (uint64_t)(x + 64);\n uint64_t dims[1];\n"
        "TensorDesc<__gm__ float> desc;\n")

# name: (finding or None, kernel); "//!" marks the line the finding names.
QUEUES = {
    "a whole round trip": (None, INIT + LOAD + ADD + "in.FreeTensor(a);\n" + STORE),
    "an input that is not freed": ("QUEUE_LEAK", INIT + LOAD + ADD + STORE + "pipe.Destroy(); //!\n"),
    "a tensor freed twice": ("QUEUE_DOUBLE_FREE", INIT + LOAD + ADD + "in.FreeTensor(a);\n in.FreeTensor(a); //!\n" + STORE),
    "a list of tensors read": (None, LIST + "ListTensorDesc l((__gm__ void *)x, 32, 1);\n desc.SetShapeAddr(dims);\n l.GetDesc(desc, 0);\n"
                               "if (l.GetDataPtr<__gm__ float>(0) != desc.GetDataPtr() || desc.GetShape(0) != 8) Trap();\n"),
    "a list of tensors without its distance": ("BAD_ARGUMENT", "ListTensorDesc l((__gm__ void *)x); //!\n"),
    "a list of tensors that is too short": ("BAD_ARGUMENT", LIST + "ListTensorDesc l((__gm__ void *)x, 24); //!\n"),
    "a list of fewer tensors": ("BAD_ARGUMENT", LIST + "ListTensorDesc l((__gm__ void *)x, 32, 2); //!\n"),
    "a tensor beyond a list": ("BAD_ARGUMENT", LIST + "ListTensorDesc l((__gm__ void *)x);\n l.GetDataPtr<__gm__ float>(1); //!\n"),
    "a description without a place for dimensions": ("BAD_ARGUMENT", LIST + "ListTensorDesc l((__gm__ void *)x);\n l.GetDesc(desc, 0); //!\n"),
    "a dimension beyond a tensor's": ("BAD_ARGUMENT", LIST + "ListTensorDesc l((__gm__ void *)x);\n desc.SetShapeAddr(dims);\n"
                                      "l.GetDesc(desc, 0);\n desc.GetShape(1); //!\n"),
    "an empty queue read": ("QUEUE_STATE", INIT + "LocalTensor<float> a = in.DeQue<float>(); //!\n"),
    "a queue without buffers": ("QUEUE_STATE", "LocalTensor<float> a = in.AllocTensor<float>(); //!\n"),
    "more tensors than buffers": ("QUEUE_STATE", INIT + "for (int i = 0; i < 3; i++) {\n LocalTensor<float> a = in.AllocTensor<float>(); //!\n}\n"),
    "a tensor of another queue": ("QUEUE_STATE", INIT + LOAD + "out.EnQue(a); //!\n in.FreeTensor(a);\n"),
    "a tensor enqueued twice": ("QUEUE_STATE", INIT + "LocalTensor<float> a = in.AllocTensor<float>();\n in.EnQue(a);\n in.EnQue(a); //!\n"
                                "a = in.DeQue<float>();\n in.FreeTensor(a);\n"),
    "memory beyond the unified buffer": ("LOCAL_OUT_OF_BOUNDS", "pipe.InitBuffer(in, 2, 100 * 1024); //!\n"),
    "nine buffers in a queue": ("BAD_ARGUMENT", "pipe.InitBuffer(in, 9, 64); //!\n"),
    "an event released that nobody took": ("QUEUE_STATE", "pipe.ReleaseEventID<HardEvent::MTE2_V>(3); //!\n"),
    "a use without the queue's event": ("SYNC_LOCAL", INIT + "LocalTensor<float> a = in.AllocTensor<float>();\n DataCopy(a, gm, N);\n" + ADD.replace("N);", "N); //!") + "in.EnQue(a);\n"
                                        "a = in.DeQue<float>();\n in.FreeTensor(a);\n" + STORE),
    "a scalar read that the compiler synchronises": (None, INIT + LOAD + ADD + "in.FreeTensor(a);\n b.SetValue(0, b.GetValue(1));\n" + STORE.replace("DataCopy", "SetFlag<HardEvent::S_MTE3>(EVENT_ID5);\nWaitFlag<HardEvent::S_MTE3>(EVENT_ID5);\nDataCopy")),
    "an assertion that fails": ("TRAP", INIT + "assert(in.HasTensorInQue(), \"none of %d\\n\", 2); //!\n"),
    "a count beyond the tensor": ("TENSOR_OVERFLOW", INIT + LOAD + ADD.replace("N);", "N + 64); //!") + "in.FreeTensor(a);\n" + STORE),
    "a load beyond the tensor": ("TENSOR_OVERFLOW", INIT + LOAD.replace("gm, N);", "gm, N + 64); //!") + ADD + "in.FreeTensor(a);\n" + STORE),
    "a tensor put aside and fetched": (None, INIT + "pipe.InitSpmBuffer(gm, 2 * N * 4);\n" + LOAD + "pipe.WriteSpmBuffer(a, N, N);\n pipe.ReadSpmBuffer(a, N, N);\n in.FreeTensor(a);\n"),
    "a tensor put aside beyond its place": ("BAD_ARGUMENT", INIT + "pipe.InitSpmBuffer(gm, 2 * N * 4);\n" + LOAD + "pipe.WriteSpmBuffer(a, N, N + 8); //!\n in.FreeTensor(a);\n"),
    "a tensor fetched from nowhere": ("BAD_ARGUMENT", INIT + LOAD + "pipe.ReadSpmBuffer(a, N); //!\n in.FreeTensor(a);\n"),
    "a probability that is none": ("BAD_ARGUMENT", INIT + LOAD + "DropOut(a, a, a.ReinterpretCast<uint8_t>(), 1.5f, DropOutShapeInfo{1, 64, 64}); //!\n in.FreeTensor(a);\n"),
    "a rounding mode that does not exist": ("BAD_ARGUMENT", INIT + LOAD + "Cast(a.ReinterpretCast<int32_t>(), a, RoundMode::CAST_ODD, N); //!\n in.FreeTensor(a);\n"),
}

# Scalar stores of one operator, read by the next: found where nothing flushes, silent in an SK build.
CACHE_PROGRAM = """#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void produce(GM_ADDR x) {
  GlobalTensor<int32_t> out;
  out.SetGlobalBuffer((__gm__ int32_t *)x + GetBlockIdx() * 16, 16);
  for (int i = 0; i < 16; i++) out.SetValue(i, i);
}
__global__ __vector__ void consume(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<int32_t> in, out;
  in.SetGlobalBuffer((__gm__ int32_t *)x);
  out.SetGlobalBuffer((__gm__ int32_t *)y + GetBlockIdx() * 16);
  int sum = 0;
  for (int i = 0; i < 64; i++) sum += in.GetValue(i);
  for (int i = 0; i < 16; i++) out.SetValue(i, sum);
}
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *x = nullptr, *y = nullptr;
  aclrtMalloc(&x, 256, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, 256, ACL_MEM_MALLOC_HUGE_FIRST);
  produce<<<4, 0, nullptr>>>((GM_ADDR)x);
  consume<<<4, 0, nullptr>>>((GM_ADDR)x, (GM_ADDR)y);
  aclrtSynchronizeDevice();
  aclrtFree(x);
  aclrtFree(y);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
"""


# An operator of few blocks beside one of many; its bound function takes the number of blocks from where %s says.
BOUND_PROGRAM = """#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
struct Args {
  GM_ADDR x;
  uint32_t tiles;
};
__aicore__ inline void Fill(GM_ADDR x, uint32_t tiles, uint32_t blocks) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 64);
  LocalTensor<float> tile = buffer.Get<float>();
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x);
  for (uint32_t i = GetBlockIdx(); i < tiles; i += blocks) {
    Duplicate(tile, 1.0f * i, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm[i * 16], tile, 16);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
  }
  pipe.DestroyWithoutPipeAll();
}
__global__ __mix__(0, 1) void small(GM_ADDR x, uint32_t tiles) { Fill(x, tiles, GetBlockNum()); }
__sk__ __mix__(0, 1) void small_sk(const Args *args, sk::SkSystemArgs *system) {
  (void)system;
  Fill(args->x, args->tiles, %s);
}
SK_BIND(small, 0, small_sk);
__global__ __mix__(0, 1) void big(GM_ADDR x, uint32_t tiles) { Fill(x, tiles, GetBlockNum()); }
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *x = nullptr, *y = nullptr;
  aclrtMalloc(&x, 6400, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, 6400, ACL_MEM_MALLOC_HUGE_FIRST);
  small<<<8, 0, nullptr>>>((GM_ADDR)x, 100);
  big<<<40, 0, nullptr>>>((GM_ADDR)y, 100);
  aclrtSynchronizeDevice();
  aclrtFree(x);
  aclrtFree(y);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
"""


def verify_program(source: str, flags: list[str]) -> str:
    """What skv verify says of a program, compiled with the flags."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "k.cpp").write_text(source, encoding="utf-8")
        done = subprocess.run([BUILD / "skcc", "-g", "-O2", *flags, "k.cpp", "-o", "k"], cwd=scratch, capture_output=True, text=True,
                              timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return subprocess.run([BUILD / "skv", "verify", "./k"], cwd=scratch, capture_output=True, text=True, timeout=120,
                              check=False).stdout


def test_stores_that_stay_in_the_cache_are_found():
    said = verify_program(CACHE_PROGRAM, [])
    assert "H11" in said, said


def test_an_sk_build_keeps_its_cache_lines():
    said = verify_program(CACHE_PROGRAM, ["-DSK_LINE_MAINTENANCE"])
    assert "verdict: clean" in said, said


def test_the_launch_s_block_number_in_a_bound_function_is_found():
    said = verify_program(BOUND_PROGRAM.replace("%s", "GetBlockNum()"), [])
    assert "error H5" in said and "different" in said, said


def test_the_operator_s_own_block_number_is_right():
    said = verify_program(BOUND_PROGRAM.replace("%s", "system->skNumBlocks"), [])
    assert "verdict: clean" in said, said


DUMP = """
__global__ __cube__ void k(GM_ADDR x) {
  (void)x;
  TPipe pipe;
  TBuf<TPosition::%s> buffer;
  pipe.InitBuffer(buffer, 64);
  LocalTensor<half> tensor = buffer.Get<half>();
  %s
  DumpTensor(tensor, 9, 3); //!
}
"""


def test_a_dump_of_l1_shows_its_elements():
    said, _ = run_program(PROGRAM % (DUMP % ("A1", "Fill(tensor, InitConstValueParams<half>(1, 2, 0, half(2.5f)));")))
    assert "desc=9" in said and "position=L1, dump_size=3\n[2.500000, 2.500000, 2.500000]" in said, said
    assert "verdict: clean" in said, said


SHAPED = """
__global__ __vector__ void k(GM_ADDR x) {
  GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer((__gm__ int32_t *)x, 64);
  const uint32_t shape[9] = {2, 2, 3, 1, 1, 1, 1, 1, 1};
  DumpTensor(tensor, 1, 10, ShapeInfo(%d, shape)); //!
  DumpTensor(tensor, 2, 10, ShapeInfo(2, shape));
  DumpTensor(tensor, 3, 2, ShapeInfo());
}
"""


def test_a_dump_is_laid_out_by_its_shape():
    said, _ = run_program(PROGRAM % (SHAPED % 3))
    for text in ("dump_size=10\n[[[0, 0, 0],\n[0, 0, 0]],\n[[0, 0, 0],\n[0, -, -]]]\n", "dump_size=10\n[[0, 0],\n[0, 0]]\n", "dump_size=2\n[0, 0]\n"):
        assert text in said, f"{text}\n{said}"
    assert "verdict: clean" in said, said


def test_a_shape_of_too_many_dimensions_is_found():
    said, line = run_program(PROGRAM % (SHAPED % 9))
    assert re.search(r"error\s+BAD_ARGUMENT", said) and "legal: 1..8" in said and f"k.cpp:{line}" in said, said


def test_a_dump_by_address_shows_the_elements_there():
    code = """#include "utils/debug/asc_dump.h"
__global__ __mix__(1, 1) void k(GM_ADDR x) {
  TPipe pipe;
  TBuf<TPosition::%s> buffer;
  pipe.InitBuffer(buffer, 64);
  LocalTensor<half> tensor = buffer.Get<half>();
#if SK_HALF_AIC
  Fill(tensor, InitConstValueParams<half>(1, 2, 0, half(3.0f)));
  asc_dump_l1buf<half>((__cbuf__ half *)tensor.GetPhyAddr(), 1, 2);
#else
  Duplicate(tensor, half(-5.0f), 32);
  asc_dump_ubuf((__ubuf__ half *)tensor.GetPhyAddr(), 2, 2);
  asc_dump_gm((__gm__ float *)x, 3, 1);
#endif
}
"""
    said, _ = run_program(PROGRAM % (code % "A1").replace("TPosition::A1", "SK_HALF_AIC ? TPosition::A1 : TPosition::VECCALC"))
    for line in ("position=L1, dump_size=2\n[3.000000, 3.000000]", "position=UB, dump_size=2\n[-5.000000, -5.000000]", "data_type=float32, position=GM, dump_size=1\n["):
        assert line in said, said
    assert "verdict: clean" in said, said


PRINT = """
__global__ __vector__ void k(GM_ADDR x) {
  (void)x;
  TPipe pipe;
  TBuf<> floats, words;
  pipe.InitBuffer(floats, 64);
  pipe.InitBuffer(words, 64);
  LocalTensor<half> half_ = floats.Get<half>();
  LocalTensor<int32_t> word = words.Get<int32_t>();
  Duplicate(half_, half(-1.5f), 32);
  CreateVecIndex(word, -3, 16);
  half_.Print(18);
  word.Print();
}
"""


def test_a_tensor_prints_a_block_a_line():
    said, _ = run_program(PROGRAM % PRINT)
    assert "-1.500000 " * 15 + "-1.500000\n-1.500000 -1.500000\n-3 -2 -1 0 1 2 3 4\n5 6 7 8 9 10 11 12\n" in said, said


DIVISION = """
template <class T> __aicore__ inline void Divide(T value, T divisor) {
  volatile T zero[3] = {0, divisor, 0}, *at = zero + 1;
  T quotient = value / *at, rest = value %% zero[1]; //!
  AscendC::printf("%%lld rest %%lld\\n", static_cast<long long>(quotient), static_cast<long long>(rest));
}
__global__ __vector__ void k(GM_ADDR x) {
  (void)x;
  Divide<int32_t>(-7, %s);
  Divide<uint32_t>(9, %s);
  Divide<int64_t>(int64_t{1} << 40, %s);
  Divide<int32_t>(INT32_MIN, -1);
}
"""


def test_a_kernel_goes_on_after_a_division_by_zero():
    """As on the chip, which does not stop there: many kernels compute such a remainder and never use it."""
    said, line = run_program(PROGRAM % (DIVISION % ("0", "0", "0")))
    assert "0 rest -7\n0 rest 9\n0 rest 1099511627776\n-2147483648 rest 0\n" in said, said
    assert "warning KERNEL_FAULT" in said and "divides an integer by zero" in said and f"k.cpp:{line}" in said, said
    assert "verdict: clean" in said, said
    said, _ = run_program(PROGRAM % (DIVISION % ("2", "2", "3")))
    assert "-3 rest -1\n4 rest 1\n366503875925 rest 1\n" in said and "KERNEL_FAULT" not in said, said


SPARSE = """
__global__ __cube__ void k(GM_ADDR x) {
  (void)x;
  constexpr uint16_t m = %d, n = 32, depth = 64;
  LocalTensor<int8_t> a2(TPosition::A2, 0, m * depth), b1(TPosition::B1, 0, n * depth / 2), b2(TPosition::B2, 0, n * depth / 2);
  LocalTensor<uint8_t> index(TPosition::B1, 32768, n * depth / 8);
  LocalTensor<int32_t> c(TPosition::CO1, 0, m * n);
  Fill(a2.ReinterpretCast<half>(), InitConstValueParams<half>(1, m * depth / 512, 0, half(0)));
  Fill(b1.ReinterpretCast<half>(), InitConstValueParams<half>(1, n * depth / 64, 0, half(0)));
  Fill(index.ReinterpretCast<half>(), InitConstValueParams<half>(1, n * depth / 256, 0, half(0)));
  PipeBarrier<PIPE_ALL>();
  LoadDataWithSparse(b2, b1, index, LoadData2DParams(0, n / 16, 0, 0, 0, false, 0));
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  MmadWithSparse(c, a2, b2, MmadParams(m, n, depth, 0, false, true));
  MmadWithSparse(c, a2, b2, MmadParams(m, n, depth, 0, false, false)); //!
}
"""


def test_sparse_products_added_up_are_in_order_when_they_are_long():
    """As dense ones: ten fractals of the result and more."""
    said, line = run_program(PROGRAM % (SPARSE % 64))
    assert "error SAME_PIPE" in said and f"k.cpp:{line}" in said, said
    said, _ = run_program(PROGRAM % (SPARSE % 80))
    assert "verdict: clean" in said and "SAME_PIPE" not in said, said


# Calls that must not compile, with a word of the message.
REFUSED = {
    "Hccl<0> hccl;": "Hccl: collective",
    "Add(in.AllocTensor<int64_t>(), in.AllocTensor<int64_t>(), in.AllocTensor<int64_t>(), N);": "k.cpp:14:4: error: Add: element types are half, int16_t, int32_t, float",
    "Cast(in.AllocTensor<int8_t>(), in.AllocTensor<float>(), RoundMode::CAST_RINT, N);": "Cast: there is no conversion",
    "PipeBarrier<PIPE_S>();": "PipeBarrier",
    "Xor(in.AllocTensor<float>(), in.AllocTensor<float>(), in.AllocTensor<float>(), N);": "Xor: element types are",
    "in.AllocTensor<float>().ToFile(\"t.bin\");": ": error: ToFile: not modelled",
    "(void)Crd2Idx(MakeCoord(1, 2), MakeShape(3), MakeStride(1));": "Crd2Idx: coordinate, shape and stride have as many dimensions",
    "(void)Crd2Idx(MakeCoord(1), MakeShape(3), 1);": "Crd2Idx: shape and stride are nested in the same way",
    "pipe.InitSpmBuffer(1024);": "InitSpmBuffer: this architecture puts aside in device memory",
    "RpSort16(in.AllocTensor<float>(), in.AllocTensor<float>(), 1);": "RpSort16: not there",
}


def compile_kernel(folder: Path, body: str) -> subprocess.CompletedProcess:
    """Compiles a program around the kernel body."""
    return compile_program(folder, PROGRAM % (QUEUE_KERNEL % body))


def compile_program(folder: Path, source: str) -> subprocess.CompletedProcess:
    (folder / "k.cpp").write_text(source, encoding="utf-8")
    return subprocess.run([BUILD / "skcc", "-g", "-O2", "k.cpp", "-o", "k"], cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False)


def run_program(source: str) -> tuple[str, int]:
    """What skv run says, and the number of the marked line."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        done = compile_program(folder, source)
        assert done.returncode == 0, done.stderr
        source = (folder / "k.cpp").read_text(encoding="utf-8").splitlines()
        marked = [i for i, line in enumerate(source, 1) if "//!" in line]
        done = subprocess.run([BUILD / "skv", "run", "./k"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        return done.stdout + done.stderr, marked[0] if marked else 0


def finds(name: str, finding: str | None, source: str):
    def test():
        said, line = run_program(source)
        ids = re.findall(r"^\s+(?:error|warning)\s+(\S+)", said, re.MULTILINE)
        if finding is None:
            assert ids == [], said
            return
        assert finding in ids, said
        assert f"k.cpp:{line}" in said, f"line {line} is not named\n{said}"

    test.__name__ = f"{name}: {finding or 'silent'}"
    return test


def refuses(body: str, word: str):
    def test():
        with tempfile.TemporaryDirectory() as scratch:
            done = compile_kernel(Path(scratch), INIT + body)
            assert done.returncode != 0, "it compiles"
            assert word in done.stderr, done.stderr

    test.__name__ = f"does not compile, and says {word}"
    return test


if __name__ == "__main__":
    sys.exit(tap.run([finds(name, finding, PROGRAM % (QUEUE_KERNEL % body)) for name, (finding, body) in QUEUES.items()]
                     + [refuses(*case) for case in REFUSED.items()]
                     + [finds("a dump of L0A", "NOT_MODELLED", PROGRAM % (DUMP % ("A2", ""))),
                        finds("a dump of L1 that nobody wrote", "UNINITIALISED_READ", PROGRAM % (DUMP % ("A1", ""))),
                        test_a_dump_of_l1_shows_its_elements, test_a_dump_is_laid_out_by_its_shape,
                        test_a_shape_of_too_many_dimensions_is_found, test_a_dump_by_address_shows_the_elements_there, test_a_kernel_goes_on_after_a_division_by_zero,
                        test_sparse_products_added_up_are_in_order_when_they_are_long, test_a_tensor_prints_a_block_a_line,
                        test_stores_that_stay_in_the_cache_are_found, test_an_sk_build_keeps_its_cache_lines,
                        test_the_launch_s_block_number_in_a_bound_function_is_found,
                        test_the_operator_s_own_block_number_is_right]))
