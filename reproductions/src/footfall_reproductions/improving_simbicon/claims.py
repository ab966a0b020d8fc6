"""Claims of Improving SIMBICON beside its tables: ranges of gains, average step, torque and pitch, average poses."""

import numpy as np

from footfall.methods.simbicon.files import load_graph
from footfall.motion.synthesis.principal_components import principal_components
from footfall.simulation import Outcome, Record, Simulation
from footfall_reproductions.improving_simbicon.terrain import up_steps
from footfall_reproductions.part import Part
from footfall_reproductions.row import Row


def parts() -> tuple[Part, ...]:
    """Rows that are measured together."""
    return (
        Part("gain-ranges", "ranges of feedback gains", ("gains-*",), _gain_rows),
        Part("flat-ground", "the walk on flat ground", ("step-length", "sighted-on-flat"), _flat_rows),
        Part("hip-torque", "torque and pitch on a step", ("step-torque", "step-pitch"), _effort_rows),
        Part("average-poses", "average poses", ("average-poses",), _pose_rows),
    )


def _with_gain(joint: str, field: str, gains: np.ndarray) -> Outcome:
    """The walk with one more feedback gain in all states, one world for each."""
    return Simulation("walk", worlds=len(gains), set={f"{joint}.{field}": gains}).run(30.0)


def _gain_rows() -> list[Row]:
    wide, narrow = np.linspace(-20.0, 20.0, 21), np.array([-0.5, 0.5])
    stays, words = [], []
    for joint in ("swing_ankle", "stance_ankle"):
        for field in ("c_d", "c_v"):
            stood = _with_gain(joint, field, wide).survived
            stays.append(stood)
            words.append(f"{joint} {field}: {int(stood.sum())} of {len(wide)}")
    passed, tried = int(np.sum(stays)), int(np.size(stays))
    knees, remarks = [], []
    for field in ("c_d", "c_v"):
        outcome = _with_gain("stance_knee", field, narrow)
        knees += list(outcome.survived)
        remarks += [
            f"{field} {g:g}: {'up' if s else f'falls after {t:.1f} s'}"
            for g, s, t in zip(narrow, outcome.survived, outcome.end_time, strict=True)
        ]
    fell = len(knees) - int(np.sum(knees))
    return [
        Row(
            "gains-ankles",
            "walk: gains from -20 to 20 on either ankle's d or v with which it stays up 30 s; holds at 95 %",
            "do not lose control",
            f"{passed} of {tried}",
            "",
            passed >= 0.95 * tried,
            "; ".join(words),
            passed=passed,
            tried=tried,
            bound=0.95,
        ),
        Row(
            "gains-stance-knee",
            "walk: of gains ±0.5 on the stance knee's d and v, those with which it falls in 30 s; holds if any does",
            "can easily lose control",
            f"{fell} of {len(knees)}",
            "",
            fell > 0,
            "; ".join(remarks),
            passed=fell,
            tried=len(knees),
        ),
    ]


def _flat_rows() -> list[Row]:
    outcome = Simulation("walk").run(60.0)
    length = float(outcome.speed[0] * outcome.step_time[0])
    walk, sighted = (Simulation(n).run(30.0).qpos[0] for n in ("walk", "ground-sight-walk"))
    gap = float(np.abs(walk - sighted).max())
    return [
        Row(
            "step-length",
            "walk: average length of a step on flat ground; holds within 5 % of the paper's",
            0.55,
            round(length, 3),
            "m",
            abs(length - 0.55) <= 0.05 * 0.55,
            f"{outcome.speed[0]:.3f} m/s times {outcome.step_time[0]:.3f} s; the walk covers 1.01 m/s in the authors' "
            "program too, so that 0.55 m does not go with its 0.357 s a step",
        ),
        Row(
            "sighted-on-flat",
            "largest difference of any coordinate between walk and ground-sight-walk after 30 s on flat ground; holds "
            "below 0.01",
            "similar",
            gap,
            "m, rad",
            gap < 0.01,
        ),
    ]


def _effort_rows() -> list[Row]:
    found = {}
    for name in ("generalised-walk", "ground-sight-walk"):
        outcome = up_steps(name, 0.1, 60)
        good = outcome.survived & (outcome.distance > 6.0)
        pitch = np.degrees(np.maximum(np.abs(outcome.torso_low), np.abs(outcome.torso_high)))
        found[name] = (np.median(outcome.peak_torque[good]), np.median(pitch[good]), int(good.sum()))
    (torque_0, pitch_0, n_0), (torque, pitch, n) = found["generalised-walk"], found["ground-sight-walk"]
    note = f"medians of the runs that pass a step up of 10 cm at 60 places: {n} sighted, {n_0} generalised"
    return [
        Row(
            "step-torque",
            "ground-sight-walk on a step up of 10 cm: largest joint torque; holds if less than the generalised walk's",
            "reduced",
            f"{torque:.0f} against {torque_0:.0f}",
            "N m",
            bool(torque < torque_0),
            f"{note}; of all joints, where the paper says the swing hip's",
        ),
        Row(
            "step-pitch",
            "ground-sight-walk on a step up of 10 cm: largest pitch of the torso; holds if less than the generalised "
            "walk's",
            "less",
            f"{pitch:.1f} against {pitch_0:.1f}",
            "degrees",
            bool(pitch < pitch_0),
            note,
        ),
    ]


def _pose_rows() -> list[Row]:
    poses = {}
    for name in ("walk", "fast-walk", "crouch-walk"):
        simulation = Simulation(load_graph(name), record=Record(rate=1 / 0.0054))
        simulation.run(54.0)
        poses[name] = principal_components(simulation.trace().motion()).mean
    worst = max(float(np.abs(poses["walk"] - poses[n]).max()) for n in ("fast-walk", "crouch-walk"))
    return [
        Row(
            "average-poses",
            "largest difference of any joint's average between walk, fast walk and crouch walk; holds below 20 degrees",
            "very similar",
            round(np.degrees(worst), 1),
            "degrees",
            bool(np.degrees(worst) < 20.0),
            "; ".join(f"{n}: " + " ".join(f"{np.degrees(a):.0f}" for a in p) for n, p in poses.items()),
        )
    ]
