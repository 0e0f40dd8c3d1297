"""torch.npu.make_graphed_callables: misuse first, then values, gradients, modules, several callables."""
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402
import torch_npu  # noqa: E402
from frontend import raised  # noqa: E402

make = torch.npu.make_graphed_callables


def leaf(*shape):
    return torch.randn(*shape).npu().requires_grad_()


def near(one, other):
    torch.testing.assert_close(one.cpu(), other.cpu(), rtol=1e-4, atol=1e-5)


# ---- misuse --------------------------------------------------------------------------------------

def wrong_arguments_are_named():
    x = torch.ones(3).npu()
    assert "2 callables, but sample_args for 1" in raised(ValueError, make, (torch.relu, torch.relu), ((x,),))
    assert "argument 1 of <lambda> is of type int; legal: npu tensors" in raised(TypeError, make, lambda a: a, (x, 3))
    assert "argument 0 of relu is on cpu; move it with .npu()" in raised(RuntimeError, make, torch.relu, (torch.ones(3),))
    with torch.autocast("npu", dtype=torch.bfloat16):
        assert "autocast caching" in raised(RuntimeError, make, torch.relu, (x,))


def modules_that_cannot_be_captured_are_told():
    hooked = torch.nn.Linear(3, 3).npu()
    hooked.register_forward_hook(lambda *_: None)
    assert "Linear has hooks (_forward_hooks)" in raised(RuntimeError, make, hooked, (leaf(2, 3),))
    buffered = torch.nn.Linear(3, 3).npu()
    buffered.register_buffer("table", leaf(3))
    assert "buffer table of Linear requires a gradient" in raised(RuntimeError, make, buffered, (leaf(2, 3),))


def calls_that_do_not_fit_are_told():
    function = make(lambda a, b: a + b["x"], (leaf(2, 3), {"x": leaf(2, 3)}))
    text = raised(RuntimeError, function, leaf(1, 3), {"x": leaf(2, 3)})
    assert "argument 0 is float32 [1, 3] on npu; the captured one is float32 [2, 3] on npu" in text, text
    text = raised(RuntimeError, function, leaf(2, 3), {"x": leaf(2, 3).half()})
    assert "argument 1 is float16 [2, 3] on npu; the captured one is float32" in text, text
    assert "not arranged as those of the capture" in raised(RuntimeError, function, leaf(2, 3), leaf(2, 3))


def unused_inputs_are_an_error_unless_allowed():
    def half(a, b):
        return a * 2
    assert "allow_unused=True" in raised(RuntimeError, make, half, (leaf(3), leaf(3)))
    function, a, b = make(half, (leaf(3), leaf(3)), allow_unused_input=True), leaf(3), leaf(3)
    function(a, b).sum().backward()
    assert b.grad is None and a.grad.tolist() == [2.0] * 3


def operators_without_a_derivative_end_the_gradient():
    function = make(lambda x: torch_npu.npu_dynamic_quant(x), (leaf(2, 8).half().detach().requires_grad_(),))
    y, scale = function(leaf(2, 8).half())
    assert not y.requires_grad and not scale.requires_grad
    assert "does not require grad" in raised(RuntimeError, scale.sum().backward)


# ---- values and gradients ------------------------------------------------------------------------

def arguments_are_read_at_each_call():
    function = make(lambda a, b: (a * b).sum(), (torch.zeros(3).npu(), torch.zeros(3).npu()))
    for value in (2.0, 5.0):
        assert function(torch.ones(3).npu(), torch.full((3,), value).npu()).item() == 3 * value


def gradients_are_those_of_the_function():
    def function(x, w, c):
        h = torch.relu(x @ w)
        return {"out": h * c, "mean": h.mean()}
    graphed = make(function, (leaf(5, 8), leaf(8, 4), torch.zeros(4).npu()))
    for _ in range(2):
        x, w, c = leaf(5, 8), leaf(8, 4), torch.randn(4).npu()
        hx, hw = (one.detach().cpu().requires_grad_() for one in (x, w))
        got, want = graphed(x, w, c), function(hx, hw, c.cpu())
        near(got["out"], want["out"]), near(got["mean"], want["mean"])
        for result in (got, want):
            (result["out"].square().sum() + 3 * result["mean"]).backward()
        near(x.grad, hx.grad), near(w.grad, hw.grad)


