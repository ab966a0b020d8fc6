"""``footfall learn``: feedback error learning of the torso's torques."""

from pathlib import Path
from typing import Literal

from footfall.cli.arguments import Controller, Files, MaybeFloat
from footfall.cli.printing import check_files, print_files, print_json, progress
from footfall.errors import FootfallError


def learn(
    controller: Controller,
    seconds: float = 60.0,
    bins: int = 200,
    rate: float = 0.1,
    limit: MaybeFloat = None,
    legs: bool = False,
    dt: float = 0.001,
    integrator: Literal["implicit", "explicit"] = "implicit",
    out: Files = (),
    json: bool = False,
) -> int:
    """Let a gait learn to anticipate the swing of its torso, by phase of the step (feedback error learning).

    A 3D walk learns the torques of its torso in three planes and of its upper body, by phase of the stride.

    Args:
        controller: a built-in controller or a .toml file.
        seconds: how long it walks and learns.
        bins: how many parts a step is divided into, 1 to 1000.
        rate: the learning rate.
        limit: the largest feed-forward torque. Default: 300 newton metres in the plane; 0.2 radians times the servo's
            kp in 3D.
        legs: whether the legs learn too: for walks from captured motion (``footfall imitate --law simbicon``).
        dt: time step in seconds.
        integrator: implicit or explicit.
        out: a .toml file for the controller with what it learned, or a picture (.png .svg .pdf) of the torques before
            and after and of the learning curve. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.control.registry import save_controller
    from footfall.figures import Figure
    from footfall.methods.simbicon.error_learning import FORWARD_LIMIT, draw_torso_learning, learn_torso
    from footfall.methods.simbicon.files import load_graph
    from footfall.pictures.page import PLOT_SUFFIXES

    if Figure.load(load_graph(controller).figure).root == "free":
        return _learn_stride(controller, seconds, bins, rate, limit, dt, legs, check_files(out, (".toml",)), json)
    if legs:
        raise FootfallError(f"--legs is for 3D walks; '{controller}' walks in the plane")
    files = check_files(out, (".toml", *PLOT_SUFFIXES))
    limit = FORWARD_LIMIT if limit is None else limit
    with progress(f"{controller} learns", seconds) as show:
        result = learn_torso(
            controller, seconds=seconds, bins=bins, rate=rate, limit=limit, dt=dt, integrator=integrator, progress=show
        )
    for path in files:
        if path.suffix == ".toml":
            save_controller(result.controller, path)
        else:
            draw_torso_learning(controller, result, path)
    if json:
        print_json(result.as_dict() | {"files": files})
        return 0
    after, ratio = result.swing[-1], result.feedback[-1] / max(result.forward[-1], 1e-12)
    print(
        f"{result.controller.name}: the torso swings {result.before:.2f}° before and {after:.2f}° after {seconds:g} s"
    )
    print(f"  feedback torque is {100 * ratio:.1f} % of the feed-forward torque")
    print_files(files)
    return 0


def _learn_stride(
    controller: str,
    seconds: float,
    bins: int,
    rate: float,
    limit: float | None,
    dt: float,
    legs: bool,
    files: list[Path],
    json: bool,
) -> int:
    from footfall.control.registry import save_controller
    from footfall.methods.simbicon.error_learning import STRIDE_LIMIT, learn_stride

    most = STRIDE_LIMIT if limit is None else limit
    options = {"seconds": seconds, "rate": rate, "limit": most, "dt": dt, "window": min(4.0, seconds)}
    with progress(f"{controller} learns", seconds) as show:
        result = learn_stride(controller, bins=bins, progress=show, legs=legs, **options)
    for path in files:
        save_controller(result.controller, path)
    if json:
        print_json(result.as_dict() | {"files": files})
        return 0
    share = 100 * result.ratio
    print(f"{result.controller.name}: after {seconds:g} s feedback torque is {share:.1f} % of the feed-forward torque")
    print_files(files)
    return 0
