"""Warp, which compiles footfall's kernels: its quiet start, and names for what it compiles.

Where compiled kernels are kept: Warp's cache in the home folder, or a temporary one where that cannot be written.
"""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.kernels.building import LOADED, build_kernels_fast

VARIABLE = "WARP_CACHE_PATH"
"""Environment variable: another folder for the cache."""


def usable_cache(given: str | None) -> str | None:
    """A folder to keep kernels in, where the usual one cannot be written to (a read-only home or container); None where
    it can. A line on standard error says so.

    Args:
        given: the folder that Warp is set to; None for its usual one.
    """
    usual = Path(given or os.environ.get(VARIABLE) or _default())
    problem = _problem(usual)
    if problem is None:
        return None
    other = Path(tempfile.gettempdir(), f"footfall-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}")
    if _problem(other) is not None or not _is_own(other):
        raise FootfallError(
            f"compiled kernels cannot be kept in {usual} ({problem}) nor in {other}; name a folder that can be written "
            f"to in the environment variable {VARIABLE}"
        )
    print(
        f"footfall: compiled kernels cannot be kept in {usual} ({problem}); they are kept in {other}, or in the folder "
        f"that {VARIABLE} names",
        file=sys.stderr,
    )
    return str(other)


def _default() -> str:
    """Warp's usual folder, without the version's below it."""
    build: Any = import_module("warp._src.build")
    return str(build.appdirs.user_cache_dir(appname="warp", appauthor="NVIDIA"))


def _problem(folder: Path) -> str | None:
    """Why nothing can be written to a folder; None if something can."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _is_own(folder: Path) -> bool:
    """Whether a folder for everybody's temporary files is this user's, and no link: what is in it is run."""
    if not hasattr(os, "getuid"):
        return True
    seen = folder.lstat()
    return not folder.is_symlink() and seen.st_uid == os.getuid() and seen.st_mode & 0o022 == 0


_starting = threading.Lock()
"""Threads may start at once; Warp is started, and changed, once."""


def start_warp() -> Any:
    """The module ``warp``, started without its banner and without its warning that this machine has no GPU."""
    with _starting:
        return _started()


@cache
def _started() -> Any:
    wp: Any = import_module("warp")
    wp.config.log_level = max(wp.config.log_level, getattr(wp, "LOG_ERROR", 40))
    if cache := usable_cache(wp.config.kernel_cache_dir):
        wp.config.kernel_cache_dir = cache
    with _without_stderr():
        wp.init()
    build_kernels_fast()
    return wp


@contextmanager
def _without_stderr() -> Iterator[None]:
    """Discard what native code writes to standard error meanwhile."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def loading(what: str) -> Iterator[None]:
    """While a kernel loads: name what it is for, so that a message can say what is being compiled."""
    token = LOADED.set(what)
    try:
        yield
    finally:
        LOADED.reset(token)