def gradients_accumulate_over_calls():
    graphed, x = make(lambda x: x * x, (leaf(4),)), leaf(4)
    for _ in range(3):
        graphed(x).sum().backward()
    near(x.grad, 6 * x.detach())


def modules_train_as_without():
    torch.manual_seed(3)
    plain = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    model = copy.deepcopy(plain).npu()
    assert make(model, (leaf(5, 6),)) is model
    optimisers = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (plain, model)]
    for _ in range(3):
        x, target = torch.randn(5, 6), torch.randn(5, 2)
        for one, optimiser, device in zip((plain, model), optimisers, ("cpu", "npu")):
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(one(x.to(device).requires_grad_()), target.to(device)).backward()
            optimiser.step()
    for one, other in zip(plain.parameters(), model.parameters()):
        near(other, one)


def another_mode_runs_the_module_itself():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5)).npu()
    plain = copy.deepcopy(model).eval()
    make(model.eval(), (leaf(2, 3),))
    x = leaf(4, 3)  # another shape than the captured one
    model.train()
    assert model(x).shape == (4, 3)
    model.eval()
    assert "argument 0" in raised(RuntimeError, model, x)
    near(model(x[:2].detach().requires_grad_()), plain(x[:2]))


def several_callables_share_a_pool():
    pool = torch.npu.graph_pool_handle()
    one, two = make((lambda x: x * 2, torch.nn.Linear(3, 3).npu()), ((leaf(4, 3),), (leaf(4, 3),)), pool=pool)
    x = leaf(4, 3)
    two(one(x)).sum().backward()
    near(x.grad, 2 * two.weight.detach().sum(0).expand(4, 3))


def without_grad_only_forward_is_captured():
    layer = torch.nn.Linear(3, 3).npu()
    plain = copy.deepcopy(layer)
    with torch.no_grad():
        graphed = make(layer, (torch.zeros(2, 3).npu(),))
    x = torch.randn(2, 3).npu()
    near(graphed(x), plain(x))
    assert not graphed(x).requires_grad


SCRIPT = """
import torch, torch_npu
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).npu()
torch.npu.make_graphed_callables(model, (torch.randn(5, 6).npu().requires_grad_(),))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(4):
    optimiser.zero_grad()
    x = torch.ones(5, 6).npu().requires_grad_()
    loss = model(x).square().mean()
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
print(losses == sorted(losses, reverse=True) and losses[0] > losses[-1])
"""


def a_training_script_is_clean():
    """Replays of forward and backward read nothing that nobody wrote, and nothing unordered."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "script.py").write_text(SCRIPT, encoding="utf-8")
        done = subprocess.run([frontend.BUILD / "skv", "run", "--json", "report.json", "script.py"], cwd=folder, capture_output=True, text=True,
                              timeout=280, check=False)
        assert done.returncode == 0 and done.stdout.startswith("True\n"), done.stdout + done.stderr
        report = json.loads(Path(folder, "report.json").read_text(encoding="utf-8"))
    assert report["findings"] == [] and report["verdict"] == "clean", report["findings"]


if __name__ == "__main__":
    sys.exit(tap.run([wrong_arguments_are_named, modules_that_cannot_be_captured_are_told, calls_that_do_not_fit_are_told,
                      unused_inputs_are_an_error_unless_allowed, operators_without_a_derivative_end_the_gradient, arguments_are_read_at_each_call,
                      gradients_are_those_of_the_function, gradients_accumulate_over_calls, modules_train_as_without,
                      another_mode_runs_the_module_itself, several_callables_share_a_pool, without_grad_only_forward_is_captured,
                      a_training_script_is_clean]))
