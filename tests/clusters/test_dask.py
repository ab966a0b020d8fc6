"""A real scheduler and real workers over TCP: workers die and join, the scheduler goes, a worker has other files."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="NO DISTRIBUTED: clusters were not tested")

from distributed import Client

from footfall.clusters import ChunkFolder, WorkLostError, connect, local_workers, run_all, slurm_workers
from footfall.clusters.executors import parse_slurm
from footfall.errors import FootfallError
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.sweep import Sweep, load_sweep
from tests.clusters.cluster_processes import cluster_processes

ROOT = Path(__file__).parents[2]


def sweep_of(worlds: int, chunk: int, seconds: float) -> Sweep:
    factors = [f"swing_hip.c_v=0.05:0.5:{worlds // 50}", "kp=250:350:50"]
    return Sweep(Experiment("walk", seconds=seconds), factors, chunk)


@pytest.fixture
def saved(monkeypatch):
    """How often each chunk was saved."""
    counts, plain = Counter(), ChunkFolder.save

    def save(self, number, results):
        counts[number] += 1
        plain(self, number, results)

    monkeypatch.setattr(ChunkFolder, "save", save)
    return counts


@pytest.mark.slow
def test_a_worker_dies_and_another_joins(tmp_path, saved):
    """Nothing is lost, nothing is counted twice, and the result is that of one machine to the last bit. Then the
    scheduler goes, which is said."""
    sweep, out = sweep_of(1000, 50, 0.5), tmp_path / "sweep.nc"

    def disturb(done, total):
        if done == 300:
            cluster.workers[0].send_signal(signal.SIGKILL)
            cluster.add_worker()

    with cluster_processes(tmp_path / "cluster", workers=2) as cluster, connect(cluster.address) as executor:
        found = sweep.run(out, executor=executor, progress=disturb)
        cluster.scheduler.send_signal(signal.SIGKILL)
        with pytest.raises(WorkLostError, match=r"^the cluster at tcp://.* is gone$"):
            run_all(_own_process, range(1000), executor)
    assert cluster.workers[0].wait() == -signal.SIGKILL
    assert saved == dict.fromkeys(range(20), 1)
    assert found.identical(sweep.run())


@pytest.mark.slow
def test_ten_thousand_worlds_and_a_killed_worker(tmp_path, saved):
    sweep, out = sweep_of(10_000, 100, 0.2), tmp_path / "sweep.nc"
    killed = []

    def disturb(done, total):
        if done >= total // 2 and not killed:
            killed.append(cluster.workers[0])
            killed[0].send_signal(signal.SIGKILL)
            cluster.add_worker()

    with cluster_processes(tmp_path / "cluster", workers=2) as cluster, connect(cluster.address) as executor:
        found = sweep.run(out, executor=executor, progress=disturb)
    assert killed[0].wait() == -signal.SIGKILL
    assert saved == dict.fromkeys(range(100), 1)
    assert found.sizes == {"swing_hip_c_v": 200, "kp": 50}
    assert found.identical(sweep.run())


@pytest.mark.slow
def test_another_footfall_is_refused_in_words(tmp_path):
    shutil.copytree(ROOT / "src" / "footfall", tmp_path / "other" / "footfall")
    changed = tmp_path / "other" / "footfall" / "push.py"
    changed.write_text(changed.read_text() + "\n# changed\n")
    with cluster_processes(tmp_path / "cluster") as cluster:
        cluster.add_worker(PYTHONPATH=str(tmp_path / "other"))
        with connect(cluster.address) as executor, pytest.raises(FootfallError, match="has other files of footfall"):
            sweep_of(50, 50, 0.1).run(executor=executor)


@pytest.mark.slow
def test_a_worker_with_another_footfall_is_left_out_where_there_is_a_good_one(tmp_path, capsys):
    """Whichever joins first, and also when the good one dies and another takes its place."""
    shutil.copytree(ROOT / "src" / "footfall", tmp_path / "other" / "footfall")
    changed = tmp_path / "other" / "footfall" / "push.py"
    changed.write_text(changed.read_text() + "\n# changed\n")
    sweep = sweep_of(500, 50, 0.2)

    def disturb(done, total):
        if done == 200:
            cluster.workers[1].send_signal(signal.SIGKILL)
            cluster.add_worker()

    with cluster_processes(tmp_path / "cluster") as cluster:
        cluster.add_worker(PYTHONPATH=str(tmp_path / "other"))
        cluster.add_worker()
        with Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        with connect(cluster.address) as executor:
            found = sweep.run(executor=executor, progress=disturb)
            assert executor.workers == 1
    assert found.identical(sweep.run())
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "left out" in line] == [
        line for line in lines if "has other files of footfall; it is left out" in line
    ]
    assert sum("left out" in line for line in lines) == 1


@pytest.mark.slow
def test_the_command_line_says_it_in_one_line(tmp_path):
    words = ["sweep", "walk", "--over", "kp=250:350:400", "--seconds", "1", "--chunk", "40", "--json"]
    command = [sys.executable, "-m", "footfall", *words, "--out", str(tmp_path / "s.nc"), "--cluster"]

    def run(address):
        return subprocess.run([*command, address], capture_output=True, text=True, check=False)

    with cluster_processes(tmp_path / "cluster", workers=1) as cluster:
        process = subprocess.Popen([*command, cluster.address], stdout=-1, stderr=-1, text=True)
        while not list((tmp_path / "s.nc.chunks").glob("*.chunk")) and process.poll() is None:
            time.sleep(0.05)
        cluster.scheduler.send_signal(signal.SIGKILL)
        out, err = process.communicate()
    assert process.returncode == 2
    assert out == ""
    assert err.splitlines()[-1].startswith("footfall: the cluster at tcp://")
    assert "the same command continues" in err.splitlines()[-1]
    nobody = run(cluster.address)
    assert (nobody.returncode, len(nobody.stderr.splitlines())) == (2, 1)
    assert "no scheduler answers there" in nobody.stderr
    with cluster_processes(tmp_path / "next", workers=1) as cluster:
        resumed = run(cluster.address)
    assert json.loads(resumed.stdout)["worlds"] == 400
    assert load_sweep(tmp_path / "s.nc").sizes == {"kp": 400}


@pytest.mark.slow
def test_kernels_are_compiled_once_on_a_machine(tmp_path, monkeypatch):
    """Three workers that need a kernel at once: one compiles it, the others wait."""
    log = tmp_path / "log"
    for name, value in (("XDG_CACHE_HOME", tmp_path / "cache"), ("FOOTFALL_KERNEL_LOG", log)):
        monkeypatch.setenv(name, str(value))
    sweep = Sweep(Experiment("walk", seconds=0.1, precision="float32"), "kp=250:350:6", chunk=1)
    with local_workers(3) as executor:
        sweep.run(executor=executor)
    kernels = [json.loads(line)["kernel"] for line in log.read_text().splitlines()]
    assert kernels
    assert len(set(kernels)) == len(kernels)


@pytest.mark.slow
def test_jobs_of_submitit_are_workers(tmp_path, monkeypatch, capfd):
    """As on Slurm, with submitit's engine for one machine: a job that is killed is submitted again. At the end all are
    gone, and nothing was printed."""
    pytest.importorskip("submitit", reason="NO SUBMITIT: Slurm was not tested")
    monkeypatch.setattr("footfall.clusters.executors.LOOK", 0.5)
    sweep = sweep_of(500, 50, 0.5)
    with slurm_workers(workers=1, folder=tmp_path / "jobs", engine="local", host="127.0.0.1") as executor:
        (worker,) = run_all(_own_process, [0], executor)

        def disturb(done, total):
            if done == 200:
                subprocess.run(["kill", "-KILL", str(worker)], check=True)

        found = sweep.run(executor=executor, progress=disturb)
        (other,) = run_all(_own_process, [0], executor)
    assert other != worker
    deadline = time.monotonic() + 10
    while Path(f"/proc/{other}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{other}").exists()
    assert "Traceback" not in capfd.readouterr().err
    assert found.identical(sweep.run())


def _own_process(_):
    return os.getpid()


@pytest.mark.slow
def test_slurm_is_asked_for_what_the_options_say(tmp_path, monkeypatch):
    pytest.importorskip("submitit", reason="NO SUBMITIT: Slurm was not tested")
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, text in {
        "sbatch": f'cat "$@" > {tmp_path}/$$.asked; echo Submitted batch job $$',
        "scancel": f"echo $@ >> {tmp_path}/cancelled",
        "srun": "true",
        "sacct": "true",
    }.items():
        (commands / name).write_text(f"#!/bin/sh\n{text}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    options = parse_slurm(f"partition=gpu,workers=2,time=7,gpus_per_node=1,host=127.0.0.1,folder={tmp_path}/jobs")
    with slurm_workers(**options):
        asked = [file.read_text() for file in tmp_path.glob("*.asked")]
    assert len(asked) == 2
    for text in asked:
        for line in ("--partition=gpu", "--time=7", "--gpus-per-node=1", "--cpus-per-task=1", "--job-name=footfall"):
            assert f"#SBATCH {line}\n" in text
    assert len((tmp_path / "cancelled").read_text().splitlines()) == 2


@pytest.mark.slow
def test_a_machine_without_slurm_says_so(tmp_path):
    pytest.importorskip("submitit", reason="NO SUBMITIT: Slurm was not tested")
    if shutil.which("sbatch"):
        pytest.skip("this machine has Slurm")
    with pytest.raises(FootfallError, match=r"--slurm: .*sbatch"), slurm_workers(folder=tmp_path / "jobs"):
        pass
