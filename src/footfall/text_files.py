"""Text files as users write them, read whole or refused in one line; files that are written whole or not at all."""

import contextlib
import csv
import errno
import hashlib
import math
import os
import re
import socket
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError

_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
_HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters, and those that no text of several lines needs."""


def is_file(path: Path) -> bool:
    """Whether there is such a file; no, where the name is too long for one."""
    try:
        return path.is_file()
    except OSError:
        return False


def make_folder(folder: Path) -> Path:
    """A folder that is made where it is missing; an error in one line where it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FootfallError(f"{folder}: cannot make the folder: {error.strerror or error}") from error
    return folder


def read_text(path: Path, what: str = "", most: int | None = None) -> str:
    """The text of a file.

    Args:
        path: the file.
        what: what it is ("controller file"), with which errors begin.
        most: bytes that it may have.
    """
    name = f"{what} {path}".lstrip()
    try:
        if most is not None and path.stat().st_size > most:
            raise FootfallError(f"{name} is too large; it may have {most >> 20} MB")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FootfallError(f"{name} cannot be read: it does not exist") from None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise FootfallError(f"{name} cannot be read: {error}") from error


def packaged_table(package: str, name: str) -> list[dict[str, str]]:
    """The rows of a table (.csv) in a package, by column; lines that begin with # are comments."""
    text = (files(package) / name).read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def packaged_toml(package: str, name: str) -> dict[str, Any]:
    """The tables of a .toml file in a package; plain lists, such as ranges, are tuples."""
    tables: dict[str, Any] = _tupled(parse_toml((files(package) / name).read_text(encoding="utf-8"), name))
    return tables


def _tupled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tupled(part) for key, part in value.items()}
    is_plain = isinstance(value, list) and not any(isinstance(part, dict | list) for part in value)
    return tuple(value) if is_plain else value


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The tables of a text; ``where`` begins the message of an error."""
    try:
        tables = tomllib.loads(text)
        check_texts(tables, where)
        return tables
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, brackets within brackets
        raise FootfallError(f"{where}: not a TOML file: {error}") from error


def check_texts(value: Any, where: str, key: str = "") -> None:
    """Refuse control characters in a text, and the ends of lines in keys and names."""
    if isinstance(value, list):
        for part in value:
            check_texts(part, where, key)
    elif isinstance(value, Mapping):
        for own, part in value.items():
            check_texts(own, where, "name")
            check_texts(part, where, own)
    elif isinstance(value, str) and (found := (_CONTROLS if key == "name" else _HIDDEN).search(value)):
        raise FootfallError(f"{where}: {key} holds the character U+{ord(found[0]):04X}; leave it out")


def plain_json(value: Any) -> Any:
    """What JSON can hold of a value: numbers that are not finite become null, anything unknown its text."""
    if isinstance(value, Mapping):
        return {str(k): plain_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(v) for v in value]
    if hasattr(value, "tolist"):
        return plain_json(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


@cache
def _processes_of() -> str:
    """Names whose numbers of processes this one's is among: equal names on one running system and in one container of
    it alone."""
    known = [socket.gethostname()]
    with contextlib.suppress(OSError):  # not Linux
        known.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        known.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(known).encode()).hexdigest()[:12]


def _part_prefix(path: Path) -> str:
    return f".{path.stem[:40]}.{_processes_of()}-"


def _delete_left_parts(path: Path) -> None:
    """Delete unfinished files of a path that a killed process left: one whose number, on this system, is no process's.
    One that anybody may still be writing stays."""
    if os.name != "posix":  # elsewhere a process cannot be asked for without ending it
        return
    begins, ends = _part_prefix(path), f".part{path.suffix}"
    for entry in os.listdir(path.parent):
        number = entry[len(begins) :].partition("-")[0]
        if not (entry.startswith(begins) and entry.endswith(ends) and number.isdecimal()):
            continue
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            with contextlib.suppress(OSError):
                (path.parent / entry).unlink()
        except (OSError, OverflowError):  # somebody else's process
            continue


def write_whole(path: Path, content: bytes | Callable[[Path], object]) -> None:
    """Write a file through a temporary one beside it, of the same suffix, and put it in place when it is complete. What
    a killed process left of the same file is deleted.

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
        _delete_left_parts(path)
        prefix = f"{_part_prefix(path)}{os.getpid()}-"
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=f".part{path.suffix}", dir=path.parent)
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
