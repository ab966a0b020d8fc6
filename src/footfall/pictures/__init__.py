"""Pictures of motions: strips of poses, plots, animations and a player for the browser."""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

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

__getattr__, __dir__ = lazy_names(__name__, _HOME)
