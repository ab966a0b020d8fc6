"""Markers onto a skeleton: by construction on a model person, and against Plug-in Gait's own joint centres."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.motion import load_motion, read_markers
from footfall.motion.markers import fill_gaps, find_labels
from footfall.motion.plug_in_gait import chord
from tests.motion.walks import MOCAP, needs_mocap


def standing(frames=40, turn=0.0, names=None):
    """Names, times [T] and markers [T, M, 3] in metres, z up, of someone who stands upright and turns on the spot while
    drifting forward; and the true joint centres by name."""
    left = {
        "ASI": (0.08, 0.12, 1.00),
        "PSI": (-0.10, 0.05, 1.02),
        "THI": (0.0, 0.16, 0.70),
        "KNE": (0.0, 0.15, 0.50),
        "KNM": (0.0, 0.03, 0.50),
        "TIB": (0.0, 0.14, 0.30),
        "ANK": (-0.02, 0.13, 0.09),
        "ANM": (-0.02, 0.05, 0.09),
        "HEE": (-0.07, 0.09, 0.05),
        "TOE": (0.14, 0.09, 0.05),
        "SHO": (-0.02, 0.18, 1.47),
        "ELB": (-0.03, 0.24, 1.15),
        "WRA": (0.03, 0.22, 0.90),
        "WRB": (-0.03, 0.22, 0.90),
        "FHD": (0.10, 0.06, 1.68),
        "BHD": (-0.08, 0.06, 1.68),
    }
    places = {f"L{name}": place for name, place in left.items()}
    places |= {f"R{name}": (x, -y, z) for name, (x, y, z) in left.items()}
    places |= {"C7": (-0.08, 0, 1.50), "CLAV": (0.06, 0, 1.42), "T10": (-0.12, 0, 1.20), "STRN": (0.10, 0, 1.22)}
    points = np.array(list(places.values()))
    times = np.arange(frames) / 100
    c, s = np.cos(turn * times), np.sin(turn * times)
    spin = np.stack([np.stack([c, -s, 0 * c], -1), np.stack([s, c, 0 * c], -1), np.tile([0, 0, 1.0], (frames, 1))], 1)
    drift = np.outer(times, [1.0, 0.0, 0.0])[:, None]
    paths = np.einsum("tij,mj->tmi", spin, points) + drift
    return tuple(names or places), times, paths


def trc_text(names, times, paths, unit="mm"):
    scale = {"mm": 1000.0, "m": 1.0}[unit]
    head = [
        "PathFileType\t4\t(X/Y/Z)\tm.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"100\t100\t{len(times)}\t{len(names)}\t{unit}\t100\t1\t{len(times)}",
        "Frame#\tTime\t" + "\t\t\t".join(names),
        "\t\t" + "\t".join(f"X{k + 1}\tY{k + 1}\tZ{k + 1}" for k in range(len(names))),
        "",
    ]
    rows = []
    for frame, (time, row) in enumerate(zip(times, paths)):
        cells = ["" if np.isnan(v) else f"{scale * v:.6f}" for v in row.reshape(-1)]
        rows.append("\t".join([str(frame + 1), f"{time:.4f}", *cells]))
    return "\n".join([*head, *rows]) + "\n"


def write(path, names, times, paths, unit="mm"):
    path.write_text(trc_text(names, times, paths, unit))
    return load_motion(path)


def test_the_chord_has_its_length_and_its_right_angle():
    rng = np.random.default_rng(3)
    above, marker, third = (rng.normal(size=(50, 3)) for _ in range(3))
    above[:, 2] += 4
    inward = rng.normal(size=(50, 3))
    centre = chord(above, marker, third, inward, 0.06)
    assert np.allclose(np.linalg.norm(centre - marker, axis=-1), 0.06)
    assert np.allclose(np.einsum("tk,tk->t", centre - marker, centre - above), 0.0, atol=1e-12)
    normal = np.cross(above - marker, third - marker)
    assert np.allclose(np.einsum("tk,tk->t", centre - marker, normal), 0.0, atol=1e-9)


@pytest.mark.parametrize("unit", ["mm", "m"])
def test_someone_who_stands_is_solved_upright(tmp_path, unit):
    names, times, paths = standing(turn=1.0)
    motion = write(tmp_path / "m.trc", names, times, paths, unit)
    assert motion.source["unit"] == unit
    assert motion.source["solved"] == "Plug-in Gait"
    knees = 0.5 * (paths[:, names.index("LKNE")] + paths[:, names.index("LKNM")])
    assert np.abs(motion.position("LeftLeg") - knees).max() < 1e-4
    hip, knee, ankle = (motion.position(f"Left{name}") for name in ("UpLeg", "Leg", "Foot"))
    for upper, lower in ((hip, knee), (knee, ankle)):
        down = (lower - upper) / np.linalg.norm(lower - upper, axis=-1, keepdims=True)
        assert down[:, 2].max() < -0.98
    assert 0.8 < np.median(hip[:, 2]) < 0.98
    assert np.allclose(hip - motion.position("RightUpLeg"), 2 * (hip - motion.position("Hips")), atol=1e-4)
    assert len(motion.skeleton) == 18


def test_solving_does_not_depend_on_axes(tmp_path):
    names, times, paths = standing(turn=0.7)
    first = write(tmp_path / "z.trc", names, times, paths)
    second = write(tmp_path / "y.trc", names, times, paths[..., [1, 2, 0]])
    assert second.source["up"] == "y"
    assert np.allclose(second.skeleton.offsets, first.skeleton.offsets, atol=1e-4)
    assert np.allclose(second.position("LeftFoot")[:, 2], first.position("LeftFoot")[:, 2], atol=1e-4)


def test_short_gaps_are_filled_and_long_ones_end_the_recording(tmp_path):
    names, times, paths = standing(frames=120, turn=0.5)
    whole = write(tmp_path / "whole.trc", names, times, paths)
    paths = paths.copy()
    paths[20:30, names.index("RKNE")] = np.nan
    paths[70:110, names.index("LASI")] = np.nan
    motion = write(tmp_path / "gaps.trc", names, times, paths)
    assert len(motion) == 70
    assert "frames 0 to 69 of 120 were solved" in motion.source["notes"][0]
    assert np.abs(motion.position("RightLeg") - whole.position("RightLeg")[:70]).max() < 2e-3


def test_filling_keeps_what_was_seen():
    times = np.arange(50) / 100
    path = np.stack([times, np.sin(times), times**2], axis=-1)
    holed = path.copy()
    holed[10:20] = np.nan
    holed[45:] = np.nan
    filled = fill_gaps(holed, times)
    assert np.abs(filled[:45] - path[:45]).max() < 1e-3
    assert np.isnan(filled[45:]).all()


def test_markers_without_legs_stay_points_and_say_why(tmp_path):
    names, times, paths = standing(frames=5)
    motion = write(tmp_path / "m.trc", names[:3], times, paths[:, :3])
    assert motion.skeleton.names == ("markers",)
    assert "missing" in motion.source["notes"][0]
    assert "RASI" in motion.source["notes"][0]


def test_names_of_other_marker_sets():
    found = find_labels(
        ["subject1:LASI", "R.ASIS", "V.Sacral", "R.Knee.Lat", "LLMAL", "LMMAL", "R.Heel", "LCAL", "Sternum"]
    )
    assert sorted(found) == ["LANK", "LANM", "LASI", "LHEE", "RASI", "RHEE", "RKNE", "SACR", "STRN"]


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("PathFileType", "Pathfile", "line 1"),
        ("\t0.0200\t", "\tx\t", "'x' is not a number"),
        ("\t0.0200\t", "\t0.0100\t", "times must increase"),
    ],
)
def test_a_broken_trc_names_the_line(tmp_path, old, new, word):
    (tmp_path / "m.trc").write_text(trc_text(*standing(frames=5)).replace(old, new, 1))
    with pytest.raises(FootfallError, match=word):
        load_motion(tmp_path / "m.trc")


@needs_mocap
def test_joint_centres_are_those_of_plug_in_gait():
    """The file holds the centres that Vicon's own Plug-in Gait found; ours come from the markers alone."""
    path = MOCAP / "others" / "BTKData" / "PiG_Motion-FlatFoot-One.c3d"
    motion, markers = load_motion(path), read_markers(path)
    theirs = {name: motion.channels["markers"][:, k] for k, name in enumerate(markers.names)}
    legs = {"UpLeg": ("FEP", 0.003), "Leg": ("FEO", 0.005), "Foot": ("TIO", 0.006)}
    arms = {"Arm": ("HUP", 0.015), "ForeArm": ("HUO", 0.012), "Hand": ("RAO", 0.015)}
    for joint, (point, bound) in (legs | arms).items():
        for side in ("Left", "Right"):
            away = np.linalg.norm(motion.position(f"{side}{joint}") - theirs[f"{side[0]}{point}"], axis=-1)
            assert np.median(away) < bound, (side, joint)
    assert "LKneeAngles" not in markers.names


@needs_mocap
def test_a_file_that_brings_its_own_centres_is_solved_too():
    motion = load_motion(MOCAP / "others" / "opensim-core" / "test_walking.c3d")
    assert motion.source["solved"] == "Plug-in Gait"
    thigh = np.linalg.norm(motion.position("LeftLeg") - motion.position("LeftUpLeg"), axis=-1)
    assert 0.35 < thigh[0] < 0.5
