"""The recipe of docs/rigs.md in Blender itself: a rig with bone rolls of its own gets the motion."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from footfall.motion import load_motion, retarget_to_rig, save_motion
from tests.motion.test_zero_poses import lively_walk
from tests.motion.walks import walk

PAGE = Path(__file__).parents[2] / "docs" / "rigs.md"

MAKE = """
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_anim.bvh(filepath="person.bvh", global_scale=0.01)
rig = bpy.context.object
bpy.ops.object.mode_set(mode="EDIT")
for k, bone in enumerate(rig.data.edit_bones):
    bone.roll = 0.3 * k
bpy.ops.object.mode_set(mode="OBJECT")
bpy.ops.wm.save_as_mainfile(filepath="rig.blend")
bpy.ops.export_anim.bvh(filepath="my-character.bvh", frame_start=1, frame_end=20)
"""
APPLY = """
import bpy, json
bpy.ops.wm.open_mainfile(filepath="rig.blend")
rig = bpy.data.objects["person"]
bpy.context.view_layer.objects.active = rig
exec(open("recipe.py").read())
found = []
for frame in (1, 20, 40):
    bpy.context.scene.frame_set(frame)
    found.append({bone.name: list(rig.matrix_world @ bone.head) for bone in rig.pose.bones})
json.dump(found, open("found.json", "w"))
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("bpy") is None, reason="NO BLENDER (module bpy): its recipe was not run")
def test_the_recipe_of_the_page(tmp_path):
    save_motion(walk(0.5), tmp_path / "person.bvh")
    recipe = next(b for b in re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.M) if "bpy" in b)
    (tmp_path / "recipe.py").write_text(recipe)
    subprocess.run([sys.executable, "-c", MAKE], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    motion, _ = retarget_to_rig(lively_walk(1.0), load_motion(tmp_path / "my-character.bvh"))
    save_motion(motion, tmp_path / "turn-on-me.bvh")
    subprocess.run([sys.executable, "-c", APPLY], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    for frame, places in zip((1, 20, 40), json.loads((tmp_path / "found.json").read_text()), strict=True):
        own = motion.positions()[frame - 1]
        for name, (x, y, z) in places.items():
            assert np.abs([-y, x, z] - own[motion.skeleton.index(name)]).max() < 1e-4, (frame, name)
