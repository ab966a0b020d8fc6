"""The course: lessons as files, what students hand in, and that a page judges as footfall does."""

import json
from pathlib import Path
from typing import Any

import pytest

from footfall.errors import FootfallError
from footfall.live.course import Lesson, lesson_page, lessons, paragraphs
from footfall.live.course.grading import grade_folder, grades_csv, passes, read_result

MOST_WORDS, MOST_BYTES = 600, 500_000


def handed_in(folder: Path, lesson: int, student: str, passed: bool = True, **settings: float) -> Path:
    own = lessons()[lesson - 1]
    data = {"footfall_course": 1, "lesson": own.name, "student": student, "passed": passed}
    path = folder / f"{own.name}-{student}.json"
    values = {s.name: s.value for s in own.sliders} | dict(own.answer.settings) | settings
    path.write_text(json.dumps(data | {"settings": values}), encoding="utf-8")
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
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    students, problems = grade_folder(tmp_path)
    assert [s.name for s in students] == ["Ada", "Bo"]
    assert students[0].passed[lessons()[0].name] is True
    assert students[1].passed[lessons()[0].name] is False
    assert len(problems) == 1
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


@pytest.mark.slow
def test_a_claim_is_tried_again() -> None:
    lesson = lessons()[1]
    settings = {s.name: s.value for s in lesson.sliders}
    assert passes(lesson, settings | dict(lesson.answer.settings))
    assert not passes(lesson, settings)
