"""Command lines run in this process."""

from footfall.cli.main import main

__all__ = ["refused", "said"]


def said(capsys, *words: str) -> str:
    """Standard output of a command that must succeed."""
    status = main([str(w) for w in words])
    out, err = capsys.readouterr()
    assert status == 0, err
    return out


def refused(capsys, *words: str) -> str:
    """The one line on standard error of a command that must fail with status 2."""
    status = main([str(w) for w in words])
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    lines = [line for line in err.splitlines() if "compiling" not in line]
    assert len(lines) == 1, err
    assert lines[0].startswith("footfall: ")
    return lines[0]
