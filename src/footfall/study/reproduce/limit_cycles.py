"""Laszlo's thesis (1996) measured again: balanced walks, their variables, variations and cost."""

from collections.abc import Callable, Iterator
from pathlib import Path

from footfall.study.reproduce import limit_cycles_basics as basics
from footfall.study.reproduce import limit_cycles_variations as variations
from footfall.study.reproduce.row import Row

__all__ = ["figures", "rows"]

_PARTS: tuple[tuple[str, Callable[[], Iterator[Row]]], ...] = (
    ("falling without balance", basics.open_loop),
    ("trials over Q_d", basics.trials),
    ("torso servo", basics.torso_pitch),
    ("swing-COM and stance-COM", basics.other_variables),
    ("responses to perturbations", basics.responses),
    ("the thesis's own integration", basics.runge_kutta),
    ("a running robo-bird", basics.bird),
    ("replaying the aperiodic graph", basics.replay),
    ("reuse of models", basics.reuse),
    ("speed", variations.speed),
    ("turning", variations.turning),
    ("a path of ten points", variations.path),
    ("stride rate", variations.stride_rate),
    ("bent knees, bent back, ducking", variations.postures),
    ("running", variations.running),
    ("feet that slide or sink", variations.feet),
)


def rows(progress: Callable[[float, str], None] | None = None) -> list[Row]:
    """Every claim of the thesis that footfall measures, judged by the rule that its row states."""
    found: list[Row] = []
    for i, (words, part) in enumerate(_PARTS):
        if progress is not None:
            progress(i / len(_PARTS), words)
        found += list(part())
    if progress is not None:
        progress(1.0, "done")
    return found


def figures(out_dir: Path) -> list[Path]:
    """The thesis's plots drawn again, and strips of the motions; returns the files written."""
    from footfall.study.reproduce.limit_cycles_figures import draw

    return draw(Path(out_dir))
