"""A figure of one's own: the MJCF file beside this one. The entry point in ``pyproject.toml`` gives it its name."""

from importlib.resources import files

STRIDER = files(__name__) / "strider.xml"
