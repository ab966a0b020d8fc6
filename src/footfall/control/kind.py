"""Kinds of controllers: what files, commands, the studio and live pages ask of a controller, whatever its law is.

A kind turns the text of a controller's file into a value and back, makes its law, and says what it can do. Nothing else
in footfall asks for a controller's type. Other packages add kinds (:mod:`footfall.plugins`).
"""

import math
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Protocol

from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.escaping import shell_words

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure
    from footfall.motion import Motion
    from footfall.pictures.pose_graph import StateLink


@dataclass(frozen=True)
class Integration:
    """The step and the integrator that a controller was made with.

    Attributes:
        dt: time step, seconds.
        integrator: its name, as :class:`footfall.simulation.Simulation` takes it.
    """

    dt: float = 0.001
    integrator: str = "implicit"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.dt) and self.dt > 0):
            raise FootfallError(f"integration dt is {self.dt}; it must be above 0 seconds")


FARTHEST = 1e6
"""Metres, radians or their rates: no state beyond it makes sense, and sums of squares could overflow."""
MOST_LISTED = 12
"""Joints that an error names."""


@dataclass(frozen=True)
class Start:
    """A state of the figure from which the controller runs: qpos [nq], qvel [nv], and the graph's state number, in
    a symmetric graph that of a mirrored state too."""

    qpos: tuple[float, ...]
    qvel: tuple[float, ...]
    state: int = 0

    def check(self, where: str, written: int, states: int) -> None:
        """Refuse bad numbers; ``where`` begins the message.

        Args:
            where: the place in a file.
            written: how many states the graph is written with.
            states: how many it has with their mirror images.
        """
        if isinstance(self.state, bool) or not isinstance(self.state, int) or not 0 <= self.state < states:
            mirrored = f" (mirror images from {written} on)" if states > written else ""
            raise FootfallError(f"{where}: state is {self.state}; choose from 0 to {states - 1}{mirrored}")
        for name in ("qpos", "qvel"):
            if not all(abs(x) <= FARTHEST for x in getattr(self, name)):
                raise FootfallError(f"{where}: {name} holds a number that is not within ±{FARTHEST:g}")

    def check_size(self, figure: "Figure") -> None:
        """Refuse a state that is not of a figure, with what the figure has."""
        for name, count in (("qpos", figure.nq), ("qvel", figure.nv)):
            given = len(getattr(self, name))
            if given != count:
                raise FootfallError(
                    f"[start]: {name} has {given} numbers; figure '{figure.name}' has {count}: {_listed(figure, name)}"
                )


def _listed(figure: "Figure", name: str) -> str:
    """The coordinates of a figure, in their order."""
    free = "x y z, a quaternion w x y z" if name == "qpos" else "velocity x y z, angular velocity x y z"
    root = {"planar": ["x", "z", "pitch"], "free": [free], "fixed": []}[figure.root]
    joints = [
        joint.name for joint in sorted(figure.joints, key=lambda joint: joint.dof) if joint.dof >= figure.root_freedoms
    ]
    if len(joints) > MOST_LISTED:
        command = shell_words("footfall", "show", figure.source)
        joints = [f"{len(joints)} joints from '{joints[0]}' to '{joints[-1]}' ({command} lists them)"]
    return ", ".join([*root, *joints])


MARK = "\x01"
"""Stands before and after the name of a parameter in a template (:meth:`ControllerKind.template`)."""


