"""The course: ten lessons in pages that simulate and judge themselves, and what becomes of a class's results.

A lesson is a file ``lessons/*.toml``: text, an equation, a walker, sliders, and an exercise. The exercise's trials
run in the page, where falls, footsteps and distances are counted by the compiled module, as in every run of footfall.
"""

import base64
import gzip
import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.escaping import markup, script_data
from footfall.live.character import LEVEL, characters_of
from footfall.live.crowd import HEIGHT, MASS, pendulum_data
from footfall.live.description import description
from footfall.live.modules import module_of
from footfall.live.page import page_data
from footfall.methods.pendulum.gait import periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.walk import human_walk
from footfall.pictures.web_page import report_page, viewport_data, viewport_page
from footfall.simulation.structures import TALLY
from footfall.text_files import make_folder, parse_toml, read_text, write_whole
from footfall.toml_files import read_table

SCRIPTS = (
    "runtime/walker.js", "run.js", "curves.js", "files.js", "slide.js", "joints.js",
    "course/worlds.js", "course/charts.js", "course/lesson.js",
)  # fmt: skip
SPEEDS = tuple(k / 10 for k in range(5, 15))
FREQUENCIES = tuple(k / 10 for k in range(16, 22))
"""Of the walks in closed form that a lesson offers, m/s and footsteps a second."""
PENDULUM = {"height": 0.9, "reach": 0.7, "counted": 4}
"""The inverted pendulum: metres to its mass and to its farthest foothold; the step by which it must be at rest."""
VERSION = 1
"""Of the files in which pages save results."""


@dataclass(frozen=True)
class LessonSlider:
    """A slider.

    Attributes:
        name: in links, results and trials.
        label, unit: beside it; parameters get the radians of one in "°".
        least, most, step, value: its range, and where it stands at first.
        sets: parameters of the controller that take its value, or a multiple of it: "torso.kd*0.1".
        scales: parameters, by the ends of their paths, that are the controller's own times its value.
    """

    name: str
    label: str
    least: float
    most: float
    step: float
    value: float
    unit: str = ""
    sets: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """One run of an exercise. Numbers may be a slider's name.

    Attributes:
        push, side_push: newtons for a tenth of a second; for the pendulum, metres a second at the start.
        at: seconds.
        ends: how it must end.
        name: instead of the words that the page has for it.
    """

    push: float | str = 0.0
    side_push: float | str = 0.0
    at: float | str = 4.0
    ends: Literal["up", "fall", "any"] = "up"
    name: str = ""


@dataclass(frozen=True)
class Requirement:
    """What must hold of every trial that stays up, or of a slider.

    Attributes:
        measure: as the page's trials call it, or a slider's name, or "survivors": how many with ends "any" stay up.
        says: the condition, as students read it.
        least, most: its bounds.
        unit: of the measure.
        in_map: whether a map of settings demands it too.
    """

    measure: str
    says: str
    least: float = -1e9
    most: float = 1e9
    unit: str = ""
    in_map: bool = True


@dataclass(frozen=True)
class Exercise:
    """A question that is answered by doing.

    Attributes:
        question, hint: as students read them.
        trials: that are run.
        asks: what must hold of them.
        seconds: of a trial.
        mark, footsteps: for walks in closed form: metres to reach, in so many footsteps.
    """

    question: str
    hint: str
    trials: tuple[Trial, ...]
    asks: tuple[Requirement, ...] = ()
    seconds: float = 10.0
    mark: float = 0.0
    footsteps: int = 0


@dataclass(frozen=True)
class Answer:
    """For teachers: sliders that pass, and why."""

    settings: Mapping[str, float]
    text: str


@dataclass(frozen=True)
class LessonPlot:
    """What is drawn under the sliders: signals over time, a return map, or a map of settings.

    Attributes:
        kind: which.
        caption, words: under it, and for those who cannot see it.
        signals: of the law.
        x, y, nx, ny: sliders of a map, and how many cells it has.
        ends: how trials end in a map, where it shows something else than the exercise.
    """

    kind: Literal["", "curves", "return", "map"] = ""
    caption: str = ""
    words: str = ""
    signals: tuple[str, ...] = ()
    x: str = ""
    y: str = ""
    nx: int = 0
    ny: int = 0
    ends: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes:
        name: of its file.
        number, title: in the course.
        walker: a controller, or "pendulum" or "3lp".
        text: paragraphs; an empty line between them, ``**strong**``, ``*emphasis*``, and MathML as it is.
        sliders, exercise, answer, plot: see there.
        balance: whether d and v are drawn.
        push_unit: of pushes, where they are no newtons.
    """

    name: str
    number: int
    title: str
    walker: str
    text: str
    sliders: tuple[LessonSlider, ...]
    exercise: Exercise
    answer: Answer
    plot: LessonPlot = field(default_factory=LessonPlot)
    balance: bool = False
    push_unit: str = ""

    @property
    def words(self) -> int:
        """How many words of text a student reads; an equation is one."""
        parts = (self.text, self.exercise.question, self.exercise.hint, self.plot.caption)
        plain = re.sub(r"<math.*?</math>", "equation", " ".join(parts), flags=re.DOTALL)
        return len(re.findall(r"[^\s*]+", plain))


@cache
def lessons() -> tuple[Lesson, ...]:
    """The lessons in order."""
    folder = files("footfall.live") / "course" / "lessons"
    names = sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml"))
    found = []
    for number, name in enumerate(names, 1):
        table = parse_toml((folder / f"{name}.toml").read_text(encoding="utf-8"), name)
        found.append(read_table(table, Lesson, name, given={"name": name, "number": number}))
    return tuple(found)


def paragraphs(text: str) -> str:
    """A lesson's text as HTML."""
    found = []
    for part in re.split(r"\n\s*\n", text.strip()):
        alone = part.startswith("<math") and part.count("<math") == 1 and part.endswith("</math>")
        pieces = re.split(r"(<math.*?</math>)", part)
        part = "".join(p if p.startswith("<math") else _stressed(p) for p in pieces)
        found.append(f'<div class="equation">{part}</div>' if alone else f"<p>{part}</p>")
    return "\n".join(found)


