"""The MuJoCo model that a figure's poses are computed with: one anchor for all turning joints of a body.

MJCF lets the joints of one body turn about different points, as the ankles of dm_control's humanoid do. A skeleton's
joint has one. Such a body is split into a series of bodies, without mass, for all its joints but the last; coordinates
and their order stay the same.
"""

from typing import Any
from weakref import WeakKeyDictionary
from xml.etree import ElementTree

import numpy as np

from footfall.errors import FootfallError

_BALL, _HINGE = 1, 3
_AXES = ("roll", "pitch", "yaw")
_PLACED = ("pos", "quat", "axisangle", "euler", "xyaxes", "zaxis")
_models: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def kinematic_model(figure: Any) -> Any:
    """The ``mujoco.MjModel`` of a ``Figure`` (or of a model) whose bodies have one anchor each."""
    model = getattr(figure, "model", figure)
    split = [b for b in range(1, model.nbody) if len(_anchored(model, b)) > 1]
    if not split:
        return model
    if not hasattr(figure, "xml"):
        raise FootfallError(
            f"figure: the hinges of body '{model.body(split[0]).name}' must share one anchor to become a pose; load "
            "the figure from its file"
        )
    if figure not in _models:
        _models[figure] = _split(figure, split)
    return _models[figure]


def _anchored(model: Any, body: int) -> list[list[int]]:
    """The turning joints of a body, those in a row that share an anchor together."""
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    groups: list[list[int]] = []
    for j in range(first, first + count):
        if int(model.jnt_type[j]) not in (_HINGE, _BALL):
            continue
        if groups and np.abs(model.jnt_pos[j] - model.jnt_pos[groups[-1][0]]).max() <= 1e-9:
            groups[-1].append(j)
        else:
            groups.append([j])
    return groups


def _split(figure: Any, bodies: list[int]) -> Any:
    import mujoco

    model, tree = figure.model, ElementTree.fromstring(figure.xml)
    above = {child: parent for parent in tree.iter() for child in parent}
    named = {body.get("name"): body for body in tree.iter("body")}
    for b in bodies:
        body = named[model.body(b).name]
        joints = {joint.get("name"): joint for joint in body.findall("joint")}
        home = above[body]
        place = list(home).index(body)
        home.remove(body)
        carried = {key: body.attrib.pop(key) for key in _PLACED if key in body.attrib}
        for group in _anchored(model, b)[:-1]:
            axis = _AXES[int(np.argmax(np.abs(model.jnt_axis[group[0]])))]
            extra = {key: body.get(key, "") for key in ("childclass",) if key in body.attrib}
            link = ElementTree.Element("body", {"name": f"{model.body(b).name}_{axis}", **carried, **extra})
            ElementTree.SubElement(link, "inertial", pos="0 0 0", mass="1e-9", diaginertia="1e-9 1e-9 1e-9")
            for j in group:
                joint = joints[model.joint(j).name]
                body.remove(joint)
                link.append(joint)
            home.insert(place, link)
            home, place, carried = link, len(link), {}
        home.insert(place, body)
    compiled = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree, encoding="unicode"))
    if compiled.nq != model.nq or [compiled.joint(j).name for j in range(compiled.njnt)] != [
        model.joint(j).name for j in range(model.njnt)
    ]:
        raise FootfallError("figure: its bodies have several anchors each, and cannot be split into bodies of one")
    return compiled
