"""``footfall transitions``: which controllers can be entered directly from which others."""

from footfall.cli.arguments import Controllers
from footfall.cli.printing import Answer, print_columns, progress
from footfall.errors import FootfallError
from footfall.study.transitions import TransitionMatrix, transition_matrix


def transitions(
    controllers: Controllers = (),
    phases: int = 12,
    settle: float = 6.0,
    after: float = 10.0,
    dt: float = 0.001,
) -> Answer:
    """Try every direct switch between controllers at phases over the stride. Where one fails, find a route over others.

    Args:
        controllers: built-in names or .toml files. Default: all periodic gaits of the planar biped.
        phases: at how many phases each pair is tried.
        settle: seconds before the switch.
        after: seconds that the new controller must stay up.
        dt: time step in seconds.
    """
    names = controllers or GAITS
    if len(names) < 2:
        raise FootfallError("transitions: give at least two controllers")
    if phases < 1:
        raise FootfallError(f"phases is {phases}; it must be at least 1")
    with progress(f"{len(names) * (len(names) - 1)} transitions", 1.0) as show:
        matrix = transition_matrix(names, phases=phases, settle=settle, after=after, dt=dt, progress=show)
    return Answer(matrix.as_dict(), lambda: _print(matrix, phases))


def _print(matrix: TransitionMatrix, phases: int) -> None:
    print(f"share of {phases} phases at which the direct switch succeeds, from row to column:")
    rows = [["", *(str(i + 1) for i in range(len(matrix.names)))]]
    for i, name in enumerate(matrix.names):
        rows.append([f"{i + 1} {name}", *("·" if j == i else f"{x:.2f}" for j, x in enumerate(matrix.share[i]))])
    print_columns(rows)
    for (a, b), way in matrix.routes().items():
        direct = matrix.share[matrix.names.index(a), matrix.names.index(b)]
        print(f"  {a} to {b}: {direct:.2f} directly, {matrix.chance(way):.2f} by {' > '.join(way)}")


GAITS = (
    "walk",
    "in-place-walk",
    "fast-walk",
    "high-step-walk",
    "half-bent-walk",
    "bent-walk",
    "crouch-walk",
    "scissor-hop",
    "backwards-walk",
    "run",
    "fast-run",
    "skipping",
)
