"""Kernels that misuse pools of local memory and barriers of groups: each is found at the user's line, its repaired twin is silent."""
import sys

from test_misuse import PROGRAM, finds, tap

POOL_KERNEL = """
class OwnPool {
public:
  __aicore__ inline OwnPool() { Init(); }
  EXTERN_IMPL_BUFPOOL(OwnPool, TPosition::VECCALC, 4);
};
__global__ __vector__ void k(GM_ADDR x) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC> one, two;
  OwnPool own;
  TQue<TPosition::VECIN, 1> in, other;
  TBuf<> buffer;
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  %s
}
"""
SHARED = "pipe.InitBufPool(one, N * 4);\n pipe.InitBufPool(two, N * 4, one);\n one.InitBuffer(in, 1, N * 4);\n two.InitBuffer(other, 1, N * 4);\n"
USE = ("{ LocalTensor<float> t = %s.AllocTensor<float>();\n DataCopy(t, gm, N);\n %s.EnQue(t);\n t = %s.DeQue<float>();\n"
       "Adds(t, t, 1.0f, N);\n %s.FreeTensor(t); }\n")
FIRST, SECOND = USE.replace("%s", "in"), USE.replace("%s", "other").replace("DataCopy(t, gm, N);", "DataCopy(t, gm, N); //!")
OWN = "pipe.InitBuffer(buffer, 64);\n pipe.InitBufPool(own, 2048);\n"
PLACED = OWN + "TBufHandle h = own.GetBufHandle(0);\n in.InitStartBufHandle(h, 2, 1024);\n"

# name: (finding or None, body)
POOLS = {
    "pools that take turns": (None, SHARED + FIRST + "one.Reset();\n" + SECOND),
    "a pool's memory used by another before its reset": ("SYNC_LOCAL", SHARED + FIRST + SECOND),
    "a reset with a tensor that is not freed": ("QUEUE_LEAK", SHARED + "LocalTensor<float> t = in.AllocTensor<float>();\n one.Reset(); //!\n in.FreeTensor(t);\n"),
    "a pool of as many buffers as declared": (None, "pipe.InitBufPool(one, 4096);\n one.InitBuffer(in, 4, 512);\n"),
    "a pool of more buffers than declared": ("QUEUE_LIMIT", "pipe.InitBufPool(one, 4096);\n one.InitBuffer(in, 5, 512); //!\n"),
    "a pool without memory": ("QUEUE_STATE", "one.InitBuffer(in, 1, 64); //!\n"),
    "a pool larger than the one it shares": ("LOCAL_OUT_OF_BOUNDS", "pipe.InitBufPool(one, 64);\n pipe.InitBufPool(two, 128, one); //!\n"),
    "two buffers that a kernel places": (None, PLACED + "for (uint32_t i = 0; i < 2; i++) in.InitBufHandle(&own, i, h, own.GetCurAddr() + i * 1024, 1024);\n" + FIRST),
    "a buffer placed before its pool": ("LOCAL_OUT_OF_BOUNDS", PLACED + "in.InitBufHandle(&own, 0, h, own.GetCurAddr() - 32, 1024); //!\n"),
    "a buffer placed beyond its pool": ("LOCAL_OUT_OF_BOUNDS", PLACED + "in.InitBufHandle(&own, 0, h, own.GetCurAddr() + 1056, 1024); //!\n"),
    "a scratch buffer placed beyond its pool": ("LOCAL_OUT_OF_BOUNDS", OWN + "buffer.InitBufHandle(&own, 0, own.GetBufHandle(0), own.GetCurAddr() + 1056, 1024); //!\n"),
    "a buffer between blocks": ("BAD_ARGUMENT", PLACED + "in.InitBufHandle(&own, 0, h, own.GetCurAddr() + 16, 512); //!\n"),
    "a third buffer of two": ("BAD_ARGUMENT", PLACED + "in.InitBufHandle(&own, 2, h, own.GetCurAddr(), 512); //!\n"),
    "a queue whose buffers were not placed": ("QUEUE_STATE", PLACED + "LocalTensor<float> t = in.AllocTensor<float>(); //!\n"),
    "a handle beyond the pool's": ("BAD_ARGUMENT", OWN + "own.GetBufHandle(4);\n"),
    "more handles than the pool has": ("QUEUE_LIMIT", OWN + "in.InitStartBufHandle(own.GetBufHandle(3), 2, 64); //!\n"),
}

