"""Pictures of motions: strips of poses, plots, animations and a player for the browser."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.pictures.files import save, save_figure, save_picture
    from footfall.pictures.gait_plots import plot_contacts, plot_profiles
    from footfall.pictures.plots import plot_angles, plot_channel, plot_torques
    from footfall.pictures.strips import strip

_HOME = {
    "plot_angles": "plots",
    "plot_channel": "plots",
    "plot_contacts": "gait_plots",
    "plot_profiles": "gait_plots",
    "plot_torques": "plots",
    "save": "files",
    "save_figure": "files",
    "save_picture": "files",
    "strip": "strips",
}

__all__ = [
    "plot_angles",
    "plot_channel",
    "plot_contacts",
    "plot_profiles",
    "plot_torques",
    "save",
    "save_figure",
    "save_picture",
    "strip",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"footfall.pictures.{_HOME[name]}"), name)
    raise AttributeError(f"module 'footfall.pictures' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
