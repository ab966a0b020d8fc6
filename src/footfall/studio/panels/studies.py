"""How robust and how good it is, and better ones: studies and searches, computed while it walks on."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from footfall.control.registry import print_controller
from footfall.errors import FootfallError
from footfall.escaping import markup
from footfall.figures import figure_names
from footfall.studio.core.background import LibraryChanged, WorldChanged
from footfall.studio.core.drawings import table
from footfall.studio.core.job import Job
from footfall.studio.core.studies import GOALS
from footfall.studio.panels.context import Context, small
from footfall.studio.widgets import Control, Dropdown, Event, Gui
from footfall.study.gaits.goal import goal_names
from footfall.study.sweeps.experiment import OUTCOMES
from footfall.study.sweeps.factors import factor_unit

DRIVEN = ("servo", "sampling", "forward", "lateral", "targets")
"""What a study needs to know of how a walker is balanced."""
FOLLOWED = "of tracked motion; footfall imitate reports how hard a clip may be pushed"
UNKNOWN = "of this controller: studies need a pose control graph, whose states and gains have names"
HERE = "With what is set under *Terrain* and *Body*, from the terrain's beginning."
PEOPLE = "A folder with people's tables (schwartz2008_joint_angles.csv), for goals that compare with them"
Field = Callable[[Gui], Control | dict[str, Control]]


@dataclass(frozen=True)
class Study:
    """A study that the panel offers.

    Attributes:
        name: in :mod:`footfall.studio.core.studies`.
        title, text: what it is.
        fields: its options by name, each with what makes its control or controls.
        begin: what its button says.
        early: whether it can be ended early with what it has found.
        alone: whether it needs no controller.
        options: makes the options of what its controls say.
    """

    name: str
    title: str
    text: str
    fields: tuple[tuple[str, Field], ...] = ()
    begin: str = "Compute"
    early: bool = False
    alone: bool = False
    options: Callable[[dict[str, Any]], dict[str, Any]] = dict


def _seconds(gui: Gui, label: str = "Search for (s)") -> Control:
    return gui.add_slider(label, 10.0, 1800.0, 10.0, 120.0, hint="By the clock")


FACTORS: dict[str, tuple[str, float, float]] = {
    "friction μ": ("ground.friction", 0.05, 1.0),
    "load (kg)": ("body.load", 0.0, 40.0),
    "push (N)": ("push.force", 0.0, 600.0),
    "direction of the push (°)": ("push.angle", 0.0, 360.0),
    "rise of the terrain (m)": ("terrain.rise", 0.0, 0.1),
    "pitch at the start (°)": ("start.pitch", -15.0, 15.0),
    "hold time of state 0 (s)": ("0.hold", 0.1, 0.6),
    "swing hip's c_d (rad/m)": ("swing_hip.c_d", -0.5, 1.5),
    "swing hip's c_v (rad s/m)": ("swing_hip.c_v", -0.2, 0.6),
    "swing hip's angle (°)": ("swing_hip.angle", 0.0, 60.0),
    "stiffness kp (N m/rad)": ("kp", 100.0, 600.0),
    "damping kd (N m s/rad)": ("kd", 10.0, 60.0),
    "speed asked for (m/s)": ("speed", -0.5, 1.5),
}
"""What a sweep varies: the name that ``footfall sweep`` has for it, and between which numbers at first,
in degrees where that has radians."""
NOTHING = "nothing else"


def _varied(gui: Gui, name: str, label: str, first: str) -> dict[str, Control]:
    """Controls of one factor of a sweep: which, from, until, how many."""
    which = gui.add_dropdown(label, (*FACTORS, *((NOTHING,) if first == NOTHING else ())), first)
    low, high = (gui.add_slider(word, -1000.0, 1000.0, 0.05, 0.0) for word in ("from", "until"))
    count = gui.add_slider("Values", 2.0, 60.0, 1.0, 10.0)

    def chosen(factor: str) -> None:
        for part in (low, high, count):
            part.visible = factor != NOTHING
        if factor != NOTHING:
            _, least, most = FACTORS[factor]
            wide = most - least
            low.set(min=min(0.0, least), max=most, step=wide / 100, value=least)
            high.set(min=least, max=most + wide, step=wide / 100, value=most)

    which.on_update(lambda event: chosen(event.value))
    chosen(first)
    return {name: which, f"{name} from": low, f"{name} until": high, f"{name} values": count}


def _factors(chosen: dict[str, Any]) -> dict[str, Any]:
    """A sweep's options, from what its controls say."""
    options = dict(chosen)
    for name in ("over", "across"):
        which, low, high, count = (options.pop(key) for key in (name, *(f"{name} {p}" for p in PARTS)))
        options[name] = ""
        if which != NOTHING:
            factor, *_ = FACTORS[which]
            ends = (math.radians(x) if factor_unit(factor) == "rad" else x for x in (low, high))
            options[name] = "{}={:g}:{:g}:{:.0f}".format(factor, *ends, count)
    return options


