"""What the tests of backend="npugraph_ex" share: models compiled in folders of their own, their errors, warnings and launches."""
import contextlib
import functools
import inspect
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402, F401  (makes the modules visible)
import torch  # noqa: E402
import torch_npu  # noqa: E402
from torch._dynamo.exc import BackendCompilerFailed  # noqa: E402

begin, end = torch.npu.super_kernel_scope_begin, torch.npu.super_kernel_scope_end
SK = {"super_kernel_optimize": True}
TESTS = []


def test(function):
    """Each test starts without compiled code, in an empty folder of its own."""
    @functools.wraps(function)
    def run():
        torch._dynamo.reset()
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with torch._dynamo.config.patch(debug_dir_root=os.path.join(folder, "torch_compile_debug")):
                    function()
            finally:
                os.chdir(before)
    TESTS.append(run)
    return run


def compiled(function, options=None, **kwargs):
    kwargs.setdefault("dynamic", False)
    return torch.compile(function, backend="npugraph_ex", options=options, **kwargs)


def rejected(function, *inputs, options=None, kind=RuntimeError, words=()):
    """The first call fails in the backend with an exception of that type and these words in its text."""
    try:
        compiled(function, options)(*inputs)
    except BackendCompilerFailed as error:
        assert type(error.inner_exception) is kind, repr(error.inner_exception)
        for word in words:
            assert word in str(error.inner_exception), str(error.inner_exception)
            assert word in str(error), str(error)
        return
    raise AssertionError("compiled")


def raises(kind, function, *words):
    try:
        function()
    except kind as error:
        for word in words:
            assert word in str(error), f"{word!r} is not in: {error}"
        return
    raise AssertionError(f"no {kind.__name__}")


@contextlib.contextmanager
def warned(*words):
    """The block gives a warning with these words."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    texts = [str(one.message) for one in seen]
    assert any(all(word in text for word in words) for text in texts), texts


def line_of(function, text):
    """'FILE:LINE' of the line of a function that holds the text."""
    lines, first = inspect.getsourcelines(function)
    return f"{os.path.basename(inspect.getsourcefile(function))}:{first + next(i for i, line in enumerate(lines) if text in line)}"


def close(one, other, tolerance=1e-3):
    return torch.allclose(one.cpu().float(), other.cpu().float(), rtol=tolerance, atol=tolerance)


def x44(dtype=torch.float32):
    return torch.randn(4, 4, dtype=dtype).npu()


def dumped(run):
    """The graphs that run() captures, as JSON after optimising; `launches` of each: (name, blocks, scopes or None)."""
    graphs, original = [], torch.npu.NPUGraph.replay

    def replay(self):
        if not getattr(self, "seen", False):
            self.seen = True
            self.debug_dump("dumped.json")
            graphs.append(json.loads(Path("dumped.json").read_text(encoding="utf-8")))
        return original(self)
    torch.npu.NPUGraph.replay = replay
    try:
        run()
    finally:
        torch.npu.NPUGraph.replay = original
    return graphs


def launches(graph):
    """Kind, and the scope of a SuperKernel, of each launch left in a graph, in order."""
    nodes = [node for stream in graph["streams"] for node in stream["nodes"] if not node["isScopeNode"]]
    return [(node["taskInfo"][0]["taskType"], (node.get("skinfos") or {}).get("scopeName")) for node in nodes
            if node["taskInfo"][0]["taskType"] in ("kernel", "SuperKernel")]


def operators(function, *inputs, options=None, **more):
    """Results of the first call, and the operators of the graph that runs, by name."""
    from torch_npu.npugraph_ex import backend
    graphs, original = [], backend.CompiledGraph

    def watch(gm, *rest):
        graphs.append([str(node.target) for node in gm.graph.nodes if node.op == "call_function"])
        return original(gm, *rest)
    backend.CompiledGraph = watch
    try:
        results = compiled(function, options, **more)(*inputs)
    finally:
        backend.CompiledGraph = original
    return results, graphs[0]


def gating(x, smooth, name="sp"):
    """Two operators in a scope, a third outside."""
    begin(name)
    w, experts, _ = torch_npu.npu_moe_gating_top_k_softmax(x, k=8)
    q, scale = torch_npu.npu_dynamic_quant(w, smooth_scales=smooth)
    end(name)
    return q, scale, experts, torch_npu.npu_dynamic_quant(x)[0]


def gating_inputs():
    return torch.randn(5, 64, dtype=torch.float16).npu(), torch.rand(8, dtype=torch.float16).npu()
