"""Kernels that misuse Matmul objects: each is found at the user's line, and its repaired twin is silent."""
import sys

from test_misuse import PROGRAM, finds, refuses, run_program, tap

# A Matmul object on the vector core of a mix kernel: 32 x 32 halves.
MATMUL_KERNEL = """
using G = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using R = MatmulType<TPosition::GM, CubeFormat::ND, float>;
__global__ KIND void k(GM_ADDR x) {
  TCubeTiling t{};
  t.M = t.N = t.Ka = t.Kb = t.singleCoreM = t.singleCoreN = t.singleCoreK = t.baseM = t.baseN = t.baseK = 32;
  t.usedCoreNum = 1;
  TILING
  GlobalTensor<half> in;
  GlobalTensor<float> out;
  in.SetGlobalBuffer((__gm__ half *)(x + RESERVED_WORKSPACE), 1024);
  out.SetGlobalBuffer((__gm__ float *)(x + RESERVED_WORKSPACE + 4096), 1024);
  SetSysWorkSpace(x);
  TPipe pipe;
  Matmul<G, G, R> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t); KIND_MARK
  %s
}
"""
A = "mm.SetTensorA(in);\n"
B = "mm.SetTensorB(in);\n"
# name: (finding or None, kind, tiling, body)
MATMULS = {
    "a whole product": (None, "__mix__(1, 1)", "", A + B + "mm.IterateAll(out);\n mm.End();\n"),
    "a product without B": ("BAD_ARGUMENT", "__mix__(1, 1)", "", A + "mm.IterateAll(out); //!\n"),
    "a transposed A whose type is not": ("BAD_ARGUMENT", "__mix__(1, 1)", "", "mm.SetTensorA(in, true); //!\n"),
    "a tile without Iterate": ("BAD_ARGUMENT", "__mix__(1, 1)", "", A + B + "mm.GetTensorC(out); //!\n"),
    "a bias that is missing": ("BAD_ARGUMENT", "__mix__(1, 1)", "t.isBias = 1;", A + B + "mm.IterateAll(out); //!\n"),
    "a tile too large for L0C": ("BAD_ARGUMENT", "__mix__(1, 1)", "t.baseM = 512; t.baseN = 128;", A + B + "mm.IterateAll(out); //!\n"),
    "a piece too large for L0A": ("BAD_ARGUMENT", "__mix__(1, 1)", "t.baseM = 256; t.baseK = 256;", A + B + "mm.IterateAll(out); //!\n"),
    "a tiling of zeros": ("BAD_ARGUMENT", "__mix__(1, 1)", "t.baseK = 0;", A + B + "mm.IterateAll(out); //!\n"),
    "a tail beyond the matrix": ("BAD_ARGUMENT", "__mix__(1, 1)", "", A + B + "mm.SetTail(33); //!\n"),
    "partial sums": (None, "__mix__(1, 1)", "", A + B + "mm.Iterate();\n" + A + B + "mm.Iterate(true);\n mm.GetTensorC(out);\n mm.End();\n"),
    "partial sums onto nothing": ("BAD_ARGUMENT", "__mix__(1, 1)", "", A + B + "mm.Iterate(true); //!\n"),
    "partial sums of several tiles": ("BAD_ARGUMENT", "__mix__(1, 1)", "t.baseM = 16;", A + B + "mm.Iterate(true); //!\n"),
    "no cube core to serve": ("CROSS_NOT_MIXED", "__vector__", "", ""),
    "results beyond device memory": ("GM_OUT_OF_BOUNDS", "__mix__(1, 1)", "", A + B + "mm.IterateAll(out[1 << 20]); //!\n"),
    "a flag that belongs to the object": ("H8", "__mix__(1, 1)", "", "CrossCoreSetFlag<0, PIPE_MTE3>(1); //!\n CrossCoreWaitFlag(1);\n"),
}

