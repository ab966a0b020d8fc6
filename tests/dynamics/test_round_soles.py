"""A capsule for a foot is sensed where MuJoCo has it touch the ground."""

import mujoco
import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.ground import rolling_contact, terrain_height
from footfall.figures import Figure

BODY = """
<mujoco model="roller"><compiler angle="radian"/><worldbody>
<body name="torso" pos="0 0 1.06"><joint name="root_x" type="slide" axis="1 0 0"/><joint name="root_z" type="slide"
 axis="0 0 1"/><joint name="root_pitch" axis="0 1 0"/><geom name="torso" type="capsule" size="0.05 0.2" contype="0"
 conaffinity="0"/>{legs}</body></worldbody></mujoco>
"""
LEG = """
<body name="{side}_thigh" pos="0 0 -0.2"><joint name="{side}_hip" axis="0 -1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" contype="0" conaffinity="0"/>
<body name="{side}_shank" pos="0 0 -0.4"><joint name="{side}_knee" axis="0 -1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" contype="0" conaffinity="0"/>
<body name="{side}_foot" pos="0 0 -0.4"><joint name="{side}_ankle" axis="0 -1 0"/>
<geom name="{side}_sole" type="capsule" fromto="0 0 0 0.2 0 0" size="0.06" contype="1" conaffinity="0"/>
<site name="{side}_heel" pos="0 0 -0.06"/><site name="{side}_toe" pos="0.2 0 -0.06"/></body></body></body>
"""


def _sides(leg):
    return "".join(leg.format(side=side) for side in ("left", "right"))


def test_ends_of_capsules_touch_as_mujoco_has_them():
    figure = Figure.load(BODY.format(legs=_sides(LEG)))
    compiled = CompiledFigure(figure)
    add = rolling_contact(compiled, terrain_height("flat", compiled.real))
    assert add is not None
    Points, real = compiled.Points, compiled.real

    @wp.kernel(enable_backward=False, module="unique")
    def run(given: wp.array2d[real], table: wp.array2d[real], found: wp.array[wp.int32]):
        i = wp.tid()
        points = Points()
        for k in range(given.shape[1]):
            points[k] = given[i, k]
        mask = wp.int32(0)
        add(points, mask, table, 0)
        found[i] = mask

    rng, states = np.random.default_rng(3), 60
    data = mujoco.MjData(figure.model)
    given, wanted = np.zeros((states, 3 * len(compiled.points))), np.zeros(states, dtype=int)
    sites = [figure.model.site(point.name).id for point in compiled.points]
    for s in range(states):
        data.qpos[:] = rng.normal(0.0, 0.4, figure.nq)
        data.qpos[1] = 0.0
        mujoco.mj_kinematics(figure.model, data)
        ends = {}
        for point in compiled.points:
            geom = figure.model.geom(f"{point.foot}_sole").id
            axis = data.geom_xmat[geom].reshape(3, 3)[:, 2] * figure.model.geom_size[geom, 1]
            both = [data.geom_xpos[geom] + sign * axis for sign in (-1.0, 1.0)]
            site = data.site_xpos[figure.model.site(point.name).id]
            ends[point.name] = min(both, key=lambda end: float(np.linalg.norm(end - site)))[2] - 0.06
        lowest = float(rng.choice(list(ends.values()))) + float(rng.choice([-1e-3, 1e-3]))
        given[s] = (data.site_xpos[sites] - [0.0, 0.0, lowest]).ravel()
        wanted[s] = sum(1 << k for k, point in enumerate(compiled.points) if ends[point.name] - lowest <= 0.0)
    found = wp.zeros(states, dtype=wp.int32, device="cpu")
    arrays = [wp.array(values, dtype=real, device="cpu") for values in (given, np.zeros((1, 1)))]
    wp.launch(run, dim=states, inputs=[*arrays, found], device="cpu")
    np.testing.assert_array_equal(found.numpy(), wanted)
    assert len(set(wanted)) > 3


def test_flat_and_spatial_feet_do_not_roll():
    for name in ("planar-biped", "human-28"):
        compiled = CompiledFigure(Figure.load(name))
        assert rolling_contact(compiled, terrain_height("flat", compiled.real)) is None
