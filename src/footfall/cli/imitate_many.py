"""``footfall imitate FOLDER --out me.toml``: all clips of a folder become one character that is steered."""

from pathlib import Path
from typing import Any

from footfall.cli.clusters import opened
from footfall.cli.printing import check_files, print_json
from footfall.cli.progress import progress
from footfall.errors import FootfallError

OWN = ("law", "loop", "generations", "pushes", "sturdy", "stay_on_path", "torque_limit")
"""Options of single clips, with what they are where they were not given."""
USUAL = {
    "law": "tracking",
    "loop": False,
    "generations": None,
    "pushes": True,
    "sturdy": False,
    "stay_on_path": False,
    "torque_limit": 0.0,
}


def imitate_many(
    path: Path, out: tuple[str, ...], plan: dict[str, Any], where: tuple[Any, Any, Any], *, json: bool
) -> int:
    """Make the character, and print how it was made.

    Args:
        path: the folder of clips. out: a .toml controller, and a .png of its motion graph where wanted.
        plan: options of ``footfall imitate``. where: a cluster's address, how many processes, options of Slurm.
        json: print one JSON object.
    """
    from footfall.control.registry import save_controller
    from footfall.motion.retargeting.benchmark import clips_in
    from footfall.study.imitation.imitate import controller_name
    from footfall.study.imitation.many_clips import ManyClipsPlan, many_clips

    for key in OWN:
        if plan.get(key, USUAL[key]) != USUAL[key]:
            raise FootfallError(
                f"--{key.replace('_', '-')} is of single clips; a character of a whole folder (--out me.toml) is made "
                "without it"
            )
    files = check_files(out, (".toml", ".png"))
    target = _one_file(path, files)
    chunks = target.with_name(f"{target.stem}.chunks")
    options = ManyClipsPlan(seed=plan["seed"], **({"figure": plan["figure"]} if plan["figure"] else {}))
    with progress(f"imitate {path.name}", 1.0) as show, opened(*where, show) as executor:
        made = many_clips(
            clips_in(path),
            chunks,
            options,
            name=controller_name(target),
            executor=executor,
            progress=lambda done, what: show(done, 1.0, what),
        )
    save_controller(made.controller, target)
    for file in files:
        if file.suffix == ".png":
            from footfall.study.imitation.transitions_picture import save_transitions

            save_transitions(made, file)
    if json:
        between = [[*pair, *counts] for pair, counts in made.between_clips().items()]
        answer = {"controller": made.controller.name, **made.report, "clips_of_folder": made.clips}
        print_json(answer | {"between_clips": between, "files": [str(file) for file in files]})
        return 0
    _print_report(made.clips, made.report)
    print(f"  wrote {', '.join(map(str, files))}")
    print(f'  next: footfall steer {target} --sequence "5:0 5:90 5:90:0" --out walk.mp4; footfall studio {target}')
    return 0


def imitate_many_by_network(path: Path, out: tuple[str, ...], plan: dict[str, Any], *, json: bool) -> int:
    """Make a character that a network walks, and print how it was made.

    Args:
        path: the folder of clips. out: a .toml controller, and a .png of its random steering where wanted.
        plan: options of ``footfall imitate``, with the text of the policy. json: print one JSON object.
    """
    from footfall.control.registry import parse_controller, save_controller
    from footfall.gym.one_character import one_character
    from footfall.motion.retargeting.benchmark import clips_in
    from footfall.study.imitation.imitate import controller_name

    for key, wrong in (
        ("loop", plan["loop"]),
        ("sturdy", plan["aim"] == "sturdy"),
        ("faithful", plan["aim"] == "faithful"),
    ):
        if wrong:
            raise FootfallError(f"--{key} is of single clips; a character of a whole folder is made without it")
    files = check_files(out, (".toml", ".png"))
    target = _one_file(path, files)
    with progress(f"imitate {path.name}", 1.0) as show:
        made = one_character(
            clips_in(path),
            parse_controller(plan["policy"], "policy"),
            name=controller_name(target),
            practice=plan["practice"],
            seed=plan["seed"],
            device=plan["device"],
            progress=None if show is None else lambda done, what: show(done, 1.0, what),
        )
    save_controller(made.controller, target)
    for file in files:
        if file.suffix == ".png":
            from footfall.study.imitation.steering_picture import save_minutes

            save_minutes(made.minutes, file)
    report = dict(made.controller.report)
    if json:
        left_out = [{"clip": clip, "why": why} for clip, why in made.left_out]
        print_json({"controller": made.controller.name, **report, "left_out": left_out, "files": list(map(str, files))})
        return 0
    count = report["clips"] + len(made.left_out)
    print(
        f"{report['clips']} of {count} clips in one character, {report['steps']} steps; up in {report['minutes_up']} "
        f"of {report['minutes']} minutes of random steering with steps of {report['clips_used']} clips"
    )
    print(
        f"  heading {report['heading_error_deg']:.0f} degrees off, speed {report['speed_error_mps']:.2f} m/s; fastest "
        f"second {report['fastest_mps']:.1f} m/s; practised {report['practised_decisions']:,} decisions"
    )
    for clip, why in made.left_out:
        print(f"  left out {clip}: {why}")
    print(f"  wrote {', '.join(map(str, files))}")
    print(f'  next: footfall steer {target} --sequence "5:0 5:90 5:90:0" --out walk.mp4; footfall studio {target}')
    return 0


def _one_file(path: Path, files: list[Path]) -> Path:
    """The file of the character."""
    written = [file for file in files if file.suffix == ".toml"]
    if len(written) != 1:
        raise FootfallError(f"{path} is a folder: name one .toml file for the character with --out")
    return written[0]


def _print_report(clips: list[dict[str, Any]], report: dict[str, Any]) -> None:
    print(
        f"{report['clips']} of {len(clips)} clips in one character, "
        f"{report['steps_kept']} of {report['steps']} steps; up in "
        f"{report['minutes_up']} of {report['minutes']} minutes of random steering, heading "
        f"{report['heading_error_deg']:.0f} degrees off"
    )
    print(
        f"  {report['transitions_kept']} of {report['transitions_tried']} transitions and {report['stops_kept']} of "
        f"{report['stops_tried']} stops stayed up from every disturbed start; random steering left out "
        f"{report['left_out_by_random_steering']} more"
    )
    if report["parts"] > 1:
        print(f"  the graph has {report['parts']} parts that cannot be left and come back to; the largest one is used")
    width = max(len(Path(row["clip"]).name) for row in clips)
    for row in clips:
        walked = f"{row['up']} of {row['tried']} starts walked it to its end"
        kept = f"{row['steps_kept']} of {row['steps']} steps kept, {row['steps_made']} made in random steering"
        state = row["left_out"] or f"{kept}; {walked}"
        print(f"  {Path(row['clip']).name:{width}}  {'left out: ' if row['left_out'] else ''}{state}")