PARTS = ("from", "until", "values")


STUDIES = (
    Study(
        "rose",
        "Push rose",
        f"The hardest 0.1 s push from each direction that it survives, at four phases of its stride. {HERE}",
    ),
    Study(
        "basin", "Basin of attraction", f"Starts, changed in pitch and forward speed, that it still walks from. {HERE}"
    ),
    Study(
        "stability",
        "Stability",
        f"How fast small disturbances fade: the Floquet multipliers of the gait's return map. {HERE}",
    ),
    Study(
        "sweep",
        "Sweep",
        f"An outcome of the walk over a range of one or two numbers. {HERE}",
        (
            ("over", partial(_varied, name="over", label="Vary", first="friction μ")),
            ("across", partial(_varied, name="across", label="and", first=NOTHING)),
            ("show", lambda gui: gui.add_dropdown("Show", tuple(OUTCOMES), "survived")),
            ("seconds", lambda gui: gui.add_slider("Walk for (s)", 2.0, 60.0, 1.0, 20.0, hint="Unless it is pushed")),
        ),
        options=_factors,
    ),
    Study(
        "optimise",
        "Optimise",
        f"A search over its angles, gains and times. Its speed and kind of gait stay as they are. {HERE}",
        (
            ("goal", lambda gui: gui.add_dropdown("For", tuple(GOALS), next(iter(GOALS)))),
            ("keep", lambda gui: gui.add_text("Keep", "", hint="A bound: push_forward>=430, speed=1.0±0.05")),
            ("generations", lambda gui: gui.add_slider("Generations", 2, 200, 1, 20, hint="Of 16 candidates")),
        ),
        "Search",
    ),
    Study(
        "adapt",
        "Adapt to another body",
        "It is scaled to that body, then searched until it walks there, on flat ground: first to stay up, then for "
        "pace and posture, then for pushes.",
        (("figure", lambda gui: gui.add_dropdown("Body", figure_names(), "human-12")), ("seconds", _seconds)),
        "Search",
        early=True,
    ),
    Study(
        "find-gait",
        "Find a gait",
        "A search for a gait of the human in space: natural first, then as sturdy as the time allows.",
        (
            ("goal", lambda gui: gui.add_dropdown("Goal", goal_names(), "run-3d")),
            ("data", lambda gui: gui.add_text("People", "", hint=PEOPLE)),
            (
                "own",
                lambda gui: gui.add_checkbox("Begin with this controller", False, hint="Otherwise with the goal's own"),
            ),
            ("seconds", _seconds),
        ),
        "Search",
        early=True,
        alone=True,
    ),
)


class StudyPanel:
    """Studies of the controller as it is now."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._note = context.gui.add_note("")
        self.sections = {one.name: _Section(context, one, first=one is STUDIES[0]) for one in STUDIES}
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another world: say where there are no studies of it."""
        can = self._session.world.can
        self._note.visible = not can.study
        self._note.write(f"*No study {FOLLOWED if can.follow else UNKNOWN}.*")

    def stop(self) -> None:
        for section in self.sections.values():
            section.stop()


