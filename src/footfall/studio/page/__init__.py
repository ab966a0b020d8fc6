"""The studio's page: HTML, style and scripts."""

__all__ = ["SCRIPTS"]

SCRIPTS = (
    "wire.js", "curves.js", "plot.js", "slide.js", "widgets.js", "panels.js", "scene.js", "grip.js", "hands.js",
    "timebar.js", "keys.js", "gamepad.js", "studio.js",
)  # fmt: skip
"""The page's own scripts, in the order in which they follow the viewport's."""
