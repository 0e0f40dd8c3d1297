"""pip install . into an environment of its own, then scripts by what was installed; then superkernel-shadow beside it.

Slow: everything is compiled once more, for the package. Nothing is fetched: torch and the build's tools are those of the
interpreter that runs the test.
"""
import importlib.util
import json
import os
import site
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SEED = ROOT / "examples" / "python" / "verify_npugraph_ex.py"
SMALL = ROOT / "examples" / "python" / "full_cores.py"
# Names of a fixed depth, so that a compiler cache knows the files again.
scratch = tempfile.TemporaryDirectory(prefix="superkernel-pip-")
ENVIRONMENT = Path(scratch.name) / "environment"
PYTHON = ENVIRONMENT / "bin" / "python"
# What torch loads is all of the device here.
PLAIN = 'import sys, torch; print(torch.ones(2).npu().device, "torch_npu" in sys.modules)'


def run(*words, code=0, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SUPERKERNEL", "SKV_", "PYTHONPATH"))}
    environment["PATH"] = os.pathsep.join([str(PYTHON.parent), str(Path(sys.executable).parent), environment["PATH"]])
    environment.update(more.pop("env", {}))
    done = subprocess.run([str(word) for word in words], cwd=scratch.name, env=environment, capture_output=True, text=True, timeout=1500,
                          check=False)
    assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done


def installed():
    if not (ENVIRONMENT / "installed").exists():
        raise tap.Skip("the package is not installed")


def pip(*words):
    return run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "--no-index", *words)


def packages() -> Path:
    return Path(sysconfig.get_path("platlib", vars={"base": str(ENVIRONMENT), "platbase": str(ENVIRONMENT)}))


def pip_installs_it():
    for module in ("mesonpy", "pip", "torch"):
        if importlib.util.find_spec(module) is None:
            raise tap.Skip(f"{sys.executable} has no {module}: run scripts/setup")
    venv.create(ENVIRONMENT, symlinks=True, with_pip=False)
    lent = [folder for folder in [sysconfig.get_path("platlib"), *site.getsitepackages()] if os.path.isdir(folder)]
    (packages() / "lent.pth").write_text("\n".join(lent) + "\n", encoding="utf-8")
    pip(f"--config-settings=build-dir={scratch.name}/build", "--config-settings=compile-args=-j2", ROOT)  # -C: from pip 23.1 on
    (ENVIRONMENT / "installed").touch()
    for name in ("skv", "skcc"):
        assert os.access(ENVIRONMENT / "bin" / name, os.X_OK), name


def scripts_run_and_are_verified():
    installed()
    for verb, script, words in (("run", SEED, "Precision ====== Success!!!"), ("verify", SMALL, "few cores and all cores: equal")):
        out = run("skv", verb, "--json", "report.json", script).stdout
        assert words in out, out
        report = json.loads(Path(scratch.name, "report.json").read_text(encoding="utf-8"))
        assert report["verdict"] == "clean", report["verdict"]
    assert run(PYTHON, "-m", "superkernel", SMALL).stdout == "few cores and all cores: equal\n"


def kernels_are_compiled():
    installed()
    run("skcc", ROOT / "examples" / "add.c", "-o", "add")
    assert "verdict: clean" in run("skv", "verify", "add").stdout


def tests_have_the_fixture():
    installed()
    Path(scratch.name, "test_it.py").write_text(
        "import torch\n\ndef test_it(superkernel_verify):\n    import torch_npu\n"
        "    superkernel_verify(lambda x: torch_npu.npu_dynamic_quant(x), torch.ones(2, 8, dtype=torch.float16)).check()\n", encoding="utf-8")
    assert "1 passed" in run(PYTHON, "-m", "pytest", "-q", "test_it.py").stdout


def other_programs_do_not_see_it():
    installed()
    for module in ("torch_npu", "torchair"):
        assert f"No module named '{module}'" in run(PYTHON, "-c", f"import {module}", code=1).stderr
    assert "has no attribute 'npu'" in run(PYTHON, "-c", PLAIN, code=1).stderr
    script = Path(scratch.name, "plain.py")
    script.write_text(PLAIN, encoding="utf-8")
    assert run("skv", "run", "-q", script).stdout == "npu:0 True\n"
    run("skv", "run", "-q", script, code=1, env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})


def the_shadow_shows_it_to_all():
    installed()
    pip(f"--config-settings=build-dir={scratch.name}/build-shadow", ROOT / "python" / "shadow")
    assert run(PYTHON, "-c", PLAIN).stdout == "npu:0 True\n"
    assert run(PYTHON, SMALL).stdout == "few cores and all cores: equal\n"
    assert run(PYTHON, "-c", "import torch, torchair; print(torchair.get_npu_backend() is not None)").stdout == "True\n"


def the_vendors_modules_come_first():
    """Packages of those names where pip puts packages: every program has them, skv run has ours."""
    installed()
    for module in ("torch_npu", "torchair"):
        (packages() / module).mkdir()
        (packages() / module / "__init__.py").write_text("whose = 'the vendor'\ndef _autoload():\n    pass\n", encoding="utf-8")
        assert run(PYTHON, "-c", f"import {module}; print({module}.whose)").stdout == "the vendor\n"
    script = Path(scratch.name, "ours.py")
    script.write_text("import torch, torch_npu, torchair; print(torch.ones(2).npu().device, hasattr(torch_npu, 'whose'))", encoding="utf-8")
    assert run("skv", "run", "-q", script).stdout == "npu:0 False\n"


def the_shadow_goes():
    installed()
    for module in ("torch_npu", "torchair"):
        (packages() / module / "__init__.py").unlink()
        for rest in list((packages() / module).rglob("*.pyc")):
            rest.unlink()
            rest.parent.rmdir()
        (packages() / module).rmdir()
    run(PYTHON, "-m", "pip", "uninstall", "-q", "-y", "superkernel-shadow")
    assert "No module named 'torch_npu'" in run(PYTHON, "-c", "import torch_npu", code=1).stderr


if __name__ == "__main__":
    code = tap.run([pip_installs_it, scripts_run_and_are_verified, kernels_are_compiled, tests_have_the_fixture, other_programs_do_not_see_it,
                    the_shadow_shows_it_to_all, the_vendors_modules_come_first, the_shadow_goes])
    scratch.cleanup()
    sys.exit(code)
