"""Networks as laws: a small neural network that corrects a controller's numbers, or sets the targets of joints' servos,
fused into the rollout like every other law."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
