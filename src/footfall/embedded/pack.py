"""Packs: a robot's walk that proves itself, as a folder or a .zip, which ``check.py`` in it checks without footfall.

NAME.toml              the controller
NAME.c NAME.h          the same as C, and NAME.onnx where it has a network
run_NAME.py            walks the robot's file in MuJoCo with the C
ROBOT.xml              that file (and ROBOT.footfall.toml); its meshes stay where they are
pack.json              joints in the C's order with names, places, signs, limits and gains; what is observed; verdicts
golden.csv             the golden run: states, contacts and torques, every step of the file's own
check.py               replays it: :mod:`footfall.embedded.replay`
SHA256SUMS             of all of these, as ``sha256sum -c`` reads it
"""

import csv
import io
import re
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from json import dumps
from pathlib import Path
from typing import Any, cast

import mujoco

from footfall.control.kind import Controller
from footfall.control.registry import print_controller
from footfall.embedded import replay
from footfall.embedded.original_trials import check_can_be_judged
from footfall.embedded.program import CProgram, c_program, places_of, runner_script
from footfall.errors import FootfallError
from footfall.escaping import plain_line
from footfall.figures import Figure
from footfall.figures.adoption.source import overrules_beside
from footfall.figures.mjcf import read_spec
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import save_onnx
from footfall.text_files import make_folder, plain_json, write_whole

SECONDS, MOST_BYTES = 5.0, 1 << 29
"""Of a golden run; of a pack that is unzipped."""
BODIES = (".xml", ".urdf")
ROOT = {
    mujoco.mjtJoint.mjJNT_FREE: (("x", "y", "z", "qw", "qx", "qy", "qz"), ("vx", "vy", "vz", "wx", "wy", "wz")),
    mujoco.mjtJoint.mjJNT_BALL: (("qw", "qx", "qy", "qz"), ("wx", "wy", "wz")),
}
"""Joints of several numbers -> those of qpos and of qvel; angular velocities are in the body's own axes."""


def check_pack_name(out: Path) -> Path:
    """Where a pack can be written: a .zip file, or a folder that is new, empty or a pack."""
    if out.suffix == ".zip" and not out.is_dir() and out.parent.is_dir():
        return out
    if out.suffix or (out.exists() and not out.is_dir()) or not out.parent.is_dir():
        raise FootfallError(f"{out}: a pack is a .zip file or a folder, in a folder that is there")
    if out.is_dir() and any(out.iterdir()) and not (out / replay.SUMS).is_file():
        raise FootfallError(f"{out}: that folder holds other files; name a new one, or a .zip file")
    return out


def write_pack(controller: Controller, figure: Figure, out: Path, judged: Sequence[dict[str, Any]] = ()) -> list[str]:
    """Walk a controller in its body's own file for the golden run, and write its pack.

    Args:
        controller: one that :func:`~footfall.embedded.program.c_program` takes.
        figure: the body.
        out: the folder or the .zip file; files are named after it.
        judged: verdicts that pack.json repeats.

    Returns:
        What was written.

    Raises:
        FootfallError: it cannot be written as C, or cannot be walked in the body's file.
    """
    check_can_be_judged(figure)
    file, body = check_pack_name(out).stem, Path(figure.source)
    own = body.suffix in BODIES and body.is_file()
    name = body.name if own else f"{figure.name}.xml"
    program = c_program(controller, figure, file)
    changed: dict[str, Any] = {"figure": name}
    if isinstance(controller, NetworkController) and controller.graph is not None:
        changed["base"] = print_controller(controller.graph.changed(figure=name))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        texts = {
            f"{file}.toml": print_controller(replace(cast("Any", controller), **changed)),
            f"{file}.c": program.source,
            f"{file}.h": program.header,
            f"run_{file}.py": runner_script(program),
            name: body.read_text(encoding="utf-8") if own else figure.xml,
            "check.py": (files("footfall.embedded") / "replay.py").read_text(encoding="utf-8"),
        }
        beside = overrules_beside(body)
        texts |= {beside.name: beside.read_text(encoding="utf-8")} if own and beside.is_file() else {}
        for word, text in texts.items():
            write_whole(folder / word, text.encode())
        if isinstance(controller, NetworkController):
            save_onnx(controller.network, folder / f"{file}.onnx")
        about, golden = _recorded(program, folder, body if own else folder / name)
        about["body"] |= {"file": name, "needs": _needs(body) if own else []}
        about["judged"] = list(judged)
        write_whole(folder / replay.GOLDEN, golden.encode())
        write_whole(folder / replay.ABOUT, (dumps(plain_json(about), indent=1) + "\n").encode())
        sums = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir())]
        write_whole(folder / replay.SUMS, "".join(sums).encode())
        contents = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    if out.suffix == ".zip":
        write_whole(out, _zipped(contents))
        return [str(out)]
    make_folder(out)
    for word, content in contents.items():
        write_whole(out / word, content)
    return [str(out / word) for word in contents]


