"""Kinds of command-line arguments that the commands share, and groups of options that several of them have."""

import inspect
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

import tyro

from footfall.cli.printing import Show
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.control.kind import Controller as AnyController
    from footfall.figures import Figure
    from footfall.motion import Motion
    from footfall.simulation import Hardware


@dataclass(frozen=True)
class Offers:
    """Words that a shell offers for an argument, which may take others too, in its annotation:
    ``Annotated[str, Offers(lambda: ["left", "right"])]``. Commands of other packages may use it."""

    words: Callable[[], Iterable[str]]


def controller_words() -> Iterable[str]:
    """Names of all controllers, for a shell to offer."""
    from footfall.control.registry import controller_names

    return controller_names()


def default_words(value: str) -> str:
    """What help says of a default: nothing where there is none, since the text then says what happens."""
    return "" if value in ("", "''", "None") else f"(default: {value})"


Words = tyro.conf.UseAppendAction[tuple[str, ...]]
"""An option that may be repeated."""

Files = Annotated[Words, tyro.conf.arg(metavar="FILE")]
Settings = Annotated[Words, tyro.conf.arg(name="set", metavar="NAME=VALUE")]
QUIET = tyro.conf.arg(help_behavior_hint=default_words)
NAMED = tyro.conf.arg(metavar="CONTROLLER", help_behavior_hint=default_words)
Folder = Annotated[Path | None, tyro.conf.arg(metavar="FOLDER", help_behavior_hint=default_words)]
Controller = Annotated[str, tyro.conf.Positional, NAMED, Offers(controller_words)]
Controllers = Annotated[tuple[str, ...], tyro.conf.Positional, NAMED, Offers(controller_words)]
Clip = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="CLIP")]
Clips = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="CLIP")]

MaybeFloat = Annotated[float | None, tyro.conf.arg(metavar="FLOAT", help_behavior_hint=default_words)]
MaybeInt = Annotated[int | None, tyro.conf.arg(metavar="INT", help_behavior_hint=default_words)]
MaybeText = Annotated[str | None, tyro.conf.arg(metavar="STR", help_behavior_hint=default_words)]
UpAxis = Literal["auto", "y", "z", "x", "-y", "-z", "-x"]
Camera = Annotated[Literal["side", "three-quarter", "front", "top"] | None, QUIET]
Sex = Literal["both", "female", "male"]
Precision = Annotated[Literal["float32", "float64"] | None, QUIET]
Integrator = Literal["implicit", "explicit", "semi-implicit", "rk4"]


@dataclass(frozen=True)
class _Jobs:
    """Where the jobs of a command run.

    Attributes:
        cluster: run its jobs on the workers of a Dask scheduler, tcp://HOST:PORT, which must see the files.
        workers: run its jobs in this many processes of this machine. Default: in this one.
        slurm: run its jobs on Slurm: partition=NAME,workers=8,time=MINUTES and other options of sbatch.
    """

    cluster: Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")] = None
    workers: MaybeInt = None
    slurm: Annotated[str | None, tyro.conf.arg(metavar="NAME=VALUE,…")] = None

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) is not None for field in fields(self))

    @contextmanager
    def opened(self, show: Show) -> Iterator[Executor | None]:
        """The executor that these options ask for; meanwhile the progress bar says that workers are starting."""
        from footfall.clusters.executors import open_cluster

        if self:
            show(0, what="starting workers")
        with open_cluster(self.cluster, self.workers, self.slurm) as executor:
            yield executor


Jobs = Annotated[_Jobs, tyro.conf.OmitArgPrefixes]
HERE = _Jobs()
"""Jobs of a command that run in this process."""


def cluster_progress(
    show: Show, what: str, executor: Executor | None, unit: str = ""
) -> Callable[[float, float], None]:
    """A report (done, total) that adds how many workers there are and, with a unit, how much is done a second."""
    began, first = time.monotonic(), -1.0

    def report(done: float, total: float) -> None:
        nonlocal began, first
        if first < 0:
            began, first = time.monotonic(), done
        words = [what]
        count = getattr(executor, "workers", None)
        if count is not None:
            words.append(f"{count} worker{'' if count == 1 else 's'}")
        spent = time.monotonic() - began
        if unit and spent > 1.0 and done > first:
            words.append(f"{(done - first) / spent:,.0f} {unit}/s")
        show(done, total, ", ".join(words))

    return report


