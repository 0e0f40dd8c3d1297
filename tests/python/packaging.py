"""pyproject.toml against what is there: entry points, options of the build, versions."""
import importlib
import re
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402, F401  (makes the modules visible)
import tap  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def entry_points_lead_somewhere():
    groups = PROJECT["project"]["entry-points"]
    for text in [*PROJECT["project"]["scripts"].values(), *(one for group in groups.values() for one in group.values())]:
        module, _, name = text.partition(":")
        made = importlib.import_module(module)
        assert not name or callable(getattr(made, name)), text


def torch_is_of_one_version():
    wanted = {one for one in PROJECT["build-system"]["requires"] if one.startswith("torch")}
    assert wanted == {one for one in PROJECT["project"]["dependencies"] if one.startswith("torch")}
    assert wanted <= set((ROOT / "requirements.txt").read_text(encoding="utf-8").split()), wanted


def options_of_the_build_exist():
    known = set(re.findall(r"^option\('(\w+)'", (ROOT / "meson_options.txt").read_text(encoding="utf-8"), re.M))
    used = {one[2:].split("=")[0] for one in PROJECT["tool"]["meson-python"]["args"]["setup"]}
    assert used == {"bundle", "python"} and used <= known and "shadow" in known, used


def a_tool_that_is_missing_is_told():
    from superkernel import _tools
    try:
        _tools.skv()
    except SystemExit as error:
        assert "is missing; install the package again" in error.code, error.code
    else:
        raise AssertionError("the source folder has no bin")


if __name__ == "__main__":
    sys.exit(tap.run([entry_points_lead_somewhere, torch_is_of_one_version, options_of_the_build_exist,
                      a_tool_that_is_missing_is_told]))
