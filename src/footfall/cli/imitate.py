"""``footfall imitate``: a captured clip becomes a physically simulated character."""

from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.printing import check_files, print_json
from footfall.cli.progress import progress
from footfall.errors import FootfallError

__all__ = ["imitate"]


def imitate(
    clip: tyro.conf.Positional[str],
    law: Literal["tracking"] = "tracking",
    out: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="FILE")] = (),
    name: str = "",
    figure: str = "mocap-biped",
    loop: bool = False,
    generations: int = 12,
    pushes: bool = True,
    seed: int = 1,
    json: bool = False,
) -> int:
    """Turn a captured clip into a physically simulated character that follows it and keeps its balance.

    The clip is retargeted onto the figure, cut where feet land, and gains are searched over simulated worlds. The
    report says how long the character stays up, how close it is to the clip and how hard it may be pushed.

    Args:
        clip: a motion file (.bvh and others) of walking, turning, starting or stopping on two feet.
        law: tracking, the law of Data-Driven Biped Control.
        out: a .toml controller for footfall run, a .gif or .mp4 of clip and simulation side by side, or a .png of
            poses. May be repeated.
        name: of the controller; by default from the clip's file name.
        figure: a built-in figure, or an .xml (MJCF) or .bones file, of ball joints.
        loop: repeat the clip's best two steps for 60 s, instead of following the clip once.
        generations: of the search for gains, at most.
        pushes: look for push limits.
        seed: of the search.
        json: print one JSON object on standard output.
    """
    from footfall.study.imitation.gain_search import GainSearch
    from footfall.study.imitation.imitate import imitate as make

    files = check_files(out, (".toml", ".gif", ".mp4", ".png"))
    path = Path(clip)
    if not path.is_file():
        raise FootfallError(f"clip {path} does not exist")
    with progress(f"imitate {path.name}", 1.0) as show:
        made = make(
            path,
            figure=figure,
            name=name,
            loop=loop,
            pushes=pushes,
            search=GainSearch(generations=generations, seed=seed),
            progress=None if show is None else lambda done, what: show(done),
        )
    for file in files:
        _save(made, file)
    answer = made.as_dict() | {"files": [str(file) for file in files]}
    if json:
        print_json(answer)
    else:
        _print_report(answer)
    return 0


def _save(made: Any, file: Path) -> None:
    if file.suffix == ".toml":
        from footfall.control.tracking.controller import save_tracking

        save_tracking(made.controller, file)
        return
    from footfall.study.imitation.film import draw_poses, save_film

    (draw_poses if file.suffix == ".png" else save_film)(made.following, file)


def _print_report(answer: dict[str, Any]) -> None:
    ending = f"fell after {answer['seconds']:.1f} s" if answer["fell"] else f"stayed up for {answer['seconds']:.1f} s"
    print(f"{answer['controller']} on {answer['figure']}: {ending}, {answer['steps']} steps")
    print(f"  {answer['disturbed_up']} of {answer['disturbed_tried']} disturbed starts stayed up")
    print(
        f"  joints are {answer['joint_error_deg']:.1f} degrees from the clip on average, "
        f"correlation {answer['correlation']:.2f}"
    )
    print(f"  it moves at {answer['pace']:.2f} of the clip's speed")
    if answer["push_limits"]:
        limits = ", ".join(f"{n:g} N from the {where}" for where, n in answer["push_limits"].items())
        print(f"  withstands pushes of 0.4 s up to {limits}")
    print(f"  {answer['sets_of_gains_tried']} sets of gains were tried")
    if answer["files"]:
        print(f"  wrote {', '.join(answer['files'])}")
