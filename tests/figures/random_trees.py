"""Random articulated trees as MJCF: for laws that hold for every figure."""

import numpy as np
from hypothesis import strategies as st

__all__ = ["random_state", "random_tree", "trees"]


def random_tree(seed: int, planar: bool = False, root: str | None = None, bodies: int | None = None) -> str:
    """MJCF text of a random tree of 2 to 8 bodies.

    Args:
        seed: the same seed gives the same text.
        planar: everything in the x-z plane (planar or fixed root, hinges about ±y, slides in the plane); or else
            hinges, slides and balls in any direction, bodies with one to three joints or none, on any root.
        root: "planar", "free" or "fixed" instead of a random choice.
        bodies: how many instead of a random number.
    """
    rng = np.random.default_rng(seed)
    count = int(bodies or rng.integers(2, 9))
    root = root or str(rng.choice(["planar", "fixed"] if planar else ["free", "fixed", "planar"]))
    parents = [-1] + [int(rng.integers(max(0, i - 3), i)) for i in range(1, count)]
    children: dict[int, list[int]] = {}
    for i, parent in enumerate(parents):
        children.setdefault(parent, []).append(i)
    actuators: list[str] = []
    body = _body(rng, 0, children, planar, root, actuators)
    gravity = "0 0 -9.8" if planar or rng.random() < 0.5 else _text(rng.normal(0, 6, 3))
    return "\n".join(
        [
            f'<mujoco model="random-{seed}">',
            '  <compiler angle="radian" autolimits="true"/>',
            f'  <option gravity="{gravity}"/>',
            "  <worldbody>",
            *body,
            "  </worldbody>",
            "  <actuator>",
            *actuators,
            "  </actuator>",
            "</mujoco>",
        ]
    )


@st.composite
def trees(draw: st.DrawFn, planar: bool | None = None) -> str:
    """MJCF text of a random tree, planar or spatial (either if None)."""
    in_plane = draw(st.booleans()) if planar is None else planar
    return random_tree(draw(st.integers(0, 2**31 - 1)), in_plane, bodies=draw(st.integers(2, 8)))


def random_state(figure, seed: int, speed: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """qpos [nq] with unit quaternions and qvel [nv] of a figure, at random."""
    rng = np.random.default_rng(seed)
    qpos = rng.uniform(-1.0, 1.0, figure.nq)
    for joint in figure.joints:
        if joint.kind in ("ball", "free"):
            at = joint.qpos + (3 if joint.kind == "free" else 0)
            quat = rng.normal(size=4)
            qpos[at : at + 4] = quat / np.linalg.norm(quat)
    return qpos, speed * rng.normal(size=figure.nv)


def _body(rng, index, children, planar, root, actuators, depth=2):
    pad = "  " * depth
    turned = rng.random() < 0.4
    if planar:
        place = [rng.normal(0, 0.3), 0.0, rng.normal(0, 0.4)]
        half = rng.uniform(-1.5, 1.5) / 2
        quat = [np.cos(half), 0.0, np.sin(half), 0.0]
    else:
        place = rng.normal(0, 0.3, 3)
        quat = rng.normal(size=4)
    if index == 0 and root == "planar":
        turned = False
    orientation = f' quat="{_text(np.asarray(quat) / np.linalg.norm(quat))}"' if turned else ""
    lines = [f'{pad}<body name="b{index}" pos="{_text(place)}"{orientation}>']
    for line in _joints(rng, index, planar, root, actuators):
        lines.append(f"{pad}  {line}")
    lines.append(f"{pad}  {_inertial(rng, planar)}")
    for p in range(int(rng.integers(0, 3))):
        at = rng.normal(0, 0.3, 3) * ([1, 0, 1] if planar else [1, 1, 1])
        lines.append(f'{pad}  <site name="p{index}_{p}" pos="{_text(at)}"/>')
    for child in children.get(index, []):
        lines += _body(rng, child, children, planar, root, actuators, depth + 1)
    return [*lines, f"{pad}</body>"]


def _joints(rng, index, planar, root, actuators):
    if index == 0 and root == "free":
        return ['<freejoint name="root"/>']
    if index == 0 and root == "planar":
        return [
            '<joint name="root_x" type="slide" axis="1 0 0"/>',
            '<joint name="root_z" type="slide" axis="0 0 1"/>',
            f'<joint name="root_pitch" type="hinge" axis="0 {rng.choice([-1, 1])} 0"/>',
        ]
    if planar:
        kinds = [str(rng.choice(["hinge", "slide"], p=[0.8, 0.2]))]
    else:
        kinds = [
            ["hinge"],
            ["hinge", "hinge"],
            ["hinge", "hinge", "hinge"],
            ["slide"],
            ["slide", "hinge"],
            ["ball"],
            [],
        ]
        kinds = kinds[int(rng.choice(len(kinds), p=[0.35, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1]))]
        if index == 0 and not kinds:
            kinds = ["ball"]
    frame = np.eye(3)[rng.permutation(3)] * rng.choice([-1, 1]) if rng.random() < 0.5 else _rotation(rng)
    lines = []
    for k, kind in enumerate(kinds):
        name = f"j{index}_{k}"
        if kind == "ball":
            axis = ""
        elif planar:
            angle = rng.uniform(0, 2 * np.pi)
            vector = [0, rng.choice([-1, 1]), 0] if kind == "hinge" else [np.cos(angle), 0, np.sin(angle)]
            axis = f' axis="{_text(vector)}"'
        else:
            axis = f' axis="{_text(frame[k])}"'
        away = rng.normal(0, 0.1, 3) * ([1, 0, 1] if planar else [1, 1, 1])
        anchor = f' pos="{_text(away)}"' if rng.random() < 0.25 and kind != "slide" else ""
        lines.append(f'<joint name="{name}" type="{kind}"{axis}{anchor}/>')
        if kind != "ball" and rng.random() < 0.8:
            kp, kd, limit = rng.uniform(50, 500), rng.uniform(5, 50), rng.uniform(100, 1000)
            force = f' forcerange="{-limit:.5g} {limit:.5g}"'
            actuators.append(f'    <position name="{name}" joint="{name}" kp="{kp:.5g}" kv="{kd:.5g}"{force}/>')
    return lines


def _inertial(rng, planar):
    mass = rng.uniform(0.5, 10)
    com = rng.normal(0, 0.15, 3) * ([1, 0, 1] if planar else [1, 1, 1])
    second = rng.uniform(0.002, 0.05, 3) * mass
    moments = [second[1] + second[2], second[0] + second[2], second[0] + second[1]]
    quat = rng.normal(size=4)
    turn = f' quat="{_text(quat / np.linalg.norm(quat))}"' if not planar and rng.random() < 0.5 else ""
    return f'<inertial pos="{_text(com)}"{turn} mass="{mass:.6g}" diaginertia="{_text(moments)}"/>'


def _rotation(rng):
    return np.linalg.qr(rng.normal(size=(3, 3)))[0]


def _text(values) -> str:
    return " ".join(f"{float(v):.9g}" for v in values)
