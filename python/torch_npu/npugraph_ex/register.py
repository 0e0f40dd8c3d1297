"""Makes the backends known to torch.compile when torch._dynamo is first imported, not before.

Also lets the package be imported as `npugraph_ex`, as its own scripts do.
"""
import importlib
import importlib.abc
import importlib.util
import sys

from .._registration import after_import

_REGISTRY = "torch._dynamo.backends.registry"
_PACKAGE = __package__
_SHORT = "npugraph_ex"


def _register(registry) -> None:
    from torch_npu import dynamo
    for name in (_SHORT, "npu"):
        if name not in registry._COMPILER_FNS:
            registry.register_backend(compiler_fn=getattr(dynamo, name), name=name)


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """npugraph_ex.X is the module torch_npu.npugraph_ex.X, not a copy of it."""

    def find_spec(self, name, path, target=None):
        if name != _SHORT and not name.startswith(_SHORT + "."):
            return None
        if importlib.util.find_spec(_PACKAGE + name[len(_SHORT):]) is None:
            return None
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec):
        module = importlib.import_module(_PACKAGE + spec.name[len(_SHORT):])
        self._own = (module.__spec__, module.__loader__)
        return module

    def exec_module(self, module):
        # The import machinery has put the alias's spec into the module; it keeps its own.
        module.__spec__, module.__loader__ = self._own


def install() -> None:
    """Registers now if Dynamo is there, else as soon as it is imported. Harmless when called again."""
    if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.append(_Alias())
    after_import(_REGISTRY, _register)
