"""Reproductions: rows say where they come from, rates have confidence, parts run alone, side by side and again."""

import json
import re
from dataclasses import replace
from importlib import util
from pathlib import Path

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import BalancedWalk, hip_control
from footfall.methods.simbicon.sequence import parse_sequence, sequence_simulation
from footfall.study.transitions.phase_timing import perform_by_phase, phase_timing
from footfall_reproductions import PAPERS, Row, paper_module
from footfall_reproductions.claims import explained, paper_claims
from footfall_reproductions.claims_page import claims_page
from footfall_reproductions.docs_numbers import filled, marked_rows
from footfall_reproductions.headline import headline
from footfall_reproductions.page import write_page
from footfall_reproductions.part import Part, chosen_parts, overlap, parts_of
from footfall_reproductions.rates import standard_error, wilson_interval
from footfall_reproductions.study import run_study, tasks_of
from footfall_reproductions.trials import DTS, NOISES, disturbed_starts, run_trials, start_of, still_walking

THERE = [name for name, module in PAPERS.items() if util.find_spec(f"footfall_reproductions.{module}")]
CLAIMED = [name for name in THERE if paper_claims(PAPERS[name]).claims]
ROOT = Path(__file__).resolve().parents[2]

WALK = {"unit": "", "holds": True, "tried": 100, "bound": 0.95}
ROWS = [
    Row("a", "walks; holds at 95 %", "walks", "99 of 100", source="P, section 1", passed=99, **WALK),
    Row("b", "crosses; holds at 95 %", "crosses", "96 of 100", source="P, section 2", passed=96, **WALK),
    Row("c", "mass [kg]", 1.0, 2.0, "kg", False, "because", source="P, table 1"),
    Row("d", "ours", None, 3.0, "m", True, source="ours"),
    Row("e", "a clip", 1.0, None, "", None, "there is no clip", source="P, figure 2"),
]


def test_wilson_covers_a_rate_about_as_often_as_it_says() -> None:
    """Of intervals from drawn samples 95 % hold the true rate, near 0 and 1 too, where √(p(1-p)/n) fails."""
    rng = np.random.default_rng(3)
    for rate in (0.02, 0.5, 0.97):
        counts = rng.binomial(60, rate, 4000)
        covered = np.mean([low <= rate <= high for low, high in (wilson_interval(int(k), 60) for k in counts)])
        assert 0.92 < covered < 0.99
    assert wilson_interval(0, 20)[0] == 0.0
    assert wilson_interval(20, 20)[1] == pytest.approx(1.0)
    low, high = wilson_interval(7, 20)
    mirrored = wilson_interval(13, 20)
    assert (1 - high, 1 - low) == pytest.approx(mirrored)
    assert standard_error(20, 20) == 0.0


def test_a_row_near_its_bound_says_so() -> None:
    assert [row.state for row in ROWS] == ["holds", "holds, near its bound", "does not hold", "holds", "not measured"]
    assert [row.from_paper for row in ROWS] == [True, True, True, False, True]
    assert not replace(ROWS[0], source="derived facts: a table").from_paper
    assert ROWS[0].as_dict()["interval"][0] < 0.99


def test_headlines_count_the_papers_rows_alone() -> None:
    text = headline("p", ROWS)
    assert "of 4 rows from the paper 1 holds, 1 holds near its bound, 1 does not hold, 1 was not measured" in text
    assert "Of 1 rows that are ours or from derived facts 1 hold" in text


@pytest.mark.parametrize("name", CLAIMED)
def test_every_claim_has_rows_that_a_part_measures(name: str) -> None:
    parts = parts_of(paper_module(name))
    assert len({p.name for p in parts}) == len(parts)
    for claim in paper_claims(PAPERS[name]).claims:
        for row in claim.rows:
            assert any(p.has(row) for p in parts), row
    for part in parts:
        for own in part.rows:
            claims = paper_claims(PAPERS[name]).claims
            assert any(overlap(own, r) for c in claims for r in c.rows), own


@pytest.mark.parametrize("name", CLAIMED)
def test_sources_are_a_paper_or_say_that_they_are_not(name: str) -> None:
    for claim in paper_claims(PAPERS[name]).claims:
        assert re.match(r"(ours|derived facts|SIMBICON|Improving|Laszlo|Faraji|Lee)", claim.source), claim.source


def test_the_page_of_claims_is_current() -> None:
    """``python -m footfall_reproductions.claims_page docs/claims.md`` was run after the last change."""
    assert (ROOT / "docs" / "claims.md").read_text(encoding="utf-8") == claims_page()


def test_numbers_in_the_documentation_come_from_rows() -> None:
    """Every marked number names a row that a part measures, and is replaced by what a report says."""
    marked = [
        row for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")) for row in marked_rows(page.read_text())
    ]
    assert len(marked) > 20
    for one in marked:
        paper, _, row = one.partition("/")
        assert any(part.has(row) for part in parts_of(paper_module(paper))), one
    text = "it is <!--p/a-->1<!--/--> and <!--p/b-->2<!--/-->"
    new, missing = filled(text, {"p/a": {"measured": 3.14159, "unit": "m"}})
    assert new == "it is <!--p/a-->3.142 m<!--/--> and <!--p/b-->2<!--/-->"
    assert missing == ["p/b"]


