"""``footfall learn``: feedback error learning of the torso's torques."""

from pathlib import Path
from typing import Annotated, Literal

import tyro

from footfall.cli.printing import check_files, print_json, progress

__all__ = ["learn"]


def learn(
    controller: tyro.conf.Positional[str],
    seconds: float = 60.0,
    bins: int = 200,
    rate: float = 0.1,
    limit: float = 300.0,
    dt: float = 0.001,
    integrator: Literal["implicit", "explicit"] = "implicit",
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    figure: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    json: bool = False,
) -> int:
    """Let a gait learn to anticipate its torso's swing, by phase of the step (feedback error learning).

    Args:
        controller: a built-in controller or a .toml file.
        seconds: how long it walks and learns.
        bins: how many parts a step is divided into, 1 to 1000.
        rate: the learning rate.
        limit: the largest feed-forward torque, newton metres.
        dt: time step, seconds.
        integrator: implicit or explicit.
        out: a .toml file for the controller with what it learned.
        figure: a .png or .svg: the torques before and after, and the learning curve.
        json: one JSON object on standard output.
    """
    from footfall.control.files import save_controller
    from footfall.study.learning.torso_learning import learn_torso

    if out is not None:
        check_files([out], [".toml"])
    if figure is not None:
        check_files([figure], [".png", ".svg"])
    with progress(f"{controller} learns", seconds) as show:
        result = learn_torso(
            controller, seconds=seconds, bins=bins, rate=rate, limit=limit, dt=dt, integrator=integrator, progress=show
        )
    written = []
    if out is not None:
        save_controller(result.controller, out)
        written.append(str(out))
    if figure is not None:
        from footfall.study.learning.torso_picture import draw_torso_learning

        draw_torso_learning(controller, result, figure)
        written.append(str(figure))
    if json:
        print_json(result.as_dict() | {"files": written})
        return 0
    after, ratio = result.swing[-1], result.feedback[-1] / max(result.forward[-1], 1e-12)
    print(
        f"{result.controller.name}: the torso swings {result.before:.2f}° before and {after:.2f}° after {seconds:g} s"
    )
    print(f"  feedback torque is {100 * ratio:.1f} % of the feed-forward torque")
    if written:
        print(f"  wrote {', '.join(written)}")
    return 0
