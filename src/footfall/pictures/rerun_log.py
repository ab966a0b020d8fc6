"""A motion in the rerun viewer: the body, contacts, forces and every recorded number on one timeline.

``time`` is the timeline, seconds since the motion began. Entities::

    world/body/JOINT            where the joint is; its solids are below it
    world/ground/K              the ground along the path
    world/contact               the contact points that touch
    world/ground_force          forces of the ground on them, a metre for 1000 N
    world/push                  the push, on the same scale
    qpos/NAME, qvel/NAME, …     one line for each column of a recorded channel
    ground_force/POINT          upward force on each contact point, newtons
    contact/POINT               1 where it touches
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array
from footfall.motion.skeleton.roles import leg_length
from footfall.pictures.page import SIDE_COLOURS, hex_to_rgb
from footfall.pictures.scene import GroundPatch, Scene, scene_of
from footfall.plugins import optional_module

TIMELINE = "time"
METRES_PER_NEWTON = 1e-3
PATCH, MARGIN = 12.0, 1.5
"""Metres between patches of ground, and how far the ground reaches beside the path."""
PLOTS = ("qpos", "qvel", "torque", "moment", "ground_force", "contact")
"""Channels that the viewer shows as plots at first, each in a tab; the others are in its list of entities."""
FORCE, CONTACT, PUSH, GROUND = "#009E73", "#E69F00", "#8B1E3F", "#D9D9D9"


def check_rerun() -> Any:
    """The module ``rerun``; an error that says how to install it where it is missing."""
    return optional_module("rerun", "rerun is not installed: pip install 'footfall[rerun]' (or pip install rerun-sdk)")


def write_rerun(motion: Motion, path: Path, *, title: str = "") -> None:
    """Write a motion as a recording of rerun, which its viewer opens.

    Args:
        motion: what to write.
        path: the file (.rrd).
        title: the recording's name.
    """
    rr = check_rerun()
    with rr.RecordingStream("footfall") as recording:
        recording.save(path, default_blueprint=_blueprint(motion))
        _log(rr, recording, motion, title)


def open_in_rerun(motion: Motion, *, title: str = "") -> None:
    """Show a motion in the rerun viewer, which is started unless it runs already."""
    rr = check_rerun()
    with rr.RecordingStream("footfall") as recording:
        recording.spawn(default_blueprint=_blueprint(motion))
        _log(rr, recording, motion, title)


def _log(rr: Any, recording: Any, motion: Motion, title: str) -> None:
    scene = scene_of(motion)
    if title:
        recording.send_recording_name(title)
    recording.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    _log_ground(rr, recording, scene)
    times = [rr.TimeColumn(TIMELINE, duration=scene.times)]
    for j, name in enumerate(motion.skeleton.names):
        place = rr.Transform3D.columns(
            translation=scene.positions[:, j], quaternion=np.roll(scene.orientations[:, j], -1, axis=-1)
        )
        recording.send_columns(f"world/body/{_safe(name)}", times, place)
    for k, solid in enumerate(scene.solids):
        colour = np.broadcast_to(hex_to_rgb(SIDE_COLOURS[solid.side]), (len(solid.vertices), 3)).astype(np.uint8)
        shape = rr.Mesh3D(
            vertex_positions=solid.vertices,
            triangle_indices=solid.triangles,
            vertex_normals=solid.normals,
            vertex_colors=colour,
        )
        joint = _safe(motion.skeleton.names[solid.joint])
        recording.log(f"world/body/{joint}/{_safe(solid.part or 'part')}{k}", shape, static=True)
    _log_contacts(rr, recording, scene, times)
    for path, values in _series(motion, scene).items():
        recording.send_columns(path, times, rr.Scalars.columns(scalars=values))


def _log_ground(rr: Any, recording: Any, scene: Scene) -> None:
    """The ground along the path."""
    for k, (corners, normals, faces) in enumerate(_grounds(scene)):
        colour = np.broadcast_to(hex_to_rgb(GROUND), (len(corners), 3)).astype(np.uint8)
        parts = {"vertex_positions": corners, "vertex_normals": normals, "vertex_colors": colour}
        recording.log(f"world/ground/{k}", rr.Mesh3D(triangle_indices=faces, **parts), static=True)


def _grounds(scene: Scene) -> list[tuple[Array, Array, np.ndarray]]:
    """Patches of the ground: corners, normals and triangles, those in a rectangle around the path alone."""
    path = scene.root[:: max(1, len(scene.root) // 200), :2]
    centres = [path[0]]
    for place in path:
        if np.linalg.norm(place - centres[-1]) > PATCH:
            centres.append(place)
    low, high = np.floor(path.min(axis=0) - MARGIN), np.ceil(path.max(axis=0) + MARGIN)
    patches = []
    for k, centre in enumerate(centres):
        corners, normals, faces = GroundPatch(scene.ground).triangles(centre)
        middle = corners[faces].mean(axis=1)[:, :2]
        near = ((middle > low) & (middle < high)).all(axis=1)
        own = np.linalg.norm(middle[:, None] - np.array(centres), axis=-1).argmin(axis=1) == k
        patches.append((corners, normals, faces[near & own]))
    return patches


def _log_contacts(rr: Any, recording: Any, scene: Scene, times: list[Any]) -> None:
    """Points that touch, forces of the ground on them, and pushes."""
    if scene.touching.any():
        _log_points(rr, recording, scene, times)
    if scene.forces is not None:
        _log_arrows(rr, recording, "world/ground_force", times, scene.contact_points, scene.forces, FORCE)
    if scene.push is not None:
        _log_arrows(rr, recording, "world/push", times, scene.push_at[:, None], scene.push[:, None], PUSH)


def _log_points(rr: Any, recording: Any, scene: Scene, times: list[Any]) -> None:
    counts = scene.touching.sum(axis=1)
    points = rr.Points3D.columns(positions=scene.contact_points[scene.touching]).partition(counts)
    recording.log("world/contact", rr.Points3D.from_fields(colors=[hex_to_rgb(CONTACT)], radii=[0.015]), static=True)
    recording.send_columns("world/contact", times, points)


def _log_arrows(rr: Any, recording: Any, path: str, times: list[Any], at: Array, forces: Array, colour: str) -> None:
    """Forces [F, P, 3] that act at [F, P, 3], as arrows; those that are nothing are left out."""
    acting = np.linalg.norm(forces, axis=-1) > 0
    arrows = rr.Arrows3D.columns(origins=at[acting], vectors=METRES_PER_NEWTON * forces[acting])
    recording.log(path, rr.Arrows3D.from_fields(colors=[hex_to_rgb(colour)], radii=[0.008]), static=True)
    recording.send_columns(path, times, arrows.partition(acting.sum(axis=1)))


def _series(motion: Motion, scene: Scene) -> dict[str, Array]:
    """Path of an entity -> its numbers over time [T]."""
    found: dict[str, Array] = {}
    points = [end.name for end in motion.skeleton.ends if end.contact]
    for channel, values in motion.channels.items():
        if channel in ("grf", "contact", "push"):
            continue
        if values.ndim == 1:
            found[_safe(channel)] = np.asarray(values, dtype=float)
        elif values.ndim == 2:
            names = motion.labels.get(channel) or tuple(map(str, range(values.shape[1])))
            for k, name in enumerate(names):
                found[f"{_safe(channel)}/{_safe(name)}"] = np.asarray(values[:, k], dtype=float)
    for k, name in enumerate(points):
        if scene.forces is not None:
            found[f"ground_force/{_safe(name)}"] = scene.forces[:, k, 2]
        if "contact" in motion.channels:
            found[f"contact/{_safe(name)}"] = scene.touching[:, k].astype(float)
    return found


def _blueprint(motion: Motion) -> Any:
    """The body, followed from its right side, on the left; a tab of plots for each channel on the right."""
    rrb = import_module("rerun.blueprint")
    there = {*motion.channels, *(("ground_force",) if "grf" in motion.channels else ())}
    plots = [rrb.TimeSeriesView(origin=name, name=name) for name in PLOTS if name in there]
    root, tall = motion.root_position[0], leg_length(motion.skeleton)
    eye = rrb.EyeControls3D(
        position=root + tall * np.array([1.2, -4.5, 0.6]),
        look_target=root,
        tracking_entity=f"world/body/{_safe(motion.skeleton.names[0])}",
    )
    body = rrb.Spatial3DView(origin="world", name=motion.figure or "motion", eye_controls=eye)
    views = rrb.Horizontal(body, rrb.Tabs(*plots), column_shares=[3, 2]) if plots else body
    return rrb.Blueprint(views, rrb.TimePanel(timeline=TIMELINE))


def _safe(name: str) -> str:
    """A name as one part of an entity's path."""
    return str(check_rerun().escape_entity_path_part(name))
