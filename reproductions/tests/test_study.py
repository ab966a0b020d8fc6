"""Papers as one study: parts run alone, side by side and again."""

from pathlib import Path

import pytest

from footfall.errors import FootfallError
from footfall_reproductions.part import Part, chosen_parts, overlap
from footfall_reproductions.study import run_study, tasks_of


def test_parts_are_chosen_by_row() -> None:
    parts = [Part("p", "", ("gait-walk-*",), list), Part("q", "", ("gait-run-*", "speed"), list)]
    assert [p.name for p in chosen_parts(parts, ["gait-walk-explicit"])] == ["p"]
    assert [p.name for p in chosen_parts(parts, ["gait-*"])] == ["p", "q"]
    assert [p.name for p in chosen_parts(parts, ["speed"])] == ["q"]
    assert chosen_parts(parts, []) == tuple(parts)
    search = Part("s", "", ("imitate-*",), list, searches=True)
    assert chosen_parts([*parts, search], [], searches=False) == tuple(parts)
    assert chosen_parts([*parts, search], ["imitate-x"], searches=False) == (search,)
    assert overlap("gait-*-explicit", "gait-walk-*")
    assert not overlap("gait-*-explicit", "speed-*")
    assert not overlap("push-0", "push-forwards-*")
    with pytest.raises(FootfallError, match="mass-independance"):
        tasks_of(["pendulum"], ["mass-independance"])


@pytest.mark.slow
def test_a_study_continues_where_it_stopped(tmp_path: Path) -> None:
    tasks = tasks_of(["pendulum"], ["mass-independence"])
    first = list(run_study(tasks, tmp_path, workers=1))
    second = list(run_study(tasks, tmp_path, workers=1))
    assert [m.again for m in first + second] == [True, False]
    assert first[0].rows == second[0].rows
    kept = tasks[0].file(tmp_path)
    kept.write_text(kept.read_text().replace('"footfall.terrain.terrain": "', '"footfall.terrain.terrain": "x'))
    assert [m.again for m in run_study(tasks, tmp_path, workers=1)] == [True]
    kept.write_text("{")
    assert [m.again for m in run_study(tasks, tmp_path, workers=1)] == [True]
