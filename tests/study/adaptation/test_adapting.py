"""Adaptation as a whole, on planar bodies: what it finds, that it can be interrupted, that a seed gives one result."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.study.adaptation import adapt
from footfall.study.adaptation.adapting import Sturdy, parse_sturdy
from footfall.study.adaptation.many import load_tasks
from footfall.study.adaptation.report import front_of, write_report
from footfall.study.measures.body import Units
from tests.study.adaptation.bodies import similar


@pytest.fixture(scope="module")
def child(tmp_path_factory):
    path = tmp_path_factory.mktemp("bodies") / "child.xml"
    path.write_text(similar("planar-biped", 0.6, 0.25).xml, encoding="utf-8")
    return path


def _adapted(child, checkpoint=None, generations=3, **more):
    options = {"population": 6, "engines": (), "rose": False, "name": "child-walk"} | more
    return adapt("walk", child, generations=generations, checkpoint=checkpoint, **options)


@pytest.mark.slow
def test_a_search_continues_where_it_was_interrupted(child, tmp_path):
    whole = _adapted(child, tmp_path / "whole.json")
    part = tmp_path / "part.json"

    def interrupt(row, judged):
        if row["generation"] == 2:
            raise KeyboardInterrupt

    first = _adapted(child, part, watch=interrupt)
    assert first.interrupted
    assert len(json.loads(part.read_text())["generations"]) == 2
    seen = []
    again = _adapted(child, part, watch=lambda row, judged: seen.append(judged is None))
    assert seen == [True, True, False]
    costs = [[row["cost"] for row in one.history] for one in (whole, again)]
    assert costs[0] == costs[1]
    assert again.controller == whole.controller


def test_the_report_draws_what_pushes_cost(child, tmp_path):
    """The front is what nothing is better in: cheaper and no less sturdy."""
    points = np.random.default_rng(1).uniform(size=(50, 2))
    front = set(front_of(points).tolist())
    for k, (cost, push) in enumerate(points):
        better = (points[:, 0] <= cost) & (points[:, 1] >= push)
        assert (better.sum() == 1) == (k in front)
    made = _adapted(child, generations=6)
    pushed = [row for row in made.history if row["stage"] == "sturdy"]
    assert pushed
    assert all(row["transport"] > 0.0 for row in pushed)
    write_report(made, tmp_path, film=False)
    assert "cost of transport" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "front.png").is_file()


def test_candidates_judged_in_shares_cost_what_they_cost_together(child):
    """On two workers, with a share that is smaller than the others; the best walker of a share can be drawn."""
    drawn = []

    def watch(row, judged):
        drawn.append(len(judged.motion(int(row["best"]))))

    whole = _adapted(child, generations=2, population=5)
    with ThreadPoolExecutor(2) as pool:
        shared = _adapted(child, generations=2, population=5, executor=pool, watch=watch)
    costs = [[row["cost"] for row in one.history] for one in (whole, shared)]
    assert costs[0] == costs[1]
    assert shared.controller == whole.controller
    assert min(drawn) > 1


def test_the_file_of_another_search_is_refused(child, tmp_path):
    _adapted(child, tmp_path / "search.json", generations=1)
    with pytest.raises(FootfallError, match="belongs to another search"):
        _adapted(child, tmp_path / "search.json", generations=1, speed=0.5)


def test_a_child_walks_with_what_was_found(child):
    found = _adapted(child, generations=2, engines=("native",))
    assert found.scaled["seconds_up"] == found.scaled["of_seconds"]
    (trials,) = found.trials
    assert (trials.up, trials.tried) == (36, 36)
    assert found.speed == pytest.approx(found.wanted.speed * found.units.speed, rel=0.15)
    assert found.controller.figure == str(child)
    assert np.isfinite(found.controller.start.qpos).all()
    assert "seed 1" in found.controller.about
    json.dumps(found.as_dict())


def test_a_sturdy_walk_is_asked_for_in_newtons_or_weights():
    units = Units(1.0, 50.0)
    assert parse_sturdy("98.1", units) == Sturdy(pytest.approx(0.2), 0.4)
    assert parse_sturdy("98.1/49.05", units).sides == pytest.approx((0.5, 0.5))
    assert parse_sturdy("100/50/80", units).sides == pytest.approx((0.5, 0.8))
    assert parse_sturdy("0.3w", units).size == 0.3
    assert parse_sturdy(None, units).size is None
    for bad in ("hard", "-3", "w", "1/2/3/4", "100/", "100/0"):
        with pytest.raises(FootfallError, match="write newtons"):
            parse_sturdy(bad, units)


def test_a_list_of_bodies_is_read(tmp_path):
    path = tmp_path / "bodies.toml"
    path.write_text('[[bodies]]\nfigure = "g1.xml"\n\n[[bodies]]\nfigure = "h1.xml"\nspeed = 0.5\n', encoding="utf-8")
    first, second = load_tasks(path)
    assert first.label == "g1-plain-walk"
    assert second.speed == 0.5
    path.write_text("[[bodies]]\nfigur = 1\n", encoding="utf-8")
    with pytest.raises(FootfallError, match="figur"):
        load_tasks(path)


@pytest.mark.slow
def test_many_bodies_are_adapted_by_a_command(child, tmp_path, capsys):
    bodies, out = tmp_path / "bodies.toml", tmp_path / "results"
    bodies.write_text(f'[[bodies]]\nfigure = "{child}"\ncontroller = "walk"\nname = "child"\n', encoding="utf-8")
    asked = ["--generations", "1", "--population", "4", "--engine", "native", "--no-film"]
    assert main(["adapt", str(bodies), "--out", str(out), "--json", *asked]) == 0
    (row,) = json.loads(capsys.readouterr().out)["bodies"]
    assert row["name"] == "child"
    assert row["native"].endswith("of 36")
    assert (out / "child.toml").is_file()
    assert "child" in (out / "results.csv").read_text(encoding="utf-8")
