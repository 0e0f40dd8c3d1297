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
    "an empty queue read without a type": ("QUEUE_STATE", INIT + "in.DeQue(); //!\n"),
    "a tensor taken without a type": (None, INIT + "LocalTensor<float> a = in.AllocTensor<float>();\n DataCopy(a, gm, N);\n in.EnQue(a);\n in.DeQue();\n" + ADD
                                      + "in.FreeTensor(a);\n" + STORE),
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
    "LoadData(in.AllocTensor<float>(), in.AllocTensor<float>(), LoadData2DParamsV2());": "LoadData: LoadData2DParamsV2 is not there",
    "RpSort16(in.AllocTensor<float>(), in.AllocTensor<float>(), 1);": "RpSort16: not there",
}

# Tensors with a TensorTrait: what must not compile, a word of the message, and the repaired twin.
TRAITS = [
    ("Add(a, b, plain, N);", "no matching function for call to", "Add(a, b, a, N);"),
    ("plain = a;", "AscendC::LocalTensor<AscendC::TensorTrait<float", "plain = a.ReinterpretCast<float>();"),
    ("a = plain;", "AscendC::LocalTensor<AscendC::TensorTrait<float", "a = plain.ReinterpretCast<Trait>();"),
    ("DataCopy(a, gm, N);", "no matching function for call to", "DataCopy(a, traits, N);"),
    ("DataCopy(traits, a, one, one);", "DataCopy: slices are of tensors without TensorTrait", "DataCopy(gm, plain, one, one);"),
    ("DataCopyPad(traits, a, DataCopyParams(1, 4, 0, 0));", "TensorTrait: this call takes tensors of plain element types",
     "DataCopyPad(gm, plain, DataCopyParams(1, 4, 0, 0));"),
    ("Cast(halves, a, RoundMode::CAST_NONE, N);", "Cast: tensors with and without TensorTrait do not go together",
     "Cast(halves.ReinterpretCast<TensorTrait<half>>(), a, RoundMode::CAST_NONE, N);"),
    ("Duplicate(a, 0.0f, N);", "Duplicate: element types are", "Duplicate(plain, 0.0f, N);"),
    ("Add(a, a, a.ReinterpretCast<TensorTrait<half>>(), N);", "no matching function for call to", "Add(a, a, a, N);"),
    ("Exp(a.ReinterpretCast<TensorTrait<int32_t>>(), a.ReinterpretCast<TensorTrait<int32_t>>(), N);",
     "Exp: element types are half, float", "Exp(a, a, N);"),
    ("TensorTrait<double> t;", "TensorTrait: element types are int4b_t", "TensorTrait<int64_t> t;"),
    ("TensorTrait<float, TPosition::GM, int> t;", "TensorTrait: the third argument is a Layout", "TensorTrait<float, TPosition::GM, Rows> t;"),
    ("memory.Alloc<TensorTrait<float, TPosition::VECIN>>();",
     "TensorTrait: a tensor at an address has a layout whose shape is of integral constants",
     "memory.Alloc<TensorTrait<float, TPosition::VECIN, Rows>>();"),
    ("LocalTensor<TensorTrait<float, TPosition::GM, Rows>> t(0);", "TensorTrait: a tensor at an address has a position in a core's memory",
     "LocalTensor<TensorTrait<float, TPosition::VECIN, Rows>> t(0);"),
    ("memory.Alloc<TensorTrait<float, TPosition::A1, Rows>>();", "LocalMemAllocator: the position is in another memory",
     "LocalMemAllocator<Hardware::L1> l1;\n (void)l1.Alloc<TensorTrait<float, TPosition::A1, Rows>>();"),
    ("memory.Alloc<float>();", "LocalMemAllocator: Alloc takes a number of elements, or a TensorTrait", "memory.Alloc<float>(8);"),
    ("memory.Alloc<Trait, 16>();", "LocalMemAllocator: the elements of a TensorTrait are those of its layout", "memory.Alloc<float, 16>();"),
]
TRAIT_KERNEL = """
using Trait = TensorTrait<float>;
using Rows = Layout<Shape<Std::Int<4>, Std::Int<8>>, Stride<Std::Int<8>, Std::Int<1>>>;
__global__ __vector__ void k(GM_ADDR x) {
  LocalMemAllocator<> memory;
  GlobalTensor<float> gm;
  GlobalTensor<Trait> traits;
  LocalTensor<float> plain;
  LocalTensor<Trait> a, b;
  LocalTensor<half> halves;
  SliceInfo one[1] = {SliceInfo(0, 7, 0, 1, 8)};
  (void)x, (void)one;
%s
}
"""
# Every call of the documents' list that is there on this architecture.
LISTED = """
  using I8 = TensorTrait<int8_t>;
  using I16 = TensorTrait<int16_t>;
  using I32 = TensorTrait<int32_t>;
  using U8 = TensorTrait<uint8_t>;
  using U32 = TensorTrait<uint32_t>;
  using H = TensorTrait<half>;
  uint64_t mask[2] = {~0ull, 0}, kept = 0, list[16] = {};
  BinaryRepeatParams two;
  UnaryRepeatParams one_source;
  LocalTensor<H> h;
  LocalTensor<I8> i8;
  LocalTensor<I16> i16;
  LocalTensor<I32> i32;
  LocalTensor<U8> u8;
  LocalTensor<U32> u32;
  LocalTensor<uint32_t> table;
  LocalTensor<uint64_t> scales;
  LocalTensor<uint8_t> tmp;
  LocalTensor<H> rows[16];
  GlobalTensor<H> gh;
  GlobalTensor<I32> gi;
#define UNARY(Name) Name(a, b, N), Name(a, b, 64, 1, one_source), Name<Trait, false>(a, b, mask, 1, one_source);
#define BINARY(Name, x) Name(x, x, x, N), Name(x, x, x, 64, 1, two), Name(x, x, x, mask, 1, two);
#define SCALAR(Name, x, v) Name(x, x, v, N), Name(x, x, v, 64, 1, one_source), Name(x, x, v, mask, 1, one_source);
  UNARY(Exp) UNARY(Ln) UNARY(Abs) UNARY(Reciprocal) UNARY(Sqrt) UNARY(Rsqrt) UNARY(Relu)
  BINARY(Add, a) BINARY(Sub, a) BINARY(Mul, a) BINARY(Div, a) BINARY(Max, a) BINARY(Min, a) BINARY(And, i16) BINARY(Or, i16)
  BINARY(AddRelu, a) BINARY(SubRelu, a) BINARY(FusedMulAdd, a) BINARY(MulAddRelu, a) BINARY(MulAddDst, a)
  SCALAR(Adds, a, 1.0f) SCALAR(Muls, a, 2) SCALAR(Maxs, a, 1.0f) SCALAR(Mins, a, 1.0f) SCALAR(LeakyRelu, a, 0.5f)
  SCALAR(ShiftLeft, i32, 3) SCALAR(ShiftRight, i32, 3)
  MulAddDst(a, h, h, N), AddReluCast(h, a, a, N), SubReluCast(h, a, a, N), MulCast(i8, h, h, N), CastDequant(h, i32, N), AddDeqRelu(h, i32, i32, N);
  AddDeqRelu(h, i32, i32, 64, 1, two), AddDeqRelu(h, i32, i32, mask, 1, two);
  Cast(a, h, RoundMode::CAST_NONE, N), Cast(a, h, RoundMode::CAST_NONE, 64, 1, one_source), Cast(a, h, RoundMode::CAST_NONE, mask, 1, one_source);
  Copy(a, b, 64, 1, CopyRepeatParams()), Copy(a, b, mask, 1, CopyRepeatParams());
  Compare(u8, a, b, CMPMODE::LT, N), Compare(u8, a, b, CMPMODE::LT, 64, 1, two), Compare(a, b, CMPMODE::LT, 64, two);
  GetCmpMask(u8), SetCmpMask(u8);
  Select(a, u8, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, N), Select(a, u8, a, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);
  Select(a, u8, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 1, two), Select(a, a, b, 1, two);
  GatherMask(a, b, 1, false, 0, GatherMaskParams(), kept), GatherMask(a, b, u32, false, 0, GatherMaskParams(), kept);
  ReduceSum(a, b, a, N), ReduceMax(a, b, a, N, true), ReduceMin(a, b, a, N), ReduceSum(a, b, a, 64, 2, 8), ReduceMax(a, b, a, mask, 2, 8, true);
  BlockReduceSum(a, b, 1, 64, 1, 1, 8), WholeReduceSum(a, b, 64, 1, 1, 1, 8), WholeReduceMax(a, b, 64, 1, 1, 1, 8);
  WholeReduceMin(a, b, mask, 1, 1, 1, 8), BlockReduceMax(a, b, 1, 64, 1, 1, 8), BlockReduceMin(a, b, 1, 64, 1, 1, 8);
  PairReduceSum(a, b, 1, 64, 1, 1, 8), RepeatReduceSum(a, b, 1, 64, 0, 1, 1, 8);
  Transpose(h, h), TransDataTo5HD<H>(list, list, TransDataTo5HDParams()), TransDataTo5HD(rows, rows, TransDataTo5HDParams());
  Transpose(h, h, tmp, TransposeParamsExt());
  Brcb(a, b, 1, BrcbRepeatParams()), Gather(a, b, table, 0, N), Gather(a, b, table, 0, 64, 1, 8), Gatherb(a, b, table, 1, GatherRepeatParams());
  Sort32(a, b, table, 1);
  DataCopy(a, traits, N), DataCopy(traits, a, N), DataCopy(a, traits, DataCopyParams()), DataCopy(traits, a, DataCopyParams());
  DataCopy(a, b, N), DataCopy(a, b, DataCopyParams()), DataCopy(a, traits, Nd2NzParams()), DataCopy(traits, a, Nz2NdParamsFull());
  DataCopy(a, b, Nd2NzParams()), DataCopy(gh, a, DataCopyCO12DstParams());
  Fill(h, InitConstValueParams<half>()), InitConstValue(h, InitConstValueParams<half>());
  LoadData(h, h, LoadData2DParams()), LoadData(h, gh, LoadData2DParams()), LoadData(h, h, LoadData3DParamsV2<half>());
  LoadData(h, h, LoadData3DParamsV2Pro()), LoadDataWithTranspose(h, h, LoadData2dTransposeParams()), LoadDataWithSparse(i8, i8, u8, LoadData2DParams());
  Mmad(a, h, h, MmadParams()), Mmad(a, h, h, b, MmadParams()), MmadWithSparse(i32, i8, i8, MmadParams());
  Fixpipe(gi, i32, FixpipeParamsV220()), Fixpipe(gh, i32, scales, FixpipeParamsV220()), Fixpipe<H, Trait, CFG_NZ>(h, a, FixpipeParamsV220());
"""


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


