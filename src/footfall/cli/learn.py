"""``footfall learn``: feedback error learning of the torso's torques."""

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
    from footfall.methods.simbicon import error_learning
    from footfall.methods.simbicon.files import load_graph
    from footfall.pictures.page import PLOT_SUFFIXES

    spatial = Figure.load(load_graph(controller).figure).root == "free"
    if legs and not spatial:
        raise FootfallError(f"--legs is for 3D walks; '{controller}' walks in the plane")
    files = check_files(out, (".toml",) if spatial else (".toml", *PLOT_SUFFIXES))
    usual = error_learning.STRIDE_LIMIT if spatial else error_learning.FORWARD_LIMIT
    limit = usual if limit is None else limit
    with progress(f"{controller} learns", seconds) as show:
        if spatial:
            result = error_learning.learn_stride(
                controller, seconds=seconds, bins=bins, rate=rate, limit=limit, legs=legs, window=min(4.0, seconds),
                dt=dt, progress=show,
            )  # fmt: skip
        else:
            result = error_learning.learn_torso(
                controller, seconds=seconds, bins=bins, rate=rate, limit=limit, dt=dt, integrator=integrator,
                progress=show,
            )  # fmt: skip
    for path in files:
        if path.suffix == ".toml":
            save_controller(result.controller, path)
        else:
            error_learning.draw_torso_learning(controller, result, path)
    if json:
        print_json(result.as_dict() | {"files": files})
        return 0
    name, share = result.controller.name, f"feedback torque is {100 * result.ratio:.1f} % of the feed-forward torque"
    if len(result.swing) == 0:
        print(f"{name}: after {seconds:g} s {share}")
    else:
        after = result.swing[-1]
        print(f"{name}: the torso swings {result.before:.2f}° before and {after:.2f}° after {seconds:g} s\n  {share}")
    print_files(files)
    return 0
