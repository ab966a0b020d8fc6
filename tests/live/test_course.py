"""The course: lessons as files, what students hand in, and that a page judges as footfall does."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from footfall.errors import FootfallError
from footfall.live.course import Lesson, lesson_page, lessons, paragraphs
from footfall.live.course.grading import grade_folder, grades_csv, passes, read_result

MOST_WORDS, MOST_BYTES = 600, 500_000


def answered(lesson: Lesson, **settings: float) -> dict[str, float]:
    return {s.name: s.value for s in lesson.sliders} | dict(lesson.answer.settings) | settings


def handed_in(folder: Path, lesson: int, student: str, passed: bool = True, **settings: float) -> Path:
    own = lessons()[lesson - 1]
    data = {"footfall_course": 1, "lesson": own.name, "student": student, "passed": passed}
    path = folder / f"{own.name}-{student}.json"
    path.write_text(json.dumps(data | {"settings": answered(own, **settings)}), encoding="utf-8")
    return path


def test_lessons_are_short_and_complete() -> None:
    for lesson in lessons():
        assert lesson.words <= MOST_WORDS, lesson.name
        assert 2 <= len(lesson.sliders) <= 3
        assert lesson.text.count("<math display") >= 1
        assert set(lesson.answer.settings) <= {s.name for s in lesson.sliders}
        for slider in lesson.sliders:
            assert slider.least <= lesson.answer.settings.get(slider.name, slider.value) <= slider.most
        assert lesson.exercise.trials
        assert lesson.exercise.hint
        assert lesson.answer.text


def test_every_mark_becomes_markup() -> None:
    for lesson in lessons():
        parts = (lesson.text, lesson.exercise.question, lesson.exercise.hint, lesson.answer.text)
        assert not any("*" in re.sub("<math.*?</math>", "", paragraphs(part), flags=re.DOTALL) for part in parts)


def test_text_is_marked_up_and_equations_are_left_alone() -> None:
    text = "A *word* and <math><mo>*</mo><mi>x</mi><mo>*</mo></math>.\n\n<math><mi>x</mi></math>"
    assert paragraphs(text) == (
        "<p>A <em>word</em> and <math><mo>*</mo><mi>x</mi><mo>*</mo></math>.</p>\n"
        '<div class="equation"><math><mi>x</mi></math></div>'
    )


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_a_page_is_one_small_file_without_answers(lesson: Lesson) -> None:
    page = lesson_page(lesson)
    assert len(page.encode()) <= MOST_BYTES
    assert lesson.answer.text.strip()[:40] not in page
    assert "://" not in page


def test_results_become_a_table(tmp_path: Path) -> None:
    for number, passed in ((1, True), (7, True), (6, False)):
        handed_in(tmp_path, number, "Ada", passed)
    handed_in(tmp_path, 1, "Bo", False)
    handed_in(tmp_path, 7, "Bo", True, speed=1.2)
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    students, problems = grade_folder(tmp_path)
    assert [s.name for s in students] == ["Ada", "Bo"]
    assert students[0].passed[lessons()[0].name] is True
    assert students[1].passed[lessons()[0].name] is False
    assert students[1].passed[lessons()[6].name] is False
    assert len(problems) == 2
    assert "lesson 7" in " ".join(problems)
    assert grades_csv(students).decode().splitlines()[1].startswith("Ada,")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lesson": "none"}, "there is no lesson"),
        ({"settings": {}}, "not the sliders"),
        ({"settings": {"k": 1e9, "T": 0.5, "push": 0.4}}, "k must be a number from 0 to 0.6"),
        ({"footfall_course": 2}, "not saved by a page of this course"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = handed_in(tmp_path, 1, "Ada")
    path.write_text(json.dumps(json.loads(path.read_text()) | change), encoding="utf-8")
    with pytest.raises(FootfallError, match=words):
        read_result(path)


@pytest.mark.parametrize(
    ("content", "student"),
    [('{"student": "=1+1"}', "'=1+1"), ('{"student": ["a"]}', ""), ('{"student": "\\u202e\\nx"}', "x")],
)
def test_names_are_plain_text(tmp_path: Path, content: str, student: str) -> None:
    path = handed_in(tmp_path, 1, "Ada", False)
    path.write_text(json.dumps(json.loads(path.read_text()) | json.loads(content)), encoding="utf-8")
    students, _ = grade_folder(tmp_path)
    assert len(students) == 1
    assert student in grades_csv(students).decode().splitlines()[1]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"1e999", b"[" * 100_000])
def test_a_file_that_is_no_result_is_left_out(tmp_path: Path, content: bytes) -> None:
    handed_in(tmp_path, 1, "Ada")
    (tmp_path / "broken.json").write_bytes(content)
    (tmp_path / "folder.json").mkdir()
    students, problems = grade_folder(tmp_path)
    assert [s.name for s in students] == ["Ada"]
    assert all("broken.json" in p or "folder.json" in p for p in problems)
    assert problems


@pytest.mark.slow
@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_an_answer_passes_and_the_start_does_not(lesson: Lesson) -> None:
    assert passes(lesson, answered(lesson))
    assert not passes(lesson, {s.name: s.value for s in lesson.sliders})