def _zipped(contents: dict[str, bytes]) -> bytes:
    """The same bytes for the same files, whenever they are packed."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _needs(body: Path) -> list[str]:
    """Files beside a body's file without which it moves otherwise: meshes that touch or weigh, and includes."""
    spec, kind = read_spec(body), mujoco.mjtGeom.mjGEOM_MESH
    used = {
        str(geom.meshname)
        for geom in spec.geoms
        if geom.type == kind and (geom.contype or geom.conaffinity or not geom.parent.explicitinertial)
    }
    found = [str(m.file) for m in spec.meshes if (str(m.name) or Path(m.file).stem) in used and m.file]
    found = [file for file in found if (body.parent / spec.meshdir / file).is_file()]
    return found + re.findall(r"""<include\s+file=["']([^"']+)""", body.read_text(encoding="utf-8"))


def _recorded(program: CProgram, folder: Path, body: Path) -> tuple[dict[str, Any], str]:
    """pack.json, but for the body's file, and golden.csv, by walking the body's file in MuJoCo with the C."""
    control, file = program.control, program.file
    try:
        run = replay.runner(folder / f"run_{file}.py")
        model, c = run.scene(str(body), 0.0), replay.built(folder / f"{file}.c")
        walker = run.Walker(model, c, 0, 0.0)
    except (replay.PackError, ValueError, KeyError) as error:
        raise FootfallError(f"{body}: no golden run: {' '.join(str(error).split())}") from error
    qpos, qvel = _coordinates(model, run.NQ, run.NV)
    joints = _joints(program, model, walker)
    names = {"qpos": qpos, "qvel": qvel, "contact": list(control.points)}
    names |= {quantity: [j["name"] for j in joints] for quantity in ("torque", "stiffness", "applied")}
    text, dt, up = io.StringIO(), float(model.opt.timestep), True
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["time", *(f"{quantity} {name}" for quantity in replay.TOLERANCES for name in names[quantity])])
    while up and walker.data.time < SECONDS - 0.5 * dt:
        time = float(walker.data.time)
        up = bool(walker.step())
        row = replay.sensed(walker, names)
        table.writerow([time, *(value for quantity in replay.TOLERANCES for value in row[quantity])])
    way = walker.data.subtree_com[1, :2] - walker.start
    return {
        "format": replay.FORMAT,
        "made by": f"footfall {version('footfall')}",
        "controller": plain_line(control.controller.name),
        "about": plain_line(control.controller.about),
        "file": file,
        "c": {"name": program.name, "original": bool(program.original), "nv": control.figure.nv}
        | {"memory": int(control.law.memory.size)},
        "body": {
            "motors": "the file's" if walker.motors is not None else "forces on the joints",
            "gravity": model.opt.gravity,
        },
        "joints": joints,
        "qpos": qpos,
        "qvel": qvel,
        "contacts": names["contact"],
        "observation": _observation(control.controller),
        "golden": {"engine": f"MuJoCo {mujoco.__version__}", "dt": dt, "seconds": float(walker.data.time), "up": up}
        | {"metres": float((way @ way) ** 0.5), "footsteps": int(walker.steps)},
    }, text.getvalue()


def _coordinates(model: Any, nq: int, nv: int) -> tuple[list[str], list[str]]:
    """Names of the file's qpos and qvel."""
    qpos, qvel = [], []
    for j in range(model.njnt):
        name = model.joint(j).name
        at, rate = ROOT.get(mujoco.mjtJoint(model.jnt_type[j]), (("",), ("",)))
        qpos += [f"{name} {word}".strip() for word in at]
        qvel += [f"{name} {word}".strip() for word in rate]
    return qpos[:nq], qvel[:nv]


