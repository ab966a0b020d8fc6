"""``footfall motion benchmark``: how well a folder of clips comes over onto a figure."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import tyro

from footfall.cli.arguments import Folder
from footfall.cli.clusters import Cluster, Slurm, Workers, cluster_progress, opened
from footfall.cli.printing import print_json, print_table
from footfall.cli.progress import progress
from footfall.errors import FootfallError


def benchmark(
    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")],
    onto: str = "human",
    map: str = "",
    out: Folder = None,
    cluster: Cluster = None,
    workers: Workers = None,
    slurm: Slurm = None,
    json: bool = False,
) -> int:
    """Retarget every clip of a folder and report how like its source each result is.

    For each clip: degrees between the limbs of source and result (median / worst frame, the worse side), correlation
    of knees and elbows over time, the fastest coordinate, feet. Clips that footfall refuses are listed with the reason.

    Args:
        folder: a folder of motion files, sub-folders included, or one file.
        onto: a figure, by name (footfall list) or file.
        map: a file with lines TARGET = SOURCE, for joints that names do not match.
        out: a folder for pictures of source and result side by side, one for each clip; it is made where it is missing.
        cluster: retarget on the workers of a Dask scheduler, tcp://HOST:PORT, which must see the clips' folder.
        workers: retarget in so many processes of this machine. Default: in this one.
        slurm: retarget on Slurm: partition=NAME,workers=8,time=MINUTES and other options of sbatch.
        json: one JSON object on standard output.
    """
    from footfall.figures import Figure
    from footfall.motion.retargeting import benchmark as work
    from footfall.motion.retargeting.joint_map import read_joint_map

    joints = read_joint_map(map) if map else None
    figure = Figure.load(onto)
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FootfallError(f"{out}: the folder cannot be made ({error.strerror})") from None
    draw = None if out is None else partial(_draw, out)
    with progress("clips") as show, opened(cluster, workers, slurm, show) as executor:
        watch = cluster_progress(show, "clips", executor)
        rows = work.benchmark(folder, figure, joints=joints, watch=watch, show=draw, executor=executor)
    total = work.summary_of(rows)
    if json:
        print_json({"figure": onto} | total | {"rows": [row.as_dict() for row in rows]})
        return 0
    bad = [row.clip for row in rows if row.outcome == "bad"]
    named = f" ({', '.join(bad[:3])}{' …' if len(bad) > 3 else ''})" if bad else ""
    print(
        f"{total['bad']} of {total['clips']} clips are BAD on {onto}{named}; "
        f"{total['good']} good, {total['refused']} refused"
    )
    head = [
        "clip",
        *(kind.replace("_", " ") for kind in work.KINDS),
        "knee",
        "elbow",
        "rad/s",
        "clipped",
        "slide cm",
        "CPU s",
        "verdict",
    ]
    table = [head]
    for row in rows:
        if row.report is None:
            table.append([row.clip, *["–"] * (len(head) - 2), f"refused: {row.refused}"])
            continue
        found = row.report.fidelity
        cells = [row.clip]
        for kind in work.KINDS:
            difference = found.worst(kind)
            cells.append("–" if difference is None else f"{difference.median:.1f}/{difference.worst:.0f}")
        for kind in ("knee", "elbow"):
            value = found.least_bend(kind)
            cells.append("–" if value is None else f"{value:.3f}")
        cells.append("–" if found.fastest is None else f"{found.fastest:.0f}")
        cells += [f"{100 * row.report.clipped:.0f} %", f"{100 * row.report.after.slide:.1f}"]
        cells += [f"{row.cpu_seconds:.2f}", row.report.verdict()]
        table.append(cells)
    print_table(table)
    limbs = ", ".join(f"{kind.replace('_', ' ')} {value['median']:.1f}°" for kind, value in total["limbs_deg"].items())
    print(f"median over clips: {limbs}")
    cost = total["cpu_seconds"]
    if cost is not None:
        print(
            f"processor time of reading and retargeting: {cost['minute']:.1f} s for a minute at 120 frames a second, "
            f"{cost['clip']:.1f} s of it whatever the length (a line through all clips)"
        )
    return 0


def _draw(folder: Path, clip: str, source: Any, result: Any, report: Any) -> None:
    from footfall.pictures.files import save_figure
    from footfall.pictures.side_by_side import plot_side_by_side

    name = clip.replace("/", "-").replace("\\", "-")
    save_figure(plot_side_by_side(source, result, title=f"{clip}: {report.verdict()}"), folder / f"{name}.png")
