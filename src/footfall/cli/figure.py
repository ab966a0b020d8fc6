"""``footfall figure``: make bodies, from a clip's skeleton or from another figure."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import tyro

from footfall.cli.arguments import Clip, Files, MaybeFloat, Offers
from footfall.cli.motion import UpAxis, load_clip
from footfall.cli.printing import check_files, print_columns, print_files, print_json

if TYPE_CHECKING:
    from footfall.figures import Figure

Sex = Literal["mean", "female", "male"]
Strength = Literal["muscle", "similar"]
Joints = Literal["hinge", "ball"]


def from_motion(
    clip: Clip,
    mass: MaybeFloat = None,
    height: MaybeFloat = None,
    sex: Sex = "mean",
    strength: Strength = "muscle",
    joints: Joints = "hinge",
    unit: str = "auto",
    up: UpAxis = "auto",
    animation: str = "",
    root: str = "",
    out: Files = (),
    json: bool = False,
) -> int:
    """Make a person's figure with the bones of a clip's skeleton: capsules, masses, joint ranges, servos, soles.

    Args:
        clip: a motion file with a person's skeleton (docs/motion.md lists the formats). One frame is enough.
        mass: kg of the whole body. Default: usual for its height.
        height: m from the soles to the crown. Default: the skeleton's own.
        sex: whose shares of mass and radii of gyration.
        strength: torque limits grow with the mass, as muscles do, or with mass and length (similar).
        joints: hinge for SIMBICON and its servos, ball for the tracking law (footfall imitate, footfall steer).
        unit: of a file that does not say it: m, cm, mm, inch, cmu, or metres as a number; auto guesses.
        up: upward axis of a file that does not say it; write --up=-y for one that points down. auto guesses.
        animation: which animation of a .glb, .gltf or .fbx, by name.
        root: which figure of a .bvh that holds several, by the name of its root.
        out: a file to write: the figure (.xml) or a picture of it (.png .svg .pdf). Default: CLIP.xml in the current
            folder. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.motion.person_of_clip import figure_from_motion

    files = _files(out, f"{Path(clip).stem}.xml")
    motion = load_clip(clip, unit=unit, up=up, animation=animation, root=root)
    name = next((path.stem for path in files if path.suffix == ".xml"), Path(clip).stem)
    body = figure_from_motion(motion, mass=mass, height=height, name=name, sex=sex, strength=strength)
    notes = list(motion.source.get("notes", ()))
    if motion.source.get("unit_from") == "guess":
        notes.append(
            f"the file does not say its unit; with '{motion.source['unit']}' its skeleton is {body.clip_height:.2f} m "
            "tall. Name another with --unit, or the height with --height"
        )
    told = {"clip": str(clip), "clip_height_m": body.clip_height, "asymmetry_m": body.asymmetry}
    _report(_jointed(body.figure, joints), files, told | {"by_proportion": list(body.filled)}, notes, json)
    return 0


def scale_figure(
    figure: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FIGURE"), Offers(lambda: _names())],
    height: MaybeFloat = None,
    mass: MaybeFloat = None,
    strength: Strength = "muscle",
    joints: Joints = "hinge",
    out: Files = (),
    json: bool = False,
) -> int:
    """Make a figure in another size, a child or a giant: lengths by the height, masses and strength by allometry.

    Args:
        figure: a built-in figure (footfall list), or the file of a body.
        height: m from the soles to the top. Default: as it is.
        mass: kg of the whole body. Default: the same density, so that mass grows with the height's third power.
        strength: torque limits grow with the mass, as muscles do, or with mass and length (similar).
        joints: ball makes one ball joint of each body's hinges, for the tracking law; hinge leaves joints as they are.
        out: a file to write: the figure (.xml) or a picture of it (.png .svg .pdf). Default: FIGURE-1.1m.xml in the
            current folder. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.figures import Figure
    from footfall.figures.scaling import figure_height, scaled_figure

    own = Figure.load(figure)
    size = f"{height:g}m" if height is not None else f"{mass:g}kg" if mass is not None else ""
    files = _files(out, f"{own.name}-{size}.xml")
    name = next((path.stem for path in files if path.suffix == ".xml"), "")
    new = scaled_figure(own, height=height, mass=mass, name=name, strength=strength)
    factors = {
        "length": figure_height(new) / figure_height(own),
        "mass": _mass(new) / _mass(own),
        "torque_limit": _ratio(new.torque_limit, own.torque_limit),
        "kp": _ratio(new.kp, own.kp),
        "kd": _ratio(new.kd, own.kd),
    }
    _report(_jointed(new, joints), files, {"from": own.name, "factors": factors}, [], json)
    return 0


def _jointed(figure: "Figure", joints: Joints) -> "Figure":
    from footfall.figures.ball_joints import with_ball_joints

    return with_ball_joints(figure, figure.name) if joints == "ball" else figure


def _names() -> list[str]:
    from footfall.figures.builtin import figure_names

    return list(figure_names())


def _files(out: Files, usual: str) -> list[Path]:
    from footfall.pictures.page import PLOT_SUFFIXES

    return check_files(out or (usual,), (".xml", *PLOT_SUFFIXES))


def _report(figure: "Figure", files: list[Path], told: dict[str, Any], notes: list[str], json: bool) -> None:
    """Write the files and print what was made."""
    from footfall.figures.scaling import figure_facts
    from footfall.text_files import write_whole

    for path in files:
        if path.suffix == ".xml":
            write_whole(path, figure.xml.encode())
        else:
            _draw(figure, path)
    rows = {"name": figure.name} | figure_facts(figure) | told
    if json:
        print_json(rows | {"notes": notes, "files": [str(path) for path in files]})
        return
    for note in notes:
        print(f"note: {note}")
    print_columns([[name.replace("_", " "), _text(value)] for name, value in rows.items() if value not in ("", [])])
    print_files(files)


def _mass(figure: "Figure") -> float:
    return float(figure.model.body_mass.sum())


def _ratio(new: Any, own: Any) -> float | None:
    known = np.isfinite(own) & (own > 0.0)
    return float(np.median(new[known] / own[known])) if known.any() else None


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} x {v:.4g}" for name, v in value.items() if v is not None)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _draw(figure: "Figure", path: Path) -> None:
    from footfall.motion import Motion
    from footfall.pictures import save_picture

    motion = Motion.from_qpos(figure, np.zeros(1), figure.default_qpos[None])
    save_picture(motion, path, poses=1, labels=[figure.name])


COMMANDS = {"from-motion": from_motion, "scale": scale_figure}
"""The sub-commands of ``footfall figure``."""