# Block 0 writes and arrives, the others wait and read; the workspace begins at 2048.
BARRIER_PROGRAM = """#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void k(GM_ADDR x) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 64);
  LocalTensor<float> t = buffer.Get<float>();
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x, 16);
  %s
}
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *x = nullptr;
  aclrtMalloc(&x, 2048 + 3 * 512, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(x, 2048 + 3 * 512, 0, 2048 + 3 * 512);
  for (int i = 0; i < LAUNCHES; i++) {
    CLEAR
    k<<<4, 0, nullptr>>>((GM_ADDR)x);
  }
  aclrtSynchronizeDevice();
  aclrtFree(x);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
"""
BARRIER = "GroupBarrier<PipeMode::MTE3_MODE> barrier(x + 2048, 1, 3);\n"
WRITE = ("Duplicate(t, 1.0f, 16);\n SetFlag<HardEvent::V_MTE3>(EVENT_ID0);\n WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);\n"
         "DataCopy(gm, t, 16);\n")
READ = "DataCopy(t, gm, 16); //!\n"
ARRIVE, WAIT = "barrier.Arrive(0);\n", "barrier.Wait(GetBlockIdx() - 1);\n"


def group(arrive: str, wait: str) -> str:
    """A kernel in which block 0 does one thing and the others do another."""
    return BARRIER + "if (GetBlockIdx() == 0) {\n" + arrive + "} else {\n" + wait + "}\n"


# name: (finding or None, launches, what the host does before each, body)
BARRIERS = {
    "a group that waits for its writer": (None, 1, "", group(WRITE + ARRIVE, WAIT + READ)),
    "a writer that arrives before it writes": ("SYNC_GM", 1, "", group(ARRIVE + WRITE, WAIT + READ)),
    "a writer that never arrives": ("DEADLOCK", 1, "", group(WRITE, WAIT.replace("\n", " //!\n") + READ)),
    "a workspace cleared between launches": (None, 2, "aclrtSynchronizeDevice();\n    aclrtMemset((char *)x + 2048, 1536, 0, 1536);", group(WRITE + ARRIVE, WAIT + READ)),
    "a workspace that the launch before left": ("H35", 2, "", group(WRITE + ARRIVE.replace("\n", " //!\n"), WAIT + READ.replace("//!", ""))),
    "an arrival of nobody": ("BAD_ARGUMENT", 1, "", group(WRITE + "barrier.Arrive(1); //!\n" + ARRIVE, WAIT + READ.replace("//!", ""))),
    "a workspace that is too small": ("GM_OUT_OF_BOUNDS", 1, "", BARRIER.replace("\n", " //!\n").replace("1, 3", "1, 4")),
    "a workspace between lines": ("BAD_ARGUMENT", 1, "", BARRIER.replace("\n", " //!\n").replace("2048", "2080")),
    "a group of nobody": ("BAD_ARGUMENT", 1, "", BARRIER.replace("\n", " //!\n").replace("1, 3", "0, 3")),
}


def pool_program(body: str) -> str:
    """A finding in what the macro wrote is at the macro's line."""
    kernel = POOL_KERNEL % body
    return PROGRAM % (kernel if "//!" in body else kernel.replace("CALC, 4);", "CALC, 4); //!"))


def barrier_program(launches: int, clear: str, body: str) -> str:
    return (BARRIER_PROGRAM % body).replace("LAUNCHES", str(launches)).replace("CLEAR", clear)


if __name__ == "__main__":
    sys.exit(tap.run([finds(name, finding, pool_program(body)) for name, (finding, body) in POOLS.items()]
                     + [finds(name, finding, barrier_program(*case)) for name, (finding, *case) in BARRIERS.items()]))
