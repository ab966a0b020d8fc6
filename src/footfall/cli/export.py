"""``footfall export``: motion for Blender, Unreal, Unity, spreadsheets and web pages, bodies, and controllers for other
programs; the ending of ``--out`` says which."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import tyro

from footfall.cli.arguments import (
    AS_IT_SAYS,
    Camera,
    Files,
    MaybeFloat,
    MaybeText,
    Offers,
    Reading,
    Sex,
    Words,
    film_pixels,
    given_options,
    load_controllers,
    trimmed_clip,
)
from footfall.cli.printing import Answer, check_files, print_columns, save_motion_files, value_text
from footfall.control.registry import controller_names, load_walker
from footfall.errors import FootfallError
from footfall.escaping import shell_words
from footfall.figures import Figure
from footfall.figures.ball_joints import with_ball_joints
from footfall.figures.builtin import figure_names
from footfall.figures.scaling import figure_facts, figure_height, scaled_figure
from footfall.motion import Motion
from footfall.motion.editing import resampled
from footfall.motion.formats.files import load_motion, writable_suffixes
from footfall.motion.person_of_clip import figure_from_motion
from footfall.pictures import save_picture
from footfall.pictures.files import FILM_SUFFIXES, PICTURE_SUFFIXES
from footfall.pictures.page import PLOT_SUFFIXES
from footfall.terrain import parse_terrain
from footfall.text_files import write_whole

BODY_SUFFIXES = (".xml", ".urdf", ".bones")


def _names() -> list[str]:
    return [*controller_names(), *figure_names()]


@dataclass(frozen=True)
class _MotionFiles:
    """How motion files and films are written.

    Attributes:
        fps: resample a motion to this many frames per second.
        start: where the part to keep begins, in seconds.
        end: where the part to keep ends, in seconds.
        camera: camera of a film. Default: the side of a planar figure, three-quarter of any other.
        size: size of a film in pixels, as in 1280x720. Default: 1920x1080 for .mp4, 640x360 for .gif.
        playback: playback speed of films and pages: 0.25 shows the motion four times slower.
        beside: another motion file, shown to the left at the same time; for .html.
        out_unit: unit of a .bvh to write: m, dm, cm, mm, inch, cmu, or metres as a number. Default: that of the clip it
            came from, else cm.
        out_up: upward axis of a .bvh to write.
    """

    what: ClassVar[str] = "motion"
    fps: MaybeFloat = None
    start: MaybeFloat = None
    end: MaybeFloat = None
    camera: Camera = None
    size: MaybeText = None
    playback: float = 1.0
    beside: MaybeText = None
    out_unit: str = ""
    out_up: Literal["", "y", "z", "x", "-y", "-z", "-x"] = ""

    def write(self, sources: tuple[str, ...], out: tuple[str, ...], reading: Reading) -> Answer:
        """Write a motion file's motion."""
        source = _one(sources)
        files = check_files(out, (*writable_suffixes(), *PICTURE_SUFFIXES, ".xml", ".wasm", ".c"))
        if Path(source).suffix.lower() in ("", ".toml"):
            command = shell_words("footfall", "run", source, "--out", out[0])
            raise FootfallError(f"{source} is not a motion file; {command} writes how a controller moves")
        motion = trimmed_clip(reading.load(source), self.start, self.end)
        motion = motion if self.fps is None else resampled(motion, self.fps)
        if self.beside is not None and not any(path.suffix.lower() == ".html" for path in files):
            raise FootfallError(
                f"--beside {self.beside}: only a page shows two motions; write one, as in --out two.html"
            )
        if any(path.resolve() == Path(source).resolve() for path in files):
            raise FootfallError(f"{source}: it would be overwritten; name another file")
        written = []
        for path in files:
            options: dict[str, Any] = {}
            if path.suffix.lower() == ".bvh":
                options = {k: v for k, v in (("unit", self.out_unit), ("up", self.out_up)) if v}
            elif path.suffix.lower() in FILM_SUFFIXES:
                options = {"size": film_pixels(self.size), "speed": self.playback}
            elif path.suffix.lower() == ".html":
                options = {"speed": self.playback}
                options |= {} if self.beside is None else {"beside": load_motion(self.beside)}
            written += save_motion_files(motion, [path], self.camera, **options)
        sizes = {"frames": len(motion), "fps": motion.fps, "seconds": motion.seconds}
        return Answer({"motion": source} | sizes, lambda: None, written)