def test_a_row_takes_what_it_does_not_say_from_its_claim() -> None:
    row, own = explained(
        "pendulum",
        [
            Row("mass-independence", "what; holds at 0", None, 0.0, "", True),
            Row("push-0", "w", 1, 1, "", True, source="x"),
        ],
    )
    assert row.source == "Faraji and Ijspeert 2018, section 5.2"
    assert row.rule == "holds at 0"
    assert own.source == "x"


def test_trials_count_starts_and_steps() -> None:
    trials = run_trials("walk", 1.0, still_walking(1, 1.0), draws=2)
    assert trials.tried == len(DTS) * (1 + 2 * len(NOISES))
    assert trials.passed == trials.tried
    assert run_trials("walk", 1.0, still_walking(1, -1.0), draws=1).passed == 0
    assert "2 ms" in trials.parts
    assert "undisturbed" in trials.parts


def test_disturbed_starts_are_small_different_and_repeatable() -> None:
    from footfall.control import load_controller

    figure = Figure.load("planar-biped")
    qpos, qvel = start_of(load_controller("walk"), figure)
    starts, rates, noise = disturbed_starts(figure, qpos, qvel, draws=3)
    again = disturbed_starts(figure, qpos, qvel, draws=3)
    assert np.array_equal(starts, again[0])
    assert np.allclose(starts[0], qpos)
    assert len({tuple(row) for row in starts}) == 7
    assert np.all(np.abs(starts - qpos).max(axis=1) <= 6 * noise + 1e-12)
    assert np.all(np.abs(rates - qvel).max(axis=1) <= 30 * noise + 1e-12)


def test_balanced_walkers_start_where_they_are_told() -> None:
    """Each walker walks as it would alone from its own start."""
    from footfall.control import load_controller

    figure = Figure.load("human")
    qpos, qvel, _ = disturbed_starts(figure, *start_of(load_controller("human-walk"), figure), draws=1)
    control = hip_control("F-L", targets=(0.25, 0.0))
    together = BalancedWalk("human-walk", control, walkers=3, qpos=qpos, qvel=qvel, dt=0.002).walk(2)
    assert np.array_equal(together.start[0], qpos)
    alone = BalancedWalk("human-walk", control, qpos=qpos[2], qvel=qvel[2], dt=0.002).walk(2)
    assert np.array_equal(together.values[:, 2], alone.values[:, 0])
    assert not np.array_equal(together.values[:, 2], together.values[:, 0])


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


def test_a_study_continues_where_it_stopped(tmp_path: Path) -> None:
    tasks = tasks_of(["pendulum"], ["mass-independence"])
    first = list(run_study(tasks, tmp_path, workers=1))
    second = list(run_study(tasks, tmp_path, workers=1))
    assert [m.again for m in first + second] == [True, False]
    assert first[0].rows == second[0].rows
    kept = tasks[0].file(tmp_path)
    kept.write_text(kept.read_text().replace('"fingerprint": "', '"fingerprint": "x'))
    assert [m.again for m in run_study(tasks, tmp_path, workers=1)] == [True]
    kept.write_text("{")
    assert [m.again for m in run_study(tasks, tmp_path, workers=1)] == [True]


def test_one_row_prints_json_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "reproduce",
        "pendulum",
        "--row",
        "mass-independence",
        "--json",
        "--workers",
        "1",
        "--out",
        str(tmp_path),
    ]
    assert main(command) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in answer["rows"]] == ["mass-independence"]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'id="pendulum/mass-independence"' in page
    assert "footfall reproduce pendulum --row mass-independence" in page


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    """Pictures are inside, text is escaped, and every row can be filtered by paper, source and state."""
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    rows = [*ROWS, Row("f", "<script>[kg] & more", 1, 2, "", False, source="P")]
    text = write_page(tmp_path / "index.html", {"pendulum": rows}, {"pendulum": ["x.png"]}).read_text(encoding="utf-8")
    assert "data:image/png;base64," in text
    assert "&lt;script&gt;[kg] &amp; more" in text
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert text.count("<tr id=") == len(rows)
    assert text.count('data-source="own"') == 1
    assert "holds, near its bound" in text


def test_a_sequence_by_phase_passes_where_it_was_found() -> None:
    """Requests are counted in footsteps: they meet the same phase from every start."""
    wanted = parse_sequence("walk 3, in-place-walk 3, stand 2, in-place-walk 3")
    script = phase_timing(wanted, draws=1, dts=(0.002,))
    assert [r.controller.name for r in script] == [r.controller.name for r in wanted]
    assert [r.footsteps > 0 for r in script] == [False, True, True, False]
    start = wanted[0].controller.start
    assert start is not None
    figure = Figure.load("planar-biped")
    qpos, qvel, _ = disturbed_starts(figure, *start_of(wanted[0].controller, figure), draws=2)
    simulation = sequence_simulation(wanted, worlds=len(qpos), qpos=qpos, qvel=qvel, dt=0.002)
    entered = perform_by_phase(simulation, script)
    assert entered.shape == (4, 5)
    assert entered.all()


def test_a_sequence_without_a_way_says_where() -> None:
    with pytest.raises(FootfallError, match="from walk to backwards-walk"):
        phase_timing(parse_sequence("walk 3, backwards-walk 4"), draws=1, dts=(0.002,))
