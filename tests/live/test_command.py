"""``footfall live``, ``footfall export`` and ``footfall run --out x.live.html``."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from footfall.cli.main import main
from footfall.control import load_controller, save_controller
from footfall.figures import Figure
from footfall.methods.simbicon.graph import Target


def test_a_built_in_controller_becomes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "walk.html"
    assert main(["live", "walk", "run", "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"controllers": ["walk", "run"], "file": str(out), "bytes": out.stat().st_size, "falls": {}}
    assert "http-equiv" in out.read_text(encoding="utf-8")


def test_a_controller_that_falls_by_itself_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own, walk = tmp_path / "stiff.toml", load_controller("walk")
    straight = walk.states[0].targets | {"swing_hip": Target(0.0)}
    save_controller(walk.changed(name="stiff", states=(replace(walk.states[0], targets=straight), walk.states[1])), own)
    out = tmp_path / "stiff.html"
    assert main(["live", str(own), "--out", str(out), "--json"]) == 0
    told = capsys.readouterr()
    assert 0 < json.loads(told.out)["falls"]["stiff"] < 10
    assert "warning: 'stiff' falls by itself after" in told.err
    assert main(["live", str(own), "--out", str(out), "--no-check"]) == 0
    assert capsys.readouterr().err == ""


def test_an_own_controller_file_needs_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from footfall.live import modules

    monkeypatch.setattr(modules, "has_compiler", lambda: False)
    own = tmp_path / "mine.toml"
    save_controller(load_controller("walk").changed(name="mine", about="My own."), own)
    assert main(["live", str(own), "--out", str(tmp_path / "mine.html")]) == 0
    assert '"name":"mine"' in (tmp_path / "mine.html").read_text(encoding="utf-8")


@pytest.mark.extra("ziglang")
@pytest.mark.slow
def test_an_own_figure_is_compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planar = Figure.load("planar-biped")
    body = tmp_path / "tall.xml"
    body.write_text(planar.with_body_parameters(planar.body_parameters("thigh*1.05")).xml, encoding="utf-8")
    assert main(["export", "walk", "--figure", str(body), "--out", str(tmp_path / "m" / "walk.wasm"), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)["files"]
    assert [Path(f).name for f in written] == ["walk.wasm", "walk.json", "walker.js", "example.html"]
    assert Path(written[0]).read_bytes()[:4] == b"\0asm"


def test_a_run_becomes_a_page_with_its_changes(tmp_path: Path) -> None:
    out = tmp_path / "r.live.html"
    command = ["run", "walk", "--seconds", "0.1", "--set", "0.hold=0.37", "--terrain", "slope:3", "--out", str(out)]
    assert main(command) == 0
    data = out.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0]
    (character,) = json.loads(data)["characters"]
    held = character["gaits"][0]["parameters"]["0.hold"]
    assert {character["parameters"][i] for i, _ in held["cells"]} == {0.37}
    assert held["value"] == 0.3
    assert next(iter(character["terrains"])) == "slope:3"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["live"], "live: name a controller"),
        (["live", "wlak", "--out", "x.html"], "did you mean 'walk'?"),
        (["live", "bad.toml", "--out", "x.html"], "not a TOML file"),
        (["live", "walk", "--figure", "bad.xml", "--out", "x.html"], "bad.xml"),
        (["live", "walk", "--terrain", "moon", "--out", "x.html"], "unknown terrain 'moon'"),
        (["live", "walk", "--dt", "0.5", "--out", "x.html"], "dt is 0.5"),
        (["live", "walk", "--out", "x.png"], "choose one of: .html"),
        (["live", "walk", "--out", "nowhere/x.html"], "there is no folder 'nowhere'"),
        (["live", "human-walk", "--figure", "planar-biped", "--out", "x.html"], "planar-biped"),
        (["export", "walk", "human-walk", "--out", "x/y.wasm"], "export them one by one"),
    ],
)
def test_bad_input_gets_one_line_and_no_page(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text("name = [\n")
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><body/></mujoco>")
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.toml", "bad.xml"]
