"""Live pages: one HTML file that simulates controllers while it is watched. It needs no server and no network.

What a live page needs to draw the gait cycle: where the joints and soles of the legs are, and people's bands.

The page computes the angles of ``motion.gait.body_angles`` from these positions, and a test holds the two together.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller, described_numbers
from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.live.character import Character, characters_of
from footfall.live.description import description
from footfall.live.modules import module_of
from footfall.motion.formats.record import motion_description
from footfall.motion.gait.angles import anatomical_offset
from footfall.motion.gait.feet import soles
from footfall.motion.motion import Motion
from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.body_shape import body_capsules, body_solids, capsule_ends
from footfall.motion.skeleton.roles import find_roles, leg_length
from footfall.pictures.web_page import packed_body, viewport_data, viewport_page
from footfall.study.measures.people import SCHWARTZ_SPEEDS, Norms
from footfall.terrain import parse_terrain
from footfall.text_files import write_whole

SHOWN = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion", "pelvis_obliquity")
"""Angles that the page draws."""
EACH = 2
"""Per cent of the cycle between two numbers of a band."""


def leg_positions(motion: Motion, anchors: NDArray[np.float64]) -> dict[str, Any] | None:
    """Bodies and positions in their frames of hips, knees, ankles, heels and toes by side; the pelvis and its upright
    axes in its frame, in columns; the leg's length. None for a figure without two legs of that kind.

    Args:
        motion: of the figure.
        anchors: [bodies, 3] joints in the frames of their bodies.
    """
    roles, feet = find_roles(motion.skeleton), soles(motion.skeleton)
    needed = [f"{side}_{joint}" for side in ("left", "right") for joint in ("hip", "knee", "ankle")]
    if any(name not in roles for name in needed) or set(feet) != {"left", "right"}:
        return None

    def place(joint: int, offset: Any = (0.0, 0.0, 0.0)) -> list[Any]:
        return [int(joint), [round(float(x), 6) for x in anchors[joint] + np.asarray(offset)]]

    offset = anatomical_offset(motion, roles["pelvis"])
    axes = [rotate(offset, axis) for axis in np.eye(3)]
    found: dict[str, Any] = {
        "pelvis": int(roles["pelvis"]),
        "upright": [[round(float(x), 9) for x in axis] for axis in axes],
        "length": round(leg_length(motion.skeleton), 4),
    }
    for side, sole in feet.items():
        ends = {
            name: [place(sole.joints[k], sole.offsets[k]) for k in rows]
            for name, rows in (("heel", sole.heel), ("toe", sole.toe))
        }
        found[side] = {joint: place(roles[f"{side}_{joint}"]) for joint in ("hip", "knee", "ankle")} | ends
    return found


def people_bands(folder: str | Path) -> dict[str, Any]:
    """People's bands of the angles that are drawn: dimensionless speeds of the groups, and for each angle and group the
    mean and the standard deviation at every second per cent of the cycle, as a walk without markers is compared with
    them."""
    groups = []
    for speed in SCHWARTZ_SPEEDS.values():
        bands = Norms(folder, speed * float(np.sqrt(GRAVITY)), 1.0).beside()
        groups.append({name: bands[name] for name in SHOWN if name in bands})

    def short(values: NDArray[np.float64]) -> list[float]:
        return [round(float(v), 1) for v in values[::EACH]]

    return {
        "source": "Schwartz, Rozumalski and Trost 2008",
        "speeds": list(SCHWARTZ_SPEEDS.values()),
        "angles": {
            name: [[short(group[name].mean), short(group[name].deviation)] for group in groups]
            for name in SHOWN
            if all(name in group for group in groups)
        },
    }


TERRAINS = (
    "flat", "slope:3", "slope:-3", "slope:6", "slope:-6", "steps:0.03", "stairs", "downward", "upward",
    "random-steps:0.03",
)  # fmt: skip
"""What a page offers by default; the engine's own terrains, as their tables."""

SCRIPTS = (
    "runtime/walker.js", "run.js", "curves.js", "files.js", "help.js", "challenges.js", "slide.js", "panel.js",
    "grip.js", "handles.js", "links.js", "page.js", "cycle.js", "stick.js",
)  # fmt: skip