class Controller(Protocol):
    """A controller as a value.

    Attributes:
        name: short, lower case, with hyphens.
        figure: name or file of the figure that it drives.
        law: the name that its file gives as ``law``; it decides the kind.
        about: what it is.
        start: where it begins; None for the figure's own pose.
        ground: what it was made for; None for the usual one.
        integration: the step that it was made with; None for the usual one.
    """

    @property
    def name(self) -> str: ...
    @property
    def figure(self) -> str: ...
    @property
    def law(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def start(self) -> Start | None: ...
    @property
    def ground(self) -> Ground | None: ...
    @property
    def integration(self) -> Integration | None: ...


@dataclass(frozen=True)
class Abilities:
    """What can be done with a controller.

    Attributes:
        run: it walks by itself, without being steered.
        edit: it is a pose control graph, whose states and targets can be edited while it walks.
        speed: it takes a desired speed while it walks.
        turn: it takes a heading while it walks.
        switch: it can be left for another controller of its law while it walks.
        live: it runs in a browser, as a live page and a module.
        follow: it follows captured motion of a repertoire (:mod:`footfall.methods.tracking`).
        played: where it is steered, a walk is played without physics and followed (:mod:`footfall.methods.network`).
        balance: limit-cycle control may balance it step by step, on a figure that has what that needs
            (:mod:`footfall.methods.limit_cycle`).
        feedback: its targets take feedback of balance, and torso and swing hip aim against the world (SIMBICON).
    """

    run: bool = True
    edit: bool = False
    speed: bool = False
    turn: bool = False
    switch: bool = False
    live: bool = False
    follow: bool = False
    played: bool = False
    balance: bool = False
    feedback: bool = False


@dataclass(frozen=True)
class Number:
    """A number of a controller that people change while it walks, as a slider shows it.

    Attributes:
        name: what :meth:`ControllerKind.with_number` calls it; "speed" for a desired speed, metres a second.
        value: what it is.
        least, most: the slider's ends.
        label: its words; the name where it is empty.
        group: the folder that it is shown in.
        about: what it does, in a sentence.
    """

    name: str
    value: float
    least: float = 0.0
    most: float = 1.0
    label: str = ""
    group: str = "Numbers"
    about: str = ""


@cache
def described_numbers() -> dict[str, dict[str, str]]:
    """``unit`` and ``about``, a sentence, of numbers by the last part of their paths."""
    return tomllib.loads(files("footfall.control").joinpath("numbers.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Section:
    """A part of a description: a line above, rows of texts (the first one their head), lines below."""

    title: str
    table: Sequence[Sequence[str]] = ()
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Description:
    """A controller as text, numbers and poses, as ``footfall show`` presents it.

    Attributes:
        title: one line.
        table: rows of texts, the first one its head.
        sections: what follows the table, a state each or a topic.
        lines: what follows them.
        data: everything, for JSON.
        poses: what it aims at, to be drawn; None where there is nothing to draw.
        labels: of the poses, where each is drawn.
        links: what leads from pose to pose, where they are a graph.
        notes: lines about each pose of a graph.
        caption: of the drawing.
    """

    title: str
    table: Sequence[Sequence[str]] = ()
    lines: Sequence[str] = ()
    data: dict[str, Any] = field(default_factory=dict)
    poses: "Motion | None" = None
    labels: Sequence[str] = ()
    caption: str = ""
    sections: Sequence[Section] = ()
    links: "Sequence[StateLink]" = ()
    notes: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Parameter:
    """A number of a controller that can be changed while it runs.

    Attributes:
        path: its name, as ``footfall run --set`` takes it.
        cells: where it is in the row of parameters, with the sign it has there.
        state: the label of the state it belongs to; empty for the whole controller.
        used: whether the controller makes use of it as it is; a page shows the others where they are asked for.
    """

    path: str
    value: float
    cells: tuple[tuple[int, float], ...]
    state: str = ""
    used: bool = True


@dataclass(frozen=True)
class Knobs:
    """What a page can show and change of one of a law's controllers.

    Attributes:
        memory: the law's own state where the controller starts.
        parameters: what can be changed.
        labels: names of its states.
        states: for each state of the law that belongs to it: the state's number among all, its label and stance, and by
            joint where its target angle and feedback gains are in the row. Both are empty for a controller without
            states.
    """

    memory: tuple[float, ...]
    parameters: tuple[Parameter, ...]
    labels: tuple[str, ...] = ()
    states: tuple[dict[str, Any], ...] = ()


class ControllerKind(ABC):
    """A kind of controllers.

    Attributes:
        laws: what ``law = "…"`` in a file may say for it.
        library: folder with the ``.toml`` files of its built-in controllers; None for none.
        method: what its method is called where controllers are listed; empty for the law's name.
        usual: what most of its controllers can do.
    """

    laws: tuple[str, ...]
    library: Traversable | None = None
    method: str = ""
    usual: Abilities = Abilities()

    @abstractmethod
    def parse(self, text: str, where: str) -> Any:
        """A controller from the text of its file; errors begin with ``where``, and say the place in it."""

    @abstractmethod
    def print(self, controller: Any) -> str:
        """The text of a controller's file."""

    @abstractmethod
    def law(self, controller: Any, figure: "Figure") -> "Law":
        """The law that drives a figure with a controller."""

    def body(self, controller: Any, figure: "Figure") -> "Figure":
        """The figure as the law needs it: with what only this kind of law feels or senses of it."""
        return figure

    def shared_law(self, controllers: Sequence[Any], figure: "Figure") -> "Law":
        """A law with room for changes: one that can switch between controllers and take edited ones, where the kind
        has such a law; else the first one's."""
        return self.law(controllers[0], figure)

    def abilities(self, controller: Any) -> Abilities:
        """What can be done with a controller."""
        return self.usual

    def unsteered(self, controller: Any) -> Any:
        """The controller that walks by itself in place of one that has to be steered; None where nothing can."""
        return None

    def clip_seconds(self, controller: Any) -> float | None:
        """Seconds of the clip that it follows once; None for a controller that walks without end."""
        return None

    def named(self, controller: Any, name: str) -> Any:
        """The controller under another name."""
        return replace(controller, name=name)

    def switchable(self, controller: Any, others: Sequence[Any]) -> list[Any]:
        """Which of other controllers of its law it can switch to while it walks."""
        return []

    def numbers(self, controller: Any) -> Sequence[Number]:
        """Numbers that may be changed while it walks; a controller that takes a desired speed has one named "speed"."""
        return ()

    def with_number(self, controller: Any, name: str, value: float) -> Any:
        """The controller with another value of one of its :meth:`numbers`."""
        raise FootfallError(f"controller '{controller.name}' has no number '{name}' that can be changed")

    def differences(self, new: Any, old: Any) -> list[tuple[str, str, str]]:
        """What differs between two versions of a controller: what, before, now. By default its numbers."""
        before = {number.name: number.value for number in self.numbers(old)}
        pairs = ((n.name, before.get(n.name, n.value), n.value) for n in self.numbers(new))
        return [(name.replace("_", " "), f"{was:g}", f"{now:g}") for name, was, now in pairs if was != now]

    def check(self, controller: Any, figure: "Figure", given: Collection[str]) -> None:  # noqa: B027
        """Refuse a controller that cannot drive a figure; ``given`` are names of parameters that are set apart."""

    def doubts(self, controller: Any, figure: "Figure") -> Sequence[str]:
        """What in a controller is likely a mistake, each with its place; it runs nevertheless."""
        return ()

    def describe(self, controller: Any, *, draw: bool = False) -> Description:
        """A controller as text; with ``draw`` its poses too."""
        data = {key: getattr(controller, key) for key in ("name", "figure", "law", "about")}
        return Description(
            f"{controller.name}: a controller for {controller.figure}, law '{controller.law}'", data=data
        )

    # -- pages that simulate ---------------------------------------------------------------------------------------

    def for_page(self, controller: Any) -> Any:
        """The controller as live pages and the studio begin with it."""
        return controller

    def shares_module(self, controller: Any) -> bool:
        """Whether controllers of this law on one figure can be compiled together, to switch between them."""
        return False

    def page_law(self, controllers: Sequence[Any], figure: "Figure") -> "Law":
        """The law of a page or module of some controllers that share it."""
        return self.shared_law(controllers, figure)

    def knobs(self, law: "Law", controller: Any, number: int) -> Knobs:
        """What a page can change of a controller that is ``number`` among those of a :meth:`page_law`."""
        row = law.parameters
        parameters = []
        for name in law.parameter_names:
            cells = tuple(law.cells(name))
            index, sign = cells[0]
            parameters.append(Parameter(name, float(sign * row[index]), cells))
        return Knobs(tuple(map(float, law.memory)), tuple(parameters))

    def template(self, controller: Any, knobs: Knobs) -> str:
        """The text of a controller's file with :data:`MARK` PATH :data:`MARK` in place of numbers that a page can
        change; by default of none."""
        return self.print(controller)
