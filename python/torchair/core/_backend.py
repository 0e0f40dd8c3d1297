"""What the process was told about compiling, whatever graph it is for."""
from typing import Dict

_GLOBAL_COMPILE_OPTION: Dict[str, str] = {}
