"""The file of a cached method: where it stands, what its name depends on, how it is read and written."""
import functools
import hashlib
import inspect
import os
import pickle
import tempfile
import types

import torch

FILE = "compiled_module"
VERSION = "2"
_PARTS = ("version", "torch", "name", "date", "options", "code", "artefact")


class Broken(Exception):
    """The file cannot be read; the text says why."""


class Stored:
    """Never half written: a new content stands under another name until it is complete."""

    def __init__(self, path: str):
        self.path = path

    def read(self):
        """The stored dict, or None without a file.

        Raises PermissionError for somebody else's file, Broken for one that is not what write() left.
        """
        if not os.path.exists(self.path):
            return None
        state = os.stat(self.path)
        if state.st_uid != os.getuid() or os.lstat(self.path).st_uid != os.getuid():
            raise PermissionError(f"{self.path}: must be owned by the current user")
        if state.st_mode & 0o077:
            raise PermissionError(f"{self.path}: permissions must be 600")
        try:
            with open(self.path, "rb") as file:
                content = pickle.load(file)
        except Exception as error:  # pickle raises whatever the damaged bytes lead to
            raise Broken(f"{type(error).__name__}: {error}") from error
        if not isinstance(content, dict) or not set(_PARTS) <= set(content):
            raise Broken("it is no file of cache_compile")
        return content

    def write(self, content: dict) -> None:
        directory = os.path.dirname(self.path)
        os.makedirs(directory, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory)  # mode 600
        try:
            with os.fdopen(handle, "wb") as file:
                pickle.dump(content, file)
            os.replace(temporary, self.path)
        except BaseException:
            os.unlink(temporary)
            raise

    def remove(self) -> None:
        os.unlink(self.path)


# ---- what the name depends on --------------------------------------------------------------------

def _constant(value) -> str:
    if isinstance(value, types.CodeType):
        return _code(value)
    if isinstance(value, (tuple, frozenset)):
        parts = [_constant(one) for one in value]
        return f"({','.join(parts if isinstance(value, tuple) else sorted(parts))})"
    return repr(value)


def _code(code: types.CodeType) -> str:
    """The same text for the same function in every process."""
    parts = (code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, _constant(code.co_consts))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _functions(value):
    """The function behind a callable: what decorators and partial hide is looked for."""
    if isinstance(value, (staticmethod, classmethod, types.MethodType)):
        value = value.__func__
    if isinstance(value, functools.partial):
        return _functions(value.func)
    value = inspect.unwrap(value)
    if not isinstance(value, types.FunctionType):
        value = getattr(type(value), "__call__", None)
    return [value] if isinstance(value, types.FunctionType) else []


def _held(function):
    """Values a function brings along: defaults, and variables of the functions around it."""
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *cells]


def digest(functions) -> str:
    """Of the code of these functions, of what they bring along, and of the functions of their own modules that they name."""
    seen, pending, texts = set(), [one for value in functions for one in _functions(value)], []
    while pending:
        function = pending.pop()
        if function.__code__ in seen:
            continue
        seen.add(function.__code__)
        texts.append(_code(function.__code__))
        for value in _held(function):
            if callable(value):
                pending.extend(_functions(value))
            elif isinstance(value, (bool, int, float, str)):
                texts.append(repr(value))
        for name in function.__code__.co_names:
            called = function.__globals__.get(name)
            if isinstance(called, types.FunctionType) and called.__module__ == function.__module__:
                pending.append(called)
    return hashlib.sha256("".join(sorted(texts)).encode()).hexdigest()


def _members(owner):
    """Functions of the classes a module consists of, torch's own left out."""
    classes = {kind for module in owner.modules() for kind in type(module).__mro__} if isinstance(owner, torch.nn.Module) else \
        set(type(owner).__mro__)
    return [member for kind in classes if not kind.__module__.startswith(("torch.", "builtins"))
            for member in vars(kind).values() if callable(member) or isinstance(member, (staticmethod, classmethod))]


def path(func, options: str, kind: str, dynamic: bool, cache_dir=None, global_rank=None, tp_rank=None, pp_rank=None) -> str:
    """Where the compiled form of `func` is kept.

    options: all that decides on the compiled form; kind: a word of the directory's name, may be empty.
    """
    root = cache_dir or os.environ.get("TORCHAIR_CACHE_HOME") or os.path.join(os.getcwd(), ".torchair_cache")
    owner = getattr(func, "__self__", None)
    code = digest([func, *_members(owner)] if owner is not None else [func])
    name = type(owner).__name__ if owner is not None else func.__name__
    constraint = hashlib.md5(f"{owner if owner is not None else ''} {options} {code}".encode(), usedforsecurity=False)
    model = "_".join([name, "dynamic" if dynamic else "static", *([kind] if kind else []), constraint.hexdigest()])
    ranks = []
    if torch.distributed.is_available() and torch.distributed.is_initialized() and torch.distributed.get_world_size() > 1:
        rank = torch.distributed.get_rank() if global_rank is None else global_rank
        ranks.append(f"world{torch.distributed.get_world_size()}global_rank{rank}")
    ranks += [f"{word}{rank}" for word, rank in (("tp_rank", tp_rank), ("pp_rank", pp_rank)) if rank is not None]
    return os.path.realpath(os.path.join(root, model, "_".join(ranks), func.__name__, FILE))
