"""What a ground can do, and what it cannot: hold within its cone, push, never pull, never create energy."""

import numpy as np
import pytest
import warp as wp

from footfall.dynamics import Ground
from footfall.dynamics.ground import terrain_height, terrain_table
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import Push, Record, Simulation
from footfall.simulation.device import device_of
from footfall.terrain import TerrainHeightField, parse_terrain
from tests.dynamics.evaluation import QUICK
from tests.simulation.scenes import BLOCK, LIGHT_BLOCK_MASS, Limp

G = 9.8
WEIGHT = LIGHT_BLOCK_MASS * G
MU = 0.5
LAWS = ["anchor", "smooth", "regularised"]
INTEGRATORS = [("implicit", 1e-3), ("explicit", 1e-4)]


UNDER = (0.0, 0.0, -0.05)
"""Where a block is pushed, in its own axes: its underside's middle."""


def _block(qpos=(0, 0, 0.05), qvel=(0,) * 6, force=(0.0, 0.0, 0.0), **options):
    """A block on four points, pushed from 0.5 s on: by nothing too, so that all blocks have one kernel."""
    start, pushes = [*qpos, 1.0, 0.0, 0.0, 0.0], [Push(force, 0.5, 10.0, "block", UNDER)]
    made = {"law": Limp(), "figure": Figure.load(BLOCK), "qpos": start, "qvel": list(qvel), "pushes": pushes}
    return Simulation(**made, ragdoll_after_fall=True, **options)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("integrator", "dt"), INTEGRATORS)
def test_friction_holds_inside_its_cone_and_slides_outside(law, integrator, dt):
    """Implicit regularised friction is that of the next step's velocity, so that a slide begins a little late."""
    dt = 1e-4 if law == "regularised" else dt
    force = np.zeros((4, 3))
    force[:, 0] = np.array([0.0, 0.8, 1.2, 2.0]) * MU * WEIGHT
    ground = Ground(stiffness=1e5, damping=2e3, friction=MU, law=law, locking_speed=1e-3)
    simulation = _block(worlds=4, force=force, ground=ground, dt=dt, integrator=integrator)
    simulation.run(0.5)
    before = simulation.qpos
    simulation.run(0.5)
    moved = simulation.qpos[:, 0] - before[:, 0]
    assert abs(moved[0]) < (1e-6 if law == "smooth" else 1e-9)  # its damper is weak where a block hardly sinks
    creep = {"regularised": 1e-3, "smooth": 1e-3}.get(law, 2e-4)
    assert abs(moved[1]) < creep
    slid = 0.5 * (force[2:, 0] / LIGHT_BLOCK_MASS - MU * G) * 0.5**2
    np.testing.assert_allclose(moved[2:], slid, rtol=0.02)


@pytest.mark.parametrize("law", LAWS)
def test_friction_has_no_preferred_direction(law):
    ground = Ground(friction=0.3, law=law)
    ends = []
    for heading in (0.0, 0.7, 2.0):
        way = np.array([np.cos(heading), np.sin(heading)])
        outcome = _block(qvel=(2.0 * way[0], 2.0 * way[1], 0, 0, 0, 0), ground=ground).run(0.4)
        ends.append([outcome.qpos[0, :2] @ way, outcome.qpos[0, 0] * way[1] - outcome.qpos[0, 1] * way[0]])
    np.testing.assert_allclose(ends, np.tile([ends[0][0], 0.0], (3, 1)), atol=2e-3)
    assert ends[0][0] == pytest.approx(2.0 * 0.4 - 0.5 * 0.3 * G * 0.4**2, abs=0.01)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("integrator", "dt"), INTEGRATORS)
def test_the_ground_never_pulls(law, integrator, dt):
    """A block torn upwards out of the ground flies as if there were none."""
    simulation = _block(
        (0, 0, 0.049), (0, 0, 3.0, 0, 0, 0), ground=Ground(law=law), dt=dt, integrator=integrator, record=Record(500.0)
    )
    simulation.run(0.2)
    trace = simulation.trace()
    speed = trace.qvel[:, 0, 2]
    assert np.all(np.diff(speed) > -G * 0.002 - 1e-9)
    np.testing.assert_allclose(speed[1:], 3.0 - G * trace.times[1:], atol=G * dt)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("integrator", "dt"), INTEGRATORS)
