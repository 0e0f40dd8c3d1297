"""Leaves and groups of a configuration tree: what an assignment checks, and what reading gives."""
import difflib
import os
import re
import sys
from typing import Any, Callable, Iterable, Optional

GE = "max-autotune"
CAPTURE = ("reduce-overhead", "npugraph_ex")
MODES = (GE, *CAPTURE)


def near(word: Any, words: Iterable[str]) -> str:
    """' (did you mean ...?)' with the nearest spelling, or nothing."""
    found = difflib.get_close_matches(word, list(words), 1) if isinstance(word, str) else []
    return f" (did you mean '{found[0]}'?)" if found else ""


def _users_line() -> str:
    """' (FILE:LINE)' of the innermost frame outside of this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(package):
        frame = frame.f_back
    return "" if frame is None else f" ({frame.f_code.co_filename}:{frame.f_lineno})"


class UnknownOption(ValueError, AttributeError):
    """No such name in a group: a ValueError for who assigns, an AttributeError for hasattr."""


class Option:
    """One leaf. `value` is what the graph compiler is told: None, "1" or "0" for bools, else text."""

    def __init__(self, name: str, declaration: "Declared"):
        self._name, self._declaration, self._raw = name, declaration, declaration.default

    @property
    def raw(self) -> Any:
        """As it was assigned."""
        return self._raw

    @property
    def value(self) -> Optional[str]:
        if self._raw is None or callable(self._raw):
            return self._raw
        if isinstance(self._raw, bool):
            return "1" if self._raw else "0"
        return str(self._raw)

    @value.setter
    def value(self, given: Any) -> None:
        try:
            self._raw = self._declaration.check(self._name, given)
        except (ValueError, TypeError, FileNotFoundError) as error:
            raise type(error)(f"{error}{_users_line()}") from None

    def __bool__(self) -> bool:
        return bool(self._raw)

    def __eq__(self, other: object) -> bool:
        return self._raw == (other._raw if isinstance(other, Option) else other)

    __hash__ = None

    def __repr__(self) -> str:
        return f"{self._name}={self._raw!r}"


class Declared:
    """Declares a leaf of a group; the instance's Option is made with the group. `help` tells what it does,
    `idle` why it does nothing here: a value other than the default is then named in a warning."""

    legal_text = "any"

    def __init__(self, default: Any, *, modes: tuple = MODES, help: str = "", idle: str = ""):
        self.default, self.modes, self.help, self.idle = default, modes, help, idle
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, group: Optional["Group"], owner: type) -> Any:
        return self if group is None else group._options[self.name]

    def __set__(self, group: "Group", given: Any) -> None:
        group._options[self.name].value = given

    def check(self, key: str, given: Any) -> Any:
        """The value as it is kept, or an exception that names key, value and legal values."""
        return given


class Choice(Declared):
    def __init__(self, default: Any, legal: Iterable[Any], **more: Any):
        super().__init__(default, **more)
        self.legal = list(legal)
        self.legal_text = ", ".join(repr(word) for word in self.legal)

    def check(self, key: str, given: Any) -> Any:
        if given in self.legal:
            return given
        words = [word for word in self.legal if isinstance(word, str)]
        raise ValueError(f"{key}: {given!r} not in optional list; legal: {self.legal_text}{near(given, words)}")


class Flag(Choice):
    def __init__(self, default: bool, **more: Any):
        super().__init__(default, (True, False), **more)


class Number(Declared):
    def __init__(self, default: Optional[int], low: int, high: int, **more: Any):
        super().__init__(default, **more)
        self.low, self.high = low, high
        self.legal_text = f"{low} to {'2^63-1' if high == 2**63 - 1 else high}"

    def check(self, key: str, given: Any) -> Any:
        if given is None and self.default is None:
            return given
        if not isinstance(given, int) or isinstance(given, bool):
            raise ValueError(f"{key}: {given!r} is {type(given).__name__}, not int; legal: {self.legal_text}")
        if not self.low <= given <= self.high:
            raise ValueError(f"{key}: {given} is out of range; legal: {self.legal_text}")
        return given


class Pattern(Declared):
    def __init__(self, default: Optional[str], pattern: str, legal: str, **more: Any):
        super().__init__(default, **more)
        self.pattern, self.legal_text = re.compile(pattern), legal

    def check(self, key: str, given: Any) -> Any:
        if given is None and self.default is None:
            return given
        if not isinstance(given, str) or self.pattern.fullmatch(given) is None:
            raise ValueError(f"{key}: {given!r} is not legal; legal: {self.legal_text}")
        return given


class Path(Declared):
    """What must exist when it is assigned. kind: 'file' or 'directory'."""

    def __init__(self, default: Optional[str], kind: str, **more: Any):
        super().__init__(default, **more)
        self.kind, self.legal_text = kind, f"an existing {kind}"

    def check(self, key: str, given: Any) -> Any:
        if given is None and self.default is None:
            return given
        test = os.path.isfile if self.kind == "file" else os.path.isdir
        if not isinstance(given, (str, os.PathLike)) or not test(given):
            raise FileNotFoundError(f"{key}: {given!r} not found; legal: {self.legal_text}")
        return os.path.realpath(given)


class RealPath(Declared):
    """Text of a path, which need not exist yet."""

    legal_text = "None or the text of a path"

    def check(self, key: str, given: Any) -> Any:
        if given is None:
            return given
        if not isinstance(given, (str, os.PathLike)):
            raise TypeError(f"{key}: {given!r} is {type(given).__name__}; legal: {self.legal_text}")
        return os.path.realpath(given)


class Function(Declared):
    legal_text = "callable or None"

    def __init__(self, **more: Any):
        super().__init__(None, **more)

    def check(self, key: str, given: Any) -> Optional[Callable]:
        if given is None or callable(given):
            return given
        raise TypeError(f"{key} must be Callable or None, got {type(given).__name__}")


class Dictionary(Declared):
    legal_text = "dict or None"

    def __init__(self, **more: Any):
        super().__init__(None, **more)

    def check(self, key: str, given: Any) -> Optional[dict]:
        if given is None or isinstance(given, dict):
            return given
        raise TypeError(f"{key} must be dict or None, got {type(given).__name__}")


class Group:
    """A level of the tree. Members are declared in the class: leaves, and groups as annotated classes."""

    def __init__(self, path: str = ""):
        options, groups = {}, {}
        for owner in reversed(type(self).__mro__):
            for name, member in vars(owner).items():
                key = f"{path}.{name}" if path else name
                if isinstance(member, Declared):
                    options[name] = Option(key, member)
                elif isinstance(member, Nested):
                    groups[name] = member.kind(key)
        object.__setattr__(self, "_path", path)
        object.__setattr__(self, "_options", options)
        object.__setattr__(self, "_groups", groups)

    def _names(self) -> list:
        return [*self._options, *self._groups]

    def __setattr__(self, name: str, given: Any) -> None:
        if name in self._options:
            self._options[name].value = given
            return
        if name in self._groups:
            where, members = self._path or type(self).__name__, ", ".join(self._groups[name]._names())
            raise ValueError(f"{where}: '{name}' is a group of options, not an option; assign its members: {members}{_users_line()}")
        raise self._unknown(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._unknown(name)

    def _unknown(self, name: str) -> UnknownOption:
        where, legal = self._path or type(self).__name__, ", ".join(self._names()) or "none"
        return UnknownOption(f"{where} has no option {name!r}{near(name, self._names())}; legal: {legal}{_users_line()}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._options == other._options and self._groups == other._groups

    __hash__ = None

    def leaves(self):
        """(dotted name, Option, its declaration) of all leaves below."""
        for option in self._options.values():
            yield option._name, option, option._declaration
        for group in self._groups.values():
            yield from group.leaves()

    def __repr__(self) -> str:
        changed = [repr(option) for _, option, declared in self.leaves() if option != declared.default]
        return f"{type(self).__name__}({', '.join(changed)})"


class Nested:
    """Declares a group inside a group."""

    def __init__(self, kind: type):
        self.kind, self.name = kind, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, group: Optional[Group], owner: type) -> Any:
        return self if group is None else group._groups[self.name]

    def __set__(self, group: Group, given: Any) -> None:
        Group.__setattr__(group, self.name, given)
