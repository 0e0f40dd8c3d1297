"""Functions of the high-level API on many shapes against numpy in double, from the arrays that programs record.

An array FUNCTION.CASE.NAME belongs to a case of a function; the function of that name here takes a case and gives pairs
(is, should). A result that is half may differ by its rounding.
"""
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP numpy is not installed")
    sys.exit(0)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(sys.argv[1]).resolve()
EPSILON, ALPHA = float(np.float32(1e-3)), 0.75


def eps(case) -> float:
    """Epsilon as the case's element type has it."""
    return float(np.float16(1e-3)) if case.type == "f2" else EPSILON


def rows(case, name, data=True):
    """A matrix, without what pads its rows."""
    count, columns, pitch = case.shape[:3]
    matrix = getattr(case, name).reshape(count, pitch)
    return matrix[:, :columns] if data else matrix


def weights(case, name):
    return getattr(case, name)[: case.shape[1]]


def column(values):
    return np.asarray(values).reshape(-1, 1)


def moments(x, axis=1):
    return x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)


def layer_norm(c, x=None):
    x = rows(c, "x") if x is None else x
    mean, variance = moments(x)
    y = (x - mean) / np.sqrt(variance + eps(c)) * weights(c, "gamma") + weights(c, "beta")
    return [(rows(c, "y"), y), (c.mean, mean), (c.variance, variance)]


def deep_norm(c):
    return layer_norm(c, ALPHA * rows(c, "x") + rows(c, "gx"))


def rms_norm(c):
    x = rows(c, "x")
    return [(rows(c, "y"), x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps(c)) * weights(c, "gamma"))]


def layer_norm_separate(c):
    x = rows(c, "x")
    mean, variance = moments(x)
    rstd = 1 / np.sqrt(variance + EPSILON)
    scaled = (x - mean) * rstd * weights(c, "gamma")
    return [(rows(c, "y"), scaled + weights(c, "beta")), (rows(c, "without_beta"), scaled), (c.mean, mean), (c.rstd, rstd), (c.variance, variance)]


def normalize(c):
    rstd = 1 / np.sqrt(column(c.variance) + EPSILON)
    plain = (rows(c, "x") - column(c.mean)) * rstd
    return [(rows(c, "y"), plain * weights(c, "gamma") + weights(c, "beta")), (rows(c, "without_gamma"), plain + weights(c, "beta")), (c.rstd, rstd)]


def batch_norm(c):
    x = c.x.reshape(tuple(c.shape))
    mean, variance = moments(x, 0)
    y = (x - mean) / np.sqrt(variance + eps(c)) * column(c.gamma) + column(c.beta)
    return [(c.y, y), (c.mean, mean), (c.variance, variance)]


def group_norm(c):
    n, channels, groups, hw, pitch = c.shape
    x = c.x.reshape(n, channels, pitch)[:, :, :hw]
    grouped = x.reshape(n * groups, -1)
    mean, variance = moments(grouped)
    y = ((grouped - mean) / np.sqrt(variance + eps(c))).reshape(n, channels, hw) * c.gamma.reshape(1, -1, 1) + c.beta.reshape(1, -1, 1)
    return [(c.y.reshape(n, channels, pitch)[:, :, :hw], y), (c.mean, mean), (c.variance, variance)]


def layer_norm_grad(c):
    """By the chain rule from y = (x - mean) * rstd * gamma with mean and variance taken as functions of x."""
    x, weighted, rstd = rows(c, "x") - column(c.mean), rows(c, "dy") * weights(c, "gamma"), 1 / np.sqrt(column(c.variance) + eps(c))
    h = x.shape[1]
    by_variance = (-0.5 * weighted * x * rstd**3).sum(axis=1, keepdims=True)
    by_mean = (-weighted * rstd).sum(axis=1, keepdims=True) + by_variance * (-2 * x).sum(axis=1, keepdims=True) / h
    return [(rows(c, "dx"), weighted * rstd + by_variance * 2 * x / h + by_mean / h), (rows(c, "for_gamma"), x * rstd)]


