"""Motion graphs as files: clips with their gains and styles, from whose steps a character is steered."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.tracking.controller import checked_numbers, known_keys, number_lines, value_text
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.motion_graph import GraphClip, MotionGraph, bent_clip
from footfall.methods.tracking.repertoire import PAPER_GROUND, Settings
from footfall.methods.tracking.step_choice import SteeredController
from footfall.text_files import parse_toml

__all__ = ["parse_steered", "print_steered"]

DIGITS = 4
KEYS = ("name", "figure", "law", "about", "settings", "ground", "gains", "clips")


def parse_steered(text: str, where: str = "motion graph") -> SteeredController:
    """A motion graph from the text of its file."""
    data = parse_toml(text, where)
    known_keys(data, KEYS, where)
    if data.get("law") != "steering":
        raise FootfallError(f'{where}: law is {data.get("law")!r}; a motion graph says law = "steering"')
    for key in ("name", "gains", "clips"):
        if key not in data:
            raise FootfallError(f"{where}: '{key}' is missing")
    if not isinstance(data["gains"], list) or not isinstance(data["clips"], list):
        raise FootfallError(f"{where}: write gains as [[gains]] and clips as [[clips]]")
    figure = Figure.load(str(data.get("figure", "mocap-biped")))
    gains = [Gains(**checked_numbers(part, Gains, f"{where}, gains {k}")) for k, part in enumerate(data["gains"])]
    clips: list[GraphClip] = []
    for k, part in enumerate(data["clips"]):
        clips.append(_clip(part, clips, gains, figure, f"{where}, clip {k}"))
    settings = Settings(**checked_numbers(data.get("settings", {}), Settings, f"{where}, [settings]"))
    ground = replace(PAPER_GROUND, **checked_numbers(data.get("ground", {}), type(PAPER_GROUND), f"{where}, [ground]"))
    graph = MotionGraph(clips, figure)
    return SteeredController.of(graph, settings, ground, str(data["name"]), str(data.get("about", "")))


def _clip(
    data: Mapping[str, Any], before: list[GraphClip], gains: list[Gains], figure: Figure, where: str
) -> GraphClip:
    if "of" in data:
        known_keys(data, ("name", "of", "bend"), where)
        names = [clip.name for clip in before]
        if data["of"] not in names:
            raise FootfallError(f"{where}: {unknown_name('clip before it', str(data['of']), names)}")
        bend = data.get("bend", 0.0)
        if not isinstance(bend, int | float) or not abs(bend) < 1.0:
            raise FootfallError(f"{where}: bend is {bend!r}; it must be a number of radians below 1")
        return bent_clip(before[names.index(data["of"])], str(data.get("name", "clip")), float(bend), figure)
    known_keys(data, ("name", "style", "gains", "frames"), where)
    number = data.get("gains", 0)
    if not isinstance(number, int) or not 0 <= number < len(gains):
        raise FootfallError(f"{where}: gains is {number!r}; there are {len(gains)} sets, counted from 0")
    try:
        frames = np.array(data["frames"], dtype=float)
        if frames.ndim != 2 or frames.shape[1] != figure.nq or len(frames) < 2 or not np.isfinite(frames).all():
            raise ValueError
    except (KeyError, ValueError):
        raise FootfallError(f"{where}: frames must be lists of {figure.nq} numbers, poses of '{figure.name}'") from None
    turns = frames[:, 3:].reshape(len(frames), -1, 4)
    lengths = np.linalg.norm(turns, axis=-1, keepdims=True)
    if np.any(np.abs(lengths - 1.0) > 0.01):
        raise FootfallError(f"{where}: a frame is three numbers of place, then unit quaternions")
    frames[:, 3:] = (turns / lengths).reshape(len(frames), -1)
    return GraphClip(str(data.get("name", "clip")), frames, str(data.get("style", "normal")), gains[number])


def print_steered(controller: SteeredController) -> str:
    """The text of a motion graph's file, with gains as they were edited."""
    lines = [f'name = "{controller.name}"', f'figure = "{controller.figure}"', 'law = "steering"']
    if controller.about:
        lines.append("about = '''" + controller.about.replace("'''", "'") + "'''")
    lines += number_lines("settings", controller.repertoire.settings, Settings())
    lines += number_lines("ground", controller.ground, PAPER_GROUND)
    sets: list[Gains] = []
    for clip in controller.graph.clips:
        gains = controller.edited(clip.gains)
        if gains not in sets:
            sets.append(gains)
    for gains in sets:
        lines += ["", "[[gains]]", *(f"{f.name} = {value_text(getattr(gains, f.name))}" for f in fields(gains))]
    for clip in controller.graph.clips:
        lines += ["", "[[clips]]", f"name = {value_text(clip.name)}"]
        if clip.of:
            lines += [f"of = {value_text(clip.of)}", f"bend = {value_text(clip.bend)}"]
            continue
        number = sets.index(controller.edited(clip.gains))
        lines += [f"style = {value_text(clip.style)}", f"gains = {number}", "frames = ["]
        lines += ["  [" + ", ".join(f"{x:.{DIGITS}g}" for x in frame) + "]," for frame in clip.frames]
        lines.append("]")
    return "\n".join(lines) + "\n"
