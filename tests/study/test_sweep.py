"""Sweeps: resumable after anything, the same by every executor, whole on disk or not there."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.factors import Design, parse_factor
from footfall.study.sweeps.sweep import Sweep, load_sweep

SWEEP = """
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.factors import Design, parse_factor
from footfall.study.sweeps.sweep import Sweep
factors = [parse_factor("0.swing_hip.c_v=0.1:0.4:4"), parse_factor("kp~uniform(250,350)")]
sweep = Sweep(Experiment("walk", seconds=SECONDS), Design.of(factors, 10, 3), chunk=4)
"""


def small(seconds: float = 1.0) -> Sweep:
    scope: dict[str, Sweep] = {}
    exec(SWEEP.replace("SECONDS", str(seconds)), scope)
    return scope["sweep"]


def test_labels_and_rerun(tmp_path: Path) -> None:
    data = small().run(tmp_path / "a.nc")
    assert data.survived.dims == ("state_0_swing_hip_c_v", "sample")
    assert data.state_0_swing_hip_c_v.attrs["factor"] == "0.swing_hip.c_v"
    assert data.survived.sel(state_0_swing_hip_c_v=0.2, method="nearest").shape == (10,)
    assert data.survived.shape == (4, 10)
    assert not (tmp_path / "a.nc.chunks").exists()
    loaded = load_sweep(tmp_path / "a.nc")
    assert loaded.identical(data)
    again = Sweep.from_dataset(loaded)
    assert again.key == small().key
    assert again.run().identical(data)
    one = Experiment("walk", seconds=1.0).run(
        {"0.swing_hip.c_v": [data.state_0_swing_hip_c_v.values[2]], "kp": [data.kp.values[5]]}
    )
    assert one["distance"][0] == data.distance.values[2, 5]


def test_every_executor_answers_the_same() -> None:
    with ThreadPoolExecutor(2) as executor:
        assert small().run(executor=executor).identical(small().run())


def test_killed_and_resumed_is_as_if_undisturbed(tmp_path: Path) -> None:
    out = tmp_path / "k.nc"
    waits = "lambda done, total: __import__('time').sleep(600.0 if done >= 8 else 0.0)"
    code = SWEEP.replace("SECONDS", "2.0") + f"sweep.run({str(out)!r}, progress={waits})"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    folder = tmp_path / "k.nc.chunks"
    deadline = time.monotonic() + 120
    while len(list(folder.glob("[0-9]*.chunk"))) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = len(list(folder.glob("[0-9]*.chunk")))
    assert 0 < finished < 10, "the sweep ended before it could be killed"
    times = {p: p.stat().st_mtime_ns for p in folder.glob("[0-9]*.chunk")}
    told: list[tuple[int, int]] = []
    resumed = small(2.0).run(out, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (4 * finished, 40)
    assert told[-1] == (40, 40)
    assert resumed.identical(small(2.0).run())
    assert len(times) == finished


def test_a_damaged_chunk_is_named(tmp_path: Path) -> None:
    out = tmp_path / "d.nc"
    sweep = small()
    _interrupt(sweep, out, after=3)
    path = sorted((tmp_path / "d.nc.chunks").glob("*.chunk"))[1]
    data = bytearray(path.read_bytes())
    data[-40] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(FootfallError, match=r"000001\.chunk is damaged.*delete it") as caught:
        sweep.run(out)
    assert "\n" not in str(caught.value)
    path.unlink()
    assert sweep.run(out).identical(sweep.run())


def test_chunks_of_another_sweep_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "o.nc"
    _interrupt(small(), out, after=1)
    with pytest.raises(FootfallError, match="another sweep"):
        small(1.5).run(out)


@pytest.mark.skipif(os.name == "nt", reason="limits of file size are set through POSIX")
def test_a_full_disk_loses_nothing_that_was_finished(tmp_path: Path) -> None:
    out = tmp_path / "f.nc"
    code = (
        "import resource\n"
        + SWEEP.replace("SECONDS", "1.0")
        + "from footfall.errors import FootfallError\n"
        + "sweep.run_chunk(0)\n"
        + "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        + f"try:\n    sweep.run({str(out)!r})\nexcept FootfallError as error:\n    print(error)\n"
    )
    command = [sys.executable, "-B", "-c", code]  # nor does it cut off compiled Python
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert "cannot write it" in told
    assert "make room" in told
    assert len(told.strip().splitlines()) == 1
    assert not out.exists()
    assert not list(tmp_path.rglob("*.part*"))
    assert small().run(out).identical(small().run())


def test_bad_targets() -> None:
    with pytest.raises(FootfallError, match=r"\.nc"):
        small().run("sweep.csv")
    with pytest.raises(FootfallError, match="did you mean"):
        Sweep(Experiment("walk"), Design.of([parse_factor("swing_hip.c_w=0:1:2")]))


def test_not_a_sweep(tmp_path: Path) -> None:
    path = tmp_path / "x.nc"
    path.write_bytes(b"nothing")
    with pytest.raises(FootfallError, match="not a sweep"):
        load_sweep(path)


def test_picture(tmp_path: Path) -> None:
    from footfall.study.sweeps.sweep import save_sweep_picture

    data = small().run()
    save_sweep_picture(data, tmp_path / "p.png", "speed")
    assert (tmp_path / "p.png").stat().st_size > 5000
    with pytest.raises(FootfallError, match="png"):
        save_sweep_picture(data, tmp_path / "p.gif")


def _interrupt(sweep: Sweep, out: Path, after: int) -> None:
    class StopError(Exception):
        pass

    def told(done: int, total: int) -> None:
        if done >= 4 * after:
            raise StopError

    with pytest.raises(StopError):
        sweep.run(out, progress=told)
    assert np.isclose(len(list(out.with_name(out.name + ".chunks").glob("*.chunk"))), after)
