"""Prints the folder of torch and its version; fails where there is none. Does not import it, which takes seconds."""
import importlib.metadata
import importlib.util
import sys

spec = importlib.util.find_spec("torch")
if spec is None or not spec.submodule_search_locations:
    sys.exit("no module named torch")
print(spec.submodule_search_locations[0])
print(importlib.metadata.version("torch"))
