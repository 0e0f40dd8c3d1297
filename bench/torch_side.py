#!/usr/bin/env python3
"""torch_side.py import | call N: seconds that `import torch_npu` adds to `import torch`, or that N operator calls take
until they are queued, as wall and CPU time, on one line."""
import sys
import time
from pathlib import Path


def spent(work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)


def make_visible():
    import superkernel
    sys.path.insert(0, str(Path(superkernel.__file__).parent.parent / "shadow"))


def call(count):
    import torch
    import torch_npu
    x = torch.randn(8, 64).half().npu()
    for _ in range(40):
        for _ in range(count):
            torch_npu.npu_dynamic_quant(x)
        torch.npu.synchronize()
        spent(lambda: [torch_npu.npu_dynamic_quant(x) for _ in range(count)] and None)
        torch.npu.synchronize()


if __name__ == "__main__":
    make_visible()
    if sys.argv[1] == "import":
        import torch  # noqa: F401
        spent(lambda: __import__("torch_npu"))
    else:
        call(int(sys.argv[2]))
