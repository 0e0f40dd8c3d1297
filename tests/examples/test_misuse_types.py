"""Vector calls with element types they do not take: the first message names the call and its types, at the user's line."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(sys.argv[1])

TYPES = ("int8_t", "uint8_t", "int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float", "int64_t", "uint64_t")
NUMBERS = ("half", "int16_t", "int32_t", "float")
FLOATS = ("half", "float")
WORDS = ("int16_t", "uint16_t")
SHIFTED = ("int16_t", "uint16_t", "int32_t", "uint32_t")
COPIED = ("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float")
COUNTED = ("half", "int16_t", "int32_t", "float")

# What the interface sheet lists for each call (kernel-api, 4.5 and 4.10): name, arguments behind the name, types of T.
BINARY = "(a<T>, b<T>, c<T>, 8);", "(a<T>, b<T>, c<T>, MASK, 1, BinaryRepeatParams());"
UNARY = "(a<T>, b<T>, 8);", "(a<T>, b<T>, MASK, 1, UnaryRepeatParams());"
SCALAR = "(a<T>, b<T>, T(1), 8);", "(a<T>, b<T>, T(1), MASK, 1, UnaryRepeatParams());"
SHIFT = "(a<T>, b<T>, 1, 8);", "(a<T>, b<T>, 1, MASK, 1, UnaryRepeatParams());"
REDUCED = ("(a<T>, b<T>, MASK, 1, 1, 1, 8);",)
REDUCED_OLD = ("(a<T>, b<T>, 1, MASK, 1, 1, 8);",)
TOTAL = "(a<T>, b<T>, c<T>, 8);", "(a<T>, b<T>, c<T>, MASK, 1, 8);"
HIGH = "(a<T>, b<T>, 8);", "(a<T>, b<T>, a<uint8_t>, 8);"
HIGH_2 = "(a<T>, b<T>, c<T>, 8);", "(a<T>, b<T>, c<T>, a<uint8_t>, 8);"
CALLS: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    *((name, BINARY, NUMBERS) for name in ("Add", "Sub", "Mul", "Max", "Min")),
    *((name, BINARY, FLOATS) for name in ("Div", "FusedMulAdd", "MulAddRelu", "FusedMulAddRelu")),
    *((name, BINARY, ("half", "int16_t", "float")) for name in ("AddRelu", "SubRelu")),
    *((name, BINARY, WORDS) for name in ("And", "Or")),
    ("Not", UNARY, WORDS), ("Relu", UNARY, ("half", "int32_t", "float")),
    *((name, UNARY, FLOATS) for name in ("Exp", "Ln", "Abs", "Reciprocal", "Rsqrt", "Sqrt")),
    *((name, SCALAR, NUMBERS) for name in ("Adds", "Muls", "Maxs", "Mins")), ("LeakyRelu", SCALAR, FLOATS),
    ("ShiftLeft", SHIFT, SHIFTED), ("ShiftRight", SHIFT, SHIFTED),
    ("Duplicate", ("(a<T>, T(1), 8);", "(a<T>, T(1), MASK, 1, 1, 8);"), COPIED),
    ("Copy", ("(a<T>, b<T>, MASK, 1, CopyRepeatParams());",), COPIED),
    ("Brcb", ("(a<T>, b<T>, 1, BrcbRepeatParams());",), COPIED),
    ("Gather", ("(a<T>, b<T>, a<uint32_t>, 0, 8);", "(a<T>, b<T>, a<uint32_t>, 0, MASK, 1, 8);"), COPIED),
    ("CreateVecIndex", ("(a<T>, T(1), 8);", "(a<T>, T(1), MASK, 1, 1, 8);"), COUNTED),
    ("Compare", ("(a<uint8_t>, b<T>, c<T>, CMPMODE::EQ, 256);",), ("half", "int32_t", "float")),
    *((name, ("(a<uint8_t>, b<T>, T(1), CMPMODE::EQ, 256);",), ("half", "int32_t", "float")) for name in ("Compares", "CompareScalar")),
    ("Select", ("(a<T>, a<uint16_t>, b<T>, c<T>, SELMODE::VSEL_TENSOR_TENSOR_MODE, 8);",
                "(a<T>, a<uint16_t>, b<T>, T(1), SELMODE::VSEL_TENSOR_SCALAR_MODE, 8);"), FLOATS),
    *((f"{name}<ReduceType::SUM>", REDUCED, FLOATS) for name in ("ReduceDataBlock", "ReducePairElem")),
    ("ReduceRepeat<ReduceType::MAX>", REDUCED, FLOATS),
    *((name, REDUCED, FLOATS) for name in ("WholeReduceSum", "WholeReduceMax", "WholeReduceMin")),
    *((name, REDUCED_OLD, FLOATS) for name in ("BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "PairReduceSum")),
    ("RepeatReduceSum", ("(a<T>, b<T>, 1, 8, 1, 1, 1, 8);",), FLOATS),
    *((name, TOTAL, FLOATS) for name in ("ReduceSum", "ReduceMax", "ReduceMin")),
    ("Sort32", ("(a<T>, b<T>, a<uint32_t>, 1);",), FLOATS), ("MrgSort", ("(a<T>, MrgSortSrcList<T>(), MrgSort4Info());",), FLOATS),
    ("Extract", ("(a<T>, a<uint32_t>, b<T>, 1);",), FLOATS),
    ("Transpose", ("(a<T>, b<T>);",), ("int16_t", "uint16_t", "half")),
    *((name, HIGH, FLOATS) for name in (
        "Gelu", "FasterGelu", "FasterGeluV2", "Silu", "Sigmoid", "Tanh", "Log", "Log2", "Log10", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh",
        "Cosh", "Asinh", "Acosh", "Atanh", "Erf", "Erfc", "Lgamma", "Digamma", "Floor", "Ceil", "Round", "Trunc", "Frac", "Sign")),
    *((name, HIGH_2, FLOATS) for name in ("Power", "Fmod", "GeGLU", "ReGlu")), ("Xor", HIGH_2, WORDS),
    ("SwiGLU", ("(a<T>, b<T>, c<T>, 1.0f, 8);",), FLOATS), ("Swish", ("(a<T>, b<T>, 8, T(1));",), FLOATS),
    *((name, ("(a<T>, b<T>, T(1), 8);",), FLOATS) for name in ("ClampMax", "ClampMin")),
    *((name, ("(a<T>, T(1), T(2), 8);",), COUNTED) for name in ("Arange", "ArithProgression")),
    ("Sum", ("(a<T>, b<T>, SumParams());",), FLOATS), ("Mean", ("(a<T>, b<T>, MeanParams());",), FLOATS),
    ("SoftMax", ("(a<T>, b<T>, c<T>, a<T>, SoftMaxTiling());", "(a<T>, b<T>, SoftMaxTiling());"), FLOATS),
    ("SimpleSoftMax", ("(a<T>, b<T>, c<T>, a<T>, SoftMaxTiling());",), FLOATS),
    ("SoftmaxFlashV2", ("(a<T>, b<T>, c<T>, a<T>, b<T>, c<T>, a<T>, SoftMaxTiling());",), FLOATS),
    ("SoftmaxGradFront", ("(a<T>, b<T>, c<T>, SoftMaxTiling());",), FLOATS), ("SoftmaxGrad", ("(a<T>, b<T>, c<T>, SoftMaxTiling());",), FLOATS),
    ("LayerNorm", ("(a<T>, b<T>, c<T>, a<T>, b<T>, c<T>, T(1), LayerNormTiling());",), FLOATS),
    ("RmsNorm", ("(a<T>, b<T>, c<T>, T(1), RmsNormTiling());",), FLOATS),
    ("AscendQuant", ("(a<int8_t>, b<T>, 1.0f, 0.0f, 8);",), FLOATS),
    ("DropOut", ("(a<T>, b<T>, a<uint8_t>, 0.5f, DropOutShapeInfo());",), FLOATS),
]
# Pairs of destination and source.
ACCUMULATE = (("half", "half"), ("float", "float"), ("float", "half"))
NARROW = (("int8_t", "half"), ("int8_t", "int16_t"), ("half", "float"))
SCALED = (("float", "float"), ("float", "bfloat16_t"), ("bfloat16_t", "bfloat16_t"), ("bfloat16_t", "float"))
WEIGHTS = (("half", "int8_t"), ("bfloat16_t", "int8_t"), ("half", "int4b_t"), ("bfloat16_t", "int4b_t"))
PAIRS: list[tuple[str, str, tuple[tuple[str, str], ...]]] = [
    ("Axpy", "(a<D>, b<S>, S(1), 8);", ACCUMULATE), ("MulAddDst", "(a<D>, b<S>, c<S>, 8);", ACCUMULATE),
    ("AddReluCast", "(a<D>, b<S>, c<S>, 8);", NARROW), ("SubReluCast", "(a<D>, b<S>, c<S>, 8);", NARROW),
    ("MulCast", "(a<D>, b<S>, c<S>, 8);", (("int8_t", "half"), ("uint8_t", "half"))),
    ("CastDequant", "(a<D>, b<S>, 8);", (("half", "int32_t"), ("int8_t", "int16_t"), ("uint8_t", "int16_t"))),
    ("AscendDequant", "(a<D>, a<int32_t>, S(1), DequantParams());", SCALED),
    ("AscendDequant", "(a<D>, a<int32_t>, b<S>, DequantParams());", (("half", "uint64_t"), *SCALED)),
    ("AscendAntiQuant", "<S, D, false>(a<D>, b<S>, c<D>, 8);", WEIGHTS), ("AddDeqRelu", "(a<D>, b<S>, c<S>, 8);", (("half", "int32_t"),)),
    ("Cast", "(a<D>, b<S>, RoundMode::CAST_NONE, 8);", tuple(tuple(pair.split("<")) for pair in (
        "half<int4b_t half<int8_t half<uint8_t half<int16_t float<int16_t int4b_t<half int8_t<half uint8_t<half int16_t<half int32_t<half float<half "
        "float<bfloat16_t int32_t<bfloat16_t half<float bfloat16_t<float int16_t<float int32_t<float int64_t<float float<float float<int32_t "
        "int16_t<int32_t int32_t<int64_t int64_t<int32_t float<int64_t half<int32_t").split())),
]

HEAD = """#include "kernel_operator.h"
using namespace AscendC;
template <typename T> __aicore__ inline LocalTensor<T> &a() { return *static_cast<LocalTensor<T> *>(nullptr); }
template <typename T> __aicore__ inline LocalTensor<T> &b() { return a<T>(); }
template <typename T> __aicore__ inline LocalTensor<T> &c() { return a<T>(); }
__global__ __vector__ void k() {
  uint64_t bits[2] = {1, 0};
  (void)bits;
"""


def typed(arguments: str, types: dict[str, str]) -> str:
    """The arguments with T (or D and S) replaced; a, b and c are functions that return a tensor."""
    for letter, name in types.items():
        arguments = re.sub(rf"\b{letter}\b", name, arguments)
    return re.sub(r"\b([abc]<\w+>)", r"\1()", arguments)


def lines(legal: bool) -> list[tuple[str, str, tuple[str, ...]]]:
    """(call with its types, name, types that the message must list) of every case."""
    cases = []
    for name, shapes, types in CALLS:
        for shape in shapes:
            for mask in ("uint64_t(8)", "bits") if "MASK" in shape else ("",):
                for element in TYPES:
                    if (element in types) == legal:
                        cases.append((name + typed(shape, {"T": element}).replace("MASK", mask), name.split("<")[0], types))
    for name, shape, pairs in PAIRS:
        for dst in (*TYPES, "int4b_t"):
            for src in (*TYPES, "int4b_t"):
                if any((dst, src) == pair for pair in pairs) == legal and not (src == "int4b_t" and "(1)" in shape):
                    cases.append((name + typed(shape, {"D": dst, "S": src}), name, tuple(f"{d}({s})" for d, s in pairs)))
    return cases


def compile_lines(calls: list[str]) -> tuple[int, str]:
    """Exit code and messages of skcc for a kernel with these calls, one a line."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "k.cpp").write_text(HEAD + "".join(f"  {call}\n" for call in calls) + "}\n", encoding="utf-8")
        no_limit = ["-ferror-limit=0"] if "clang" in os.environ.get("SKCC_CC", "") else []
        done = subprocess.run([BUILD / "skcc", "-O0", "-w", "-c", "k.cpp", *no_limit], cwd=scratch, capture_output=True, text=True,
                              timeout=600, check=False)
        return done.returncode, done.stderr


def test_every_type_of_the_sheet_compiles():
    calls = [call for call, _, _ in lines(legal=True)]
    code, said = compile_lines(calls)
    assert code == 0, said[:4000]


def test_every_other_type_is_refused_at_the_user_s_line():
    cases = lines(legal=False)
    code, said = compile_lines([call for call, _, _ in cases])
    assert code == 1, said[:2000]
    first = {}
    for message in said.splitlines():
        found = re.match(r"k\.cpp:(\d+):\d+: error: (.*)", message)
        if found:
            first.setdefault(int(found[1]), found[2])
    start = HEAD.count("\n") + 1
    for number, (call, name, types) in enumerate(cases, start):
        text = first.get(number)
        assert text is not None, f"nothing is said of {call}"
        assert text.startswith(name + ": "), f"{call}: {text}"
        assert all(re.search(rf"(?<!\w){re.escape(element)}(?!\w)", text) for element in types), f"{call}: {text}"
    assert re.match(r"k\.cpp:\d+:\d+: error: ", said), said[:400]


if __name__ == "__main__":
    sys.exit(tap.run([test_every_type_of_the_sheet_compiles, test_every_other_type_is_refused_at_the_user_s_line]))