def refuses_trait(body: str, word: str):
    def test():
        with tempfile.TemporaryDirectory() as scratch:
            done = compile_program(Path(scratch), PROGRAM % (TRAIT_KERNEL % body))
            assert done.returncode != 0, "it compiles"
            assert word in done.stderr, done.stderr

    test.__name__ = f"{body} does not compile"
    return test


def test_repaired_calls_with_traits_compile():
    with tempfile.TemporaryDirectory() as scratch:
        done = compile_program(Path(scratch), PROGRAM % (TRAIT_KERNEL % "\n".join(f"{{ {repaired} }}" for *_, repaired in TRAITS)))
        assert done.returncode == 0, done.stderr


def test_the_listed_calls_take_traits():
    with tempfile.TemporaryDirectory() as scratch:
        done = compile_program(Path(scratch), PROGRAM % (TRAIT_KERNEL % LISTED))
        assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    sys.exit(tap.run([finds(name, finding, PROGRAM % (QUEUE_KERNEL % body)) for name, (finding, body) in QUEUES.items()]
                     + [refuses(*case) for case in REFUSED.items()]
                     + [refuses_trait(body, word) for body, word, _ in TRAITS] + [test_repaired_calls_with_traits_compile, test_the_listed_calls_take_traits]
                     + [finds("a dump of L0A", "NOT_MODELLED", PROGRAM % (DUMP % ("A2", ""))),
                        finds("a dump of L1 that nobody wrote", "UNINITIALISED_READ", PROGRAM % (DUMP % ("A1", ""))),
                        test_a_dump_of_l1_shows_its_elements, test_a_dump_is_laid_out_by_its_shape,
                        test_a_shape_of_too_many_dimensions_is_found, test_a_dump_by_address_shows_the_elements_there, test_a_kernel_goes_on_after_a_division_by_zero,
                        test_sparse_products_added_up_are_in_order_when_they_are_long, test_a_tensor_prints_a_block_a_line,
                        test_stores_that_stay_in_the_cache_are_found, test_an_sk_build_keeps_its_cache_lines,
                        test_the_launch_s_block_number_in_a_bound_function_is_found,
                        test_the_operator_s_own_block_number_is_right]))
