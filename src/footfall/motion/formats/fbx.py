"""FBX, in and out, through Blender where it is installed: the format is closed; Blender turns it into glTF and back.

Blender is looked for as ``blender`` on the PATH, or where the environment variable ``FOOTFALL_BLENDER`` says.
"""

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from footfall.errors import FootfallError
from footfall.motion.formats.gltf_reader import read_gltf
from footfall.motion.formats.gltf_writer import write_gltf
from footfall.motion.motion import Motion

_SECONDS = 300
# Debian's Blender 3.4 meets a numpy that no longer has the name ``bool``, which its glTF add-on asks for.
_EMPTY = """import bpy, numpy, sys
numpy.bool = getattr(numpy, "bool", bool)
source, target = sys.argv[-2:]
bpy.ops.wm.read_factory_settings(use_empty=True)"""
_READ = f"""{_EMPTY}
bpy.ops.import_scene.fbx(filepath=source, use_anim=True)
bpy.ops.export_scene.gltf(filepath=target, export_format='GLB', export_animations=True, export_skins=True)
"""
_WRITE = f"""{_EMPTY}
scene, rate = bpy.context.scene, float(sys.argv[-3])
scene.render.fps = max(round(rate), 1)
scene.render.fps_base = scene.render.fps / rate
bpy.ops.import_scene.gltf(filepath=source)
last = max((action.frame_range[1] for action in bpy.data.actions), default=1)
scene.frame_start, scene.frame_end = 0, int(last + 0.5)
bpy.ops.export_scene.fbx(filepath=target, bake_anim=True, bake_anim_use_all_actions=False,
    bake_anim_use_nla_strips=False, add_leaf_bones=False, bake_anim_simplify_factor=0.0,
    apply_scale_options='FBX_SCALE_ALL')
"""


def blender_program() -> str | None:
    """Where Blender is installed, or None."""
    return shutil.which(os.environ.get("FOOTFALL_BLENDER") or "blender")


def read_fbx(path: Path, *, animation: str = "") -> Motion:
    """Load an animation of an .fbx file.

    Args:
        path: the file.
        animation: name of the animation (Blender's action); by default the first.
    """
    with tempfile.TemporaryDirectory(prefix="footfall-fbx-") as folder:
        between = Path(folder) / "scene.glb"
        _run(_READ, path, path, between)
        try:
            motion = read_gltf(between, animation=animation)
        except FootfallError as error:
            raise FootfallError(str(error).replace(str(between), str(path))) from error
    source = {**motion.source, "file": path.name, "format": "fbx"}
    return replace(motion, times=motion.times - motion.times[0], source=source)


def write_fbx(motion: Motion, path: Path) -> None:
    """Save poses and body of a motion as .fbx."""
    with tempfile.TemporaryDirectory(prefix="footfall-fbx-") as folder:
        between = Path(folder) / "scene.glb"
        write_gltf(motion, between)
        _run(_WRITE, path, between, path, f"{motion.fps:.6f}")


def _run(script: str, path: Path, source: Path, target: Path, *words: str) -> None:
    """Let Blender run a script over two files; ``path`` is the user's."""
    program = blender_program()
    if program is None:
        raise FootfallError(
            f"{path}: FBX is read and written through Blender, which was not found; install it so that 'blender' is on "
            "the PATH (or name it in FOOTFALL_BLENDER), or use .glb"
        )
    command = [program, "--background", "--factory-startup", "--python-exit-code", "7", "--python-expr", script]
    before = target.stat().st_mtime_ns if target.exists() else None
    try:
        done = subprocess.run(
            [*command, "--", *words, str(source.resolve()), str(target.resolve())],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FootfallError(f"{path}: Blender did not convert it ({type(error).__name__})") from error
    changed = target.exists() and target.stat().st_size > 0 and target.stat().st_mtime_ns != before
    if done.returncode != 0 or not changed:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
        said = [line for line in lines if "Error: " in line and "script failed" not in line]
        raise FootfallError(f"{path}: Blender could not convert it ({(said or ['no reason given'])[-1][:160]})")
