"""Kernels that place a queue's buffers themselves, and that copy a TPipe: what goes wrong is found, its repaired twin is silent."""
import sys

from test_misuse import PROGRAM, finds, tap

PLACE_KERNEL = """
__global__ __vector__ void k(GM_ADDR x) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in, other;
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  %s
}
"""
USE = ("{ LocalTensor<float> t = %s.AllocTensor<float>();\n DataCopy(t, gm, N);\n %s.EnQue(t);\n t = %s.DeQue<float>();\n"
       "Adds(t, t, 1.0f, N);\n %s.FreeTensor(t); }\n")
FIRST, SECOND = USE.replace("%s", "in"), USE.replace("%s", "other").replace("DataCopy(t, gm, N);", "DataCopy(t, gm, N); //!")
SAME = "pipe.InitBuffer(in, Std::make_tuple(4096, 1024));\n pipe.InitBuffer(other, Std::make_tuple(4096u, 1024u));\n"

# name: (finding or None, body); "//!" marks the line the finding names.
PLACES = {
    "two buffers at addresses of one's own": (None, "pipe.InitBuffer(in, Std::make_tuple(0, 1024), Std::make_tuple(2048, 1024));\n"
                                              + FIRST + FIRST + "LocalTensor<float> t = in.AllocTensor<float>();\n"
                                              "if (reinterpret_cast<uint64_t>(t.GetPhyAddr()) % 4096 != 0) Trap();\n in.FreeTensor(t);\n"),
    "a buffer that ends beyond the memory": ("LOCAL_OUT_OF_BOUNDS", "pipe.InitBuffer(in, Std::make_tuple(192 * 1024 - 512, 1024)); //!\n"),
    "an address between blocks": ("BAD_ARGUMENT", "pipe.InitBuffer(in, Std::make_tuple(16, 1024)); //!\n"),
    "nine buffers at addresses of one's own": ("BAD_ARGUMENT", "auto p = Std::make_tuple(0, 1024);\n pipe.InitBuffer(in, p, p, p, p, p, p, p, p, p); //!\n"),
    "a place that two queues have": ("SYNC_LOCAL", SAME + FIRST + SECOND),
    "a place that two queues have in turns": (None, SAME + FIRST + "PipeBarrier<PIPE_ALL>();\n" + SECOND.replace("//!", "")),
    "a use after it was given back": ("QUEUE_USE_AFTER_FREE", "pipe.InitBuffer(in, Std::make_tuple(4096, 1024));\n" + FIRST.replace("in.FreeTensor(t);", "in.FreeTensor(t);\n Adds(t, t, 1.0f, N); //!\n")),
}

COPY_KERNEL = """
class Op {
public:
  __aicore__ inline void Init(GM_ADDR x) {
    pipe.InitBuffer(in, 1, N * 4);
    gm.SetGlobalBuffer((__gm__ float *)x, 2 * N);
  }
  __aicore__ inline void Process() {
    LocalTensor<float> t = in.AllocTensor<float>(); //!
    DataCopy(t, gm, N);
    in.EnQue(t);
    t = in.DeQue<float>();
    Adds(t, t, 1.0f, N);
    in.FreeTensor(t);
  }
private:
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  GlobalTensor<float> gm;
};
__global__ __vector__ void k(GM_ADDR x) {
  %s
}
"""
GONE = "Op b = [&]() { Op a; a.Init(x); return Op(a); }();\n"
COPIES = {
    "a copy made before the buffers": (None, "Op a;\n Op b = a;\n b.Init(x);\n b.Process();\n"),
    "a copy that uses the buffers of the other": (None, "Op a;\n a.Init(x);\n Op b(a);\n b.Process();\n"),
    "a copy whose buffers are gone": ("QUEUE_STATE", GONE + "b.Process();\n"),
    "a copy that makes buffers of its own": (None, GONE + "b.Init(x);\n b.Process();\n"),
    "an object made where it stays": (None, "Op b = Op();\n b.Init(x);\n b.Process();\n"),
}
POINTER_KERNEL = """
__global__ __vector__ void k(GM_ADDR x) {
  TPipe pipe = [&]() { TPipe a; return TPipe(a); }();
  %s
}
"""
POINTERS = {
    "the TPipe that the framework knew": ("QUEUE_STATE", "TBuf<> b;\n GetTPipePtr()->InitBuffer(b, 64); //!\n"),
    "the kernel's own": (None, "TBuf<> b;\n pipe.InitBuffer(b, 64);\n"),
}
# On cube cores each TPipe waits at its end for the three events that the first one set.
CUBE_KERNEL = "__global__ __cube__ void k(GM_ADDR x) {\n (void)x;\n %s} //!\n"
CUBES = {
    "a copy on a cube core": ("FLAG_UNPAIRED", "TPipe a;\n TPipe b = a;\n"),
    "one TPipe on a cube core": (None, "TPipe a;\n TPipe &b = a;\n (void)b;\n"),
}


KERNELS = ((PLACE_KERNEL, PLACES), (COPY_KERNEL, COPIES), (POINTER_KERNEL, POINTERS), (CUBE_KERNEL, CUBES))

if __name__ == "__main__":
    sys.exit(tap.run([finds(name, finding, PROGRAM % (kernel % body))
                      for kernel, cases in KERNELS for name, (finding, body) in cases.items()]))
