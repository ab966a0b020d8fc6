"""The paper's clips as controllers, with its gains or with gains found by search.

``python -m footfall_reproductions.data_driven.figure_5 DIR [NAME …]`` tries every default set on clips in a folder of
the paper's clips and prints their part of ``figure-5-found.toml``.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.clips import clip_repertoire
from footfall.methods.tracking.controller import TrackingController
from footfall.motion import load_motion
from footfall.motion.ball_poses import ankles, legs_of
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.conditioning.legs import raised_ankles
from footfall.study.imitation.gain_search import default_sets
from footfall_reproductions.captured_data import MOCAP, VARIABLE
from footfall_reproductions.data_driven.paper_gains import PAPER_CLIPS, PUSH_GAINS
from footfall_reproductions.tables import paper_table

if TYPE_CHECKING:
    from footfall_reproductions.data_driven.search.clip_worlds import Tried


def clip_folder(given: Path | None = None) -> Path:
    """Where the paper's clips are: the folder given, its snu-paper or mocap/snu-paper, or that of the captured data."""
    inside = (Path(), Path("snu-paper"), Path("mocap/snu-paper"))
    places = [given / place for place in inside] if given is not None else [MOCAP / "snu-paper"]
    for place in places:
        if (place / f"{PAPER_CLIPS['walk-normal'].clip}.bvh").is_file():
            return place
    looked = ", ".join(map(str, places))
    raise FootfallError(
        f"data-driven: the paper's clips (wd2_WalkSameSame01.bvh and others) are not in {looked}; give their folder "
        f"with --data, or a folder with mocap/snu-paper in the environment variable {VARIABLE}"
    )


def paper_controller(
    name: str,
    folder: Path,
    *,
    fitted: bool = False,
    looped: bool = False,
) -> TrackingController:
    """A clip with the paper's gains: a walk repeats its best two steps, another clip is followed once.

    With ``fitted`` its feet are fitted to flat ground, as those of other people's clips are. With ``looped`` a walk
    repeats the two steps that the authors do.
    """
    clip = PAPER_CLIPS[name]
    figure = Figure.load("mocap-biped")
    frames = frames_of(load_motion(folder / f"{clip.clip}.bvh"), figure, fitted=fitted)
    repertoire = clip_repertoire(frames, figure, gains=clip.gains, loop=(looped and clip.loop) or clip.walks)
    quick = 0.2 if clip.quick_ankle else 1.0
    repertoire = repertoire.changed(friction=clip.friction, ankle_settling=quick)
    return TrackingController(name, repertoire, about=f"{clip.name} with the gains of figure 5.")


def found_gains() -> dict[str, dict[str, float]]:
    """Gains that the search found, by clip."""
    known = default_sets()
    return {
        name: known[int(values["default_set"])] | {"ahead": 1.0} if "default_set" in values else values
        for name, values in paper_table("data_driven", "figure-5-found").items()
    }


def fitted_to(controller: TrackingController, figure: Figure, *, share: float = 1.0) -> TrackingController:
    """The controller for a figure of other leg lengths, with the same joint angles while it walks.

    The pelvis is raised or lowered so that the ankle of the shorter leg stands where it stood. Where both feet stand, a
    longer leg is bent until its ankle does too, as the authors do.

    Args:
        controller: for its own figure.
        figure: the other one.
        share: of the legs' growth by which its distance over the ground grows: 1 for all, 0 for none, as the authors
            have it.
    """
    own = Figure.load(controller.figure)
    fragments = controller.repertoire.fragments
    first = fragments[0].frames[:1]
    rise = float((ankles(first, own) - ankles(first, figure))[0, :, 2].min())
    pelvis = float(first[0, 2])
    longer = ((pelvis + rise) / pelvis) ** share
    made = []
    for fragment in fragments:
        frames = fragment.frames.copy()
        frames[:, :2] *= longer
        frames[:, 2] += rise
        sides = {"left_swing": [1], "right_swing": [0]}.get(fragment.kind, [0, 1])
        if fragment.kind == "stand":
            off = (ankles(fragment.frames, own) - ankles(frames, figure))[:, :, 2]
            for leg, needed in zip(legs_of(figure), off.T, strict=True):
                frames = raised_ankles(frames, leg, np.maximum(needed, 0.0))
        lowest = [float(ankles(f, body)[1:, sides, 2].min()) for f, body in ((fragment.frames, own), (frames, figure))]
        made.append(replace(fragment, frames=frames, ground=fragment.ground + lowest[1] - lowest[0]))
    return replace(controller, repertoire=replace(controller.repertoire, fragments=tuple(made)))


def push_controller(folder: Path, *, found: bool = False) -> TrackingController:
    """Walk Forward Normal as in the paper's push test, with its gains or with gains found by search."""
    walk = paper_controller("walk-normal", folder)
    settings: dict[str, float] = {"kt": 40.0, "stiffness": 3000.0, "damping": 2.0 * 3000.0**0.5, "friction": 1.5}
    gains = found_gains()["push-test"] if found else vars(PUSH_GAINS)
    about = "gains found by search" if found else "the paper's gains"
    return replace(walk.changed(**settings | gains), name="push-test", about=f"The push test with {about}.")


def found_controller(name: str, folder: Path) -> TrackingController:
    """A clip with gains that the search found."""
    controller = paper_controller(name, folder, fitted=True)
    return replace(
        controller.changed(**found_gains()[name]), about=f"{PAPER_CLIPS[name].name} with gains found by search."
    )


def varied_walk(folder: Path) -> TrackingController:
    """Walk Forward Normal with gains that were found for other bodies and grounds too (figure 7)."""
    walk = paper_controller("walk-normal", folder, fitted=True)
    return replace(
        walk.changed(**found_gains()["variations"]),
        name="varied-walk",
        about="Walk Forward Normal with one set of gains for all.",
    )


def choose_sets(folder: Path, names: Sequence[str], *, seconds: float = 30.0, each: int = 2) -> dict[str, "Tried"]:
    """What every default set does on clips of figure 5: walks repeat for some seconds, other clips run once."""
    from footfall_reproductions.data_driven.search.clip_worlds import CandidateWorlds

    made = {}
    for name in names:
        worlds = CandidateWorlds([paper_controller(name, folder, fitted=True)], each=each, seconds=seconds, noise=1e-3)
        made[name] = worlds.run(np.array([worlds.row({**values, "ahead": 1.0}) for values in default_sets()]))
    return made


def main() -> None:
    """Print the best default set for every clip."""
    folder = clip_folder(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    for name in sys.argv[2:] or list(PAPER_CLIPS):
        tried = choose_sets(folder, [name])[name]
        k = int(np.argmin(tried.cost[:, 0]))
        up, far = tried.lived[k, 0].min(), tried.distance[k, 0].mean()
        error = np.degrees(tried.error[k, 0].mean())
        print(
            f"\n[{name}]  # up {up:.2f} of the time, {far:.2f} of the clip's distance, joints {error:.1f} degrees off"
        )
        print(f"default_set = {k}", flush=True)


if __name__ == "__main__":
    main()
