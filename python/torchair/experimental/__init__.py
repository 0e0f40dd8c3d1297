"""Parts for inference that are not settled."""
from torchair.experimental import inference

__all__ = ["inference"]
