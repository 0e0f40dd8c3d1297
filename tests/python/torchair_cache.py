"""torchair.inference.cache_compile in graph mode: what is not legal, the file, who takes it and who does not."""
import contextlib
import io
import os
import re
import resource
import runpy
import signal
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402, F401
import torchair  # noqa: E402
from frontend import raised  # noqa: E402
from torch_npu.npugraph_ex import cache_file  # noqa: E402
from torchair.configs.compiler_config import CompilerConfig  # noqa: E402

SCRIPT = '''
import sys, warnings
import torch, torch_npu, torchair
from torchair.configs.compiler_config import CompilerConfig

warnings.simplefilter("always")
warnings.showwarning = lambda text, *_: print("warning:", text)

def helper(x):
    return x * FACTOR

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        config = CompilerConfig()
        CONFIG
        self.weight = torch.nn.Parameter(torch.full((8,), 3.0))
        self.cached = torchair.inference.cache_compile(self.run, config=config, dynamic=False, OPTIONS)

    def run(self, x):
        with torchair.scope.super_kernel("sp"):
            return helper(x) + self.weight

with torch.no_grad():
    model = Model().npu()
    x = torch.arange(ROWS * 8.0).reshape(ROWS, 8)
    for _ in range(2):
        assert torch.equal(model.cached(x.npu()).cpu(), x * FACTOR + 3), "wrong"
print("traced" if model.cached.compiled._artifacts.compiled_fn.compiled is not None else "from the file")
'''


