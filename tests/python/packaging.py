"""pyproject.toml against what is there: entry points, options of the build, versions."""
import configparser
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
    hidden = configparser.ConfigParser(delimiters="=")
    hidden.read(ROOT / "python" / "superkernel_autoload.dist-info" / "entry_points.txt", encoding="utf-8")
    groups = [PROJECT["project"]["scripts"], *PROJECT["project"]["entry-points"].values(), *(dict(hidden[name]) for name in hidden.sections())]
    assert len(groups) == 4, groups
    for text in (one for group in groups for one in group.values()):
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
    assert used == {"bundle", "python"} and used <= known, used


def versions_are_one():
    wanted = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
    shadow = ROOT / "python" / "shadow"
    assert f"version: '{wanted}'" in (shadow / "meson.build").read_text(encoding="utf-8")
    assert tomllib.loads((shadow / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"] == [f"superkernel=={wanted}"]
    assert f"\nVersion: {wanted}\n" in (ROOT / "python" / "superkernel_autoload.dist-info" / "METADATA").read_text(encoding="utf-8")


def nothing_of_the_main_package_names_hidden_modules():
    """What is installed for every program must not make torch look for modules that only some programs see."""
    assert set(PROJECT["project"]["entry-points"]) == {"pytest11"}, PROJECT["project"]["entry-points"]


def a_tool_that_is_missing_is_told():
    from superkernel import _tools
    try:
        _tools.skv()
    except SystemExit as error:
        assert "is missing; install the package again" in error.code, error.code
    else:
        raise AssertionError("the source folder has no bin")


if __name__ == "__main__":
    sys.exit(tap.run([entry_points_lead_somewhere, torch_is_of_one_version, options_of_the_build_exist, versions_are_one,
                      nothing_of_the_main_package_names_hidden_modules,
                      a_tool_that_is_missing_is_told]))