class _Section:
    """One study: its options, buttons, progress and result.

    Attributes:
        fields: its options' controls.
        job: under way or ended; None before the first.
        made: the controller that came out last.
    """

    def __init__(self, context: Context, study: Study, *, first: bool) -> None:
        self._session, self._study = context.session, study
        gui = context.gui
        self.job: Job | None = None
        self.made, self._title = "", ""
        with gui.add_folder(study.title, is_open=first):
            gui.add_note(study.text)
            self.fields: dict[str, Control] = {}
            for name, make in study.fields:
                made = make(gui)
                self.fields |= made if isinstance(made, dict) else {name: made}
            words = (study.begin, *(("Finish now",) if study.early else ()), "Stop")
            gui.add_button_group("", words).on_update(self._pressed)
            self.bar = gui.add_progress()
            self._words = gui.add_note("")
            self.picture = gui.add_html("")
            self.use = gui.add_button("Use this controller", hint="It walks here; Edit saves it")
        self.use.visible = False
        self._session.events.on(LibraryChanged, lambda _: self._offer())
        self._offer()
        self.use.on_update(lambda _: self._session.act(lambda: self._session.take(self.made)))

    def _offer(self) -> None:
        field = self.fields.get("figure")
        if isinstance(field, Dropdown):
            field.offer(*self._session.bodies.choice())

    def _pressed(self, event: Event) -> None:
        if event.value == self._study.begin:
            self.start()
        elif event.value == "Stop":
            self.stop()
        elif self.job is not None:
            self.job.finish()

    def start(self, **options: Any) -> None:
        """Begin it; ``options`` are those of its function in :mod:`footfall.studio.core.studies`, where they are not
        those that its controls show."""
        self.stop()
        session = self._session
        setting, can = session.setting, session.world.can
        if not (can.study or self._study.alone):
            session.say("No study", FOLLOWED if can.follow else UNKNOWN, bad=True)
            return
        chosen = self._study.options({name: control.value for name, control in self.fields.items()}) | options
        if "figure" in chosen:
            chosen["figure"] = session.bodies.source(chosen["figure"])
        asked: dict[str, Any] = {"study": self._study.name, "options": chosen, "setting": asdict(setting)}
        try:
            asked["controller"] = print_controller(session.controller)
        except FootfallError as error:
            session.fail(error)
            return
        balance = session.world.balance
        if balance is not None and balance.drive.balanced:
            asked["drive"] = {name: getattr(balance.drive, name) for name in DRIVEN}
        self._title = (
            f"<b>{markup(session.controller.name)}</b> (terrain {markup(setting.terrain)}, "
            f"μ {setting.friction:g}, {setting.gravity:g} m/s², load {setting.load:g} kg)"
        )
        self._clear()
        self.bar.visible, self.bar.value = True, 0.01
        self.job = Job(asked, self._told)

    @property
    def running(self) -> bool:
        return self.job is not None and self.job.running

    def stop(self) -> None:
        if self.job is not None and self.job.running:
            self.job.stop()
            self._ended("")

    def _told(self, job: Job, report: dict[str, Any]) -> None:
        if job is not self.job:
            return
        if "progress" in report:
            self.bar.value = float(report["progress"])
            self._words.write(report["words"])
            if "sketch" in report:
                self._show(report["sketch"], ", so far")
            return
        self._ended(report.get("error", ""))
        if "result" in report:
            self._show(report["result"])
            self.made = report["result"]["controller"]
            self.use.visible = bool(self.made)

    def _ended(self, error: str) -> None:
        self.bar.visible = False
        self._words.write("")
        if error:
            self._clear()
            self._session.say(f"{self._study.title}: no result", error, bad=True)

    def _clear(self) -> None:
        """What an earlier one found leaves."""
        self.picture.content, self.use.visible, self.made = "", False, ""

    def _show(self, result: dict[str, Any], so_far: str = "") -> None:
        words = small(f"{self._title}{so_far}: {markup(result['words'])}", "study")
        rows = table(result["rows"], self._study.name) if result["rows"] else ""
        self.picture.content = result["picture"] + words + rows
