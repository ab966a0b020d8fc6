"""Recordings for rerun hold the motion: every pose, contact, force and number, on one timeline."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from footfall import FootfallError, Record, Simulation, plugins, save
from footfall.cli.main import main
from footfall.motion.quaternion import rotate
from footfall.pictures import rerun_log
from footfall.pictures.scene import scene_of
from footfall.simulation.trace import FIELDS, FORCES

pytestmark = pytest.mark.extra("rerun")


def _read(path: Path) -> dict[str, dict[str, list]]:
    """Entity -> column -> rows, of a recording read by rerun itself."""
    found: dict[str, dict[str, list]] = {}
    for chunk in import_module("rerun.chunk").RrdReader(str(path)).stream():
        columns = found.setdefault(chunk.entity_path, {})
        batch = chunk.to_record_batch()
        for name, values in zip(batch.schema.names, batch.columns, strict=True):
            columns.setdefault(name, []).extend(values.to_pylist())
    return found


@pytest.fixture(scope="module")
def motion():
    record = Record(rate=50.0, fields=(*FIELDS, *FORCES), worlds=1)
    simulation = Simulation("walk", record=record)
    simulation.run(1.0)
    return simulation.trace().motion()


@pytest.fixture(scope="module")
def entities(motion, tmp_path_factory):
    path = save(motion, tmp_path_factory.mktemp("rerun") / "walk.rrd")
    return _read(path)


def test_poses_are_those_of_the_motion(motion, entities):
    scene = scene_of(motion)
    for j, name in enumerate(motion.skeleton.names):
        rows = entities[f"/world/body/{name}"]
        np.testing.assert_allclose(np.squeeze(rows["Transform3D:translation"]), scene.positions[:, j], atol=1e-6)
        x, y, z, w = np.squeeze(rows["Transform3D:quaternion"]).T
        turned = rotate(np.stack([w, x, y, z], axis=-1), np.array([0.3, -0.5, 0.8]))
        np.testing.assert_allclose(turned, rotate(scene.orientations[:, j], np.array([0.3, -0.5, 0.8])), atol=1e-6)
        seconds = [t.total_seconds() for t in rows["time"]]
        np.testing.assert_allclose(seconds, scene.times, atol=1e-6)


def test_the_arrows_add_up_to_the_force_of_the_ground(motion, entities):
    arrows = entities["/world/ground_force"]["Arrows3D:vectors"]
    total = np.array([np.sum(row, axis=0) if row else np.zeros(3) for row in arrows if row is not None])
    total = total[-len(motion) :]
    expected = np.nan_to_num(motion.channels["grf"]).sum(axis=1)
    np.testing.assert_allclose(total / rerun_log.METRES_PER_NEWTON, expected, atol=1e-2)
    upward = sum(
        np.squeeze(rows["Scalars:scalars"]) for path, rows in entities.items() if path.startswith("/ground_force/")
    )
    np.testing.assert_allclose(upward, expected[:, 2], atol=1e-9)


def test_every_number_of_a_joint_is_a_line(motion, entities):
    for channel in ("qpos", "qvel", "torque"):
        for k, name in enumerate(motion.labels[channel]):
            rows = np.squeeze(entities[f"/{channel}/{name}"]["Scalars:scalars"])
            np.testing.assert_array_equal(rows, motion.channels[channel][:, k])
    touching = np.stack([np.squeeze(entities[f"/contact/{n}"]["Scalars:scalars"]) for n in motion.labels["contact"]], 1)
    np.testing.assert_array_equal(touching > 0, motion.channels["contact"])


def test_run_writes_a_recording_with_its_push(tmp_path):
    path = tmp_path / "pushed.rrd"
    assert main(["run", "walk", "--seconds", "0.4", "--push", "80@0.1:0.1", "--rerun", str(path)]) == 0
    pushes = [row for row in _read(path)["/world/push"]["Arrows3D:vectors"] if row]
    assert len(pushes) == 10
    np.testing.assert_allclose(np.squeeze(pushes), [[80 * rerun_log.METRES_PER_NEWTON, 0, 0]] * 10, atol=1e-6)


def test_without_a_file_the_viewer_opens(motion, monkeypatch):
    opened = []
    stream = import_module("rerun").RecordingStream
    monkeypatch.setattr(stream, "spawn", lambda self, **options: opened.append(options))
    rerun_log.open_in_rerun(motion)
    assert len(opened) == 1


@pytest.mark.parametrize(
    ("files", "words"), [(["a.txt"], "ends in .rrd"), (["a.rrd", "b.rrd"], "one file"), (["no/a.rrd"], "no folder")]
)
def test_a_bad_file_is_refused_before_work_begins(files, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "walk", "--rerun", *files]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_rerun_the_error_says_how_to_install_it(motion, tmp_path, monkeypatch, capsys):
    def nothing(name: str):
        raise ImportError(name)

    monkeypatch.setattr(plugins, "import_module", nothing)
    with pytest.raises(FootfallError, match=r"footfall\[rerun\]"):
        save(motion, tmp_path / "walk.rrd")
    assert main(["run", "walk", "--rerun", str(tmp_path / "a.rrd")]) == 2
    assert "footfall[rerun]" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
