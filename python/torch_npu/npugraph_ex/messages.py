"""Parts of messages: nearest spelling of a wrong name, and the line of the user's script."""
import difflib
import os
import re
import sys
import warnings

# Frames inside these trees are not the user's.
_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def nearest(word: str, names) -> str:
    """' Did you mean 'X'?' for the name closest to word, '' when none is close."""
    found = difflib.get_close_matches(str(word), [str(name) for name in names], n=1, cutoff=0.6)
    return f" Did you mean '{found[0]}'?" if found else ""


def _is_users(file: str) -> bool:
    parts = file.replace(os.sep, "/").split("/")
    if file.startswith("<") or "torch" in parts or "_dynamo" in parts:
        return False
    if file.startswith(sys.base_prefix + os.sep) or "importlib" in parts:
        return False
    for package in ("torch_npu", "torchair", "superkernel"):
        if file.startswith(os.path.join(_OWN, package) + os.sep):
            return False
    return True


def caller_line() -> str:
    """'FILE:LINE' of the innermost frame on the stack that belongs to the user, '' without one.

    A compiled model's own frame stands at its first line: who called the model is told instead.
    """
    frame = sys._getframe(1)
    while frame is not None:
        caller = frame.f_back
        compiled = caller is not None and caller.f_code.co_filename.endswith(os.path.join("torch", "_dynamo", "eval_frame.py"))
        if _is_users(frame.f_code.co_filename) and not compiled:
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def warn(text: str) -> None:
    """A warning that points at the user's line."""
    file, _, line = caller_line().rpartition(":")
    warnings.warn_explicit(text, UserWarning, file or __file__, int(line or 1))


def node_line(node) -> str:
    """'FILE:LINE' of the user's statement an FX node came from, '' when it is not recorded."""
    trace = node.meta.get("stack_trace") or ""
    places = re.findall(r'File "([^"]+)", line (\d+)', trace)
    for file, line in reversed(places):
        if _is_users(file):
            return f"{file}:{line}"
    return ""


def at(line: str) -> str:
    """' (FILE:LINE)' or nothing."""
    return f" ({line})" if line else ""