def _stressed(text: str) -> str:
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def _zipped(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


@cache
def _walks(walker: str) -> dict[str, Any]:
    """What a page needs to let a lesson's walker walk."""
    if walker == "pendulum":
        return {"kind": "pendulum", "pendulum": PENDULUM}
    if walker == "3lp":
        speeds, paces = (a.ravel() for a in np.meshgrid(SPEEDS, FREQUENCIES, indexing="ij"))
        body = Person.of(np.full(len(speeds), HEIGHT), MASS)
        gaits = periodic_gait(body, human_walk(body, speeds, frequency=paces))
        numbers = {"speeds": list(SPEEDS), "frequencies": list(FREQUENCIES)}
        return {"kind": "3lp", "crowd": pendulum_data(gaits, HEIGHT, MASS)} | numbers
    (character,) = characters_of([load_controller(walker)])
    module = module_of(character)
    about = page_data(character, description(character, module.tables, {"flat": LEVEL}), {})
    used = {key: value for key, value in about.items() if key not in ("motion", "templates", "legs")}
    return {
        "kind": "walker",
        "about": _zipped(script_data(used).encode()),
        "module": _zipped(module.wasm),
        "tally": list(TALLY),
    }


def lesson_page(lesson: Lesson) -> str:
    """The text of a lesson's page."""
    told = {key: value for key, value in asdict(lesson).items() if key != "answer"}
    exercise = told["exercise"]
    exercise["trials"] = [{k: v for k, v in t.items() if v != ""} for t in exercise["trials"]]
    exercise |= {key: re.sub("^<p>|</p>$", "", paragraphs(exercise[key])) for key in ("question", "hint")}
    told |= {"text": paragraphs(lesson.text), "exercise": exercise}
    others = [{"name": o.name, "number": o.number, "title": o.title} for o in lessons()]
    data = viewport_data() | _walks(lesson.walker) | {"lesson": told, "others": others}
    return viewport_page(
        files("footfall.live"), "course/lesson", SCRIPTS, title=f"{lesson.number}. {lesson.title}", data=data
    )


def write_course(folder: str | Path) -> list[Path]:
    """Write the lessons' pages, ``index.html`` and ``for-teachers/answers.html`` into a folder; the files written."""
    folder = make_folder(Path(folder))
    answers = make_folder(folder / "for-teachers") / "answers.html"
    written = {folder / f"{lesson.name}.html": lesson_page(lesson) for lesson in lessons()}
    items = "".join(f'<li><a href="{o.name}.html">{markup(o.title)}</a></li>' for o in lessons())
    lead = (
        "Why bipeds fall and how they walk, in ten lessons. Each page simulates in your browser and needs no network."
    )
    written[folder / "index.html"] = _plain_page("A course in walking", f"<p>{lead}</p><ol>{items}</ol>")
    written[answers] = _plain_page("Answers for teachers", "".join(map(_answer, lessons())))
    for path, text in written.items():
        write_whole(path, text.encode())
    return list(written)


def _answer(lesson: Lesson) -> str:
    settings = "&".join(f"{name}={value:g}" for name, value in lesson.answer.settings.items())
    numbers = ", ".join(f"{name} = {value:g}" for name, value in lesson.answer.settings.items())
    where = markup(f"../{lesson.name}.html#{settings}")
    head = f"<h2>{lesson.number}. {markup(lesson.title)}</h2>"
    question = paragraphs(lesson.exercise.question)
    return f'{head}{question}<p><a href="{where}">{markup(numbers)}</a></p>{paragraphs(lesson.answer.text)}'


def _plain_page(title: str, body: str) -> str:
    return report_page(title, None, body, style="main { max-width: 760px; font-size: 16px; }")
