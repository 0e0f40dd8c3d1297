"""Names of torchair that the simulator does not have: each says so when it is called."""
from typing import Any, Callable, NoReturn


def _refuse(name: str, instead: str) -> Callable[..., NoReturn]:
    def call(*args: Any, **more: Any) -> NoReturn:
        raise NotImplementedError(f"torchair.{name} is not modelled; {instead}")

    call.__name__ = name
    call.__doc__ = f"Not modelled: {instead}."
    return call


dynamo_export = _refuse("dynamo_export", "the simulator runs graphs and exports none")
use_internal_format_weight = _refuse("use_internal_format_weight", "cast a weight with torch_npu.npu_format_cast(weight, 29)")
npu_format_cast_via_cpu = _refuse("npu_format_cast_via_cpu", "use torch_npu.npu_format_cast")
patch_for_hcom = _refuse("patch_for_hcom", "there is one device and no collective")
