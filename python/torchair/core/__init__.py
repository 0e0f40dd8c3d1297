"""Process-wide parts."""
from torchair.core import _backend, utils

__all__ = ["_backend", "utils"]
