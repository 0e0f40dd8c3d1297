"""Calls of the high-level API with wrong arguments or too little temporary memory: each is found at its line with the legal
values, and its repaired twin is silent; the sizes are those the host's functions tell."""
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import tap  # noqa: E402
import test_misuse as misuse  # noqa: E402

KERNEL = """
__global__ __vector__ void k%d(GM_ADDR) {
  TPipe pipe;
  TBuf<> data, scratch, rest;
  pipe.InitBuffer(data, 96 * 1024);
  LocalTensor<float> a = data.Get<float>(), y = a[4096], u = a[8192], v = a[12288], w = a[16384];
  LocalTensor<half> h = a.ReinterpretCast<half>(), g = y.ReinterpretCast<half>(), m = u.ReinterpretCast<half>();
  Duplicate(a, 1.0f, 96 * 256);
  LocalTensor<uint8_t> tmp;
  %s
}
"""
SHARED = "pipe.InitBuffer(scratch, %d);\n tmp = scratch.Get<uint8_t>();\n"
NORM = "%s t; t.bLength = 1, t.sLength = 4, t.hLength = t.originalHLength = 64;\n"
SOFTMAX = "SoftMaxTiling t; SoftMaxShapeInfo s{4, 64, 4, 64};\n"
PARTS = "SoftMaxTiling t; SoftMaxParams s{8, %d, 8, %d, %d, %d, 0.9375f};\n"
TURN = "ConfusionTransposeTiling t; t.param0 = t.param1 = 1, t.param2 = t.param3 = 16, t.param4 = %d;\n"
VOLUME = ("static constexpr TransDataConfig to = {DataFormat::NCDHW, DataFormat::NDC1HWC0};\n Layout p = MakeLayout(MakeShape(1, 16, 1, 4, 4), MakeStride());\n"
          "Layout q = MakeLayout(MakeShape(1, 1, %d, 4, 4, 16), MakeStride());\n TransDataParams<decltype(p), decltype(q)> t{p, q};\n")