@dataclass(frozen=True)
class _Pushed:
    """What is simulated, and where it is pushed.

    Attributes:
        figure: a built-in name or a file. Default: the controller's own.
        push_body: the body that is pushed, by its name or its joint's. Default: the torso.
        push_place: where on the torso pushes act: top, or com (its centre of mass).
        dt: time step in seconds.
        device: where to simulate: cpu or cuda.
        precision: number format of the simulations. Default: float64 on a CPU, float32 on a GPU.
    """

    figure: MaybeText = None
    push_body: str = ""
    push_place: Literal["top", "com"] = "top"
    dt: float = 0.001
    device: str = "cpu"
    precision: Precision = None

    def options(self) -> dict[str, Any]:
        """Of an experiment: the figure as text, for which other machines need no file."""
        from footfall.figures import Figure

        in_file = self.figure is not None and self.figure.endswith((".xml", ".bones"))
        return vars(self) | ({"figure": Figure.load(str(self.figure)).xml} if in_file else {})


Pushed = Annotated[_Pushed, tyro.conf.OmitArgPrefixes]
AS_USUAL = _Pushed()
"""The torso's top, in steps of 1 ms on a CPU."""


@dataclass(frozen=True)
class _Robot:
    """What is between a controller and a robot's body.

    Attributes:
        sensor_delay: delay of the balance feedback in seconds.
        actuator_delay: delay of the torques in seconds.
        control_rate: how often the controller acts, per second. Its torques are held in between, and its servos are
            then plain PD. Default: in every step.
        noise: standard deviation of a sensor, as in joint_angle=0.01: joint_angle, orientation (rad), joint_speed,
            angular_velocity (rad/s) or linear_velocity (m/s). May be repeated.
        motor_speed: speed in rad/s at which a motor's torque reaches zero, as in 20 for all or knee=20. May be
            repeated.
        motor_torque: torque in N m that a motor gives at rest. Default: the figure's limits. May be repeated.
        motor_knee: share of the motors' speed up to which they give all of their torque.
    """

    sensor_delay: float = 0.0
    actuator_delay: float = 0.0
    control_rate: MaybeFloat = None
    noise: Annotated[Words, tyro.conf.arg(metavar="NAME=NUMBER")] = ()
    motor_speed: Annotated[Words, tyro.conf.arg(metavar="[JOINT=]NUMBER")] = ()
    motor_torque: Annotated[Words, tyro.conf.arg(metavar="[JOINT=]NUMBER")] = ()
    motor_knee: float = 0.0

    def hardware(self, seed: int) -> "Hardware":
        """For a simulation; ``seed`` is that of the noise."""
        from footfall.simulation import Hardware

        return Hardware(
            self.sensor_delay, self.actuator_delay, self.control_rate, named_numbers("--noise", self.noise), seed,
            _motors("--motor-speed", self.motor_speed), _motors("--motor-torque", self.motor_torque), self.motor_knee,
        )  # fmt: skip


Robot = Annotated[_Robot, tyro.conf.OmitArgPrefixes]
IDEAL = _Robot()
"""A body that senses and acts at once, exactly and as strongly as its motors can."""


@dataclass(frozen=True)
class _Reading:
    """How a motion file is read.

    Attributes:
        unit: unit of a file that does not name it: m, dm, cm, mm, inch, cmu, or metres as a number; auto guesses.
        up: upward axis of a file that does not name it; write --up=-y for one that points down. auto guesses.
        animation: which animation of a .glb, .gltf or .fbx, by name.
        root: which figure of a .bvh that holds several, by the name of its root.
    """

    unit: str = "auto"
    up: UpAxis = "auto"
    animation: str = ""
    root: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """Of the file's reader: those that were given."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) not in ("", "auto")}

    def load(self, clip: str) -> "Motion":
        """The motion of a file."""
        from footfall.motion.formats.files import load_motion

        return load_motion(clip, **self.options)


Reading = Annotated[_Reading, tyro.conf.OmitArgPrefixes]
AS_IT_SAYS = _Reading()
"""A motion file that says its unit and axes, or is guessed."""


def given_options(group: Any) -> list[str]:
    """Options of a group that are not as by default, as in --fps."""
    return [f"--{f.name.replace('_', '-')}" for f in fields(group) if getattr(group, f.name) != f.default]


def refuse(why: str, **options: Any) -> None:
    """Refuse options that were given, where they have no meaning."""
    for name, value in options.items():
        if value is not None and value is not False and value != ():
            raise FootfallError(f"--{name.replace('_', '-')} {why}")


def arguments_of(function: Callable[..., Any]) -> dict[str, tuple[Any, Any]]:
    """Name -> (annotation, default) of a command's arguments, those of a group of options one by one."""
    try:
        signature = inspect.signature(function, eval_str=True)
    except NameError:  # another package's annotations, of types that it imports for a type checker alone
        signature = inspect.signature(function)
    found: dict[str, tuple[Any, Any]] = {}
    for name, parameter in signature.parameters.items():
        kind = next(iter(get_args(parameter.annotation)), None)
        if isinstance(kind, type) and is_dataclass(kind):
            hints = get_type_hints(kind, include_extras=True)
            found |= {field.name: (hints[field.name], field.default) for field in fields(kind)}
        else:
            found[name] = (parameter.annotation, parameter.default)
    return found


