"""The controllers that a studio opens with."""

DEFAULT_CONTROLLER, QUICK_CONTROLLER = "walk-3d", "walk"
"""The walk in space that is hardest to push over of those that match people's angles: by 94 %, the ``gait-lab`` walks
by 92 to 97 %. Its kernel takes half a minute to compile; the first time, the quick one walks until it is there."""