# What a call needs at least, by a body that ends in it: bytes and the body. One byte less is found, as many are silent.
LEAST = {
    "SoftMax": (4 * (8 + 64 + 64), SOFTMAX + "SoftMax<float>(y, u, v, a, tmp, t, s);"),
    "LogSoftMax": (4 * (8 + 64 + 64), "LogSoftMaxTiling t; SoftMaxShapeInfo s{4, 64, 4, 64};\n LogSoftMax<float>(y, u, v, a, tmp, t, s);"),
    "SoftmaxFlash": (4 * (4 * 8 + 2 * 64), SOFTMAX + "SoftmaxFlash<float>(y, u, v, a, w, u, v, tmp, t, true, s);"),
    "SoftmaxFlashV2": (4 * (8 + 64), SOFTMAX + "SoftmaxFlashV2<float>(y, u, v, a, w, u, v, tmp, t, s);"),
    "SoftmaxFlashV3": (4 * (5 * 8 + 2 * 512 + 64), PARTS % (512, 512, 1, 8) + "SoftmaxFlashV3<half, float>(g, u, v, w, h, m, u, v, w, tmp, t, s);"),
    "SoftmaxGrad": (4 * (2 * 8 + 64 + 64), SOFTMAX + "SoftmaxGrad<float>(y, a, u, tmp, t, false, s);"),
    "SimpleSoftMax": (4 * (8 + 64 + 64), SOFTMAX + "SimpleSoftMax<float>(y, u, v, a, tmp, t, s);"),
    "LayerNorm": (3 * 256 + 2 * 32, NORM % "LayerNormTiling" + "LayerNorm(y, u, v, a, w, w, tmp, 1.0f, t);"),
    "RmsNorm": (4 * (64 + 8), NORM % "RmsNormTiling" + "RmsNorm(y, a, w, tmp, 1.0f, t);"),
    "DeepNorm": (3 * 256 + 2 * 32, NORM % "DeepNormTiling" + "DeepNorm(y, u, v, a, a, w, w, tmp, 1.0f, 1.0f, t);"),
    "BatchNorm": (3 * 4 * 32 + 2 * 256, "BatchNormTiling t; t.originalBLength = 4, t.meanVarSize = 64;\n BatchNorm(y, u, v, a, w, w, tmp, 1.0f, t);"),
    "GroupNorm": (3 * 2 * 256 + 2 * 32, "GroupNormTiling t; t.n = 1, t.c = 4, t.g = 2, t.hw = 64;\n GroupNorm(y, u, v, a, w, w, tmp, 1.0f, t);"),
    "Normalize": (2 * 256, "NormalizePara t{4, 64, 64};\n Normalize<float, float>(y, u, v, v, a, w, w, tmp, 1.0f, t);"),
    "LayerNormGrad": (6 * 4 * 64 * 4, NORM % "LayerNormGradTiling" + "LayerNormGrad(y, u, a, a, w, w, w, tmp, 1.0f, t);"),
    "LayerNormGradBeta": (2 * 256, NORM % "LayerNormGradBetaTiling" + "LayerNormGradBeta(u, v, a, y, tmp, t);"),
    "Pad": (1024, "PadTiling t; t.srcHeight = 16, t.srcWidth = t.srcOriWidth = 7;\n Pad(y, a, PadParams{0, 1, 5}, tmp, t);"),
    "TransData": (2 * 16 * (1 + 16), VOLUME % 1 + "TransData<to>(g, h, tmp, t);"),
    "Transpose": (256 * 2, TURN % 1 + "Transpose(g, h, tmp, TransposeType::TRANSPOSE_NZ2ND_0213, t);"),
    "Transpose of channels": ((3 + 2) * 16 * 32, "Transpose(y, a, tmp, TransposeParamsExt(1, 3, 4, 4, TransposeType::TRANSPOSE_NCHW2NHWC));"),
    "Tanh": (256, "Tanh(y, a, tmp, 64);"),
    "Erf": (8 * 256, "Erf(g, h, tmp, 64);"),
    "Power": (6 * 256, "Power(y, a, 2.0f, tmp, 64);"),
    "SwiGLU": (6 * 256, "SwiGLU(g, h, m, 1.0f, tmp, 64);"),
    "Sum": (32, "Sum(y, a, tmp, SumParams{4, 64, 64});"),
    "CumSum": (16 * 64 * 4 * 2, "CumSum(y, u, a, tmp, CumSumInfo{4, 64});"),
    "AscendQuant": (512, "AscendQuant(y.ReinterpretCast<int8_t>(), a, tmp, 1.0f, 0.0f, 64);"),
    "AscendDequant": (4 * (72 + 2 * 64), "AscendDequant(y, u.ReinterpretCast<int32_t>(), 1.0f, tmp, DequantParams{4, 64, 64});"),
    "ReduceMax": (4 * 256, "const uint32_t s[] = {4, 64};\n ReduceMax<float, Pattern::Reduce::AR>(y, a, tmp, s, true);"),
    "Broadcast": (8 * 32, "const uint32_t d[] = {8, 64}, s[] = {8, 1};\n Broadcast<float, 2, 1>(y, a, d, s, tmp);"),
    "WelfordUpdate": (512, "WelfordUpdate<float, float>(y, u, y, u, a, tmp, WelfordUpdateParam{1, 64, 64, 1.0f});"),
}
# name: (what is wrong, legal values as they are told, a body whose %s is wrong, the same with %s right)
WRONG = {
    "rows too short": ("srcK is 448", "512 or more", PARTS % (448, 448, 1, 8) + "SoftmaxFlashV3<half, float>(g, u, v, w, h, m, u, v, w, t, s);", None),
    "parts other than eight": ("splitMeanCnt is 4", "legal: 8", PARTS % (512, 512, 1, 4) + "SoftmaxFlashV3<half, float>(g, u, v, w, h, m, u, v, w, t, s);", None),
    "a step without number": ("loopCnt is 0", "1 or more", PARTS % (512, 512, 0, 8) + "SoftmaxFlashV3<half, float>(g, u, v, w, h, m, u, v, w, t, s);", None),
    "more than a row to scale": ("calCount is 65", "1..64", "AscendDequant(y, u.ReinterpretCast<int32_t>(), 1.0f, DequantParams{4, 64, %s});", ("65", "64")),
    "a row of int32_t that is no blocks": ("n of a row of int32_t is 12", "multiples of 8", "AscendDequant(y, u.ReinterpretCast<int32_t>(), 1.0f, DequantParams{4, %s, 8});", ("12", "16")),
    "scales that divide no row": ("AscendDequant: the elements of srcTensor are no multiple", "AscendDequant", "LocalTensor<int32_t> i = u.ReinterpretCast<int32_t>();\n i.SetSize(64), v.SetSize(%s);\n AscendDequant(y, i, v);", ("24", "16")),
    "offsets for other scales": ("AscendQuant: offsetCount differs", "AscendQuant", "v.SetSize(16), w.SetSize(%s);\n AscendQuant(y.ReinterpretCast<int8_t>(), a, v, w);", ("8", "16")),
    "columns that are no blocks": ("BatchNorm: S * H is 12", "a multiple of 8", "BatchNormTiling t; t.originalBLength = 4, t.meanVarSize = %s;\n BatchNorm(y, u, v, a, w, w, 1.0f, t);", ("12", "16")),
    "no basic blocks": ("BatchNorm: isBasicBlock is 1", "a multiple of 64", "BatchNormTiling t; t.originalBLength = 8, t.meanVarSize = %s;\n BatchNorm<float, false, true>(y, u, v, a, w, w, 1.0f, t);", ("32", "64")),
    "groups that do not divide": ("GroupNorm: groupNum is 3", "a divisor of C, here 4", "GroupNormTiling t; t.n = 1, t.c = 4, t.g = %s, t.hw = 64;\n GroupNorm(y, u, v, a, w, w, 1.0f, t);", ("3", "2")),
    "more columns than a row has": ("LayerNorm: the number of columns is 80", "1..64", "LayerNormTiling t; t.bLength = 1, t.sLength = 4, t.hLength = 64, t.originalHLength = %s;\n LayerNorm(y, u, v, a, w, w, 1.0f, t);", ("80", "60")),
    "a layout that is none": ("LayerNormGrad: dataFormat", "DataFormat::ND", NORM % "LayerNormGradTiling" + "LayerNormGrad(y, u, a, a, w, w, w, 1.0f, t, LayerNormGradShapeInfo{DataFormat::%s});", ("NZ", "ND")),
    "padding beyond the block": ("Pad: leftPad + rightPad is 2", "1..1", "PadTiling t; t.srcHeight = 16, t.srcWidth = t.srcOriWidth = 7;\n Pad(y, a, PadParams{0, %s, 5}, t);", ("2", "1")),
    "padding on the left of whole blocks": ("Pad: leftPad is 1", "legal: 0", "PadTiling t; t.srcHeight = 16, t.srcWidth = 8, t.srcOriWidth = 6;\n Pad(y, a, PadParams{%s, 1, 5}, t);", ("1", "0")),
    "a source that is no blocks": ("Pad: the source's bytes is 28", "a multiple of 32", "PadTiling t; t.srcHeight = %s, t.srcWidth = t.srcOriWidth = 7;\n Pad(y, a, PadParams{0, 1, 5}, t);", ("1", "8")),
    "nothing to cut": ("UnPad: rightPad is 0", "1..7", "UnPadTiling t; t.srcHeight = 16, t.srcWidth = 8;\n UnPad(y, a, UnPadParams{0, %s}, t);", ("0", "1")),
    "a cut on the left": ("UnPad: leftPad is 1", "legal: 0", "UnPadTiling t; t.srcHeight = 16, t.srcWidth = 8;\n UnPad(y, a, UnPadParams{%s, 1}, t);", ("1", "0")),
    "rows to cut that are no blocks": ("UnPad: the number of columns is 7", "a multiple of 8", "UnPadTiling t; t.srcHeight = 16, t.srcWidth = %s;\n UnPad(y, a, UnPadParams{0, 1}, t);", ("7", "8")),
    "layouts of different volumes": ("TransData: the layouts differ", "C1 and N1 are those of C and N", VOLUME.replace("%d", "%s") + "TransData<to>(g, h, t);", ("2", "1")),
    "a plane that is no blocks": ("Transpose: hSize * wSize is 12", "a multiple of 8", SHARED.replace("%d", "8192") + "Transpose(y, a, tmp, TransposeParamsExt(1, 3, 4, %s, TransposeType::TRANSPOSE_NHWC2NCHW));", ("3", "4")),
    "channels of a type that is none": ("Transpose: transposeType", "TRANSPOSE_NHWC2NCHW", SHARED.replace("%d", "8192") + "Transpose(y, a, tmp, TransposeParamsExt(1, 3, 4, 4, TransposeType::TRANSPOSE_%s));", ("ND2ND_ONLY", "NCHW2NHWC")),
    "a type that is none": ("Transpose: transposeType", "1 to 7", TURN % 1 + "Transpose(g, h, TransposeType::TRANSPOSE_%s, t);", ("ND2ND_B16", "NZ2ND_0213")),
    "another type's tiling": ("Transpose: the tiling", "GetTransposeTilingInfo", TURN.replace("%d", "%s") + "Transpose(g, h, TransposeType::TRANSPOSE_NZ2ND_0213, t);", ("2", "1")),
    "a matrix that is no fractals": ("Transpose: a dimension is 12", "a multiple of 16", "ConfusionTransposeTiling t; t.param0 = t.param1 = 1, t.param2 = 16, t.param3 = %s, t.param4 = 7;\n Transpose(g, h, TransposeType::TRANSPOSE_ND2ND_ONLY, t);", ("12", "16")),
    "an empty tiling": ("Transpose: a dimension of the tiling is 0", "1 or more", "ConfusionTransposeTiling t; t.param0 = t.param1 = 1, t.param2 = 16, t.param3 = %s, t.param4 = 1;\n Transpose(g, h, TransposeType::TRANSPOSE_NZ2ND_0213, t);", ("0", "16")),
}
# Calls that must not compile, with a word of the message.
REFUSED = {
    "SoftMaxTiling t; SoftMaxParams s; SoftmaxFlashV3<float, float>(y, u, v, w, a, y, u, v, w, t, s);": "SoftmaxFlashV3: rows are half",
    "NormalizePara t; Normalize<half, float>(y, u, v, v, a, h, h, 1.0f, t);": "gamma and beta are as precise",
    "SoftMaxTiling t; SoftMaxParams s; SoftmaxFlashV3<half, float, false, false, false, true>(g, u, v, w, h, m, u, v, w, t, s);":
        "SoftmaxFlashV3: isDataFormatNZ is reserved, legal: false",
    "UnPadTiling t; UnPad(y.ReinterpretCast<int8_t>(), a.ReinterpretCast<int8_t>(), UnPadParams{0, 1}, t);": "elements have 16 or 32 bits",
    "Fma(y, a, u, v, 64u);": "Fma: not there on this architecture",
    "Quantize(y, a, u, v, 64u);": "Quantize: not there on this architecture",
}


