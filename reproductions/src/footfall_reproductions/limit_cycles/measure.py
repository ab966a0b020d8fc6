"""Laszlo's thesis (1996) measured again: balanced walks, their variables, variations and cost."""

from collections.abc import Callable
from pathlib import Path

from footfall_reproductions.limit_cycles import basics, claims, trials, variations
from footfall_reproductions.part import Part, measure_parts
from footfall_reproductions.row import Row

_PARTS: tuple[Part, ...] = (
    Part("open-loop", "falling without balance", ("open-loop-*",), basics.open_loop),
    Part("trials", "trials over Q_d", ("trials-*", "servo-widens*", "balanced-60-steps"), basics.trials),
    Part("torso-pitch", "torso servo", ("torso-pitch*",), basics.torso_pitch),
    Part(
        "other-variables",
        "swing-COM and stance-COM",
        ("swing-com*", "stance-com-falls", "table-4.1-*"),
        basics.other_variables,
    ),
    Part("responses", "responses to perturbations", ("response-*",), basics.responses),
    Part("integrator", "the thesis's own integration", ("thesis-integrator",), trials.runge_kutta),
    Part("bird-runs", "robo-bird from disturbed starts", ("robo-bird-runs",), trials.bird_runs),
    Part("bird", "a running robo-bird", ("robo-bird",), basics.bird),
    Part("replay", "replaying the aperiodic graph", ("aperiodic-replay",), basics.replay),
    Part("reuse", "reuse of models", ("reuse-*",), basics.reuse),
    Part("speed", "speed", ("speed-*",), variations.speed),
    Part("turning", "turning", ("turn-radius*",), variations.turning),
    Part("path", "a path of ten points", ("path-of-ten-points",), variations.path),
    Part("stride-rate", "stride rate", ("stride-rates",), variations.stride_rate),
    Part("postures", "bent knees, bent back, ducking", ("bent-knee", "bent-over", "duck"), variations.postures),
    Part("running", "running", ("running",), variations.running),
    Part("feet", "feet that slide or sink", ("feet-*",), variations.feet),
    Part("targets", "documented values of Q_d", ("walks-*",), trials.targets),
    Part("paths", "paths from disturbed starts", ("path-with*",), trials.paths),
    Part(
        "changes",
        "changes from disturbed starts",
        ("stride-rate-runs", "bent-knee-runs", "bent-over-runs", "duck-runs"),
        trials.changes,
    ),
    Part("settling", "steps until a walk is steady", ("settles", "even-steps"), claims.settling),
    Part("table-5.2", "the thesis's own speed gains", ("table-5.2-gains",), claims.own_gains),
    Part("turn-degrees", "turns by degrees of hip yaw", ("turn-degrees-*",), claims.turn_degrees),
)


def parts() -> tuple[Part, ...]:
    """Rows that are measured together."""
    return _PARTS


def rows(progress: Callable[[float, str], None] | None = None) -> list[Row]:
    """Every claim of the thesis that footfall measures, judged by the rule that its row states."""
    return measure_parts(_PARTS, progress)


def figures(out_dir: Path) -> list[Path]:
    """The thesis's plots drawn again, and strips of the motions; returns the files written."""
    from footfall_reproductions.limit_cycles.figures import draw

    return draw(Path(out_dir))