# The same object with operands in batches, in L1, with functions of the kernel's own. G and R are given here.
BATCHED = "using G = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::%s>;\nusing R = MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::%s>;\n"
NORMAL = BATCHED % ("NORMAL", "NORMAL")
LAYOUTS = "t.ALayoutInfoB = t.ALayoutInfoN = t.BLayoutInfoB = t.BLayoutInfoN = t.CLayoutInfoB = t.CLayoutInfoN = 1; t.ALayoutInfoG = %d; t.BLayoutInfoG = %d; t.CLayoutInfoG = 1; t.ALayoutInfoS = t.ALayoutInfoD = t.BLayoutInfoS = t.BLayoutInfoD = t.CLayoutInfoS1 = t.CLayoutInfoS2 = %d;"
BSNGD = BATCHED % ("BSNGD", "BSNGD")
IN_TSCM = "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>;\nusing A = MatmulType<TPosition::TSCM, CubeFormat::NZ, half>;\n#define MM Matmul<A, G, R>\nusing R = MatmulType<TPosition::GM, CubeFormat::ND, float>;\n"
FROM_UB = ("using G = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NORMAL>;\nusing A = MatmulType<TPosition::%s, CubeFormat::ND, half, false, LayoutMode::NORMAL>;\n"
           "using R = MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::NORMAL>;\n#define MM TBuf<> buffer; pipe.InitBuffer(buffer, 2048); LocalTensor<half> y = buffer.Get<half>(); Duplicate(y, half(1), 1024); Matmul<A, G, R>\n")
UB = "TBuf<> buffer;\n pipe.InitBuffer(buffer, %d);\n LocalTensor<%s> u = buffer.Get<%s>();\n"
TSCM_QUEUE = "TSCM<TPosition::GM, 1> scm;\n pipe.InitBuffer(scm, 1, 2048);\n LocalTensor<half> y = scm.AllocTensor<half>();\n"
TSCM_USE = "scm.EnQue(y);\n y = scm.DeQue<half>();\n mm.SetTensorA(y);\n" + B + "mm.IterateAll(out);\n scm.FreeTensor(y);\n"
OWN = ("__aicore__ inline void Own(const LocalTensor<int8_t> &to, const __gm__ void *gm, int, int, int useM, int useK, const uint64_t, const uint64_t) {\n"
       "  GlobalTensor<half> from;\n  from.SetGlobalBuffer((__gm__ half *)gm);\n"
       "  DataCopy(to.ReinterpretCast<half>(), from%s, Nd2NzParams(1, useM, useK, 0, 32, 32, 1, 0));%s\n}\n"
       "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>;\nusing R = MatmulType<TPosition::GM, CubeFormat::ND, float>;\n"
       "#define MM Matmul<G, G, R, R, CFG_NORM, MatmulCallBackFunc<nullptr, Own, nullptr>>\n")