class Folder:
    """An empty folder with the script in variants. A fresh model in a fresh namespace stands for the next process."""

    def __init__(self):
        self.held = tempfile.TemporaryDirectory()
        self.path = Path(self.held.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.held.cleanup()

    def write(self, factor=2.0, config="pass", options="", rows=4):
        text = SCRIPT.replace("FACTOR", str(factor)).replace("CONFIG", config).replace("OPTIONS", options).replace("ROWS", str(rows))
        (self.path / "script.py").write_text(text, encoding="utf-8")

    def run(self, **variant):
        self.write(**variant)
        return self.again()

    def again(self):
        torch._dynamo.reset()
        before, out = os.getcwd(), io.StringIO()
        os.chdir(self.path)
        try:
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                runpy.run_path("script.py", run_name="__main__")
        finally:
            os.chdir(before)
        return out.getvalue().splitlines()

    def process(self, env=None):
        return frontend.run(self.path / "script.py", folder=self.path, env=env)

    def files(self):
        return sorted(path for path in self.path.rglob("*") if path.is_file() and path.name != "script.py")


class Model(torch.nn.Module):
    def run(self, x):
        return x + 1


def func_is_a_method_of_a_module():
    for func in (Model(), Model.run, frontend.script, "text".upper):
        assert "bound method" in raised(ValueError, torchair.inference.cache_compile, func)


def config_and_backend_must_agree():
    config = CompilerConfig()
    config.ge_config.oo_level = "O1"
    backend = torchair.get_npu_backend()
    assert "differ" in raised(ValueError, torchair.inference.cache_compile, Model().run, config=config, backend=backend)
    assert "get_npu_backend" in raised(TypeError, torchair.inference.cache_compile, Model().run, backend="npu")
    assert torchair.inference.cache_compile(Model().run, config=CompilerConfig(), backend=backend)


def the_second_process_takes_the_file():
    with Folder() as folder:
        folder.write()
        first = folder.process(env={"TNG_LOG_LEVEL": "1"})
        assert "Cache Model.run(x) saved to" in first.stderr, first.stderr
        assert first.returncode == 0 and first.stdout.splitlines() == ["traced"], first.stdout + first.stderr
        (file,) = folder.files()
        name = str(file.relative_to(folder.path))
        assert re.fullmatch(r"\.torchair_cache/Model_static_[0-9a-f]{32}/run/compiled_module", name), name
        assert file.stat().st_mode & 0o777 == 0o600
        written = file.stat().st_mtime_ns
        second = folder.process(env={"TNG_LOG_LEVEL": "0"})
        assert second.stdout.splitlines() == ["from the file"] and "sk_sp_start_Mul_end_Add" in second.stderr, second.stderr
        assert f"Cache Model.run(x) loaded from {file}" in second.stderr, second.stderr
        assert folder.files() == [file] and file.stat().st_mtime_ns == written


def the_directory_can_be_chosen():
    with Folder() as folder:
        folder.run(options="cache_dir='here/there', tp_rank=1, pp_rank=2")
        (file,) = folder.files()
        assert re.fullmatch(r"here/there/Model_static_[0-9a-f]{32}/tp_rank1_pp_rank2/run/compiled_module",
                            str(file.relative_to(folder.path))), file
    with Folder() as folder:
        os.environ["TORCHAIR_CACHE_HOME"] = str(folder.path / "home")
        try:
            folder.run()
        finally:
            del os.environ["TORCHAIR_CACHE_HOME"]
        (file,) = folder.files()
        assert file.relative_to(folder.path).parts[0] == "home"


def changed_code_is_compiled_anew():
    with Folder() as folder:
        assert folder.run()[-1] == "traced" and folder.run(factor=5.0)[-1] == "traced"  # in a function that the method calls
        assert len(folder.files()) == 2 and folder.run(factor=5.0)[-1] == "from the file"


def code_is_told_apart_by_what_it_does():
    """The part of a directory's name that stands for code: the same in every process, another for other code."""
    def made(text, name="f", **around):
        space = dict(around)
        exec(text, space)
        return cache_file.digest([space[name]])

    base = "def f(x):\n    return x.add(1)\n"
    assert made(base) == made("\n\n# moved\n" + base)
    others = [base.replace("add", "sub"), base.replace("1", "2"), base.replace("1", "1.0"), base.replace("x.add(1)", "(lambda y: y.add(1))(x)"),
              base.replace("(x)", "(x, y=3)"), base.replace("(x)", "(x, y=4)"), base.replace("x.add(1)", "x in {'a', 'b'}")]
    digests = [made(text) for text in [base, *others]]
    assert len(set(digests)) == len(digests)
    around = "def g(k):\n    def f(x):\n        return x + k\n    return f\nf = g({})\n"
    assert made(around.format(1)) == made(around.format(1)) != made(around.format(2))
    helped = "def h(x):\n    return x{}\ndef f(x):\n    return h(x)\n"
    assert made(helped.format("+ 1"), __name__="m") != made(helped.format("- 1"), __name__="m")
    text = "from torch_npu.npugraph_ex import cache_file\nprint(cache_file.digest([lambda x: x in {'a', 'b', 'c', 'd'}]))\n"
    with Folder() as folder:  # the order of a set of texts is another one in each process
        outs = {frontend.script(text, folder=folder.path, env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")}
    assert len(outs) == 1 and len(outs.pop()) == 65


def changed_options_are_compiled_anew():
    with Folder() as folder:
        changed = "config.experimental_config.enable_view_optimize = False"
        assert folder.run()[-1] == "traced" and folder.run(config=changed)[-1] == "traced"
        assert len(folder.files()) == 2 and folder.run(config=changed)[-1] == "from the file"


def other_shapes_are_compiled_again():
    with Folder() as folder:
        assert folder.run(rows=4)[-1] == "traced" and folder.run(rows=2)[-1] == "traced"
        assert len(folder.files()) == 1 and folder.run(rows=2)[-1] == "from the file"


def a_broken_file_is_removed_and_compiled_again():
    with Folder() as folder:
        folder.run()
        (file,) = folder.files()
        whole = file.read_bytes()
        for damaged in (whole[:len(whole) // 2], b"", b"nonsense", whole.replace(b"mul", b"nul")):
            file.write_bytes(damaged)
            lines = folder.run()
            assert lines[-1] == "traced" and "warning: cache_compile" in lines[0] and "is broken" in lines[0], lines
            assert folder.files() == [file] and folder.run() == ["from the file"]


def nothing_is_half_written():
    """The disk is full, so to speak, when the file is written: no file is left, under no name."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Folder() as folder:
        folder.write()  # before writing becomes hard
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            raised(OSError, folder.again)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, handler)
        assert folder.files() == []


def ge_cache_is_told_to_have_no_effect():
    with Folder() as folder:
        lines = folder.run(options="ge_cache=True")
        assert "warning: cache_compile: ge_cache has no effect" in lines[0], lines
        (file,) = folder.files()
        assert file.parent.parent.name.startswith("Model_static_gecache_"), file


def files_are_readable():
    with Folder() as folder:
        folder.run()
        (file,) = folder.files()
        text = torchair.inference.readable_cache(str(file), print_output=False, file=str(folder.path / "run.txt"))
        assert "Model.run(x)" in text and "scope_enter" in text and (folder.path / "run.txt").read_text() == text
        file.write_bytes(b"nonsense")
        assert "broken" in raised(ValueError, torchair.inference.readable_cache, str(file))
        file.unlink()
        assert "does not exist" in raised(ValueError, torchair.inference.readable_cache, str(file))


def inputs_with_gears_are_not_kept():
    before = os.getcwd()
    with Folder() as folder, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        os.chdir(folder.path)
        try:
            torch._dynamo.reset()
            cached = torchair.inference.cache_compile(Model().run)
            x = torch.ones(2, 8).npu()
            torchair.inference.set_dim_gears(x, {0: [2, 4]})
            assert torch.equal(cached(x).cpu(), torch.full((2, 8), 2.0))
        finally:
            os.chdir(before)
        assert any("has gears" in str(one.message) for one in seen) and folder.files() == []


if __name__ == "__main__":
    sys.exit(tap.run([
        func_is_a_method_of_a_module, config_and_backend_must_agree, the_second_process_takes_the_file,
        the_directory_can_be_chosen, changed_code_is_compiled_anew, code_is_told_apart_by_what_it_does, changed_options_are_compiled_anew,
        other_shapes_are_compiled_again, a_broken_file_is_removed_and_compiled_again, nothing_is_half_written,
        ge_cache_is_told_to_have_no_effect, files_are_readable, inputs_with_gears_are_not_kept]))