class Program:
    """Kernels in one source, one after the other; what is found at a kernel's last line is its own."""

    def __init__(self):
        self.bodies: list[str] = []
        self.said: list[str] = []

    def add(self, body: str) -> int:
        lines = body.strip().split("\n")
        lines[-1] += f" //! {len(self.bodies)}"
        self.bodies.append("\n".join(lines))
        return len(self.bodies) - 1

    def source(self) -> str:
        kernels = "".join(KERNEL % (i, body) for i, body in enumerate(self.bodies))
        launches = "\n".join(f"  k{i}<<<1, 0, nullptr>>>((GM_ADDR)x);" for i in range(len(self.bodies)))
        return (misuse.PROGRAM % kernels).replace("  k<<<1, 0, nullptr>>>((GM_ADDR)x);", launches)

    def found(self, index: int) -> str:
        """The findings of a kernel, as they are told."""
        if not self.said:
            source = self.source()
            marks = {i: f"k.cpp:{line}" for line, text in enumerate(source.splitlines(), 1) for i in [text.partition("//! ")[2]] if i}
            whole, _ = misuse.run_program(source)
            parts = re.split(r"^(?=\s+(?:error|warning)\s+\S+)", whole, flags=re.MULTILINE)[1:]
            self.said = ["".join(p for p in parts if re.search(rf"{re.escape(marks[str(i)])}\b", p) or f"k{i} " in p.split("\n")[0])
                         for i in range(len(self.bodies))]
            self.said.append(whole)
        return self.said[index]


