"""What a class handed in: the files in which the course's pages save results, as a table.

A page's verdict is a claim. The settings are in the file, so footfall tries them again in the same trials. A claim that
does not hold is not counted.
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
from footfall.live.course import FREQUENCIES, PENDULUM, SPEEDS, VERSION, Lesson, Trial, lessons
from footfall.push import Push
from footfall.simulation import Outcome, Simulation
from footfall.text_files import read_text

PUSHED, MOST_BYTES = 0.1, 1 << 20
NUDGES = np.array([-0.2, -0.1, 0.1, 0.2])


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
            problems.append(f"{path}: not counted: it claims lesson {lesson.number}, but its settings fail")
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
    """Whether settings pass, tried again here as the page does."""
    tried = [(trial, *try_again(lesson, settings, trial)) for trial in lesson.exercise.trials]
    if any(trial.ends not in ("any", "up" if stays_up else "fall") for trial, stays_up, _ in tried):
        return False
    up = [found for trial, _, found in tried if trial.ends == "up"]
    own = {**settings, "survivors": float(sum(stays_up for trial, stays_up, _ in tried if trial.ends == "any"))}
    for ask in lesson.exercise.asks:
        values = [own[ask.measure]] if ask.measure in own else [found[ask.measure] for found in up]
        if not values or not all(ask.least - 1e-9 <= value <= ask.most + 1e-9 for value in values):
            return False
    return True


def try_again(lesson: Lesson, settings: Mapping[str, float], trial: Trial) -> tuple[bool, dict[str, float]]:
    """Whether a trial stays up, and its measures."""
    if lesson.walker == "pendulum":
        left = {"speed_left": speed_left(settings["k"], settings["T"], float(trial.push))}
        return left["speed_left"] < np.inf, left
    if lesson.walker == "3lp":
        speed = min(SPEEDS, key=lambda v: abs(v - settings["speed"]))
        seconds = lesson.exercise.footsteps / min(FREQUENCIES, key=lambda f: abs(f - settings["frequency"]))
        return True, {"distance": speed * seconds, "seconds": seconds}
    outcome = simulated(lesson, settings, trial).run(lesson.exercise.seconds)
    found = measures(outcome)
    if any(ask.measure == "slope" for ask in lesson.exercise.asks):
        found["slope"] = slope(lesson, settings, trial)
    return bool(outcome.survived[0]), found


def speed_left(k: float, period: float, push: float) -> float:
    """What three steps leave of the pendulum's speed; infinite where a step is longer than its leg reaches."""
    rate = np.sqrt(9.81 / PENDULUM["height"])
    c, s = np.cosh(rate * period), np.sinh(rate * period)
    ahead, speed = 0.0, push
    for _ in range(int(PENDULUM["counted"])):
        ahead, speed = ahead * c + speed / rate * s, rate * ahead * s + speed * c
        if max(abs(ahead), abs(k * speed)) > PENDULUM["reach"]:
            return float("inf")
        ahead = -k * speed
    return float(abs(speed))


def slope(lesson: Lesson, settings: Mapping[str, float], trial: Trial) -> float:
    """The slope of the return map of the speed: what a stride leaves of small changes at a strike of the left foot."""
    simulation = simulated(lesson, settings, trial, worlds=1 + len(NUDGES))
    footsteps = simulation.run(0.6 * lesson.exercise.seconds).footsteps + (simulation.snapshot()["stance"] == 0)
    for more in (0, 2):
        simulation.step(3000, footsteps=footsteps + more)
        simulation.step(1)
        state = simulation.snapshot()
        if not more:
            state["qvel"][1:, 0] += NUDGES
            simulation.restore(state)
    after = state["qvel"][1:, 0] - state["qvel"][0, 0]
    return float(after @ NUDGES / (NUDGES @ NUDGES)) if simulation.outcome().survived.all() else float("nan")


def measures(outcome: Outcome) -> dict[str, float]:
    """A trial's measures, as pages have them."""
    found = {name: float(getattr(outcome, name)[0]) for name in ("distance", "speed", "footsteps")}
    return found | {name: float(np.degrees(getattr(outcome, name)[0])) for name in ("torso_low", "torso_high")}


def simulated(lesson: Lesson, settings: Mapping[str, float], trial: Trial, worlds: int = 1) -> Simulation:
    """A trial of a lesson whose walker is a controller, before its first step."""
    controller = load_controller(lesson.walker)
    (character,) = characters_of([controller])
    own: dict[str, float] = {p.path: p.value for p in character.gaits[0].knobs.parameters}
    changed: dict[str, Any] = {}
    for slider in lesson.sliders:
        value = settings[slider.name] * (np.pi / 180.0 if slider.unit == "°" else 1.0)
        changed |= {path: float(times or 1) * value for path, _, times in (one.partition("*") for one in slider.sets)}
        changed |= {p: v * value for p, v in own.items() if any(p == e or p.endswith(f".{e}") for e in slider.scales)}
    push, side, at = (settings[x] if isinstance(x, str) else x for x in (trial.push, trial.side_push, trial.at))
    pushes = [Push((push, side, 0.0), at, PUSHED)] if push or side else []
    return Simulation(controller, worlds=worlds, set=changed, pushes=pushes)