# name: (finding or None, definitions, tiling, body)
SPECIAL = {
    "a batch": (None, NORMAL, "", A + B + "mm.IterateBatch(out, 1, 1, false);\n"),
    "no batches": ("BAD_ARGUMENT", NORMAL, "", A + B + "mm.IterateBatch(out, 0, 1, false); //!\n"),
    "batches that do not divide each other": ("BAD_ARGUMENT", NORMAL, "", A + B + "mm.IterateBatch(out, 3, 2, false); //!\n"),
    "a batch in a row of its own": ("BAD_ARGUMENT", NORMAL, "", A + B + "mm.IterateBatch(out, 1, 1, true); //!\n"),
    "partial sums onto a batch": (None, NORMAL, "", A + B + "mm.IterateBatch(out, 1, 1, false);\n mm.IterateBatch(out, 1, 1, false, 0, 0, 0, true);\n"),
    "a batch of partial sums onto nothing": ("BAD_ARGUMENT", NORMAL, "", A + B + "mm.IterateBatch(out, 1, 1, false, 0, 0, 0, true); //!\n"),
    "a batch from the vector core's buffer": (None, FROM_UB % "VECOUT", "", "mm.SetTensorA(y);\n" + B + "mm.IterateBatch(out, 1, 1, false);\n"),
    "a batch larger than its tensor": ("BAD_ARGUMENT", FROM_UB % "VECOUT", "", "mm.SetTensorA(y);\n" + B + "mm.IterateBatch(out, 2, 2, false); //!\n"),
    "a batch of a layout": (None, BSNGD, LAYOUTS % (1, 1, 32), A + B + "mm.IterateBatch(out, 1, 1, false);\n"),
    "a layout that was not set": ("BAD_ARGUMENT", BSNGD, "", A + B + "mm.IterateBatch(out, 1, 1, false); //!\n"),
    "a layout of another shape": ("BAD_ARGUMENT", BSNGD, LAYOUTS % (1, 1, 16), A + B + "mm.IterateBatch(out, 1, 1, false); //!\n"),
    "batches that the layouts do not have": ("BAD_ARGUMENT", BSNGD, LAYOUTS % (2, 1, 32), A + B + "mm.IterateBatch(out, 2, 2, false); //!\n"),
    "a workspace that was not set": ("BAD_ARGUMENT", "", "", A + B + "mm.Iterate<false>();\n mm.GetTensorC<false>(); //!\n"),
    "A in TSCM": (None, IN_TSCM, "", TSCM_QUEUE + "DataCopy(y, in, 1024);\n" + TSCM_USE),
    "A in TSCM cut inside of a block": ("BAD_ARGUMENT", IN_TSCM, "t.baseK = 24;", TSCM_QUEUE + "DataCopy(y, in, 1024);\n" + TSCM_USE.replace("(out);", "(out); //!")),
    "TSCM from the vector core's buffer": (None, IN_TSCM, "", UB % (2048, "half", "half") + "Duplicate(u, half(1), 1024);\n" + TSCM_QUEUE + "DataCopy(y, u, 1024);\n" + TSCM_USE),
    "more to TSCM than passes at a time": ("BAD_ARGUMENT", IN_TSCM, "", UB % (160 * 1024, "half", "half") + TSCM_QUEUE.replace("2048", "163840") + "DataCopy(y, u, 81920); //!\n"),
    "two matrices to TSCM from the vector core's buffer": ("BAD_ARGUMENT", IN_TSCM, "", UB % (2048, "half", "half") + TSCM_QUEUE + "DataCopy(y, u, Nd2NzParams(2, 16, 16, 256, 16, 16, 1, 256)); //!\n"),
    "scales in the vector core's buffer": ("BAD_ARGUMENT", "", "", UB % (256, "uint64_t", "uint64_t") + "mm.SetQuantVector(u); //!\n"),
    "too much TSCM": ("LOCAL_OUT_OF_BOUNDS", IN_TSCM, "", "TSCM<TPosition::GM, 1> scm;\n pipe.InitBuffer(scm, 1, 300 * 1024); //!\n"),
    "TSCM that nobody filled": ("QUEUE_STATE", IN_TSCM, "", "TSCM<TPosition::GM, 1> scm;\n pipe.InitBuffer(scm, 1, 2048);\n LocalTensor<half> y = scm.DeQue<half>(); //!\n"),
    "A by a function": (None, OWN % ("", ""), "", A + B + "mm.IterateAll(out);\n"),
    "a function that reads beyond device memory": ("GM_OUT_OF_BOUNDS", OWN % ("[1 << 20]", " //!"), "", A + B + "mm.IterateAll(out);\n"),
}


# A Matmul object of cube cores alone: where ASCENDC_CUBE_ONLY is defined after kernel_operator.h, and where it is not.
CUBE_ONLY = "#define ASCENDC_CUBE_ONLY\n#include \"lib/matmul_intf.h\"\n"
# name: (finding or None, kind, definitions, system workspace set, body)
REGISTERED = {
    "a cube kernel that says so": (None, "__cube__", CUBE_ONLY, False, A + B + "mm.IterateAll(out);\n"),
    "its product without B": ("BAD_ARGUMENT", "__cube__", CUBE_ONLY, False, A + "mm.IterateAll(out); //!\n"),
    "a cube kernel that does not say so": ("CROSS_NOT_MIXED", "__cube__", "#include \"lib/matmul_intf.h\"\n", True, ""),
    "a workspace that is looked for": (None, "__cube__", CUBE_ONLY, False, "if (GetSysWorkSpacePtr() != nullptr) Trap();\n"),
    "no system workspace": ("BAD_ARGUMENT", "__mix__(1, 1)", "", False, ""),
    "a system workspace": (None, "__mix__(1, 1)", "", True, ""),
}


def matmul_program(kind: str, tiling: str, body: str) -> str:
    mark = "" if "//!" in body else "//!"
    kernel = (MATMUL_KERNEL % body).replace("KIND_MARK", mark).replace("KIND", kind).replace("TILING", tiling)
    return (PROGRAM % kernel).replace("aclrtMalloc(&x, sizeof zeros", "aclrtMalloc(&x, (16 << 20) + 8192").replace(
        "aclrtMemcpy(x, sizeof zeros, zeros, sizeof zeros, ACL_MEMCPY_HOST_TO_DEVICE);",
        "(void)zeros; aclrtMemset(x, (16 << 20) + 8192, 0, (16 << 20) + 8192);")


def special_program(definitions: str, tiling: str, body: str) -> str:
    source = matmul_program("__mix__(1, 1)", tiling, body)
    if not definitions:
        return source
    plain = MATMUL_KERNEL[: MATMUL_KERNEL.index("__global__")]
    return source.replace(plain, "\n" + definitions).replace("Matmul<G, G, R> mm;", "MM mm;" if "#define MM" in definitions else "Matmul<G, G, R> mm;")


