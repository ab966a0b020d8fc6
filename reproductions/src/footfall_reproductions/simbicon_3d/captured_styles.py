"""The seven styles that SIMBICON takes from captured motion (section 5), each made into a controller by the one
command's own code.

    python -m footfall_reproductions.simbicon_3d.captured_styles DATA [STYLE ...] [--out DIR]
"""

import argparse
import json
from pathlib import Path
from typing import Any

from footfall.control.registry import save_controller
from footfall.errors import FootfallError, check_name
from footfall.motion import load_motion, trimmed
from footfall.motion.synthesis.periodic import edited
from footfall.study.imitation.captured import WalkFollower
from footfall.study.imitation.followers import Imitation
from footfall.study.imitation.pictures import draw_views
from footfall_reproductions.tables import paper_table

STYLES: dict[str, dict[str, Any]] = paper_table("simbicon_3d", "captured-styles")
"""Name -> clip, its part, and how it is edited."""


def imitate_style(name: str, folder: Path, *, degree: float = 1.0, pushes: bool = True, **options: Any) -> Imitation:
    """The controller of a style, from a folder of captured motion; ``options`` are those of :class:`WalkFollower`.
    At a degree below 1 only that share of the style's change of pose is made, or of how far its legs move."""
    check_name("style", name, STYLES)
    style = STYLES[name]
    clip = folder / style["clip"]
    if not clip.is_file():
        raise FootfallError(f"style '{name}': clip {clip} does not exist")
    changes = {key: style[key] for key in ("lift", "pace", "pose") if key in style}
    if "pose" in changes:
        changes["pose"] = {joint: degree * angle for joint, angle in changes["pose"].items()}
    elif degree != 1.0:
        changes["lift"] = degree * changes.get("lift", 1.0)
    change = (lambda cycle, figure: edited(cycle, figure, **changes)) if changes else None
    motion = load_motion(clip)
    if "start" in style or "end" in style:
        motion = trimmed(motion, style.get("start"), style.get("end"))
    follower = WalkFollower(symmetric=style.get("symmetric"), change=change, **options)
    return follower.imitate(motion, name, pushes=pushes)


def main() -> None:
    """Make styles and print what came out, one JSON object a line."""
    parser = argparse.ArgumentParser(description="Controllers of SIMBICON's captured styles.")
    parser.add_argument("data", type=Path, help="a folder of captured motion")
    parser.add_argument("styles", nargs="*", default=list(STYLES), help=f"of: {', '.join(STYLES)}")
    parser.add_argument("--out", type=Path, help="a folder for controllers and pictures")
    parser.add_argument("--pushes", action="store_true", help="look for push limits too")
    given = parser.parse_args()
    for name in given.styles:
        made = imitate_style(name, given.data, pushes=given.pushes)
        if given.out is not None:
            given.out.mkdir(parents=True, exist_ok=True)
            save_controller(made.controller, given.out / f"{name}.toml")
            draw_views(made.following, given.out / f"{name}.png")
        print(json.dumps(made.as_dict()), flush=True)


if __name__ == "__main__":
    main()
