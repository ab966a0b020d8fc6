"""The command line of the studio says what is wrong in one line."""

from pathlib import Path

import pytest

from footfall.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "99999"], "port is 99999"),
        (["--folder", "no/such/folder"], "no such folder"),
        (["moonwalk"], "unknown controller 'moonwalk'"),
        (["missing.toml"], "does not exist"),
    ],
)
def test_bad_arguments(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["studio", *arguments]) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
