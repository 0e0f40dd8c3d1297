"""dynamo_export: a model as files of the offline graph compiler."""
import copy
import os
from typing import Any, Optional

import torch

from torchair._ge_concrete_graph import export
from torchair.configs.compiler_config import CompilerConfig
from torchair.npu_fx_compiler import get_npu_backend


def _not_a_link(path: str) -> str:
    if os.path.islink(os.path.abspath(path)):
        raise ValueError(f"dynamo_export: {path} is a symbolic link; legal: a directory or file of its own")
    return path


def dynamo_export(*args: Any, model: torch.nn.Module, export_path: str = "export_file", export_name: str = "export",
                  dynamic: bool = False, config: Optional[CompilerConfig] = None, **kwargs: Any) -> None:
    """Traces model(*args, **kwargs) as one graph and writes it into export_path, made if it is not there.

    Files: dynamo.pbtxt, <export_name>.air, and weights apart where they are too large for the model's file; with
    torch.distributed <export_name><rank>.air, the others in rank_<rank>/. Nothing runs, there is no result.
    dynamic: sizes stay open. config: options of GE graph mode; it is not changed.
    Raises ValueError for paths that are symbolic links.
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"dynamo_export: model must be torch.nn.Module, got {type(model).__name__}")
    name = os.path.basename(export_name)
    _not_a_link(export_path)
    _not_a_link(os.path.join(export_path, name + ".air"))
    os.makedirs(export_path, exist_ok=True)
    options = CompilerConfig() if config is None else copy.deepcopy(config)
    options.export.export_mode = True
    options.export.export_path_dir = export_path
    options.export.export_name = name
    options.export.weight_name = export.weight_names(model)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=get_npu_backend(compiler_config=options), fullgraph=True, dynamic=dynamic)
    with torch.no_grad():
        try:
            compiled(*args, **kwargs)
        except export.ExportSuccess:
            return
    raise RuntimeError("dynamo_export: the model ran without a graph: there is nothing to export")
