"""cache_compile: compiled methods in files."""
import glob
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import begin, close, end, raises, SK, test, TESTS, warned  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402


class Cached(torch.nn.Module):
    """A module with two cached methods. Classes inside functions cannot be cached."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 1)
        self.cached_prompt = torch.npu.npugraph_ex.inference.cache_compile(self.prompt, options=SK)
        self.cached_decode = torch.npu.npugraph_ex.inference.cache_compile(self.decode, dynamic=False)

    def forward(self, x, kv, is_prompt):
        return self.cached_prompt(x, kv) if is_prompt else self.cached_decode(x, kv)

    def both(self, x, kv):
        begin("a")
        y = self.linear(x["data"]) + self.linear(kv[0])
        end("a")
        return y

    def prompt(self, x, kv):
        return self.both(x, kv)

    def decode(self, x, kv):
        return self.both(x, kv)


@test
def methods_are_cached_in_files():
    inference = torch.npu.npugraph_ex.inference
    x, kv = {"data": torch.randn(2, 2).npu()}, [torch.randn(2, 2).npu()]
    traced = []
    for _ in range(2):  # the second model starts from the files
        model = Cached().npu()
        torch._dynamo.reset()
        with torch.no_grad():
            for is_prompt in (True, False, True):
                assert close(model(x, kv, is_prompt), model.both(x, kv))
        traced.append([type(one.compiled._artifacts.compiled_fn.compiled).__name__
                       for one in (model.cached_prompt, model.cached_decode)])
    assert "NoneType" not in traced[0] and traced[1] == ["NoneType"] * 2, traced
    [prompt] = glob.glob(".torchair_cache/Cached_dynamic_aclgraphcache_*/prompt/compiled_module")
    [decode] = glob.glob(".torchair_cache/Cached_static_aclgraphcache_*/decode/compiled_module")
    assert os.stat(prompt).st_mode & 0o777 == 0o600
    text = inference.readable_cache(prompt, print_output=False, file="prompt.py")
    assert "super_kernel_scope_begin('a')" in text and Path("prompt.py").read_text(encoding="utf-8") == text
    os.chmod(decode, 0o644)
    raises(PermissionError, lambda: inference.readable_cache(decode), "600")
    raises(ValueError, lambda: inference.readable_cache("nothing"), "does not exist")


@test
def a_cached_method_called_otherwise_is_compiled_again():
    x, kv = {"data": torch.randn(2, 2).npu()}, [torch.randn(2, 2).npu()]
    model = Cached().npu()
    with torch.no_grad():
        model(x, kv, False)
        wider = {"data": torch.randn(3, 2).npu()}, [torch.randn(3, 2).npu()]
        with warned("decode", "compiled again"):
            assert close(model(*wider, False), model.both(*wider))


@test
def a_class_inside_a_function_is_compiled_without_a_file():
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1)
            self.cached = torch.npu.npugraph_ex.inference.cache_compile(self.run)

        def run(self, x):
            return self.linear(x)
    model = Inner().npu()
    with warned("not cached", "Inner"), torch.no_grad():
        for rows in (2, 3):
            x = torch.randn(rows, 2).npu()
            assert close(model.cached(x), model.run(x))
    assert not glob.glob(".torchair_cache/*")


@test
def cache_compile_checks_its_arguments():
    cache_compile = torch.npu.npugraph_ex.inference.cache_compile
    raises(TypeError, lambda: cache_compile(torch.nn.Linear(2, 2)), "method or a function")
    raises(TypeError, lambda: cache_compile(close, option={}), "Did you mean 'options'?")
    raises(ValueError, lambda: cache_compile(close, options={"clone": 1}), "Invalid option 'clone'")


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