def registered_program(kind: str, definitions: str, workspace: bool, body: str) -> str:
    source = matmul_program(kind, "", body).replace("using G =", definitions + "using G =")
    return source if workspace else source.replace("  SetSysWorkSpace(x);\n", "")


# One element of `in`, at row 0, column 5: by itself turned it gives out(0, 0) = 1, by itself as it lies nothing but zeros.
ONE_ELEMENT = ("(void)zeros;", "(void)zeros; GM_ADDR in = (GM_ADDR)x + RESERVED_WORKSPACE; half one(1); float first = 0;")
ONE_ELEMENT_THERE = ("  k<<<", "  aclrtMemcpy(in + 10, 2, &one, 2, ACL_MEMCPY_HOST_TO_DEVICE);\n  k<<<")
ONE_ELEMENT_READ = ("  aclrtFree(x);", "  aclrtMemcpy(&first, 4, in + 4096, 4, ACL_MEMCPY_DEVICE_TO_HOST);\n  std::printf(\"first: %g\\n\", first);\n  aclrtFree(x);")


def turned_program(type_of_b: str) -> str:
    source = matmul_program("__mix__(1, 1)", "", A + "mm.SetTensorB(in, true); //!\n mm.IterateAll(out);\n mm.End();\n")
    source = source.replace("Matmul<G, G, R> mm;", f"Matmul<G, {type_of_b}, R> mm;")
    for old, new in (ONE_ELEMENT, ONE_ELEMENT_THERE, ONE_ELEMENT_READ):
        assert old in source
        source = source.replace(old, new)
    return source


def test_a_turned_matrix_whose_type_is_not_is_told_and_turned():
    said, line = run_program(turned_program("G"))
    assert "warning BAD_ARGUMENT" in said and f"k.cpp:{line}" in said and "first: 1" in said, said


def test_a_turned_matrix_whose_type_is_is_silent():
    said, _ = run_program(turned_program("MatmulType<TPosition::GM, CubeFormat::ND, half, true>"))
    assert "verdict: clean" in said and "first: 1" in said, said


# Calls that must not compile, with a word of the message.
REFUSED = {
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, G> mm; mm.IterateBatch(GlobalTensor<half>(), 1, 1, false);": "IterateBatch, IterateNBatch, GetBatchTensorC: LayoutMode",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, G> mm; mm.SetAntiQuantScalar(half(1), half(1));": "SetAntiQuantScalar: not there",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; matmul::Matmul<G, G, G> mm; mm.SetNBatchOutNum(1);": "SetNBatchOutNum: of cube cores",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<MatmulType<TPosition::A2, CubeFormat::NZ, half>, G, G> mm;": "TPosition of A and B is GM",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<MatmulType<TPosition::TSCM, CubeFormat::ND, half>, G, G> mm;": "CubeFormat of A and B in L1",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, MatmulType<TPosition::CO1, CubeFormat::NZ, float>> mm;": "C in CO1 is of cube cores",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, G> mm; mm.SetSparseIndex(GlobalTensor<uint8_t>());": "SetSparseIndex: B's type",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, G, G, CFG_NORM, MatmulCallBackFunc<>, Impl::Detail::SplitMMatmulPolicy> mm;": "SplitMMatmulPolicy: not there",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, MatmulType<TPosition::GM, CubeFormat::ND, int32_t>> mm;": "C of half, bfloat16_t or float is float",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, MatmulType<TPosition::GM, CubeFormat::ND, float>, G> mm;": "A and B have one element type",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half>; Matmul<G, G, G> mm; mm.SetTensorA(in.AllocTensor<half>());": "SetTensorA: a LocalTensor is given",
    "using G = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::BSNGD>; Matmul<G, MatmulType<TPosition::GM, CubeFormat::ND, half>, G> mm;": "LayoutMode of A and B is the same",
}

if __name__ == "__main__":
    sys.exit(tap.run([finds(name, finding, matmul_program(*case)) for name, (finding, *case) in MATMULS.items()]
                     + [finds(name, finding, special_program(*case)) for name, (finding, *case) in SPECIAL.items()]
                     + [finds(name, finding, registered_program(*case)) for name, (finding, *case) in REGISTERED.items()]
                     + [test_a_turned_matrix_whose_type_is_not_is_told_and_turned, test_a_turned_matrix_whose_type_is_is_silent]
                     + [refuses(*case) for case in REFUSED.items()]))