@dataclass(frozen=True)
class _BodyFiles:
    """What body is made.

    Attributes:
        height: height of a body in m, from the soles to the top. Default: unchanged.
        mass: mass of a body in kg. Default: the same density for a figure; for the person of a clip, the usual mass for
            the height.
        sex: sex of a clip's person, which sets the shares of mass and the radii of gyration.
        strength: how a body's torque limits grow: with the mass, as muscles do (muscle), or with mass and length
            (similar).
        joint_kind: joints of a body: ball makes one ball joint of each body's hinges, for the tracking law (footfall
            imitate, footfall steer); hinge keeps them, for SIMBICON and its servos.
    """

    what: ClassVar[str] = "bodies"
    height: MaybeFloat = None
    mass: MaybeFloat = None
    sex: Sex = "both"
    strength: Literal["muscle", "similar"] = "muscle"
    joint_kind: Literal["hinge", "ball"] = "hinge"

    def write(self, sources: tuple[str, ...], out: tuple[str, ...], reading: Reading) -> Answer:
        """Write a figure in another size, or the person of a clip."""
        source = _one(sources)
        files = check_files(out, (".xml", *PLOT_SUFFIXES))
        name = next((path.stem for path in files if path.suffix == ".xml"), "")
        notes: list[str] = []
        figure, told = self._scaled(source, name) if _is_body(source) else self._of_clip(source, name, reading, notes)
        figure = with_ball_joints(figure, figure.name) if self.joint_kind == "ball" else figure
        for path in files:
            if path.suffix == ".xml":
                write_whole(path, figure.xml.encode())
            else:
                _draw(figure, path)
        rows = {"name": figure.name} | figure_facts(figure) | told

        def say() -> None:
            for note in notes:
                print(f"note: {note}")
            shown = [(key, value) for key, value in rows.items() if value not in ("", [])]
            print_columns([[key.replace("_", " "), _text(value)] for key, value in shown])

        return Answer(rows | {"notes": notes}, say, files)

    def _of_clip(self, clip: str, name: str, reading: Reading, notes: list[str]) -> tuple[Figure, dict[str, Any]]:
        motion = reading.load(clip)
        sex = "mean" if self.sex == "both" else self.sex
        size = {"mass": self.mass, "height": self.height}
        body = figure_from_motion(motion, **size, name=name or Path(clip).stem, sex=sex, strength=self.strength)
        notes += motion.source.get("notes", ())
        if motion.source.get("unit_from") == "guess":
            notes.append(
                f"the file does not say its unit; with '{motion.source['unit']}' its skeleton is "
                f"{body.clip_height:.2f} m tall. Name another with --unit, or the height with --height"
            )
        told = {"clip": clip, "clip_height_m": body.clip_height, "asymmetry_m": body.asymmetry}
        return body.figure, told | {"by_proportion": list(body.filled)}

    def _scaled(self, source: str, name: str) -> tuple[Figure, dict[str, Any]]:
        own = Figure.load(source)
        new = scaled_figure(own, height=self.height, mass=self.mass, name=name, strength=self.strength)
        factors = {
            "length": figure_height(new) / figure_height(own),
            "mass": float(new.model.body_mass.sum() / own.model.body_mass.sum()),
            **{key: _ratio(getattr(new, key), getattr(own, key)) for key in ("torque_limit", "kp", "kd")},
        }
        return new, {"from": own.name, "factors": factors}


