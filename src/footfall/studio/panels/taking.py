"""Take it with you: what was simulated as BVH, glTF, CSV, NPZ, film or a page of its own."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import FootfallError
from footfall.studio.core.history import SIGNALS

if TYPE_CHECKING:
    from footfall.motion import Motion
    from footfall.studio.studio import Studio

__all__ = ["FORMATS", "TakePanel"]

FORMATS = {
    "BVH": (".bvh", "poses, for Blender, MotionBuilder, Unreal"),
    "glTF": (".glb", "a skinned body that moves"),
    "CSV": (".csv", "every number, for a spreadsheet"),
    "NPZ": (".npz", "every number, for Python"),
    "MP4": (".mp4", "a film"),
    "HTML": (".html", "a page that plays it without network"),
}
MOST_FILM = 30.0


class TakePanel:
    """Downloads of the last seconds."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        gui.add_markdown("The last seconds that were simulated, up to the moment that is shown:")
        self.seconds = gui.add_slider("Seconds", 1.0, 60.0, 1.0, 10.0)
        for name, (_, text) in FORMATS.items():
            button = gui.add_button(f"Download {name}", hint=text, icon="download", color="gray")
            button.on_click(self._taker(name))

    def motion(self) -> "Motion":
        """The last seconds as a motion (call it in the simulation's thread)."""
        from footfall.motion import GroundProfile, Motion

        studio = self._studio
        if len(studio.history) < 2:
            raise FootfallError("nothing was simulated yet; let it walk first")
        seen = studio.history.last(float(self.seconds.value), until=studio.looking)
        world = studio.world
        channels: dict[str, Any] = {
            "qvel": seen.qvel,
            "torque": seen.torque,
            **{name: seen.signals[:, k] for k, name in enumerate(SIGNALS)},
            "state": seen.state % 1000 // 2,
            "push": seen.push,
        }
        if seen.contact.shape[1] == len(world.figure.points):
            channels["contact"] = seen.contact
        return Motion.from_qpos(
            world.figure,
            seen.times.copy(),
            seen.qpos.copy(),
            channels={k: v.copy() for k, v in channels.items()},
            ground=GroundProfile.of(world.simulation.terrains[0]),
            source={**world.simulation.description(), "controller": studio.graph.name},
        )

    def _taker(self, name: str) -> Any:
        suffix = FORMATS[name][0]

        def take(event: Any) -> None:
            studio, client = self._studio, event.client
            note = client.add_notification("Preparing", f"{name} …", loading=True, with_close_button=False)
            try:
                motion = studio.loop.call(self.motion)
                content = motion_bytes(motion, suffix)
                client.send_file_download(f"{studio.graph.name}{suffix}", content, save_immediately=True)
            except FootfallError as error:
                studio.say("That did not work", str(error), bad=True)
            finally:
                note.remove()

        return take


def motion_bytes(motion: "Motion", suffix: str) -> bytes:
    """A motion as the bytes of a file."""
    from footfall.pictures.files import save

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"motion{suffix}"
        save(motion, path)
        return path.read_bytes()
