"""Motion files on the command line: read them with their options, name those that were written."""

from typing import Any, Literal

from footfall.cli.printing import print_files, print_json

UpAxis = Literal["auto", "y", "z", "x", "-y", "-z", "-x"]


def load_clip(clip: str, **options: Any) -> Any:
    """A motion from a file; options that were left alone ("auto", empty) stay with the reader."""
    from footfall.motion.formats.files import load_motion

    return load_motion(clip, **{name: value for name, value in options.items() if value not in ("", "auto", None)})


def report_files(written: list[str], answer: dict[str, Any], json: bool) -> None:
    """Print the files that were written."""
    if json:
        print_json(answer | {"files": written})
    else:
        print_files(written)