def write_live_page(controllers: Sequence[Controller], path: str | Path, **options: Any) -> Path:
    """Write the page of :func:`live_page`, whole or not at all."""
    path = Path(path)
    write_whole(path, live_page(controllers, **options).encode())
    return path


def live_page(
    controllers: Sequence[Controller],
    *,
    figure: Figure | None = None,
    terrains: Sequence[str] = TERRAINS,
    dt: float | None = None,
    title: str = "",
    settings: Mapping[str, float] | None = None,
    changes: Mapping[str, float] | None = None,
    bands: str | Path | None = None,
) -> str:
    """The text of the page.

    Args:
        controllers: to switch between; the first one starts.
        figure: by default the controllers' own.
        terrains: to choose from, in the words of ``footfall run --terrain``; the first one is there at the start.
        dt: time step, seconds; by default the first controller's.
        title: of the page, until it is ready; by default the first controller's name.
        settings: ``gravity`` (m/s², negative is down), ``friction`` and ``load`` (kg) at the start.
        changes: controllers' parameters that begin with another value, by path.
        bands: a folder with people's joint angles, which are written into the page.
    """
    controllers = [kind_of(controller).for_page(controller) for controller in controllers]
    if len({c.name for c in controllers}) < len(controllers):
        raise FootfallError("live: two controllers have the same name; rename one")
    grounds = {name: parse_terrain(name) for name in dict.fromkeys(terrains)}
    start = next(iter(grounds.values()))
    chosen = grounds if start.kind != "grid" else {next(iter(grounds)): start}
    modules: dict[str, int] = {}
    characters = []
    for character in characters_of(controllers, figure, dt=dt, terrain=start, changes=changes):
        module = module_of(character)
        packed = base64.b64encode(gzip.compress(module.wasm, mtime=0)).decode("ascii")
        usable = {name: t for name, t in chosen.items() if t.kind != "grid" or start.kind == "grid"}
        about = description(character, module.tables, usable)
        about["terrains"] = {name: about["terrains"][name] for name in usable}
        characters.append(
            page_data(character, about, settings or {}) | {"module": modules.setdefault(packed, len(modules))}
        )
    data = viewport_data() | {"characters": characters, "modules": list(modules), "numbers": described_numbers()}
    if bands is not None:
        data["people"] = people_bands(bands)
    return viewport_page(files("footfall.live"), "page", SCRIPTS, title=title or controllers[0].name, data=data)


def page_data(character: Character, about: dict[str, Any], settings: Mapping[str, float]) -> dict[str, Any]:
    """What the page needs besides the module's description: how tall it is, files to take home."""
    figure = character.figure
    qpos = np.array([character.gaits[0].qpos])
    motion = Motion.from_qpos(figure, np.zeros(1), qpos, source={"controller": character.name, "engine": "webassembly"})
    tall = _tall(motion)
    skeleton = motion.skeleton
    anchors = np.array([b.com for b in figure.bodies]) - np.asarray(skeleton.com)
    if "gravity" in settings:
        about["body"][-1] = settings["gravity"]
    if "friction" in settings:
        about["ground"][2] = settings["friction"]
    if "load" in settings:
        about["body"][13 * about["torso"] + 3] += settings["load"]
    return about | {
        "tall": tall,
        "mass": round(float(sum(b["mass"] for b in about["bodies"])), 3),
        "anchor": [float(x) for x in anchors[0]],
        "solids": packed_body(body_solids(skeleton), range(len(figure.bodies)), anchors),
        "legs": leg_positions(motion, anchors),
        "motion": motion_description(motion),
        "templates": {
            gait.controller.name: character.kind.template(gait.controller, gait.knobs) for gait in character.gaits
        },
    }


def _tall(motion: Motion) -> float:
    """Metres from the lowest to the highest part of the body as it starts."""
    skeleton = motion.skeleton
    positions, orientations = skeleton.forward(motion.root_position, motion.rotations)
    ends = capsule_ends(body_capsules(skeleton), positions[0], orientations[0])
    return max(round(float(np.ptp(ends[..., 2])), 3), 0.2)
