"""python -m superkernel SCRIPT.py [arguments]: runs a script with torch_npu and torchair of the simulator.

The modules are visible in this process only, so that a machine with the vendor's packages keeps them.
"""
import importlib.util
import os
import runpy
import sys

USAGE = "usage: python -m superkernel SCRIPT.py [arguments]"


def make_visible():
    """Puts torch_npu and torchair of the simulator in front of sys.path."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.path.join(here, "shadow"), os.path.join(os.path.dirname(here), "shadow")):
        if os.path.isdir(folder):
            sys.path.insert(0, folder)
            return
    raise ImportError("superkernel: the folder with torch_npu and torchair is missing; install the package again")


def hindrance() -> str:
    """Why this interpreter cannot run scripts; empty when it can."""
    if importlib.util.find_spec("torch") is None:
        return f"{sys.executable} has no torch; the front ends need torch 2.13 for the CPU"
    if importlib.util.find_spec("superkernel._device") is None:
        version = ".".join(map(str, sys.version_info[:2]))
        return f"the compiled part is not for {sys.executable} (Python {version}); build the front ends for it, or use the interpreter they were built for"
    return ""


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    script = arguments[0]
    if not os.path.isfile(script):
        print(f"superkernel: '{script}' is no file; {USAGE}", file=sys.stderr)
        return 2
    sys.argv = list(arguments)
    # As for `python SCRIPT.py`: its folder, not the current one, is where it imports from.
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    if importlib.util.find_spec("superkernel") is None:  # started by this file's folder
        sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if why := hindrance():
        print(f"superkernel: {why}", file=sys.stderr)
        return 2
    make_visible()
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