def layer_norm_grad_beta(c):
    dy = rows(c, "dy")
    return [(weights(c, "d_gamma"), (dy * rows(c, "for_gamma")).sum(axis=0)), (weights(c, "d_beta"), dy.sum(axis=0))]


def per_row(case, name):
    """A value per row; the block of 32 bytes is filled with it."""
    blocks = getattr(case, name).reshape(case.shape[0], -1)
    assert (blocks == blocks[:, :1]).all(), f"{name}: a block holds different values"
    return blocks[:, :1]


def softmax_parts(x):
    most = x.max(axis=1, keepdims=True)
    e = np.exp(x - most)
    return e, e.sum(axis=1, keepdims=True), most


def softmax(c):
    e, total, most = softmax_parts(rows(c, "x"))
    pairs = [(rows(c, "y"), e / total), (per_row(c, "sum"), total), (per_row(c, "max"), most)]
    if c.number % 3 != 2:  # LogSoftMax has no form without temporary memory
        pairs.append((rows(c, "log"), np.log10(e / total)))
    return pairs


def softmax_given(c):
    return [(rows(c, "y"), np.exp(rows(c, "x") - per_row(c, "max")) / per_row(c, "sum"))]


def softmax_grad_front(c):
    return [(per_row(c, "dx"), (rows(c, "dy") * rows(c, "y")).sum(axis=1, keepdims=True))]


def softmax_grad(c):
    dy, y = rows(c, "dy"), rows(c, "y")
    return [(rows(c, "dx"), (dy - (dy * y).sum(axis=1, keepdims=True)) * y)]


def flash_steps(c):
    """Maximum, sum and factor after both steps, and the second step's powers."""
    x, after = rows(c, "x"), rows(c, "next")
    _, before_sum, before = softmax_parts(x)
    most = np.maximum(before, after.max(axis=1, keepdims=True))
    factor, e = np.exp(before - most), np.exp(after - most)
    return e, factor, before_sum, factor * before_sum + e.sum(axis=1, keepdims=True), most


def softmax_flash(c):
    e, factor, before_sum, total, most = flash_steps(c)
    return [(rows(c, "y"), e / total), (per_row(c, "sum"), total), (per_row(c, "max"), most), (per_row(c, "scale"), factor * before_sum / total)]


def softmax_flash2(c):
    e, factor, _, total, most = flash_steps(c)
    return [(rows(c, "y"), e), (per_row(c, "sum"), total), (per_row(c, "max"), most), (per_row(c, "scale"), factor)]


