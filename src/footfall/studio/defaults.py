"""The controller that a studio opens with."""

DEFAULT_CONTROLLER = "walk-3d"
"""The walk in space that is hardest to push over of those that match people's angles: by 94 %, the ``gait-lab`` walks
by 92 to 97 %."""