def _joints(program: CProgram, model: Any, walker: Any) -> list[dict[str, Any]]:
    """The driven joints in the C's order, as the file has them."""
    law, adoption, rows = program.control.law, program.control.figure.adoption, []
    for k, joint in enumerate(program.joints):
        own = None if adoption is None else adoption.joints[joint.name]
        there = model.joint(joint.name if own is None else own.name)
        gains = {
            word: [float(law.parameters[cell]) for cell, _ in places_of(law, f"{joint.name}.{word}")]
            for word in ("kp", "kd")
        }
        rows.append(
            {"name": there.name, "footfall": joint.name, "qpos": int(there.qposadr[0]), "qvel": int(there.dofadr[0])}
            | {"sign": 1.0 if own is None else own.sign, "offset": 0.0 if own is None else own.offset}
            | {"range": there.range if model.jnt_limited[there.id] else None}
            | {"torque_limit": float(walker.limit[k])}
            | {word: values[0] if len(values) == 1 else None for word, values in gains.items()}
        )
    return rows


def _observation(controller: Controller) -> dict[str, Any] | None:
    """What a network sees, in its order; None for a controller that computes from states and contacts alone."""
    if not isinstance(controller, NetworkController):
        return None
    blocks = [
        {"names": b.names, "scale": b.scale, "offset": b.offset, "limit": b.limit} for b in controller.observations
    ]
    return {"decisions a second": controller.rate, "history": controller.history, "blocks": blocks}


@contextmanager
def opened(pack: Path) -> Iterator[Path]:
    """The folder of a pack, of a .zip file's a temporary one. Only plain names are taken out of it."""
    if pack.is_dir():
        yield pack
        return
    if not pack.is_file():
        raise FootfallError(
            f"{pack}: there is no such pack; name a .zip file or a folder that footfall adapt --out wrote"
        )
    with tempfile.TemporaryDirectory() as place:
        try:
            with zipfile.ZipFile(pack) as archive:
                if sum(part.file_size for part in archive.infolist()) > MOST_BYTES:
                    raise FootfallError(f"{pack}: unzipped it is larger than {MOST_BYTES >> 20} MB")
                for part in archive.infolist():
                    if not re.fullmatch(r"[^/\\:\0]+", part.filename) or part.filename in (".", ".."):
                        raise FootfallError(
                            f"{pack}: '{plain_line(part.filename)}' is no plain file name, as a pack's are"
                        )
                    (Path(place) / part.filename).write_bytes(archive.read(part))
        except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
            raise FootfallError(f"{pack}: not a .zip file that can be read: {error}") from error
        yield Path(place)


def replays(folder: Path, engines: Sequence[str], body: Path | None = None) -> tuple[replay.Pack, dict[str, Any]]:
    """Replay a pack's golden run: by footfall's own law, by the pack's C, in MuJoCo.

    Args:
        folder: where it is.
        engines: of "native", "c" and "mujoco".
        body: the robot's own file; None for the pack's.

    Returns:
        The pack, and for each engine the first difference, None where there is none, or why it could not be replayed.
    """
    try:
        pack = replay.Pack(folder)
        found: dict[str, Any] = {}
        for engine in engines:
            if engine == "c":
                found[engine] = replay.replay_c(pack)
            elif pack.needs and body is None and len(engines) > 1:
                found[engine] = f"{engine}: {pack.body} needs {', '.join(pack.needs[:3])}; name the file with --figure"
            else:
                found[engine] = _replayed_anew(pack, body) if engine == "native" else replay.replay_mujoco(pack, body)
        return pack, found
    except replay.PackError as error:
        raise FootfallError(str(error)) from error


def _replayed_anew(pack: replay.Pack, body: Path | None) -> replay.Mismatch | None:
    """The first difference of the law that this footfall makes of the pack's controller."""
    from footfall.control.registry import load_walker

    figure = Figure.load(body or pack.folder / pack.body)
    program = c_program(load_walker(pack.folder / f"{pack.file}.toml"), figure, pack.file)
    with tempfile.TemporaryDirectory() as place:
        for suffix, text in ((".c", program.source), (".h", program.header)):
            (Path(place) / f"{pack.file}{suffix}").write_text(text, encoding="utf-8")
        return replay.replay_c(pack, Path(place) / f"{pack.file}.c", "footfall's law")
