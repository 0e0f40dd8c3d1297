"""The numpy sides: the same arithmetic as the kernels, written plainly. Protocol as in contender.h.

    numpy_side.py seed        864 x 2048, k 1024: both operators, rows split over two pinned processes
    numpy_side.py sort ROWS   softmax and argsort, row by row, one thread
"""
import multiprocessing
import os
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402  (after its thread settings)

ROWS, EXPERTS, K = 864, 2048, 1024


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gating(x, first_row):
    weights = softmax(x)
    experts = np.argsort(-weights, axis=-1, kind="stable")[:, :K].astype(np.int32)
    rows = (first_row + np.arange(len(x), dtype=np.int32))[:, None] + np.arange(K, dtype=np.int32) * ROWS
    return np.take_along_axis(weights, experts, axis=-1), experts, rows


def quantise(y, smooth):
    scaled = y * smooth
    scale = np.abs(scaled).max(axis=-1, keepdims=True) / np.float32(127)
    return np.rint(scaled / scale).astype(np.int8), scale


def half(connection, cpu, x, first_row, smooth):
    os.sched_setaffinity(0, {cpu})
    while connection.recv():
        y, _, _ = gating(x, first_row)
        quantise(y, smooth)
        connection.send(True)


def serve(work):
    for _ in sys.stdin:
        wall, cpu = time.monotonic(), time.process_time()
        work()
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        print(f"{wall:.9f} {cpu:.9f}", flush=True)


def seed():
    random = np.random.default_rng(1)
    x = random.standard_normal((ROWS, EXPERTS), dtype=np.float32)
    smooth = random.standard_normal(K, dtype=np.float32)
    cpus = sorted(os.sched_getaffinity(0))
    ends, processes = [], []
    for i in range(2):
        near, far = multiprocessing.Pipe()
        rows = slice(i * ROWS // 2, (i + 1) * ROWS // 2)
        process = multiprocessing.Process(target=half, args=(far, cpus[i % len(cpus)], x[rows], rows.start, smooth), daemon=True)
        process.start()
        ends.append(near)
        processes.append(process)

    def work():
        for end in ends:
            end.send(True)
        for end in ends:
            end.recv()

    serve(work)
    for end in ends:
        end.send(False)
    for process in processes:
        process.join()


def sort(rows):
    x = (np.random.default_rng(1).random((rows, EXPERTS), dtype=np.float32) - np.float32(0.5)) * np.float32(6)

    def work():
        for row in x:
            np.argsort(-softmax(row), kind="stable")

    serve(work)


if __name__ == "__main__":
    if sys.argv[1] == "seed":
        seed()
    else:
        sort(int(sys.argv[2]))
