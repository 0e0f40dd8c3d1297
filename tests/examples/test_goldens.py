"""Each C++ example's results against a computation of its own from the same inputs, in numpy and in double.

An example leaves its arrays in files (examples/host.hpp, Record); nothing here looks at its source or at the code
under test. A function per example returns pairs (is, should, bound): |is - should| <= bound * (1 + |should|).
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP numpy is not installed")
    sys.exit(0)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(sys.argv[1]).resolve()
NAMES = sys.argv[2:]


class Arrays:
    """What an example recorded, integers as they are, floats in double."""

    def __init__(self, folder: Path):
        for path in folder.iterdir():
            values = np.fromfile(path, dtype=np.dtype(path.suffix[1:]))
            setattr(self, path.stem, values.astype(np.float64) if values.dtype.kind == "f" else values)


def rows(values, columns):
    return values.reshape(-1, columns)


def half(values):
    return values.astype(np.float16).astype(np.float64)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def matmul_api(d):
    c = rows(d.a, 300) @ rows(d.b, 640) + d.bias
    return [(d.c, np.where(c > 0, c, c / 8), 1e-4)]


def batch_matmul(d):
    q, k = d.q.reshape(4, 40, 2, 3, 64), d.k.reshape(4, 72, 2, 64)
    return [(d.scores, np.einsum("bingd,bjnd->bngij", q, k).reshape(-1), 1e-4)]


def matmul_leakyrelu(d):
    c = rows(d.a, 64) @ rows(d.b, 64)
    return [(d.y, np.where(c > 0, c, c / 8), 1e-4)]


def gather(d):
    x, found = rows(d.x, d.x.size // 20), d.count.reshape(20, 16)[:, 0]
    positive = rows(d.positive, x.shape[1])
    pairs = [(d.reversed, x[:, ::-1], 0), (d.even, x[:, ::2], 0), (found, (x > 0).sum(axis=1), 0)]
    return pairs + [(positive[i, : found[i]], x[i][x[i] > 0], 0) for i in range(20)]


def histogram(d):
    return [(d.sum, 7 + rows(d.x, d.sum.size).astype(np.int64).sum(axis=0), 0)]


def reduce(d):
    result = rows(d.result, d.result.size // 200)
    x = rows(d.x, d.x.size // 200)
    return [(result[:, 0], x.sum(axis=1), 1e-4), (result[:, 1], x.max(axis=1), 0), (result[:, 2], x.argmax(axis=1), 0)]


def ordered(x):
    """Positions of each row in descending order, the first of equals first."""
    return np.argsort(-x, axis=1, kind="stable")


def topk(d):
    x = rows(d.x, 1024)
    first = ordered(x)[:, :16]
    return [(d.value, np.take_along_axis(x, first, 1), 0), (d.position, first, 0)]


def sort(d):
    x = rows(d.x, 512)
    return [(d.y, np.take_along_axis(x, ordered(x), 1), 0), (d.position, ordered(x), 0)]


def layer_norm(d):
    x = rows(d.x, 384)
    y = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * d.gamma + d.beta
    return [(d.y, y, 1e-5)]


def quant_matmul(d):
    sums = rows(d.a, 256).astype(np.int64) @ rows(d.b, 256).astype(np.int64).T
    return [(d.c, half(sums * d.scale), 0)]


def turns(d):
    return [(d.sum, rows(d.x, 256).sum(axis=0), 1e-5)]


def ping_pong(d):
    a = d.a.reshape(-1, 32, 32)
    return [(d.power, np.linalg.matrix_power(a, 5), 5e-3)]


def early_start(d):
    return [(d.z, 2 * np.roll(rows(d.x, 512), -1, axis=0) * d.weight, 1e-6)]


def transpose(d):
    return [(d.y, rows(d.x, 128).T, 0)]


def select(d):
    x = rows(d.x, 512)
    above = x > d.limit
    return [(d.y, np.where(above, x, x / 10), 1e-7), (d.counts.reshape(-1, 16)[:, 0], above.sum(axis=1), 0)]


def tiling(d):
    return [(d.y, d.x * d.gate / (1 + np.exp(-1.5 * d.gate)), 1e-3)]


def quantise(d):
    x = rows(d.x, 128)
    q = np.clip(np.rint(x * d.scale), -128, 127)
    return [(d.q, q, 0), (d.worst[:1], np.abs(q / d.scale - x).max(), 2e-3)]


GOLDENS = {
    "add": lambda d: [(d.z, d.x + d.y, 1e-7)],
    "add_static": lambda d: [(d.z, d.x + d.y, 1e-7)],
    "batch_matmul": batch_matmul,
    "bind": lambda d: [(d.y, d.x ** 2 - 1, 1e-7)],
    "early_start": early_start,
    "gather": gather,
    "gelu": lambda d: [(d.y, d.x / (1 + np.exp(-1.702 * d.x)), 1e-3)],
    "histogram": histogram,
    "layer_norm": layer_norm,
    "matmul": lambda d: [(d.c, rows(d.a, 128) @ rows(d.b, 96), 1e-4)],
    "matmul_api": matmul_api,
    "matmul_leakyrelu": matmul_leakyrelu,
    "ping_pong": ping_pong,
    "quant_matmul": quant_matmul,
    "quantise": quantise,
    "reduce": reduce,
    "scale": lambda d: [(d.y, 1.5 * d.x - 0.25, 1e-6)],
    "select": select,
    "soft_sync": lambda d: [(d.y, d.x / np.abs(d.x).max(), 1e-6)],
    "softmax": lambda d: [(d.y, softmax(rows(d.x, 512)), 1e-6)],
    "softmax_api": lambda d: [(d.y, softmax(rows(d.x, 256)), 1e-3)],
    "sort": sort,
    "split_k": lambda d: [(d.y, rows(d.a, 1536) @ rows(d.b, 96), 1e-4)],
    "sync_all": lambda d: [(d.y, d.x / d.x.sum(), 1e-6)],
    "tiling": tiling,
    "topk": topk,
    "transpose": transpose,
    "turns": turns,
}


def agrees(path: str):
    name = Path(path).name.removeprefix("cpp_")

    def test():
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run([BUILD / "skv", "run", "--quiet", BUILD / path], capture_output=True, text=True, timeout=120,
                                  check=False, env={**os.environ, "EXAMPLE_RECORD": scratch})
            assert done.returncode == 0, done.stdout + done.stderr
            for position, (values, should, bound) in enumerate(GOLDENS[name](Arrays(Path(scratch)))):
                should = np.asarray(should, dtype=np.float64).reshape(-1)
                values = np.asarray(values, dtype=np.float64).reshape(-1)
                assert values.shape == should.shape, f"result {position}: {values.shape} is not {should.shape}"
                off = np.abs(values - should) > bound * (1 + np.abs(should))
                bad = np.flatnonzero(off | ~np.isfinite(values))
                assert bad.size == 0, f"result {position}: {bad.size} wrong, element {bad[0]}: {values[bad[0]]} is not {should[bad[0]]}"

    test.__name__ = f"cpp_{name} gives what numpy gives"
    return test


def test_every_example_is_here():
    given = {Path(path).name.removeprefix("cpp_") for path in NAMES}
    assert given == set(GOLDENS), given ^ set(GOLDENS)
    assert len(given) >= 25


if __name__ == "__main__":
    sys.exit(tap.run([agrees(path) for path in NAMES if Path(path).name.removeprefix("cpp_") in GOLDENS] + [test_every_example_is_here]))
