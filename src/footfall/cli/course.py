"""``footfall course``: a course in walking as pages, and the table of a class's results."""

import sys
from pathlib import Path
from typing import Annotated

import tyro

from footfall.cli.arguments import MaybeText
from footfall.cli.printing import Answer, check_files, print_columns
from footfall.errors import FootfallError
from footfall.text_files import write_whole

GRADE = "grade"
HANDED = tyro.conf.arg(metavar="[grade FOLDER]", help_behavior_hint="")
Handed = Annotated[tuple[str, ...], tyro.conf.Positional, HANDED]


def course(handed_in: Handed = (), out: MaybeText = None) -> Answer:
    """Write ten lessons on why bipeds fall and how they walk: web pages that simulate and check their own exercises.

    Students save a result file in each page. footfall course grade FOLDER makes a table of a class's results; it runs
    every exercise again instead of trusting the files.

    Args:
        handed_in: the word grade and the folder with the students' result files. Without it, the lessons are written.
        out: a folder for the lessons (default: course), or a .csv file for the grades.
    """
    if not handed_in:
        return _written(out or "course")
    if handed_in[0] != GRADE or len(handed_in) != 2:
        said = " ".join(handed_in)
        raise FootfallError(f"course: '{said}' is not understood; give nothing, or {GRADE} and one folder of results")
    return _grades(Path(handed_in[1]), out)


def _written(folder: str) -> Answer:
    """The course's pages."""
    from footfall.live.course import write_course

    written = write_course(folder)
    answer = {"files": [str(path) for path in written], "bytes": [path.stat().st_size for path in written]}
    words = f"wrote {len(written)} files to {written[0].parent}; open index.html there; answers are in for-teachers"
    return Answer(answer, lambda: print(words))


def _grades(folder: Path, out: str | None) -> Answer:
    """A class's results as a table."""
    files = check_files([out] if out else [], (".csv",))
    from footfall.live.course.grading import grade_folder, grades_csv

    students, problems = grade_folder(folder)
    for path in files:
        write_whole(path, grades_csv(students))
    for problem in problems:
        print(f"footfall: warning: {problem}", file=sys.stderr)
    rows = [[s.name, f"{sum(map(bool, s.passed.values()))}", *(s.mark(k) for k in s.passed)] for s in students]
    names = list(students[0].passed) if students else []
    head = ["student", "passed", *(name.split("-")[0] for name in names)]
    answer = {"students": [{"student": s.name, "passed": s.passed} for s in students], "problems": problems}
    return Answer(answer, lambda: print_columns([head, *rows]), files)
