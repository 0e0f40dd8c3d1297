"""Private storage formats: misuse first, then bytes on the device, views, writes, operators, graphs."""
import ctypes
import io
import json
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import numpy as np  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
from frontend import raised  # noqa: E402

Format, cast, format_of = torch_npu.Format, torch_npu.npu_format_cast, torch_npu.get_npu_format
SEED = 7


def stored(tensor) -> np.ndarray:
    """The bytes of the tensor's storage, as they lie in device memory."""
    torch.npu.synchronize()
    held = tensor.untyped_storage()
    return np.frombuffer(ctypes.string_at(held.data_ptr(), held.nbytes()), dtype=np.uint8)


def fractal(logical: torch.Tensor, c0: int) -> np.ndarray:
    """FRACTAL_NZ of a tensor on the CPU, by numpy alone: [.., M, N] to [.., N/c0, M/16, 16, c0] with zeros as padding."""
    width = logical.element_size()
    raw = logical.contiguous().view(torch.uint8).numpy().reshape(*logical.shape, width)
    *batch, rows, columns = logical.shape
    down, across = -(-rows // 16), -(-columns // c0)
    padded = np.zeros((*batch, down * 16, across * c0, width), np.uint8)
    padded[..., :rows, :columns, :] = raw
    blocks = padded.reshape(*batch, down, 16, across, c0, width)
    axis = len(batch)
    return np.moveaxis(blocks, axis + 2, axis).reshape(-1)


def numbers(shape, dtype):
    torch.manual_seed(SEED)
    return (torch.randn(shape) * 40).to(dtype)


def captured(call):
    """What was launched in the call, and its result after a replay."""
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        result = call()
    graph.replay()
    return frontend.launches(graph), result


# ---- misuse --------------------------------------------------------------------------------------

def numbers_that_are_no_format_are_told():
    x = numbers((32, 32), torch.float16).npu()
    assert "acl_format 7 is no format; legal: 0 NCHW" in raised(ValueError, cast, x, 7)
    assert "acl_format -1 is no format" in raised(ValueError, cast, x, -1)


def formats_that_are_not_simulated_are_refused_by_name():
    x = numbers((32, 32), torch.float16).npu()
    for number, name in ((3, "NC1HWC0"), (4, "FRACTAL_Z"), (33, "FRACTAL_Z_3D")):
        text = raised(NotImplementedError, cast, x, number)
        assert f"acl_format {number} ({name}) is not simulated; legal: 0 NCHW" in text, text
        assert text in raised(NotImplementedError, torch_npu.npu_format_cast_, x, number)
    assert "comes by customize_dtype" in raised(NotImplementedError, cast, x, 51)
    assert "input_dtype is not simulated" in raised(NotImplementedError, lambda: cast(x, 29, input_dtype=1))
    assert "customize_dtype 290" in raised(NotImplementedError, lambda: cast(x, 29, customize_dtype=290))
    assert "npu_format_cast: an argument is Double" in raised(RuntimeError, cast, x.double(), 29)
    assert "TransData: self is int64; legal: float32" in raised(RuntimeError, cast, x.long(), 29)


def the_switch_is_there_and_changes_nothing():
    assert torch.npu.config.allow_internal_format is False
    assert "has no 'allow_internal_formats'; legal: allow_internal_format" in raised(AttributeError, setattr, torch.npu.config, "allow_internal_formats", True)
    assert "is a bool, got int" in raised(TypeError, setattr, torch.npu.config, "allow_internal_format", 1)
    for value in (True, False):
        torch.npu.config.allow_internal_format = value
        assert format_of(cast(numbers((32, 32), torch.float16).npu(), 29)) is Format.FRACTAL_NZ


def casts_between_private_formats_are_refused():
    x = numbers((32, 32), torch.int32).npu()
    narrow = cast(x, 29, customize_dtype=torch.int32)
    assert "unsupported cast from NZ_C0_8 to FRACTAL_NZ" in raised(RuntimeError, cast, narrow, 29)
    assert "unsupported cast from FRACTAL_NZ to NZ_C0_8" in raised(RuntimeError, cast, cast(x, 29), narrow)
    assert "with customize_dtype" in raised(RuntimeError, lambda: cast(cast(x, 29), 29, customize_dtype=torch.int32))


def views_that_are_not_contiguous_are_not_cast():
    nz = cast(numbers((32, 48), torch.float16).npu(), 29)
    for number in (2, 29):
        assert "not contiguous; call .contiguous() first" in raised(RuntimeError, cast, nz.t(), number)


def a_private_tensor_keeps_its_shape():
    nz = cast(numbers((32, 48), torch.float16).npu(), 29)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own, about results that are resized
        text = raised(RuntimeError, lambda: torch.add(torch.ones(2, 2).half().npu(), 1, out=nz))
    assert "resize_: a tensor in FRACTAL_NZ keeps its shape [32, 48]; given [2, 2]" in text, text
    text = raised(RuntimeError, lambda: nz.untyped_storage().resize_(1 << 16))
    assert "resize_: a storage in FRACTAL_NZ keeps its size 3072; given 65536" in text, text
    text = raised(RuntimeError, lambda: nz.resize_(64, 48))
    assert "resize_: a tensor in FRACTAL_NZ keeps its shape [32, 48]" in text, text


# ---- bytes ---------------------------------------------------------------------------------------

CASES = [((3, 5), torch.float16, 16), ((16, 16), torch.bfloat16, 16), ((17, 33), torch.int8, 32), ((1, 1), torch.uint8, 32),
         ((130, 70), torch.float32, 16), ((2, 3, 20, 40), torch.int32, 16), ((64, 100), torch.int16, 16), ((40, 64), torch.bool, 32)]


def bytes_are_those_of_the_layout():
    for shape, dtype, c0 in CASES:
        x = numbers(shape, dtype)
        nz = cast(x.npu(), 29)
        assert format_of(nz) is Format.FRACTAL_NZ and nz.shape == x.shape and nz.stride() == x.stride() and nz.dtype == dtype
        assert np.array_equal(stored(nz), fractal(x, c0)), (shape, dtype)
        assert torch_npu.get_storage_size(nz) == fractal(x, c0).size // x.element_size()


def the_way_back_is_exact():
    for shape, dtype, _ in CASES:
        x = numbers(shape, dtype)
        back = cast(cast(x.npu(), 29), 2)
        assert format_of(back) is Format.ND and np.array_equal(stored(back), x.contiguous().view(torch.uint8).numpy().reshape(-1))


def customize_dtype_chooses_the_columns():
    for dtype, other, c0, name in ((torch.int32, torch.int32, 8, "NZ_C0_8"), (torch.int32, torch.float16, 16, "FRACTAL_NZ"),
                                   (torch.float16, torch.int8, 32, "NZ_C0_32"), (torch.int8, torch.int8, 32, "FRACTAL_NZ")):
        x = numbers((33, 50), dtype)
        nz = cast(x.npu(), 29, customize_dtype=other)
        assert str(format_of(nz)) == name and np.array_equal(stored(nz), fractal(x, c0)), (dtype, other)
        assert torch.equal(nz.cpu(), x) and torch.equal(cast(nz, 2).cpu(), x)
        like = cast((x.npu() * 2).to(dtype), nz)
        assert np.array_equal(stored(like), fractal(x * 2, c0)) and format_of(like) is format_of(nz)
        nz.copy_(x * 2)
        assert np.array_equal(stored(nz), fractal(x * 2, c0))


def the_same_format_is_the_same_tensor():
    x = numbers((32, 32), torch.float16).npu()
    nz = cast(x, 29)
    assert cast(nz, 29).data_ptr() == nz.data_ptr() and cast(x, 2).data_ptr() == x.data_ptr()
    assert cast(nz, nz).data_ptr() == nz.data_ptr()


def base_formats_only_differ_by_name():
    x = numbers((2, 3, 4, 5), torch.float32)
    d = x.npu()
    assert format_of(d) is Format.NCHW and format_of(d[0]) is Format.NCHW and format_of(d[0].clone()) is Format.ND
    assert format_of(torch.ones(1, 1, 1, 1, 1, device="npu")) is Format.NCDHW and format_of(x) is Format.ND
    same = cast(d, 1)
    assert same.data_ptr() == d.data_ptr() and format_of(d) is Format.NHWC and torch.equal(d.cpu(), x)
    assert format_of(cast(cast(d, 29), 0)) is Format.NCHW


def what_is_no_matrix_stays_row_major():
    for x in (torch.tensor(3.0).half(), torch.arange(5).half()):
        assert format_of(cast(x.npu(), 29)) is Format.ND and torch.equal(cast(x.npu(), 29).cpu(), x)


def rows_that_are_not_contiguous_are_cast_as_they_read():
    x = numbers((48, 32), torch.float16)
    assert np.array_equal(stored(cast(x.npu().t(), 29)), fractal(x.t(), 16))
    assert np.array_equal(stored(cast(x.npu()[::2, 1:9], 29)), fractal(x[::2, 1:9], 16))


# ---- reading -------------------------------------------------------------------------------------

def the_cpu_sees_values():
    x = numbers((20, 36), torch.bfloat16)
    nz = cast(x.npu(), 29)
    assert torch.equal(nz.cpu(), x) and nz[3, 4].item() == x[3, 4].item() and str(nz.cpu()) in str(nz).replace(", device='npu:0'", "")
    assert nz.tolist() == x.tolist() and torch.equal(nz.float().cpu(), x.float())


def views_read_values():
    x = numbers((2, 20, 36), torch.int8)
    nz = cast(x.npu(), 29)
    for view in (lambda t: t.transpose(1, 2), lambda t: t[1], lambda t: t[:, 3:7, 5], lambda t: t.view(-1), lambda t: t.reshape(40, 36),
                 lambda t: t.unsqueeze(0), lambda t: t.expand(3, 2, 20, 36), lambda t: t.view(torch.uint8), lambda t: t.flatten(1)[:, ::7],
                 lambda t: torch.as_strided(t, (4, 5), (36, 2), 11), lambda t: t.unfold(2, 4, 3), lambda t: t.diagonal(0, 1, 2)):
        got, want = view(nz), view(x)
        assert torch.equal(got.cpu(), want) and torch.equal(got.contiguous().cpu(), want) and torch.equal((got + 1).cpu(), want + 1)


def operators_that_do_not_know_it_give_row_major_results():
    x = numbers((20, 36), torch.float16)
    nz = cast(x.npu(), 29)
    for call in (lambda t: t + t, lambda t: t * 2, lambda t: torch.relu(t), lambda t: t.clone(), lambda t: torch.cat([t, t]), lambda t: t.to(torch.float32),
                 lambda t: torch.sort(t).values, lambda t: torch.isinf(t), lambda t: t.sum(0), lambda t: torch.where(t > 0, t, 0 * t), torch.empty_like(x).copy_):
        got = call(nz)
        assert torch.equal(got.cpu(), call(x)) and format_of(got) is Format.ND
    y, scale = torch_npu.npu_dynamic_quant(nz, smooth_scales=cast(torch.ones(1, 36).half().npu(), 29)[0])
    want, want_scale = torch_npu.npu_dynamic_quant(x.npu(), smooth_scales=torch.ones(36).half().npu())
    assert torch.equal(y.cpu(), want.cpu()) and torch.equal(scale.cpu(), want_scale.cpu())


def copies_and_files_hold_values():
    import copy
    x = numbers((20, 36), torch.float16)
    nz = cast(x.npu(), 29)
    assert torch.equal(copy.deepcopy(nz).cpu(), x) and torch.equal(nz.clone().cpu(), x)
    file = io.BytesIO()
    torch.save(nz, file)
    file.seek(0)
    assert torch.equal(torch.load(file, map_location="cpu"), x)
    file.seek(0)
    assert torch.equal(torch.load(file).cpu(), x)
    held = torch.ByteTensor(nz.untyped_storage().cpu()).numpy()
    assert np.array_equal(held[:x.nbytes], x.view(torch.uint8).numpy().reshape(-1)) and not held[x.nbytes:].any()


# ---- writing -------------------------------------------------------------------------------------

def writes_end_up_in_the_layout():
    x = numbers((20, 36), torch.float16)
    for write in (lambda t: t.add_(1), lambda t: t.mul_(t), lambda t: t.sub_(2.0), lambda t: t.zero_(), lambda t: t.fill_(3), lambda t: t.relu_(),
                  lambda t: t[3].fill_(7), lambda t: t[:, 2:9].zero_(), lambda t: t.t()[5].add_(1), lambda t: t.copy_(torch.ones(36)),
                  lambda t: t.view(-1)[5:50].copy_(torch.arange(45)), lambda t: t.masked_fill_(t > 0, -1), lambda t: torch._foreach_add_([t, t[0]], 1),
                  lambda t: torch.mul(t, 2, out=t), lambda t: t.index_fill_(0, torch.tensor([1, 2], device=t.device), 9)):
        nz, want = cast(x.npu(), 29), x.clone()
        before = nz.data_ptr()
        write(nz), write(want)
        assert format_of(nz) is Format.FRACTAL_NZ and nz.data_ptr() == before
        assert torch.equal(nz.cpu(), want) and np.array_equal(stored(nz), fractal(want, 16))


def writes_give_back_the_tensor_itself():
    nz = cast(numbers((20, 36), torch.float16).npu(), 29)
    assert nz.relu_() is nz and nz[2].fill_(1).data_ptr() == nz[2].data_ptr()


def the_cast_in_place_changes_the_storage_of_one_tensor():
    x = numbers((20, 36), torch.float16)
    d = x.npu()
    view = d[0]
    assert torch_npu.npu_format_cast_(d, 29) is d and format_of(d) is Format.FRACTAL_NZ and format_of(view) is Format.ND
    assert np.array_equal(stored(d), fractal(x, 16)) and torch.equal(view.cpu(), x[0])
    assert torch_npu.npu_format_cast_(d, 2) is d and np.array_equal(stored(d), x.view(torch.uint8).numpy().reshape(-1))


def parameters_take_it():
    layer = torch.nn.Linear(36, 20, bias=False).half().npu()
    weight = layer.weight.detach().cpu()
    layer.weight.data = cast(layer.weight.data, 29)
    x = numbers((4, 36), torch.float16)
    want = (x.double() / 40) @ weight.double().t()
    with torch.no_grad():
        torch.testing.assert_close(layer(x.npu() / 40).double().cpu(), want, rtol=1e-2, atol=1e-2)
    assert format_of(layer.weight) is Format.FRACTAL_NZ and torch.equal(layer.state_dict()["weight"].cpu(), weight)


def random_view(generator, tensors):
    """The same view of each tensor: transposed, sliced, picked, reshaped, a few times over."""
    for _ in range(generator.randint(0, 3)):
        first = tensors[0]
        if first.dim() == 0:
            break
        axis, kind = generator.randrange(first.dim()), generator.randrange(5)
        if kind == 0:
            other = generator.randrange(first.dim())
            tensors = [one.transpose(axis, other) for one in tensors]
        elif kind == 1 and first.size(axis) > 1:
            begin = generator.randrange(first.size(axis) - 1)
            step = generator.randint(1, 3)
            tensors = [one[(slice(None),) * axis + (slice(begin, None, step),)] for one in tensors]
        elif kind == 2:
            place = generator.randrange(first.size(axis))
            tensors = [one.select(axis, place) for one in tensors]
        elif kind == 3:
            tensors = [one.unsqueeze(axis) for one in tensors]
        elif first.is_contiguous():
            tensors = [one.view(-1) for one in tensors]
    return tensors


def random_views_are_read_and_written():
    generator = random.Random(SEED)
    print(f"# seed {SEED}")
    for number in range(60):
        dtype, c0 = generator.choice([(torch.float16, 16), (torch.bfloat16, 16), (torch.int8, 32), (torch.int32, 16), (torch.float32, 16)])
        shape = [generator.randint(1, 3) for _ in range(generator.randint(0, 2))] + [generator.randint(1, 70) for _ in range(2)]
        x = torch.randint(-40, 40, shape, generator=torch.Generator().manual_seed(number)).to(dtype)
        nz = cast(x.npu(), 29)
        there, here = random_view(generator, [nz, x])
        why = f"seed {SEED}, case {number}: {dtype} {shape}, view {list(here.shape)} {here.stride()} {here.storage_offset()}"
        assert torch.equal(there.cpu(), here) and torch.equal((there + there).cpu(), here + here), why
        write = generator.choice([lambda t: t.add_(1), lambda t: t.fill_(3), lambda t: t.mul_(2), lambda t: t.copy_(t.clone() - 1), lambda t: t.neg_(), lambda t: t.zero_()])
        write(there), write(here)
        assert np.array_equal(stored(nz), fractal(x, c0)) and torch.equal(there.cpu(), here), why


# ---- matrices ------------------------------------------------------------------------------------

def products_read_it_as_it_is():
    torch.manual_seed(SEED)
    a, b = torch.randn(5, 70).half(), torch.randn(70, 33).half()
    nz, nz_t = cast(b.npu(), 29), cast(b.t().contiguous().npu(), 29)
    plain = (a.npu() @ b.npu()).cpu()
    batch, many = torch.randn(3, 5, 70).half(), torch.randn(3, 70, 33).half()
    weights = cast(many.npu(), 29)
    whole = torch.randint(-128, 128, (20, 64), dtype=torch.int8), torch.randint(-128, 128, (64, 40), dtype=torch.int8)
    whole_nz = cast(whole[1].npu(), 29)
    left, lefts, whole_left = a.npu(), batch.npu(), whole[0].npu()
    bias = torch.randn(33).half()
    bias_there = bias.npu()
    wide, wide_nz = left.float(), cast(b.float().npu(), 29)
    for call, want, kernels in (
            (lambda: wide @ wide_nz, (wide @ b.float().npu()).cpu(), ["format_cast", "matmul"]),  # the cube reads narrower types only
            (lambda: left @ nz, plain, ["matmul"]), (lambda: left @ nz_t.t(), plain, ["matmul"]),
            (lambda: torch.bmm(lefts, weights), torch.bmm(lefts, many.npu()).cpu(), ["matmul"]),
            (lambda: lefts[1] @ weights[1], (lefts[1] @ many[1].npu()).cpu(), ["matmul"]),
            (lambda: torch._int_mm(whole_left, whole_nz), whole[0].int() @ whole[1].int(), ["matmul"]),
            (lambda: torch.addmm(bias_there, left, nz), plain + bias, ["matmul", "binary_elementwise"])):
        launched, got = captured(call)
        assert launched == kernels and torch.equal(got.cpu(), want), launched


def nothing_is_cast_for_what_knows_it():
    torch.manual_seed(SEED)
    x1, x2 = torch.randint(-128, 128, (24, 64), dtype=torch.int8), torch.randint(-128, 128, (64, 48), dtype=torch.int8)
    scale, token = (torch.rand(48) * 1e-3), torch.rand(24)
    d1, d2, ds, dt = x1.npu(), x2.npu(), scale.npu(), token.npu()
    nz, nz_t = cast(d2, 29), cast(x2.t().contiguous().npu(), 29)

    def product(weight):
        return torch_npu.npu_quant_matmul(d1, weight, ds, pertoken_scale=dt, output_dtype=torch.bfloat16)
    want = product(d2).cpu()
    for weight in (nz, nz_t.t()):
        kernels, got = captured(lambda: product(weight))
        assert kernels == ["quant_matmul_mix"], kernels
        assert torch.equal(got.cpu(), want)
    kernels, got = captured(lambda: torch_npu.npu_quant_matmul(d1, nz[:, :32], ds[:32], pertoken_scale=dt, output_dtype=torch.bfloat16))
    assert "format_cast" in kernels and torch.equal(got.cpu(), want[:, :32])


def the_weight_is_read_in_its_layout():
    # Not by way of values: what stands in the padded storage is what the kernel sees.
    x1, x2 = torch.ones(16, 32, dtype=torch.int8).npu(), cast(torch.zeros(32, 40, dtype=torch.int8).npu(), 29)
    torch.npu.synchronize()
    ctypes.memset(x2.data_ptr() + 3 * 32 + 5, 1, 1)  # row 3 of the first fractal, column 5
    ctypes.memset(x2.data_ptr() + 32 * 32 + 2 * 32 + 1, 2, 1)  # second column of fractals: row 2, column 33
    got = torch_npu.npu_quant_matmul(x1, x2, torch.ones(40).npu(), output_dtype=torch.int32).cpu()
    want = torch.zeros(16, 40, dtype=torch.int32)
    want[:, 5], want[:, 33] = 1, 2
    assert torch.equal(got, want), got


# ---- graphs --------------------------------------------------------------------------------------

def captured_casts_follow_their_inputs():
    x = numbers((20, 36), torch.float16).npu()
    nz = cast(x, 29)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        made = cast(x, 29)
        relu = torch.relu(nz)     # on the host, from an image that is made at each replay
        nz.add_(1)
        back = cast(made, 2)
    for _ in range(2):
        x.copy_(numbers((20, 36), torch.float16) * torch.rand(1).half())
        before = nz.cpu()
        graph.replay()
        assert np.array_equal(stored(made), fractal(x.cpu(), 16)) and torch.equal(back.cpu(), x.cpu())
        assert torch.equal(relu.cpu(), torch.relu(before)) and np.array_equal(stored(nz), fractal(before + 1, 16))


def compiled_models_take_and_make_it():
    x, w = numbers((20, 32), torch.float16) / 40, numbers((32, 48), torch.float16) / 40
    nz = cast(w.npu(), 29)

    def model(x, weight):
        torch.npu.super_kernel_scope_begin("sp")
        inside = cast(weight.t().contiguous(), 29)
        out = x @ weight, x @ inside.t(), cast(inside, 2)
        torch.npu.super_kernel_scope_end("sp")
        return out
    want = (x.npu() @ w.npu()).cpu()
    for options in ({}, {"super_kernel_optimize": True}):
        torch._dynamo.reset()
        compiled = torch.compile(model, backend="npugraph_ex", dynamic=False, options=options)
        for weight in (nz, w.npu(), nz):
            one, two, three = compiled(x.npu(), weight)
            assert torch.equal(one.cpu(), want) and torch.equal(two.cpu(), want) and torch.equal(three.cpu(), w.t())


def verified_like_everything_else():
    import superkernel
    x, w = numbers((20, 32), torch.float16) / 40, cast(numbers((32, 48), torch.float16).npu(), 29)
    result = superkernel.verify(lambda x, w: torch_npu.npu_dynamic_quant(cast(cast(x, 29), 2) @ w), x, w, modes="unfused,fused,no-flush")
    assert result.check().modes["fused"]["superkernels"] == 1


SCRIPT = """
import sys
import torch, torch_npu, torchair

def model(x1, weight, turned, scale, token):
    inside = torch_npu.npu_format_cast(turned, 29)
    one = torch_npu.npu_quant_matmul(x1, weight, scale, pertoken_scale=token, output_dtype=torch.bfloat16)
    two = torch_npu.npu_quant_matmul(x1, inside.t(), scale, pertoken_scale=token, output_dtype=torch.bfloat16)
    return *torch_npu.npu_dynamic_quant(one), two

def captured(*args):
    torch.npu.super_kernel_scope_begin("sp")
    out = model(*args)
    torch.npu.super_kernel_scope_end("sp")
    return out

def graph_mode(*args):
    with torchair.scope.super_kernel("sp"):
        return model(*args)

torch.manual_seed(5)
x1, x2 = (torch.randint(-128, 128, shape, dtype=torch.int8) for shape in ((24, 64), (64, 48)))
scale, token = torch.rand(48) * 1e-3, torch.rand(24)
given = [one.npu() for one in (x1, x2, x2.t().contiguous(), scale, token)]
want = model(*given)
given[1] = torch_npu.npu_format_cast(given[1], 29)
if sys.argv[1] == "ge":
    compiled = torch.compile(graph_mode, backend=torchair.get_npu_backend(), dynamic=False)
else:
    compiled = torch.compile(captured, backend="npugraph_ex", dynamic=False, options={"super_kernel_optimize": True})
print(all(torch.equal(one.cpu(), other.cpu()) for one, other in zip(compiled(*given), want)))
"""


def scripts_with_private_weights_are_verified():
    for mode in ("npugraph_ex", "ge"):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "script.py").write_text(SCRIPT, encoding="utf-8")
            done = subprocess.run([frontend.BUILD / "skv", "verify", "--json", "report.json", "script.py", mode], cwd=folder, capture_output=True,
                                  text=True, timeout=280, check=False)
            assert done.returncode == 0 and done.stdout.startswith("True\n"), done.stdout + done.stderr
            report = json.loads(Path(folder, "report.json").read_text(encoding="utf-8"))
        listing = "\n".join(plan["listing"] for plan in report["plans"])
        first, last = ("format_cast", "dynamic_quant") if mode == "npugraph_ex" else ("Identity", "DynamicQuant")
        assert f"sp_start_{first}_end_{last}" in listing and " 4 tasks" in listing and "not_simulated" not in report, listing


if __name__ == "__main__":
    sys.exit(tap.run([
        numbers_that_are_no_format_are_told, formats_that_are_not_simulated_are_refused_by_name,
        the_switch_is_there_and_changes_nothing, casts_between_private_formats_are_refused,
        views_that_are_not_contiguous_are_not_cast, a_private_tensor_keeps_its_shape, bytes_are_those_of_the_layout, the_way_back_is_exact,
        customize_dtype_chooses_the_columns, the_same_format_is_the_same_tensor, base_formats_only_differ_by_name,
        what_is_no_matrix_stays_row_major, rows_that_are_not_contiguous_are_cast_as_they_read, the_cpu_sees_values, views_read_values,
        operators_that_do_not_know_it_give_row_major_results, copies_and_files_hold_values, writes_end_up_in_the_layout,
        writes_give_back_the_tensor_itself, the_cast_in_place_changes_the_storage_of_one_tensor, parameters_take_it, random_views_are_read_and_written,
        products_read_it_as_it_is, nothing_is_cast_for_what_knows_it, the_weight_is_read_in_its_layout, captured_casts_follow_their_inputs,
        compiled_models_take_and_make_it, scripts_with_private_weights_are_verified, verified_like_everything_else]))
