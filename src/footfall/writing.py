"""Files that are written whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from footfall.errors import FootfallError


def write_whole(path: Path, content: bytes | Callable[[Path], object]) -> None:
    """Write a file through a temporary one beside it, of the same suffix, and put it in place when it is complete.

    Args:
        path: the file.
        content: its bytes, or a function that writes the file at the path that it is given.
    """
    if not path.parent.is_dir():
        raise FootfallError(f"{path}: there is no folder '{path.parent}'")
    if path.is_dir():
        raise FootfallError(f"{path}: that is a folder; name a file")
    part = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem[:80]}.", suffix=f".part{path.suffix}", dir=path.parent)
        os.close(handle)
        part = Path(name)
        if callable(content):
            content(part)
        else:
            part.write_bytes(content)
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, path)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        hint = "; make room and run the same command again" if full else ""
        raise FootfallError(f"{path}: cannot write it: {error.strerror or error}{hint}") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