WRONG_PROGRAM, RIGHT_PROGRAM = Program(), Program()


def must_find(index: int, finding: str, *words: str):
    said = WRONG_PROGRAM.found(index)
    assert re.search(rf"^\s+error\s+{finding}\b", said, re.MULTILINE), said or WRONG_PROGRAM.said[-1]
    for word in words:
        assert word in said, f"{word!r} is not told\n{said}"


def must_be_silent(index: int):
    assert RIGHT_PROGRAM.found(index) == "", RIGHT_PROGRAM.said[index]


def takes_what_is_told(name: str, least: int, body: str):
    wrong, right = WRONG_PROGRAM.add(SHARED % (least - 32) + body), RIGHT_PROGRAM.add(SHARED % least + body)

    def test():
        must_find(wrong, "LOCAL_OUT_OF_BOUNDS", f"{name.split()[0]}: sharedTmpBuffer has {least - 32} bytes", f"legal: {least} or more")
        must_be_silent(right)

    test.__name__ = f"{name} takes {least} bytes of temporary memory, found with 32 less"
    return test


def is_wrong(name: str, what: str, legal: str, body: str, values):
    wrong = WRONG_PROGRAM.add(body % values[0] if values else body)
    right = RIGHT_PROGRAM.add(body % values[1]) if values else None

    def test():
        must_find(wrong, "BAD_ARGUMENT", what, legal)
        if right is not None:
            must_be_silent(right)

    test.__name__ = f"{name}: {what}"
    return test


