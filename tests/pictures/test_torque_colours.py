"""The player's page holds how hard each body is worked, where torques were recorded."""

import base64
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.figures import Figure
from footfall.pictures import save
from footfall.pictures.player import torque_colours
from footfall.pictures.scene import frames_at
from tests.pictures.test_pictures import biped


def test_the_page_holds_the_heat_of_the_body_that_a_working_joint_carries(tmp_path: Path) -> None:
    plain = biped()
    figure = Figure.load(plain.figure_xml)
    knee = next(joint for joint in figure.joints if joint.actuated)
    torque = np.zeros((len(plain), figure.nv))
    torque[:, knee.dof] = -150.0
    worked = replace(plain, channels={**plain.channels, "torque": torque})
    heat = torque_colours(worked, frames_at(worked, 60.0))
    assert heat is not None
    np.testing.assert_array_equal(heat, np.arange(len(figure.bodies)) == np.full((len(heat), 1), knee.body))
    text = save(worked, tmp_path / "p.html").read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    sent = np.frombuffer(base64.b64decode(json.loads(found[1])["heat"]), dtype=np.uint8).reshape(len(heat), -1)
    assert set(np.unique(sent)) == {0, 255}
    assert (sent.sum(axis=1, dtype=int) == 255).all()


def test_without_torques_there_is_none() -> None:
    motion = replace(biped(), channels={k: v for k, v in biped().channels.items() if k != "torque"})
    assert torque_colours(motion, np.arange(3)) is None