def nz_rows(case, name):
    """A matrix that stands 16 columns after 16 columns, without the rows and columns that pad it."""
    count, columns, all_rows, all_columns = (int(v) for v in case.shape)
    return getattr(case, name).reshape(all_columns // 16, all_rows, 16).transpose(1, 0, 2).reshape(all_rows, all_columns)[:count, :columns]


def nz_softmax(c):
    e, total, most = softmax_parts(nz_rows(c, "x"))
    y, dy = e / total, nz_rows(c, "dy")
    front = (dy * y).sum(axis=1, keepdims=True)
    return [(nz_rows(c, "y"), y), (per_row(c, "sum"), total), (per_row(c, "max"), most), (nz_rows(c, "again"), y), (nz_rows(c, "dx"), (dy - front) * y), (per_row(c, "front"), front)]


def nz_flash2(c):
    _, before_sum, before = softmax_parts(nz_rows(c, "x"))
    after = nz_rows(c, "next")
    most = np.maximum(before, after.max(axis=1, keepdims=True))
    factor, e = np.exp(before - most), np.exp(after - most)
    return [(nz_rows(c, "y"), e), (per_row(c, "sum"), factor * before_sum + e.sum(axis=1, keepdims=True)), (per_row(c, "max"), most), (per_row(c, "scale"), factor)]


def nz_log(c):
    e, total, most = softmax_parts(nz_rows(c, "x"))
    return [(nz_rows(c, "log"), np.log10(e / total)), (per_row(c, "sum"), total), (per_row(c, "max"), most)]


def nz_adjust(c):
    x = nz_rows(c, "x")
    return [(nz_rows(c, "y"), np.where(per_row(c, "least") == -2, 7, x)), (nz_rows(c, "same"), x), (c.found, np.ones(8))]


def softmax_flash3(c):
    slope, parts = 0.9375 / (1 - 0.9375), 8

    def shifted(x):
        """Rows less the distance of their parts' means, and the mean of all."""
        width = x.shape[1] // parts
        lanes = x[:, 512:].reshape(len(x), -1, parts, 8).sum(axis=(1, 3))
        local = (x[:, :512].reshape(len(x), parts, 64).sum(axis=2) + lanes) / width
        centre = local.mean(axis=1, keepdims=True)
        return x - np.repeat((centre - local) * slope, width, axis=1), centre

    x, mean = shifted(rows(c, "x"))
    first, total, most = softmax_parts(x)
    after, centre = shifted(rows(c, "next"))
    fresh = (centre + mean) / 2
    now, then = (centre - fresh) * slope, (mean - fresh) * slope
    top = np.maximum(after.max(axis=1, keepdims=True) + now, most + then)
    y, factor = np.exp(after - (top - now)), np.exp(most - top + then)
    return [(rows(c, "first"), first), (rows(c, "y"), y), (per_row(c, "mean"), fresh), (per_row(c, "max"), top),
            (per_row(c, "sum"), factor * total + y.sum(axis=1, keepdims=True)), (per_row(c, "scale"), factor)]


UNTOUCHED = {"f4": float(np.frombuffer(b"\x5b" * 4, np.float32)[0]), "f2": float(np.frombuffer(b"\x5b" * 2, np.float16)[0])}


def pad(c):
    count, width, original, left, right, pitch = (int(v) for v in c.shape)
    y = np.full((count, pitch), UNTOUCHED[c.type])
    kept = original if width == pitch else width
    y[:, :left] = y[:, left + kept : left + kept + right] = -321
    y[:, left : left + kept] = c.x.reshape(count, width)[:, :kept]
    return [(c.y, y)]


def unpad(c):
    count, width, right = c.shape
    return [(c.y, c.x.reshape(count, width)[:, : width - right])]


def padded(array, axis, unit=16):
    """Zeros up to a multiple."""
    extra = -array.shape[axis] % unit
    return np.pad(array, [(0, extra if i == axis else 0) for i in range(array.ndim)])


def in_blocks(x):
    """NCDHW as NDC1HWC0."""
    n, c, d, h, w = x.shape
    return padded(x, 1).reshape(n, -1, 16, d, h, w).transpose(0, 3, 1, 4, 5, 2)


def in_fractals(x):
    """NCDHW as FRACTAL_Z_3D."""
    n, c, d, h, w = x.shape
    return padded(padded(x, 1), 0).reshape(-(-n // 16), 16, -(-c // 16), 16, d, h, w).transpose(4, 2, 5, 6, 0, 1, 3)


def planes(c, name):
    n, channels, d, h, w = c.shape
    return getattr(c, name).reshape(n, channels, d, -1)[..., : h * w].reshape(n, channels, d, h, w)


def to_blocks(c):
    return [(c.y, in_blocks(planes(c, "x")))]


def to_fractals(c):
    return [(c.y, in_fractals(planes(c, "x")))]


def from_either(c, there):
    """The elements are numbered, the numbers sent there: so each finds its place back."""
    shape = [int(v) for v in c.shape]
    order = there(np.arange(1, np.prod(shape) + 1).reshape(shape)).reshape(-1)
    plain = np.zeros(np.prod(shape) + 1)
    plain[order] = c.x
    return [(planes(c, "y"), plain[1:])]


def from_blocks(c):
    return from_either(c, in_blocks)


def from_fractals(c):
    return from_either(c, in_fractals)


def channels_last(c):
    n, channels, h, w = c.shape
    return [(c.y, c.x.reshape(n, channels, h, w).transpose(0, 2, 3, 1))]


def channels_first(c):
    n, channels, h, w = c.shape
    return [(c.y, c.x.reshape(n, h, w, channels).transpose(0, 3, 1, 2))]


def nz(matrices, rows_up=True):
    """Matrices [..., S, H] in fractals of 16 x 16, column after column of them."""
    m = padded(matrices, matrices.ndim - 1)
    m = padded(m, m.ndim - 2) if rows_up else m
    *outer, s, h = m.shape
    return np.swapaxes(m.reshape(*outer, s, h // 16, 16), -3, -2)


def transpose(c):
    kind, b, n, s, part = (int(v) for v in c.shape)
    if kind == 7:
        return [(c.y, c.x.reshape(s, part).T)]
    split, joined = (b, n, s, part), (b, s, n * part)
    order = np.arange(1, b * n * s * part + 1)
    source = nz(order.reshape(joined if kind in (3, 4) else split)).reshape(-1)
    plain = np.zeros(order.size + 1)
    plain[source] = c.x
    values = plain[1:].reshape(joined if kind in (3, 4) else split)
    heads = values.reshape(b, s, n, part).transpose(0, 2, 1, 3) if kind in (3, 4) else values  # B, N, S, H / N
    whole = heads.transpose(0, 2, 1, 3)  # B, S, N, H / N
    whole_up = padded(whole, 1)
    return [(c.y, {1: lambda: padded(whole_up, 3), 2: lambda: nz(whole_up, rows_up=False), 3: lambda: nz(heads),
                   4: lambda: padded(padded(heads, 2), 3), 5: lambda: padded(padded(whole.reshape(b, s, -1), 1), 2),
                   6: lambda: nz(whole.reshape(b, s, -1))}[kind]())]


def powers(c):
    return [(c.both, c.x**c.y), (c.exponent, c.x**1.5), (c.base, 2.0**c.y)]


def gates(c):
    gelu = c.y / (1 + np.exp(-1.595769121 * (c.y + 0.044715 * c.y**3)))
    return [(c.geglu, c.x * gelu), (c.reglu, c.x * np.maximum(c.y, 0)), (c.swiglu, c.x * c.y / (1 + np.exp(-1.5 * c.y))), (c.fmod, np.fmod(c.x, c.y))]


def clamps(c):
    return [(c.most, np.minimum(c.x, 0.5)), (c.least, np.maximum(c.x, -0.25))]


def axpy(c):
    return [(c.y, 1 + 2.5 * c.x)]


def means(c):
    return [(c.y, c.x.reshape(4, 64)[:, : c.shape[0]].mean(axis=1))]


def choose(c):
    n, pitch = c.shape
    mask, x = c.mask.reshape(4, pitch)[:, :n] != 0, c.x.reshape(4, n)
    return [(c.y, np.where(mask, -9, x)), (c.z, np.where(mask, x, 7))]


def running_sum(c):
    x = c.x.reshape(4, -1)
    along, down = x.cumsum(axis=1), x.cumsum(axis=0)
    return [(c.y, along), (c.last, along[:, -1]), (c.z, down), (c.below, down[-1])]


def quantise(c):
    """The arithmetic is half's: numpy's own, which rounds each result."""
    def by(scale, offset):
        return np.clip(np.rint(c.x.astype(np.float16) * scale + offset), -128, 127)

    period = np.arange(c.x.size) % 32
    return [(c.q, by(np.float16(1.7), np.float16(0.9))), (c.all, by(np.float16(-0.6), np.float16(2))), (c.by, by(c.scale.astype(np.float16)[period], c.offset.astype(np.float16)[period]))]


def same(values, should):
    """Bit for bit."""
    return np.asarray(values) == np.asarray(should), np.ones(np.asarray(should).shape)


def bf16(values):
    """Rounded to the nearest, from float."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def quantise_by(c):
    period = np.arange(c.x.size) % 32
    scaled = c.x.astype(np.float16) * c.scale.astype(np.float16)[period]
    both = np.clip(np.rint(scaled + c.offset.astype(np.float16)[period]), -128, 127)
    return [(c.both, both), (c.scales, np.clip(np.rint(scaled + np.float16(1.5)), -128, 127)), (c.fixed, both[:64])]


def dequantise(c):
    def pair(result, scale, size, rounded):
        m, n, count, one_row = (int(v) for v in c.shape)
        if one_row and m == 1 and count % (32 // size) == 0 and n % count == 0:
            m, n = n // count, count
        pitch = -(-n * size // 32) * 32 // size
        is_ = np.asarray(result)[: m * pitch].reshape(m, pitch)[:, :count]
        return same(is_, rounded(c.x.reshape(m, n)[:, :count].astype(np.float32) * np.asarray(scale, dtype=np.float32)[..., :count]))

    def plain(values):
        return values

    one = np.full(c.scale.size, 0.375)
    return [pair(c.as_half, c.scale, 2, np.float16), pair(c.as_float, c.scale, 4, plain), pair(c.by_short, from_bf16(c.short), 4, plain),
            pair(c.by_one, one, 4, plain), pair(c.as_short, from_bf16(c.short), 2, bf16)]


def dequantise_flat(c):
    product = (c.x.reshape(4, -1).astype(np.float32) * c.scale.astype(np.float32)).reshape(-1)
    return [same(c.all, product), same(c.part, product[: int(c.shape[1])])]


def anti_quantise_4(c):
    k, n, is_half = (int(v) for v in c.shape)
    nibbles = np.stack([c.weights & 15, c.weights >> 4], axis=1).reshape(-1).astype(np.int32)
    w = np.where(nibbles > 7, nibbles - 16, nibbles)
    scale, offset = (bits.view(np.float16).astype(np.float64) if is_half else from_bf16(bits).astype(np.float64) for bits in (c.scale_bits, c.offset_bits))

    def by(matrix, factor, add):
        added = matrix + add
        return (added.astype(np.float16) * np.asarray(factor, dtype=np.float16)) if is_half else bf16(added * factor)

    return [same(c.all, by(w.reshape(k, n), scale, offset).reshape(-1)), same(c.turned, by(w.reshape(n, k), column(scale), 0).reshape(-1)),
            same(c.one, by(w, 0.5, 0))]


def add_deq_relu(c):
    x, y, lanes = c.x.reshape(4, 64).astype(np.float64), c.y.reshape(4, 64).astype(np.float64), int(c.shape[0])

    def where(mask, b, pitch=64):
        result = np.full((4, pitch), UNTOUCHED["f2"])
        result[:, :64][:, mask] = np.maximum((x + b) * 0.375, 0).astype(np.float16)[:, mask]
        return result.reshape(-1)

    lane = np.arange(64)
    return [same(c.all, where(lane >= 0, y)), same(c.odd, where(lane % 2 == 1, y)), same(c.first, where(lane < lanes, y[0], 128)),
            same(c.as_set, where(lane < lanes - 1, y))]


def welford(c):
    count, length, computed, head = (int(v) for v in c.shape)
    x, mean, variance = (v.reshape(count, length) for v in (c.x, c.mean, c.variance))
    new_mean = mean + (x - mean) / 4
    new_variance = variance + (x - mean) * (x - new_mean)
    inside = np.arange(length) < computed

    def joined(counts, total):
        centre = (mean[0] * counts).sum() / total
        return centre, ((variance[0] + (mean[0] - centre) ** 2 * counts).sum()) / total

    tail = np.where(np.arange(length) < head, 4, 3)
    ends = [joined(tail, tail.sum()), joined(np.full(length, 4), 4 * length), joined(c.counts, tail.sum())]
    left, results = np.full((count, length), UNTOUCHED["f4"]), np.full((2, 3, 8), UNTOUCHED["f4"])
    results[:, :, 0] = np.transpose(ends)
    return [(c.new_mean, np.where(inside, new_mean, left)), (c.new_variance, np.where(inside, new_variance, left)),
            (c.all_mean, np.where(inside, new_mean, mean)), (c.all_variance, np.where(inside, new_variance, variance)),
            (c.centre, results[0]), (c.spread, results[1])]


def filled(c):
    return [(c.y, np.full(int(c.shape[0]), min(max(int(c.shape[0]), 3), 5)))]


PROGRAMS = {
    "high_forms": [powers, gates, clamps, axpy, means, choose, running_sum, quantise, welford, filled],
    "high_layout": [pad, unpad, to_blocks, from_blocks, to_fractals, from_fractals, channels_last, channels_first, transpose],
    "high_norms": [layer_norm, rms_norm, deep_norm, layer_norm_separate, normalize, batch_norm, group_norm, layer_norm_grad, layer_norm_grad_beta],
    "high_quant": [quantise_by, dequantise, dequantise_flat, anti_quantise_4, add_deq_relu],
    "high_softmax": [softmax, softmax_given, softmax_grad_front, softmax_grad, softmax_flash, softmax_flash2, softmax_flash3],
    "high_softmax_nz": [nz_softmax, nz_flash2, nz_log, nz_adjust],
}


def cases_of(folder: Path) -> dict[str, list[SimpleNamespace]]:
    """What a program recorded: cases by function."""
    found: dict[str, dict[str, SimpleNamespace]] = defaultdict(dict)
    for path in folder.iterdir():
        function, number, name, kind = path.name.split(".")
        case = found[function].setdefault(number, SimpleNamespace(number=int(number), type="f4"))
        values = np.fromfile(path, dtype=np.dtype(kind))
        setattr(case, name, values.astype(np.float64) if values.dtype.kind == "f" else values)
        if kind == "f2":
            case.type = "f2"
    return {function: list(cases.values()) for function, cases in found.items()}


def run(program: str) -> dict[str, list[SimpleNamespace]]:
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run([BUILD / "skv", "run", "--quiet", BUILD / "tests/examples" / program], capture_output=True, text=True, timeout=240,
                              check=False, env={**os.environ, "EXAMPLE_RECORD": scratch})
        assert done.returncode == 0, done.stdout + done.stderr
        return cases_of(Path(scratch))


def agrees(program: str, golden):
    """All cases of a function."""
    def test():
        if program not in RECORDED:
            RECORDED[program] = run(program)
        mine = RECORDED[program].get(golden.__name__, [])
        assert len(mine) >= 4, f"{len(mine)} cases"
        for case in mine:
            bound = 2e-3 if case.type == "f2" else 2e-6
            for position, (values, should) in enumerate(golden(case)):
                values, should = np.asarray(values, dtype=np.float64).reshape(-1), np.asarray(should, dtype=np.float64).reshape(-1)
                assert values.shape == should.shape, f"case {case.number}, result {position}: {values.shape} is not {should.shape}"
                bad = np.flatnonzero(~(np.abs(values - should) <= bound * (1 + np.abs(should))))
                assert bad.size == 0, (f"case {case.number} {list(case.shape)}, result {position}: {bad.size} of {values.size} wrong, "
                                       f"element {bad[0]}: {values[bad[0]]} is not {should[bad[0]]}")

    test.__name__ = f"{golden.__name__} gives what numpy gives"
    return test


RECORDED: dict = {}

if __name__ == "__main__":
    sys.exit(tap.run([agrees(program, golden) for program, goldens in PROGRAMS.items() for golden in goldens]))