@dataclass(frozen=True)
class _ProgramFiles:
    """How controllers become programs.

    Attributes:
        figure: a built-in figure or a file: the body of an exported controller. Default: its own.
        terrain: a terrain, NAME[:ARGS], that a .wasm module offers besides level ground. May be repeated.
        dt: time step of a .wasm module in seconds. Default: 0.001, or what the controller's file says.
        onto: for a .wasm module: a character's .glb, which the module then drives in three.js; rig.json, rig.js and
            character.html are written beside it.
        with_physics: for C: also the body, its physics and the ground, behind ten functions, for games and simulators;
            several controllers become one program.
        runner: for C: also write run_NAME.py, which compiles the code and walks the figure's file in MuJoCo without
            footfall.
    """

    what: ClassVar[str] = "controllers"
    figure: MaybeText = None
    terrain: Words = ()
    dt: MaybeFloat = None
    onto: MaybeText = None
    with_physics: bool = False
    runner: bool = False

    def write(self, sources: tuple[str, ...], out: tuple[str, ...], reading: Reading) -> Answer:
        """Write controllers as a module, or one as C."""
        if len(out) > 1:
            raise FootfallError("export: a controller becomes one program; name one --out file, .wasm or .c")
        in_c = Path(out[0]).suffix.lower() in (".c", ".h", ".zip")
        if in_c and (self.terrain or self.onto or (self.dt is not None and not self.with_physics)):
            raise FootfallError(
                "export: --terrain, --dt and --onto work only with a .wasm module; C holds the controller alone, or "
                "with --with-physics level ground"
            )
        if not in_c and (self.runner or self.with_physics):
            raise FootfallError("export: --runner and --with-physics work only with C; a module has both")
        if self.runner and self.with_physics:
            raise FootfallError("export: --runner walks a body in MuJoCo; with --with-physics the body is in the C")
        if Path(out[0]).suffix.lower() == ".zip":
            return self._write_pack(sources, Path(out[0]))
        how = self._write_physics if self.with_physics else self._write_c if in_c else self._write_module
        return how(sources, Path(out[0]))

    def _write_physics(self, sources: tuple[str, ...], out: Path) -> Answer:
        from footfall.embedded.physics import physics_in_c

        loaded, body = load_controllers("export", sources, self.figure, self.dt)
        check_files([out], (".c", ".h"))
        path = out.with_suffix("")
        source, header = physics_in_c(loaded, path.name, body, self.dt)
        texts = {path.with_name(f"{path.name}.c"): source, path.with_name(f"{path.name}.h"): header}
        for file, text in texts.items():
            write_whole(file, text.encode())
        words = f"controller and body; compile with cc -std=c99 -O2 -c {shell_words(f'{path.name}.c')}"
        return Answer({"controllers": [c.name for c in loaded]}, lambda: print(words), texts)

    def _write_c(self, sources: tuple[str, ...], out: Path) -> Answer:
        from footfall.embedded.program import c_program, runner_script

        loaded, path = load_walker(_one(sources)), out.with_suffix("")
        check_files([out], (".c", ".h"))
        body = Figure.load(self.figure or loaded.figure)
        program = c_program(loaded, body, path.name)
        texts = {path.with_name(f"{path.name}.c"): program.source, path.with_name(f"{path.name}.h"): program.header}
        if self.runner:
            texts[path.with_name(f"run_{path.name}.py")] = runner_script(program)
        for file, text in texts.items():
            write_whole(file, text.encode())
        answer = {"controller": loaded.name, "figure": body.name, "joints": [joint.name for joint in program.joints]}
        words = f"{len(program.joints)} joints; compile with cc -std=c99 -O2 -c {shell_words(f'{path.name}.c')}"
        return Answer(answer | {"points": list(program.control.points)}, lambda: print(words), texts)

    def _write_pack(self, sources: tuple[str, ...], out: Path) -> Answer:
        from footfall.embedded.pack import write_pack

        if self.with_physics:
            raise FootfallError("export: a pack has the runner, and no physics; leave out --with-physics")
        loaded = load_walker(_one(sources))
        body = Figure.load(self.figure or loaded.figure)
        written = write_pack(loaded, body, check_files([out], (".zip",))[0])
        words = f"a pack; replay its golden run with {shell_words('footfall', 'check', str(out))}"
        return Answer({"controller": loaded.name, "figure": body.name}, lambda: print(words), written)

    def _write_module(self, sources: tuple[str, ...], out: Path) -> Answer:
        from footfall.live.description import write_module

        loaded, body = load_controllers("export", sources, self.figure, self.dt)
        terrains = {text: parse_terrain(text) for text in self.terrain}
        options: dict[str, Any] = {"figure": body, "dt": self.dt, "terrains": terrains, "onto": self.onto}
        written = write_module(loaded, out.parent, name=out.stem, **options)
        return Answer({"controllers": [c.name for c in loaded]}, lambda: None, written)


