"""The option ``--rerun [FILE.rrd]``: a file for the rerun viewer, or the viewer itself."""

from typing import TYPE_CHECKING

from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.motion import Motion


def rerun_files(given: tuple[str, ...] | None) -> tuple[str, ...]:
    """The file that the option names, if it names one; without rerun, an error before any work begins."""
    if given is None:
        return ()
    from footfall.pictures.files import RERUN_SUFFIX
    from footfall.pictures.rerun_log import check_rerun

    if len(given) > 1:
        raise FootfallError(f"--rerun: name one file, not {len(given)} ({', '.join(given)})")
    if given and not given[0].lower().endswith(RERUN_SUFFIX):
        raise FootfallError(f"--rerun {given[0]}: name a file that ends in {RERUN_SUFFIX}, or none to open the viewer")
    check_rerun()
    return given


def show_in_rerun(motion: "Motion") -> None:
    """Open the viewer with a motion."""
    from footfall.pictures.files import default_title
    from footfall.pictures.rerun_log import open_in_rerun

    open_in_rerun(motion, title=default_title(motion))
