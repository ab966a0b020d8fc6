"""What a module's numbers mean, the ``.json`` beside the ``.wasm``, and a character as files for other programs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.escaping import file_stem, markup, script_data
from footfall.figures import Figure
from footfall.live.character import LEVEL, Character, LiveGait, characters_of
from footfall.live.modules import module_of
from footfall.live.source import Table
from footfall.motion.skeleton.body_shape import body_capsules
from footfall.motion.skeleton.figure_skeleton import channel_labels, skeleton_of
from footfall.motion.skeleton.roles import find_roles
from footfall.terrain import Terrain
from footfall.text_files import make_folder, write_whole

VERSION = 1
"""Of the interface: tables, exports and this description."""


def description(
    character: Character, tables: tuple[Table, ...], terrains: Mapping[str, Terrain] | None = None
) -> dict[str, Any]:
    """The description of a character's module.

    Args:
        character: what is simulated.
        tables: the module's, in order.
        terrains: by the name a page shows; level ground is always there.
    """
    figure = character.figure
    rows = {} if character.terrain.kind == "grid" else {"flat": character.terrain_row(LEVEL)}
    rows |= {name: character.terrain_row(terrain) for name, terrain in (terrains or {}).items()}
    return {
        "footfall": VERSION,
        "name": character.name,
        "figure": figure.name,
        "root": figure.root,
        "dt": character.simulation.dt,
        "tables": [{"name": t.name, "type": t.type, "shape": list(t.shape)} for t in tables],
        "joints": [
            {
                "name": j.name,
                "kind": j.kind,
                "qpos": j.qpos,
                "dof": j.dof,
                "body": j.body,
                "actuated": bool(j.actuated),
                "range": _finite(figure.lower[j.dof], figure.upper[j.dof]),
            }
            for j in figure.joints
        ],
        "coordinates": list(channel_labels(figure)["qpos"]),
        "bodies": [
            {"name": b.name, "parent": b.parent, "mass": float(character.body_row[13 * i + 3]), "com": _rounded(b.com)}
            for i, b in enumerate(figure.bodies)
        ],
        "points": [
            {"name": p.name, "body": int(p.body), "position": _rounded(p.position), "foot": p.foot}
            for p in (next(q for q in figure.points if q.name == name) for name in character.points)
        ],
        "places": [
            {"body": [b.name for b in figure.bodies].index(body), "position": list(at)} for body, at in character.places
        ],
        "torso": [b.name for b in figure.bodies].index(figure.torso),
        "memory": list(character.law.memory_names),
        "signals": list(character.law.signals),
        "switches": len(character.controllers) > 1,
        "parameters": [_number(x) for x in character.row],
        "gaits": [_gait(gait) for gait in character.gaits],
        "body": [_number(x) for x in character.body_row],
        "ground": [_number(x) for x in character.ground.row()],
        "terrains": {name: [_number(x) for x in row] for name, row in rows.items()},
        "ground_law": character.ground.law,
        "terrain_kind": character.terrain.kind,
        "shape": _shape(character),
    }


def _gait(gait: LiveGait) -> dict[str, Any]:
    knobs = gait.knobs
    return {
        "name": gait.controller.name,
        "about": gait.controller.about,
        "start": {"qpos": list(gait.qpos), "qvel": list(gait.qvel), "memory": list(knobs.memory)},
        "labels": list(knobs.labels),
        "parameters": {
            p.path: {"value": _number(p.value), "state": p.state, "cells": [[i, int(s)] for i, s in p.cells]}
            | ({} if p.used else {"unused": True})
            for p in knobs.parameters
        },
        "states": list(knobs.states),
    }


def _shape(character: Character) -> list[dict[str, Any]]:
    """Tapered capsules in the frames of the bodies, for drawing; a head's lowest one begins at its joint, as a neck."""
    skeleton = skeleton_of(character.figure)
    capsules, head = body_capsules(skeleton), find_roles(skeleton).get("head")
    necks = [c for c in capsules if c.joint == head]
    if necks:
        lowest = min(necks, key=lambda c: float(np.linalg.norm(c.start)))
        capsules[capsules.index(lowest)] = replace(lowest, start=(0.0, 0.0, 0.0))
    anchors = np.array([b.com for b in character.figure.bodies]) - np.asarray(skeleton.com)
    return [
        {
            "body": c.joint,
            "from": _rounded(np.asarray(c.start) + anchors[c.joint]),
            "to": _rounded(np.asarray(c.end) + anchors[c.joint]),
            "radii": [round(c.radius_start, 4), round(c.radius_end, 4)],
            "side": c.side,
        }
        for c in capsules
    ]


def _finite(*values: float) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


def _rounded(values: Any) -> list[float]:
    return [round(float(v), 5) for v in values]


def _number(value: float) -> float | int:
    """A whole number without a point, to keep the file small; nothing is rounded."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)


def write_module(
    controllers: Sequence[Controller],
    folder: str | Path,
    *,
    name: str = "",
    figure: Figure | None = None,
    dt: float | None = None,
    terrains: Mapping[str, Terrain] | None = None,
    onto: str | Path | None = None,
) -> list[Path]:
    """Write NAME.wasm, NAME.json, walker.js and example.html into a folder; the files written.

    Args:
        controllers: those that can be switched between, the first one starts.
        folder: made if it is not there.
        name: of the module's files; by default the first controller's.
        figure: by default the controllers' own.
        dt: time step, seconds; by default the first controller's.
        terrains: to choose from, by name.
        onto: a character's .glb: rig.json, rig.js, character.html and the character are written too.
    """
    characters = characters_of(controllers, figure, dt=dt)
    if len(characters) > 1:
        names = ", ".join(c.name for c in characters)
        raise FootfallError(f"these controllers cannot share a module; export them one by one: {names}")
    (character,) = characters
    module = module_of(character)
    about = script_data(description(character, module.tables, terrains))
    here, name = files("footfall.live"), name or file_stem(character.name)
    glb = None if onto is None else Path(onto)
    addresses = {"wasm": f"{name}.wasm", "glb": "" if glb is None else glb.name}

    def page(text: str) -> bytes:
        text = text.replace("__NAME__", markup(name))
        for word, file in addresses.items():
            text = text.replace(f"__{word}__", script_data(quote(file)))
        return text.encode()

    runtime = here / "runtime"
    written = {
        f"{name}.wasm": module.wasm,
        f"{name}.json": about.encode(),
        "walker.js": (runtime / "walker.js").read_bytes(),
        "example.html": page((here / "example.html").read_text(encoding="utf-8")),
    }
    if glb is not None:
        from footfall.live.rig import rig_description

        written["rig.json"] = script_data(rig_description(character.figure, glb)).encode()
        written["rig.js"] = (runtime / "rig.js").read_bytes()
        written["character.html"] = page((runtime / "character.html").read_text(encoding="utf-8"))
        written |= {} if glb.parent.resolve() == Path(folder).resolve() else {glb.name: glb.read_bytes()}
    folder = make_folder(Path(folder))
    for file, data in written.items():
        write_whole(folder / file, data)
    return [folder / file for file in written]
