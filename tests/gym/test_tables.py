"""The tables say what the code does: every observation and every term of the reward, computed again from the state."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")

from footfall.errors import FootfallError
from footfall.gym import IDS, describe
from footfall.learning.rewards import HEADING_WIDTH, SPEED_WIDTH
from footfall.learning.setup import LOOKS
from footfall.methods.network.seen import SIGHTS
from tests.learning.test_worlds import WALK, actions_of, worlds_of
from tools.environment_tables import with_tables

PAGE = Path(__file__).parents[2] / "docs" / "environment-tables.md"


def expected(worlds, w):
    """Observations by name, from MuJoCo and NumPy."""
    live = {name: array.numpy() for name, array in worlds.live.items() if hasattr(array, "numpy")}
    setup, figure = worlds.setup, worlds.setup.figure
    qpos, qvel = live["qpos"][w], live["qvel"][w]
    terrain = setup.terrains[live["ground"][w]]
    planar = figure.root == "planar"
    x, y, z = (qpos[0], 0.0, qpos[1]) if planar else qpos[:3]
    beneath = float(terrain.height(x, y))
    seen, heading = {"height": z - beneath}, 0.0
    if planar:
        seen |= {"pitch": qpos[2], "velocity_forward": qvel[0], "velocity_up": qvel[1], "pitch_rate": qvel[2]}
    else:
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, qpos[3:7])
        turn = turn.reshape(3, 3)
        heading = np.arctan2(turn[1, 0], turn[0, 0])
        seen |= {f"up_{a}": turn[2, k] for k, a in enumerate("xyz")}
        c, s = np.cos(heading), np.sin(heading)
        seen |= {
            "velocity_forward": c * qvel[0] + s * qvel[1],
            "velocity_left": c * qvel[1] - s * qvel[0],
            "velocity_up": qvel[2],
        }
        seen |= {f"turn_rate_{a}": qvel[3 + k] for k, a in enumerate("xyz")}
    seen |= seen_clip(worlds, int(live["frame"][w]), (x, y, z - beneath), heading)
    for joint in figure.joints:
        if joint.dof >= figure.root_freedoms:
            assert joint.ndof == 1
            seen |= {joint.name: qpos[joint.qpos], f"{joint.name}_rate": qvel[joint.dof]}
    points = worlds.simulation.rollout.types.compiled.points
    for side in ("left", "right"):
        touching = [bool(live["contact"][w] >> k & 1) for k, p in enumerate(points) if p.foot == side]
        seen[f"{side}_contact"] = float(any(touching))
    goal = live["goal"][w]
    off = heading - goal[1]
    seen |= {"goal_speed": goal[0], "heading_sin": np.sin(off), "heading_cos": np.cos(off)}
    if setup.action.states:
        names = setup.action.law.memory_names
        state, clock = (live["memory"][w, names.index(name)] for name in ("state", "clock"))
        seen |= {f"state_{k}": float(k == state) for k in range(setup.action.states)} | {"clock": clock}
    seen["stance"] = {0: 1.0, 1: -1.0, -1: 0.0}[int(live["stance"][w])]
    for ahead in SIGHTS:
        there = terrain.height(x + ahead * np.cos(heading), y + ahead * np.sin(heading))
        seen[f"ground_{ahead:g}"] = float(there) - beneath
    return seen


def seen_clip(worlds, frame, place, heading):
    """What is seen of the clip, by name."""
    figure, seen = worlds.setup.figure, {}
    poses, rates = worlds.clips.qpos, worlds.clips.qvel
    last, planar = int(worlds.task.last.numpy()[frame]), figure.root == "planar"
    c, s = np.cos(heading), np.sin(heading)
    for look in LOOKS:
        pose = poses[min(frame + look, last)]
        if planar:
            its = {"forward": pose[0] - place[0], "up": pose[1] - place[2], "pitch": pose[2]}
        else:
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, pose[3:7])
            turn = turn.reshape(3, 3)
            off = np.arctan2(turn[1, 0], turn[0, 0]) - heading
            x, y = pose[0] - place[0], pose[1] - place[1]
            its = {"forward": c * x + s * y, "left": c * y - s * x, "up": pose[2] - place[2]}
            its |= {"sin": np.sin(off), "cos": np.cos(off)} | {f"up_{a}": turn[2, k] for k, a in enumerate("xyz")}
        its |= {joint.name: pose[joint.qpos] for joint in figure.joints if joint.dof >= figure.root_freedoms}
        seen |= {f"clip_{look}_{name}": value for name, value in its.items()}
    rate = rates[min(frame + 1, last)]
    ways = {"forward": rate[0], "up": rate[1]}
    if not planar:
        ways = {"forward": c * rate[0] + s * rate[1], "left": c * rate[1] - s * rate[0], "up": rate[2]}
    return seen | {f"clip_velocity_{name}": value for name, value in ways.items()}


FOLLOW = {
    "figure": "human-28",
    "controller": "walk-3d",
    "action": "follow",
    "clip": "own",
    "decide": 50.0,
    "leash": 0.5,
}
HUMAN = {"figure": "human-28", "decide": 50.0, "heading": (-1.0, 1.0), "terrain": "slope:5,0"}


@pytest.mark.parametrize(
    "options",
    [
        WALK | {"terrain": "random-steps:0.05", "terrains": 3, "noise": (0.01, 0.05)},
        {"controller": "walk", "figure": "planar-biped", "action": "targets", "clip": "own", "decide": 50.0},
        pytest.param(HUMAN, marks=pytest.mark.slow),
        pytest.param(FOLLOW, marks=pytest.mark.slow),
    ],
)
def test_observations_are_what_the_table_says(options):
    worlds = worlds_of(3, **options)
    for action in actions_of(3, len(worlds.setup.action.table), 12):
        worlds.live["action"].assign(action)
        worlds.step()
        observed = worlds.live["observation"].numpy()
        for w in range(3):
            seen = expected(worlds, w)
            for k, row in enumerate(worlds.setup.observations):
                value = np.clip(seen[row.name], row.low, row.high)
                assert observed[w, k] == pytest.approx(value, rel=1e-5, abs=1e-6), row.name


def test_observations_stay_inside_their_bounds():
    worlds = worlds_of(50, figure="planar-biped", decide=20.0)
    for action in actions_of(50, 6, 30, scale=1.0):
        worlds.live["action"].assign(action)
        worlds.step()
        observed = worlds.live["observation"].numpy()
        assert (observed >= worlds.low).all()
        assert (observed <= worlds.high).all()


@pytest.mark.parametrize(
    "options",
    [
        {
            "figure": "planar-biped",
            "controller": "walk",
            "action": "targets",
            "clip": "own",
            "decide": 50.0,
            "weights": {"place": -1.0},
        },
        pytest.param(HUMAN | {"weights": {"speed": 3.0}}, marks=pytest.mark.slow),
        pytest.param(FOLLOW | {"weights": {"place": -3.0}}, marks=pytest.mark.slow),
    ],
)
def test_rewards_are_what_the_table_says(options):
    worlds = worlds_of(4, mode=0, **options)
    planar, (root, rates) = worlds.setup.plan.pool.scope.planar, worlds.setup.plan.pool.scope.root
    for action in actions_of(4, len(worlds.setup.action.table), 10):
        before = worlds.live["qpos"].numpy().copy()
        held, touched, past = (worlds.live[name].numpy().copy() for name in ("held", "touched", "past"))
        worlds.live["action"].assign(action)
        worlds.step()
        live = {name: worlds.live[name].numpy() for name in ("qpos", "qvel", "goal", "frame", "terms", "terminated")}
        for w in range(4):
            if live["terminated"][w]:
                return
            goal, heading = live["goal"][w]
            moved = live["qpos"][w] - before[w]
            along = moved[0] if planar else moved[0] * np.cos(heading) + moved[1] * np.sin(heading)
            terms = {
                "alive": 1.0,
                "fall": 0.0,
                "speed": np.exp(-(((along / worlds.period - goal) / SPEED_WIDTH) ** 2)),
                "control": np.mean(action[w].astype(float) ** 2),
            }
            if worlds.options.heading is not None:
                k = [row.name for row in worlds.setup.observations].index("heading_sin")
                sine, cosine = worlds.live["observation"].numpy()[w, k : k + 2]
                terms["heading"] = np.exp(-((np.arctan2(sine, cosine) / HEADING_WIDTH) ** 2))
            if worlds.options.clip is not None:
                pose, rate = (table[live["frame"][w]] for table in (worlds.clips.qpos, worlds.clips.qvel))
                q, v = live["qpos"][w] - pose, live["qvel"][w] - rate
                angle = q[2] if planar else 2.0 * np.arccos(min(abs(float(live["qpos"][w, 3:7] @ pose[3:7])), 1.0))
                terms["imitation"] = (
                    0.5 * np.exp(-2.0 * (q[root:] ** 2).sum())
                    + 0.1 * np.exp(-0.02 * (v[rates:] ** 2).sum())
                    + 0.25 * np.exp(-10.0 * (q[: 2 if planar else 3] ** 2).sum())
                    + 0.15 * np.exp(-5.0 * angle**2)
                )
                terms["place"] = min(float(np.linalg.norm(q[: 2 if planar else 3])), 0.5)
                terms["smooth"] = np.mean((action[w].astype(float) - past[w]) ** 2)
                both, anchors = touched[w] & worlds.live["contact"].numpy()[w], worlds.live["anchor"].numpy()[w]
                moved = np.linalg.norm((anchors - held[w]).reshape(-1, 3)[:, :2], axis=1)
                stood = moved[[bool(both >> p & 1) for p in range(len(moved))]]
                terms["slide"] = min(stood.mean(), 0.005) if len(stood) else 0.0
            for k in worlds.setup.plan.counted:
                term = worlds.setup.plan.rewards[k]
                weight = worlds.options.weights.get(term.name, term.weight)
                assert live["terms"][w, k] == pytest.approx(weight * terms[term.name], rel=1e-5, abs=1e-9), term.name
            assert worlds.live["reward"].numpy()[w] == pytest.approx(live["terms"][w].sum())


def test_the_page_has_the_tables_of_the_code():
    """``python -m tools.environment_tables docs/environment-tables.md`` writes them."""
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"<!-- tables: {made.id} -->" in text for made in IDS)
    assert with_tables(text) == text


def test_an_unknown_environment_has_no_tables():
    with pytest.raises(FootfallError, match="PlanarWalk-v0"):
        describe("footfall/PlanarWalks-v0")