REST = "pipe.InitBuffer(rest, %d);\n" + NORM % "LayerNormTiling" + "LayerNorm(y, u, v, a, w, w, 1.0f, t);"
REST_WRONG, REST_RIGHT = WRONG_PROGRAM.add(REST % (88 * 1024 - 800)), RIGHT_PROGRAM.add(REST % (88 * 1024 - 832))
HELD = "tmp = %s.ReinterpretCast<uint8_t>();\n Tanh(y, a, tmp, 64);\n PipeBarrier<PIPE_ALL>();\n if (y.GetValue(0) != y.GetValue(0)) Trap();"
HELD_WRONG, HELD_RIGHT = WRONG_PROGRAM.add(HELD % "a"), RIGHT_PROGRAM.add(HELD % "u")


def test_a_call_without_a_buffer_takes_what_the_pipe_has_left():
    must_find(REST_WRONG, "LOCAL_OUT_OF_BOUNDS", "beyond the pipe's buffers has 800 bytes; legal: 832 or more")
    must_be_silent(REST_RIGHT)


def test_what_a_shared_buffer_held_is_lost():
    """An operand that lies in the temporary memory is destroyed by the call, as on the chip."""
    must_find(HELD_WRONG, "TRAP")
    must_be_silent(HELD_RIGHT)


def test_nothing_else_is_found():
    """The program of right calls is silent as a whole."""
    must_be_silent(0)
    assert not re.search(r"^\s+(?:error|warning)\s", RIGHT_PROGRAM.said[-1], re.MULTILINE), RIGHT_PROGRAM.said[-1]


def refuses(body: str, word: str):
    def test():
        with tempfile.TemporaryDirectory() as scratch:
            done = misuse.compile_program(Path(scratch), misuse.PROGRAM % (KERNEL % (0, body)).replace("k0", "k"))
            assert done.returncode != 0, "it compiles"
            assert word in done.stderr, done.stderr

    test.__name__ = f"does not compile, and says {word}"
    return test


if __name__ == "__main__":
    sys.exit(tap.run([takes_what_is_told(name, *case) for name, case in LEAST.items()]
                     + [is_wrong(name, *case) for name, case in WRONG.items()]
                     + [refuses(*case) for case in REFUSED.items()]
                     + [test_a_call_without_a_buffer_takes_what_the_pipe_has_left, test_what_a_shared_buffer_held_is_lost,
                        test_nothing_else_is_found]))
