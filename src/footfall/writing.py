"""Files that are written whole or not at all."""

import errno
import os
from pathlib import Path

from footfall.errors import FootfallError

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Write a file through a temporary one beside it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        hint = "; make room and run the same command again" if full else ""
        raise FootfallError(f"{path}: cannot write it: {error.strerror or error}{hint}") from error
