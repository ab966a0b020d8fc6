"""What a class handed in: the files in which the course's pages save results, as a table.

A page's verdict is a claim. Settings are in the file, so those of walkers that footfall simulates are tried again
here, in the same trials, and what a page claims must hold.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.escaping import csv_table, plain_line
from footfall.live.character import characters_of
from footfall.live.course import VERSION, Lesson, Trial, lessons
from footfall.push import Push
from footfall.simulation import Outcome, Simulation
from footfall.text_files import read_text

PUSHED = 0.1
MOST_BYTES = 1 << 20


@dataclass
class Student:
    """A student: whether each lesson is passed; None where nothing was handed in."""

    name: str
    passed: dict[str, bool | None] = field(default_factory=lambda: {lesson.name: None for lesson in lessons()})

    def mark(self, lesson: str) -> str:
        """A cell of the table."""
        return {True: "yes", False: "no", None: ""}[self.passed[lesson]]


def grade_folder(folder: str | Path) -> tuple[list[Student], list[str]]:
    """The students of a folder of results, by name, and what is wrong with files. Of several files of a student for a
    lesson, one that passes counts."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FootfallError(f"{folder}: there is no such folder of results")
    students: dict[str, Student] = {}
    problems = []
    for path in sorted(folder.rglob("*.json")):
        try:
            name, lesson, settings, claimed = read_result(path)
        except FootfallError as error:
            problems.append(str(error))
            continue
        passed = claimed and passes(lesson, settings)
        if claimed and not passed:
            problems.append(f"{path}: it says that lesson {lesson.number} is passed; tried again, its settings do not")
        student = students.setdefault(name, Student(name))
        student.passed[lesson.name] = bool(student.passed[lesson.name]) or passed
    if not students and not problems:
        raise FootfallError(f"{folder}: no results (.json) in it; pages of the course save them")
    return sorted(students.values(), key=lambda s: s.name), problems


def grades_csv(students: list[Student]) -> bytes:
    """The table as a file."""
    names = [lesson.name for lesson in lessons()]
    rows = [
        {"student": s.name, "passed": sum(map(bool, s.passed.values()))} | {name: s.mark(name) for name in names}
        for s in students
    ]
    return csv_table(["student", "passed", *names], rows)


def read_result(path: Path) -> tuple[str, Lesson, dict[str, float], bool]:
    """Student, lesson, settings and the page's verdict in a file."""
    try:
        data = json.loads(read_text(path, "result", MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise FootfallError(f"result {path}: not a JSON file: {error}") from None
    if not isinstance(data, Mapping) or data.get("footfall_course") != VERSION:
        raise FootfallError(f"result {path}: not saved by a page of this course")
    lesson = next((one for one in lessons() if one.name == data.get("lesson")), None)
    if lesson is None:
        raise FootfallError(f"result {path}: there is no lesson {data.get('lesson')!r}")
    given = data.get("settings")
    if not isinstance(given, Mapping) or set(given) != {s.name for s in lesson.sliders}:
        raise FootfallError(f"result {path}: its settings are not the sliders of lesson {lesson.number}")
    settings = {}
    for slider in lesson.sliders:
        value = given[slider.name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not slider.least <= value <= slider.most:
            raise FootfallError(
                f"result {path}: {slider.name} must be a number from {slider.least:g} to {slider.most:g}"
            )
        settings[slider.name] = float(value)
    name = plain_line(data.get("student") or "").strip() or path.stem
    return name, lesson, settings, data.get("passed") is True


def passes(lesson: Lesson, settings: Mapping[str, float]) -> bool:
    """Whether settings pass, tried again by footfall's simulation; a page is believed where that lacks its walker or
    measures."""
    known = {"distance", "speed", "footsteps", "torso_low", "torso_high", "survivors", *settings}
    if lesson.walker in ("pendulum", "3lp") or not {ask.measure for ask in lesson.exercise.asks} <= known:
        return True
    trials = [(trial, run_trial(lesson, settings, trial)) for trial in lesson.exercise.trials]
    if any(trial.ends != "any" and bool(o.survived[0]) != (trial.ends == "up") for trial, o in trials):
        return False
    up = [measures(o) for trial, o in trials if trial.ends == "up"]
    survivors = sum(bool(o.survived[0]) for trial, o in trials if trial.ends == "any")
    for ask in lesson.exercise.asks:
        own = {"survivors": float(survivors), **settings}
        values = [own[ask.measure]] if ask.measure in own else [m[ask.measure] for m in up]
        if not values or not all(ask.least - 1e-9 <= value <= ask.most + 1e-9 for value in values):
            return False
    return True


def measures(outcome: Outcome) -> dict[str, float]:
    """A trial's measures, as pages have them."""
    found = {name: float(getattr(outcome, name)[0]) for name in ("distance", "speed", "footsteps")}
    return found | {name: float(np.degrees(getattr(outcome, name)[0])) for name in ("torso_low", "torso_high")}


def run_trial(lesson: Lesson, settings: Mapping[str, float], trial: Trial) -> Outcome:
    """One trial of a lesson whose walker is a controller."""
    controller = load_controller(lesson.walker)
    (character,) = characters_of([controller])
    own: dict[str, float] = {p.path: p.value for p in character.gaits[0].knobs.parameters}
    changed: dict[str, Any] = {}
    for slider in lesson.sliders:
        value = settings[slider.name]
        changed |= {path: float(times or 1) * value for path, _, times in (one.partition("*") for one in slider.sets)}
        changed |= {p: v * value for p, v in own.items() if any(p == e or p.endswith(f".{e}") for e in slider.scales)}
    push, side, at = (settings[x] if isinstance(x, str) else x for x in (trial.push, trial.side_push, trial.at))
    pushes = [Push((push, side, 0.0), at, PUSHED)] if push or side else []
    return Simulation(controller, set=changed, pushes=pushes).run(lesson.exercise.seconds)