def trimmed_clip(motion: "Motion", start: float | None, end: float | None) -> "Motion":
    """The part of a motion that ``--start`` and ``--end`` ask for; itself without them."""
    from footfall.motion.editing import trimmed

    return motion if start is None and end is None else trimmed(motion, start, end)


def load_controllers(
    command: str, names: Iterable[str], figure: str | None, dt: float | None
) -> "tuple[list[AnyController], Figure | None]":
    """Controllers by name or file, and the figure that is named; the time step is checked."""
    from footfall.control.registry import load_controller
    from footfall.simulation.inputs import check_dt

    if not names:
        raise FootfallError(f"{command}: name a controller (footfall show)")
    if dt is not None:
        check_dt(dt)
    return [load_controller(name) for name in names], loaded_figure(figure)


def loaded_figure(name: str | None) -> "Figure | None":
    """A figure by name or file, where one is named."""
    from footfall.figures import Figure

    return Figure.load(name) if name else None


def film_pixels(size: str | None) -> tuple[int, int] | None:
    """Width and height out of ``--size``."""
    if size is None:
        return None
    if not (match := re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", size)):
        raise FootfallError(f"--size {size}: write WIDTHxHEIGHT in pixels, as in 1280x720")
    return int(match[1]), int(match[2])


def numbers_of(text: str, what: str, form: str, count: int | None = None) -> list[float]:
    """Finite numbers separated by commas; an error that says how to write ``what`` where they are not."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    if not values or len(values) != (count or len(values)) or not all(map(math.isfinite, values)):
        raise FootfallError(f"{what} '{text[:40]}': write {form}")
    return values


def named_numbers(option: str, texts: Iterable[str]) -> dict[str, float]:
    """Numbers by name from NAME=NUMBER; one without a name has the empty one."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise FootfallError(f"{option} '{text}': write NAME=NUMBER, as in knee=20") from None
        if equals and not name:
            raise FootfallError(f"{option} '{text}': write NAME=NUMBER, as in knee=20")
    return found


def _motors(option: str, texts: tuple[str, ...]) -> "float | dict[str, float] | None":
    """Numbers of motors: one for all, or by joint."""
    found = named_numbers(option, texts)
    if "" in found and len(found) > 1:
        raise FootfallError(f"{option}: give one number for all motors, or each with its joint, as in knee=20")
    return found.get("", found or None)


def rerun_files(given: tuple[str, ...] | None) -> tuple[str, ...]:
    """The file that the option names, if it names one; without rerun, an error before any work begins."""
    if given is None:
        return ()
    from footfall.pictures.files import RERUN_SUFFIX
    from footfall.pictures.rerun_log import check_rerun

    if len(given) > 1:
        raise FootfallError(f"--rerun: name one file, not {len(given)} ({', '.join(given)})")
    if given and not given[0].lower().endswith(RERUN_SUFFIX):
        raise FootfallError(f"--rerun {given[0]}: name a file that ends in {RERUN_SUFFIX}, or none to open the viewer")
    check_rerun()
    return given


def show_in_rerun(motion: "Motion") -> None:
    """Open the viewer with a motion."""
    from footfall.pictures.rerun_log import open_in_rerun
    from footfall.pictures.scene import default_title

    open_in_rerun(motion, title=default_title(motion))


def serve(stop: Callable[[], None]) -> int:
    """Wait for Ctrl+C, then stop the page; the command's exit status."""
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    finally:
        stop()
