"""Reuse of discrete system models: sample simulations only where the last model failed or none is near (paper 002 §6.1.1)."""


class ModelReuse: ...