MOTION, BODY, PROGRAM = _MotionFiles(), _BodyFiles(), _ProgramFiles()


def export(
    sources: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="SOURCE"), Offers(_names)],
    out: Files = (),
    motion: Annotated[_MotionFiles, tyro.conf.OmitArgPrefixes] = MOTION,
    reading: Reading = AS_IT_SAYS,
    body: Annotated[_BodyFiles, tyro.conf.OmitArgPrefixes] = BODY,
    program: Annotated[_ProgramFiles, tyro.conf.OmitArgPrefixes] = PROGRAM,
) -> Answer:
    """Write a motion file in other formats, a body, or controllers for other programs. The suffix of --out sets which.

    A motion file becomes motion (.glb for Blender, Unreal, Unity and browsers, .bvh, .csv, .npz, .usd, .fbx), a picture
    or a film (.png .svg .pdf .gif .mp4 .html), or the body of its person (.xml). A figure becomes one of another size
    (.xml): lengths by the height, masses and strength by allometry. Controllers become a WebAssembly module (.wasm,
    with a .json that names its numbers, walker.js and an example page); one becomes plain C99 for robots (.c and .h),
    which gives joint torques from sensed positions and velocities, allocates nothing, and needs math.h alone; or a pack
    (.zip) of that C, its joints, gains and limits, and a golden run that footfall check replays.

    Args:
        sources: a motion file, as footfall run --out walk.npz writes it; a figure by name or file; or a controller by
            name (footfall show) or file. A module may have several controllers and switch between them, and so may C
            with physics.
        out: a file to write. May be repeated.
    """
    if not out:
        raise FootfallError("export: name at least one file with --out, as in --out walk.glb, child.xml or walk.c")
    if not sources:
        raise FootfallError("export: name a motion file, a figure or a controller")
    suffixes = {Path(path).suffix.lower() for path in out}
    kinds: tuple[Any, ...] = (motion, body, program)
    chosen: _MotionFiles | _BodyFiles | _ProgramFiles = motion
    if suffixes & {".c", ".h", ".wasm", ".zip"}:
        chosen = program
    elif ".xml" in suffixes or _is_body(sources[0]):
        chosen = body
    for kind in kinds:
        given = given_options(kind)
        if given and kind is not chosen:
            raise FootfallError(f"export: {given[0]} works only for {kind.what}; leave it out for --out {out[0]}")
    return chosen.write(tuple(sources), out, reading)


def _one(sources: tuple[str, ...]) -> str:
    if len(sources) > 1:
        raise FootfallError(f"export: {len(sources)} sources; only a .wasm module takes several")
    return sources[0]


def _is_body(source: str) -> bool:
    return Path(source).suffix.lower() in BODY_SUFFIXES or source in figure_names()


def _ratio(new: Any, own: Any) -> float | None:
    known = np.isfinite(own) & (own > 0.0)
    return float(np.median(new[known] / own[known])) if known.any() else None


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} x {v:.4g}" for name, v in value.items() if v is not None)
    return value_text(value, ".4g")


def _draw(figure: Figure, path: Path) -> None:
    motion = Motion.from_qpos(figure, np.zeros(1), figure.default_qpos[None])
    save_picture(motion, path, poses=1, labels=[figure.name])