def test_a_landing_block_gains_no_energy_and_comes_to_rest(law, integrator, dt):
    simulation = _block(
        (0, 0, 0.10),
        (0.3, 0, 0, 0.2, 0, 0),
        ground=Ground(stiffness=2e4, damping=300.0, law=law),
        dt=dt,
        integrator=integrator,
        record=Record(1000.0),
    )
    simulation.run(3.0)
    trace = simulation.trace()
    v = trace.qvel[:, 0]
    kinetic = 0.5 * LIGHT_BLOCK_MASS * (v[:, :3] ** 2).sum(1) + 0.5 * (v[:, 3:] ** 2 * [1, 1, 2]).sum(1)
    energy = kinetic + WEIGHT * trace.qpos[:, 0, 2]
    assert energy.max() <= energy[0] + 1e-3 * WEIGHT * 0.05
    assert kinetic[-1] < 1e-8
    sag = WEIGHT / 4 / 2e4
    assert trace.qpos[-1, 0, 2] == pytest.approx(0.05 - sag, abs=1e-6)
    assert trace.contact[-1].all()


def _heights(terrain, x, y):
    kind, table = terrain_table([terrain])
    device_of("cpu")
    height = terrain_height(kind, wp.float64)

    @wp.kernel(enable_backward=False, module="unique", module_options=QUICK)
    def ask(table: wp.array2d[wp.float64], x: wp.array[wp.float64], y: wp.array[wp.float64], out: wp.array[wp.float64]):
        i = wp.tid()
        out[i] = height(table, 0, x[i], y[i])

    arrays = [wp.array(a, dtype=wp.float64, device="cpu") for a in (x, y)]
    found = wp.zeros(len(x), dtype=wp.float64, device="cpu")
    wp.launch(ask, len(x), [wp.array(table, dtype=wp.float64, device="cpu"), *arrays], [found], device="cpu")
    return found.numpy()


FIELD = TerrainHeightField(np.random.default_rng(0).normal(0, 0.2, (7, 5)), (6.0, 3.0), (-1.0, -1.5))


@pytest.mark.parametrize(
    "terrain",
    [parse_terrain(t) for t in ("flat", "steps:0.15", "slope:-7", "downward", "random-steps:0.1")] + [FIELD],
    ids=str,
)
def test_compiled_heights_are_the_terrains_own(terrain):
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-5, 20, 2000), rng.uniform(-4, 4, 2000)
    if terrain.kind == "profile":
        x = np.concatenate([x, terrain.profile()[0]])
        y = np.zeros_like(x)
    np.testing.assert_allclose(_heights(terrain, x, y), terrain.height(x, y), atol=1e-12)


def test_a_block_rests_on_a_height_field():
    field = TerrainHeightField(np.full((4, 4), 0.3), (9.0, 9.0), (-4.0, -4.0))
    outcome = _block((0, 0, 0.36), terrain=field).run(1.0)
    assert outcome.qpos[0, 2] == pytest.approx(0.35, abs=1e-3)


@pytest.mark.parametrize("wrong", [{"stiffness": -1.0}, {"friction": float("nan")}, {"law": "glue"}])
def test_impossible_grounds_are_refused(wrong):
    with pytest.raises(FootfallError, match="ground"):
        Ground(**wrong)


@pytest.mark.parametrize("speed", [0.2, 1.0])
def test_a_smooth_ground_loads_a_landing_smoothly(speed):
    """The linear damper's force is largest when a point touches; one that grows with the depth has its peak later, and
    what it gives back is little."""
    peaks, first, sink, back = {}, {}, {}, {}
    for law in ("anchor", "smooth"):
        record = Record(1000.0, ("qpos", "qvel", "grf"))
        ground = Ground(law=law, damping=800.0)  # as for a body of 80 kg, for one of 10 kg
        simulation = _block(qvel=(0, 0, -speed, 0, 0, 0), ground=ground, dt=1e-3, record=record)
        simulation.run(0.2)
        trace = simulation.trace()
        force = trace.grf[:, 0, :, 2].sum(axis=-1)
        assert np.nanmin(force) >= 0.0
        landed, peaks[law] = int(np.argmax(force > 0.0)), int(np.nanargmax(force))
        peaks[law] -= landed
        first[law] = force[landed] / np.nanmax(force)
        sink[law], back[law] = 0.05 - trace.qpos[:, 0, 2].min(), trace.qvel[:, 0, 2].max() / speed
    assert first["anchor"] == 1.0
    assert peaks["smooth"] >= 1
    assert first["smooth"] < 0.9
    assert sink["smooth"] < 0.01
    assert back["smooth"] < 0.6
