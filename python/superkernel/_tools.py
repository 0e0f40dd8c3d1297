"""The console scripts of an installed package: skv and skcc, which stand in the package's own bin folder."""
import os
import sys


def _start(name):
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    if not os.path.isfile(program):
        sys.exit(f"{name}: '{program}' is missing; install the package again")
    # Scripts run with the interpreter this was installed for.
    os.environ.setdefault("SKV_PYTHON", sys.executable)
    os.execv(program, [name, *sys.argv[1:]])


def skv():
    _start("skv")


def skcc():
    _start("skcc")
