"""The thesis's animation scripts (Laszlo 1996, appendix C), read as a base graph, perturbations and balance trials.

    < human.bones            the figure: a file beside the script, or a built-in one's name
    set kfspring 25000       also kfdamp, sddt, pcstates, hinit, Q_d, superposition, showfile; footfall's own: friction
    posecycle poses 0        the base graph: pcstates rows of angles in degrees, then a hold time in seconds, or a
                             monitor point that must touch and a number that is not used
    posecycle poses 1        perturbations: 1 and 2 of the first dimension (right, left step), 3 and 4 of the second
    balance <strides> <tolerance> <limit> <sample> <type>:<component> <tolerance> …

Types are 0 up vector, 1 stance-COM, 2 swing-COM; components 0 forward, 1 lateral. Rows of tables are counted and a
wrong number of columns is an error; missing angles at the end of hinit are zero, since the thesis's own lacks one.
Footfall adds ``set stance left,left,right,right`` for graphs without foot sensors and ``set torso_servo <degrees>``
(§3.8).

:func:`run_script` balances every trial and writes its output files (section 2.4).
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np

from footfall.control.kind import Start
from footfall.control.registry import save_controller
from footfall.dynamics.ground import Ground
from footfall.errors import FootfallError, check_name, unknown_name
from footfall.figures import Figure, figure_names
from footfall.figures.bones import Bones, read_bones
from footfall.figures.builtin import thesis_bones
from footfall.figures.mjcf import posed
from footfall.methods.limit_cycle.balance_control import BalanceControl, ControlDimension
from footfall.methods.limit_cycle.balanced_walk import BalancedWalk
from footfall.methods.limit_cycle.perturbation import HOLD, Perturbation
from footfall.methods.limit_cycle.regulation import COMPONENTS, regulation_variable
from footfall.methods.limit_cycle.walk_record import DetectedCycle, WalkRecord, detect_cycle
from footfall.methods.simbicon.graph import Balance, PoseControlGraph, State, Target
from footfall.motion.formats.files import save_motion
from footfall.text_files import is_file, read_text, write_whole

_LIBRARY = Path(__file__).parent / "scripts"
_PER_TRIAL = ("Q_d", "superposition", "showfile")
SETTINGS = ("kfspring", "kfdamp", "friction", "sddt", "pcstates", "hinit", "stance", "torso_servo", *_PER_TRIAL)
_VECTORS = ("up", "stance-com", "swing-com")


@dataclass(frozen=True)
class BalanceCommand:
    """One ``balance`` command: where its output goes, its control, its targets Q_d and how many steps it takes."""

    name: str
    control: BalanceControl
    targets: tuple[float, ...]
    steps: int


@dataclass(frozen=True, eq=False)
class Script:
    """A script: a figure, a base graph, the ground and time step, and its trials in order."""

    name: str
    figure: Figure
    graph: PoseControlGraph
    trials: tuple[BalanceCommand, ...]
    ground: Ground
    dt: float


def script_names() -> tuple[str, ...]:
    """Names of the built-in scripts."""
    return tuple(sorted(path.stem for path in _LIBRARY.glob("*.script")))


def read_script(source: str | Path) -> Script:
    """A script by built-in name or from a ``.script`` file."""
    path = _LIBRARY / f"{source}.script" if str(source) in script_names() else Path(source)
    if path.suffix != ".script":
        raise unknown_name("script", str(source), script_names())
    return _Reader(path).read(read_text(path, "script file"))


@dataclass
class _Reader:
    path: Path
    where: str = ""
    bones: Bones | None = None
    figure: Figure | None = None
    settings: dict[str, str] = field(default_factory=dict)
    poses: dict[int, list[list[float]]] = field(default_factory=dict)
    trials: list[BalanceCommand] = field(default_factory=list)
    filling: int | None = None

    def read(self, text: str) -> Script:
        commands: dict[str, Callable[[list[str]], None]] = {"<": self.load}
        commands |= {"set": self.set, "posecycle": self.posecycle, "balance": self.balance}
        for number, line in enumerate(text.replace("\\\n", " ").splitlines(), start=1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            self.where = f"{self.path.name} line {number}"
            if words[0] in commands:
                self.filling = None
                commands[words[0]](words[1:])
            elif self.filling is not None:
                self.row(words)
            else:
                raise unknown_name(f"script command ({self.where})", words[0], commands)
        if not self.trials:
            raise self.fail("it has no balance command")
        stiffness, damping = self.number("kfspring", 25_000.0), self.number("kfdamp", 1_500.0)
        ground = Ground(stiffness, damping, self.number("friction", 1.0))
        trials, dt = tuple(self.trials), self.number("sddt", 0.00025)
        return Script(self.path.stem, self.the_figure(), self.graph(), trials, ground, dt)

    def fail(self, text: str) -> FootfallError:
        return FootfallError(f"{self.where}: {text}")

    def number(self, name: str, default: float) -> float:
        return self.numbers([self.settings.get(name, str(default))], name)[0]

    def numbers(self, words: list[str], what: str) -> list[float]:
        try:
            values = [float(word) for word in words]
        except ValueError:
            raise self.fail(f"{what}: '{' '.join(words)}' are not numbers") from None
        if not all(math.isfinite(v) for v in values):
            raise self.fail(f"{what}: a number is not finite")
        return values

    def load(self, words: list[str]) -> None:
        if len(words) != 1:
            raise self.fail("'<' takes the name of one file")
        path = self.path.parent / words[0]
        stem = Path(words[0]).stem
        if is_file(path):
            self.bones, self.figure = read_bones(path), Figure.load(path)
        elif stem in figure_names():
            self.bones, self.figure = thesis_bones(stem), Figure.load(stem)
        else:
            raise self.fail(f"figure '{words[0]}' is neither beside the script nor built in")

    def the_bones(self) -> Bones:
        if self.bones is None:
            raise self.fail("no figure yet; begin with '< human.bones'")
        return self.bones

    def the_figure(self) -> Figure:
        self.the_bones()
        assert self.figure is not None
        return self.figure

    def set(self, words: list[str]) -> None:
        if len(words) < 2:
            raise self.fail("'set' takes a name and a value")
        check_name(f"setting ({self.where})", words[0], SETTINGS)
        if self.trials and words[0] not in _PER_TRIAL:
            raise self.fail(f"'set {words[0]}' holds for the whole script; set it before the first balance command")
        self.settings[words[0]] = " ".join(words[1:])

    def posecycle(self, words: list[str]) -> None:
        if len(words) != 2 or words[0] != "poses" or not re.fullmatch(r"[0-9]{1,9}", words[1]):
            raise self.fail("'posecycle' is followed by 'poses <number>'")
        self.filling = int(words[1])
        if self.trials and self.filling == 0:
            raise self.fail("poses 0 hold for the whole script; give them before the first balance command")
        self.poses[self.filling] = []

    def row(self, words: list[str]) -> None:
        assert self.filling is not None
        table, joints = self.poses[self.filling], len(self.the_bones().hinges)
        states = int(self.number("pcstates", 6))
        row = self.numbers(words, f"poses {self.filling}")
        if len(table) == states:
            raise self.fail(f"poses {self.filling} has more than the {states} rows that pcstates says")
        if len(row) != joints + 1 and not (self.filling == 0 and len(row) == joints + 2):
            raise self.fail(f"the row has {len(row)} numbers; {joints} angles and a hold time make {joints + 1}")
        table.append(row)

    def table(self, number: int) -> list[list[float]]:
        rows, states = self.poses.get(number), int(self.number("pcstates", 6))
        if rows is None or len(rows) != states:
            raise self.fail(f"poses {number} has {len(rows or ())} rows; pcstates says {states}")
        return rows

    def graph(self) -> PoseControlGraph:
        """The base graph from poses 0; a row that ends in two numbers waits for the foot of its monitor point."""
        bones, figure = self.the_bones(), self.the_figure()
        hinges, sensor, states = bones.hinges, "any", []
        stances = [s.strip() for s in self.settings.get("stance", "").split(",") if s.strip()]
        rows = self.table(0)
        stance = stances[0] if stances else ""
        for i, row in enumerate(rows):
            hold, contact = row[len(hinges)], False
            if len(row) == len(hinges) + 2:
                point = self.foot_point(int(hold))
                stance, _, sensor = point.partition("_")
                hold, contact = 0.0, True
            elif i < len(stances):
                stance = stances[i]
            if stance not in ("left", "right"):
                raise self.fail("the first state waits for no foot; say 'set stance right,right,left,left'")
            targets = {h.name: Target(h.sign * math.radians(a) + 0.0) for h, a in zip(hinges, row, strict=False)}
            states.append(
                State(targets, hold=hold, contact="stance" if contact else False, stance=stance, name=f"S{i + 1}")  # type: ignore[arg-type]
            )
        graph = PoseControlGraph(
            self.path.stem,
            figure.name,
            tuple(states),
            law="torso-servo" if self.servo() else "servo",
            symmetric=False,
            balance=Balance(sensor=sensor),
            start=self.start(),
        )
        lean = self.number("torso_servo", 0.0)
        return graph if not self.servo() else _leaning(graph, figure, math.radians(lean))

    def servo(self) -> bool:
        return "torso_servo" in self.settings

    def foot_point(self, number: int) -> str:
        monitors = self.the_bones().monitors
        if not 1 <= number <= len(monitors):
            raise self.fail(f"monitor point {number} is not there; the figure has {len(monitors)}")
        name = monitors[number - 1].name
        if self.the_figure().point(name).foot is None:
            raise self.fail(f"monitor point {number} ('{name}') is not on a foot")
        return name

    def start(self) -> Start:
        """hinit at rest, with the lowest point of the feet on the ground."""
        figure, hinges = self.the_figure(), self.the_bones().hinges
        words = [w for w in self.settings.get("hinit", "").replace(",", " ").split() if w]
        angles = self.numbers(words, "hinit")
        if len(angles) > len(hinges):
            raise self.fail(f"hinit has {len(angles)} angles; the figure has {len(hinges)} joints")
        qpos = np.array(figure.model.qpos0) if words else figure.default_qpos.copy()
        for hinge, angle in zip(hinges, angles, strict=False):
            qpos[figure.joint(hinge.name).qpos] = hinge.sign * math.radians(angle)
        qpos[2] -= _lowest(figure, qpos)
        return Start(tuple(float(x) for x in qpos), (0.0,) * figure.nv, 0)

    def balance(self, words: list[str]) -> None:
        form = "<strides> then <tolerance> <limit> <sample> <type>:<component> for two dimensions"
        if len(words) != 9:
            raise self.fail(f"'balance' takes {form}")
        strides = self.numbers(words[:1], "balance")[0]
        if strides < 1 or strides != int(strides):
            raise self.fail(f"balance: {strides:g} strides; give a whole number of at least 1")
        wanted = self.settings.get("Q_d", "0,0").replace(",", " ").split()
        targets = self.numbers(wanted, "Q_d")
        if len(targets) != 2:
            raise self.fail(f"Q_d has {len(targets)} numbers; give forward,lateral")
        dimensions, order = [], []
        for d in (0, 1):
            tolerance, limit, sample = self.numbers(words[4 * d + 1 : 4 * d + 4], "balance")
            vector, component = self.variable(words[4 * d + 4])
            order.append(component)
            variable, change = regulation_variable(f"{vector}.{COMPONENTS[component]}"), self.perturbation(2 * d + 1)
            dimensions.append(ControlDimension(variable, change, sample, targets[component], limit, tolerance))
        together = self.settings.get("superposition", "false") == "true"
        control = BalanceControl(tuple(dimensions), "superposition" if together else "sequential")
        name = self.settings.get("showfile", f"{self.path.stem}-{len(self.trials) + 1}.out")
        if "/" in name or "\\" in name or name.startswith("."):
            raise self.fail(f"showfile '{name}': name a file, not a path")
        self.trials.append(BalanceCommand(name, control, tuple(targets[c] for c in order), 2 * int(strides)))

    def variable(self, word: str) -> tuple[str, int]:
        kind, _, component = word.partition(":")
        if kind not in ("0", "1", "2") or component not in ("0", "1"):
            raise self.fail(f"'{word}': a regulation variable is <type 0, 1 or 2>:<component 0 or 1>")
        vector = _VECTORS[int(kind)]
        return ("pelvis-up" if vector == "up" and self.servo() else vector), int(component)

    def perturbation(self, first: int) -> Perturbation:
        """Poses ``first`` (right step) and ``first + 1`` (left step) as one perturbation."""
        hinges = self.the_bones().hinges
        states = []
        for right, left in zip(self.table(first), self.table(first + 1), strict=True):
            sums = [a + b for a, b in zip(right, left, strict=True)]
            state = {h.name: h.sign * math.radians(a) for h, a in zip(hinges, sums, strict=False) if a}
            states.append(state | ({HOLD: sums[-1]} if sums[-1] else {}))
        return Perturbation(f"poses-{first}-{first + 1}", tuple(states))


def _leaning(graph: PoseControlGraph, figure: Figure, lean: float) -> PoseControlGraph:
    """The graph with its torso held at a lean from the vertical, forward positive."""
    joint = figure.joint(figure.body(figure.torso).joints[0])
    held = {joint.name: Target(lean * (1.0 if joint.axis[1] > 0 else -1.0))}
    return graph.changed(states=tuple(replace(s, targets={**s.targets, **held}) for s in graph.states))


def _lowest(figure: Figure, qpos: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    data = posed(figure.model, qpos)
    return min(float(data.site(p.name).xpos[2]) for p in figure.points if p.foot is not None)


@dataclass(frozen=True, eq=False)
class ScriptTrial:
    """The result of a trial: the walk that it is one walker of, and the files written."""

    trial: BalanceCommand
    record: WalkRecord
    walker: int
    files: tuple[Path, ...]

    @property
    def footsteps(self) -> int:
        """Steps taken."""
        return int(self.record.footsteps[self.walker])

    @property
    def cycle(self) -> DetectedCycle:
        """Whether it is a limit cycle, chaos or a fall."""
        return detect_cycle(self.record.values[:, self.walker], fell=bool(self.record.fell[self.walker]))


def run_script(
    script: Script | str | Path,
    out: str | Path | None = None,
    *,
    dt: float | None = None,
    integrator: str = "rk4",
    motion: str | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> list[ScriptTrial]:
    """Run all trials of a script; those that differ in their targets alone are walkers side by side.

    Args:
        script: a script, its name or its file.
        out: folder for the output: for each trial its showfile (a table of its steps) and beside it, as .toml, the
            aperiodic graph that replays it. None to write nothing.
        dt: step, seconds; by default the script's own sddt.
        integrator: by default the thesis's Runge-Kutta.
        motion: a suffix (.npz, .csv, .bvh, .glb) to write each trial's motion too.
        progress: called with a trial's name and the steps taken.
    """
    if not isinstance(script, Script):
        script = read_script(script)
    folder = None if out is None else Path(out)
    if folder is not None and not folder.is_dir():
        raise FootfallError(f"there is no folder '{folder}' for the script's output")
    done: list[ScriptTrial] = []
    for trials in _batches(script):
        walk = BalancedWalk(
            script.graph,
            trials[0].control,
            walkers=len(trials),
            figure=script.figure,
            targets=[trial.targets for trial in trials],
            ground=script.ground,
            dt=script.dt if dt is None else dt,
            integrator=integrator,
        )
        named = None if progress is None else partial(progress, trials[0].name)
        record = walk.walk(trials[0].steps, named)
        for w, trial in enumerate(trials):
            files = () if folder is None else _written(folder, trial, record, w, motion)
            done.append(ScriptTrial(trial, record, w, files))
    return done


def _batches(script: Script) -> Iterator[list[BalanceCommand]]:
    """Runs of trials that differ in their targets alone."""

    def same(trial: BalanceCommand) -> tuple[object, ...]:
        parts = [
            (d.variable.name, repr(d.perturbation), d.sample, d.limit, d.tolerance) for d in trial.control.dimensions
        ]
        return (trial.control.sampling, trial.steps, *parts)

    for _, group in groupby(script.trials, key=same):
        yield list(group)


def _written(
    folder: Path, trial: BalanceCommand, record: WalkRecord, walker: int, motion: str | None
) -> tuple[Path, ...]:
    path = folder / trial.name
    names = [d.variable.name for d in trial.control.dimensions]
    head = ["step", "end", "x", "y", *(f"{p} {n}" for p in ("Q_d", "K", "Q") for n in names)]
    lines = [f"# {trial.name}: {record.controller.name}, {record.footsteps[walker]} of {trial.steps} steps"]
    lines.append("\t".join(head))
    for s in range(int(record.footsteps[walker])):
        place = [record.times[s + 1, walker], *record.pelvis[s + 1, walker, :2]]
        parts = (record.targets, record.scalings, record.values)
        numbers = [*place, *np.concatenate([part[s, walker] for part in parts])]
        lines.append("\t".join([str(s + 1), *(f"{v:.6f}" for v in numbers)]))
    write_whole(path, ("\n".join(lines) + "\n").encode())
    files = [path, path.with_suffix(".toml")]
    save_controller(record.aperiodic(walker), files[1])
    if motion is not None:
        files.append(path.with_suffix(motion))
        save_motion(record.motion(walker), files[2])
    return tuple(files)
