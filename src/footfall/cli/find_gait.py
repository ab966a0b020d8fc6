"""``footfall find-gait``: search for a 3D gait that meets a goal."""

from pathlib import Path
from typing import Annotated

import tyro

from footfall.cli.arguments import Files, MaybeText
from footfall.cli.clusters import Cluster, Slurm, Workers, cluster_progress, opened
from footfall.cli.printing import check_files, print_files, print_json, progress


def find_gait(
    goal: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GOAL")],
    seconds: float = 300.0,
    population: int = 160,
    sigma: float = 0.5,
    seed: int = 1,
    base: MaybeText = None,
    push: Annotated[float | None, tyro.conf.arg(metavar="SCALE")] = None,
    data: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None,
    dt: float = 0.002,
    device: str = "cpu",
    cluster: Cluster = None,
    workers: Workers = None,
    slurm: Slurm = None,
    checkpoint: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    out: Files = (),
    json: bool = False,
) -> int:
    """Search for a 3D gait: natural first, then as sturdy as it can be.

    Candidates walk undisturbed and are pushed from all sides. The pushes grow while half of them survive most. Ctrl-C
    ends the search and writes the best so far.

    Args:
        goal: a built-in goal (walk-3d, run-3d, climb-3d, …) or a .toml file.
        seconds: how long to search.
        population: candidates per generation.
        sigma: size of the first steps.
        seed: of the search.
        base: the controller to start from. Default: the goal's.
        push: the first pushes, as a multiple of those that SIMBICON's human survived. Default: the goal's.
        data: a folder with schwartz2008_joint_angles.csv, for goals that ask for likeness to people.
        dt: time step of the simulations, s.
        device: cpu or cuda.
        cluster: judge candidates on the workers of a Dask scheduler, tcp://HOST:PORT.
        workers: judge candidates in so many processes of this machine. Default: in this one, on all cores.
        slurm: judge candidates on Slurm: partition=NAME,workers=8,time=MINUTES and other options of sbatch.
        checkpoint: a file for the numbers found so far, written every ten generations.
        out: a .toml file for the controller. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.control.registry import save_controller
    from footfall.methods.simbicon.files import load_graph
    from footfall.study.gaits.find import find_gait as find
    from footfall.study.gaits.goal import load_goal

    files = check_files(out, (".toml",))
    wanted = load_goal(goal)
    what = f"{wanted.name}: search"
    with progress(what) as show, opened(cluster, workers, slurm, show) as executor:
        report = cluster_progress(show, what, executor)
        found = find(
            wanted,
            seconds=seconds,
            population=population,
            sigma=sigma,
            seed=seed,
            dt=dt,
            device=device,
            data=data,
            base=None if base is None else load_graph(base),
            scale=push,
            checkpoint=checkpoint,
            progress=lambda spent, _: report(min(spent, seconds), seconds),
            executor=executor,
        )
    for path in files:
        save_controller(found.controller, path)
    if json:
        print_json(
            {
                "controller": found.controller.name,
                "generations": len(found.history),
                "interrupted": found.interrupted,
                "push_scale": found.scale,
                "measures": found.measures,
                "set": found.set,
                "files": files,
            }
        )
        return 0
    measures = found.measures
    print(
        f"{found.controller.name}: {measures['speed']:.2f} m/s, {measures['step_time']:.2f} s per footstep, "
        f"{100 * measures['double_support_share']:.0f} % double support, {measures['step_width']:.2f} m wide"
    )
    print(f"  survives {100 * measures['pushes_survived']:.0f} % of pushes at {found.scale:.2f} times the paper's")
    if found.interrupted:
        print(f"  interrupted: this is the best after {len(found.history)} generations")
    print_files(files)
    return 0
