"""Simulations that begin in several threads at once: Warp starts once, and a kernel is built once."""

import subprocess
import sys

SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from footfall.simulation import Simulation
from footfall.simulation.kernels import built_anew

together = Barrier(4)

def distance(_):
    together.wait()
    with built_anew():
        simulation = Simulation("walk")
        return float(simulation.run(0.1).distance[0]), id(simulation._rollout().kernel)

sys.setswitchinterval(1e-5)
with ThreadPoolExecutor(4) as executor:
    (result,) = set(executor.map(distance, range(4)))
print("all alike")
"""


def test_threads_that_begin_at_once_share_a_kernel() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert done.stdout == "all alike\n", done.stderr
    assert not done.stderr or done.stderr.startswith("footfall: compiling"), done.stderr
