"""Ranges of UB that CheckLocalMemoryIA watches: an access of a watched kind is found at its line, all others are silent."""
import sys

from test_misuse import PROGRAM, finds, tap

KERNEL = """
__aicore__ inline uint32_t BlockOf(LocalTensor<float> t) { return (uint32_t)((uint64_t)t.GetPhyAddr() / 32); }
__global__ __vector__ void k(GM_ADDR x) {
  TPipe pipe;
  TBuf<> first, second;
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  pipe.InitBuffer(first, N * 4);
  pipe.InitBuffer(second, N * 4);
  LocalTensor<float> a = first.Get<float>(), b = second.Get<float>();
  Duplicate(a, 1.0f, N);
  PipeBarrier<PIPE_ALL>();
  CheckLocalMemoryIAParam w; /* elements 8 to 31 of a */
  w.startAddr = BlockOf(a);
  w.endAddr = BlockOf(a) + 3;
  w.isEnable = true;
  %s
}
"""
KINDS = ("isScalarRead", "isScalarWrite", "isVectorRead", "isVectorWrite", "isMteRead", "isMteWrite")
ACCESSES = {
    "isScalarRead": "if (a.GetValue(8) > 1.0f) Trap();",
    "isScalarWrite": "a.SetValue(31, 2.0f);",
    "isVectorRead": "Adds(b, a, 1.0f, N);",
    "isVectorWrite": "Duplicate(a, 2.0f, N);",
    "isMteRead": "DataCopy(gm[N], a, N);",
    "isMteWrite": "DataCopy(a, gm, N);",
}
SET = "CheckLocalMemoryIA(w);"
POINTER = "volatile __ubuf__ float *p = (__ubuf__ float *)a.GetPhyAddr();\n "


def watching(*kinds: str) -> str:
    return "".join(f"w.{kind} = true;\n " for kind in kinds)


FOUND = "WATCHED_ACCESS"
CASES = {
    f"{kind}, of that kind": (FOUND, f"{watching(kind)}{SET}\n {access} //!") for kind, access in ACCESSES.items()
} | {
    f"{kind}, all other kinds": (None, f"{watching(*(k for k in KINDS if k != kind))}{SET}\n {access}") for kind, access in ACCESSES.items()
} | {
    "the call itself is named": (FOUND, f"{watching('isMteWrite')}{SET} //!\n {ACCESSES['isMteWrite']}"),
    "the block of startAddr": (None, f"{watching('isScalarRead')}{SET}\n if (a.GetValue(7) > 1.0f) Trap();"),
    "the block of endAddr": (FOUND, f"{watching('isScalarRead')}{SET}\n if (a.GetValue(31) > 1.0f) Trap(); //!"),
    "the block behind endAddr": (None, f"{watching('isScalarRead')}{SET}\n if (a.GetValue(32) > 1.0f) Trap();"),
    "an offset in UB": (FOUND, f"{watching('isVectorWrite')}w.startAddr = 0, w.endAddr = 1;\n {SET}\n {ACCESSES['isVectorWrite']} //!"),
    "one piece of a copy with gaps": (FOUND, f"{watching('isMteWrite')}{SET}\n DataCopy(a, gm, {{4, 1, 0, 1}}); //!"),
    "gaps of a copy": (None, f"{watching('isMteWrite')}w.endAddr = w.startAddr + 1;\n {SET}\n DataCopy(a, gm, {{4, 1, 0, 1}});"),
    "a load through a pointer": (FOUND, f"{POINTER}{watching('isScalarRead')}{SET}\n if (p[9] > 1.0f) Trap(); //!"),
    "a load behind a store to the same bytes": (FOUND, f"{POINTER}{watching('isScalarRead')}{SET}\n p[9] = 1.0f;\n if (p[9] > 1.0f) Trap(); //!"),
    "a load of a line that is known": (FOUND, f"{POINTER}if (p[9] > 1.0f) Trap();\n {watching('isScalarRead')}{SET}\n if (p[9] > 1.0f) Trap(); //!"),
    "a load before the call": (None, f"{POINTER}if (p[9] > 1.0f) Trap();\n {watching('isScalarRead')}{SET}"),
    "the register is off again": (None, f"{watching('isVectorWrite')}{SET}\n w.isEnable = false;\n {SET}\n {ACCESSES['isVectorWrite']}"),
    "another register is off": (FOUND, f"{watching('isVectorWrite')}{SET}\n w.isEnable = false, w.enableBit = 1;\n {SET}\n {ACCESSES['isVectorWrite']} //!"),
    "a register that is set anew": (None, f"{watching('isVectorWrite')}{SET}\n w.startAddr += 32, w.endAddr += 32;\n {SET}\n {ACCESSES['isVectorWrite']}"),
    "the last of four registers": (FOUND, f"{watching('isVectorWrite')}w.enableBit = 3;\n {SET}\n {ACCESSES['isVectorWrite']} //!"),
    "a register that is none": ("BAD_ARGUMENT", f"w.enableBit = 4;\n {SET} //!"),
    "the last register": (None, f"w.enableBit = 3;\n {SET}"),
    "a start behind the last block": ("BAD_ARGUMENT", f"w.startAddr = 65536;\n {SET} //!"),
    "an end behind the last block": ("BAD_ARGUMENT", f"w.endAddr = 65536;\n {SET} //!"),
    "the last block": (None, f"w.startAddr = w.endAddr = 65535;\n {SET}"),
    "an end before the start": ("BAD_ARGUMENT", f"w.startAddr = 3, w.endAddr = 2;\n {SET} //!"),
    "an empty range": (None, f"{watching(*KINDS)}w.endAddr = w.startAddr;\n {SET}\n {ACCESSES['isVectorWrite']}"),
    "a range that is not enabled": (None, f"w.isEnable = false, w.startAddr = 3, w.endAddr = 65536;\n {SET}"),
}

if __name__ == "__main__":
    sys.exit(tap.run([finds(name, finding, PROGRAM % (KERNEL % body)) for name, (finding, body) in CASES.items()]))
