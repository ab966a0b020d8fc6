"""The controllers that a studio opens with."""

DEFAULT_CONTROLLER, QUICK_CONTROLLER = "walk-3d", "walk"
"""The most natural walk that footfall has. Its kernel takes half a minute to compile; the first time, the quick one
walks until it is there."""
