"""The parameters of C3D files: groups of named texts and numbers, in Intel, MIPS or DEC byte order."""

import struct
from collections.abc import Mapping

import numpy as np

from footfall.motion.quaternion import Array

INTEL, DEC, MIPS = 84, 85, 86
_MOST = 10_000
_TEXT, _BYTE, _INTEGER, _REAL = -1, 1, 2, 4


class C3DParameters:
    """Parameters by group and name, both in capitals: texts as a list, numbers as an array of their shape (first index
    fastest in the file, here last)."""

    def __init__(self, texts: Mapping[tuple[str, str], list[str]], numbers: Mapping[tuple[str, str], Array]) -> None:
        self._texts, self._numbers = texts, numbers

    def texts(self, group: str, name: str) -> list[str]:
        """The texts of a parameter, without blanks around them; none where it is not there."""
        return self._texts.get((group, name), [])

    def text(self, group: str, name: str) -> str:
        """All its texts in a row."""
        return "".join(self.texts(group, name)).strip()

    def numbers(self, group: str, name: str) -> Array:
        """The numbers of a parameter; an empty array where it is not there."""
        return self._numbers.get((group, name), np.zeros(0))

    def number(self, group: str, name: str, otherwise: float = 0.0) -> float:
        """The first of its numbers."""
        found = self.numbers(group, name)
        return float(found.flat[0]) if found.size else otherwise

    def group(self, group: str) -> dict[str, Array]:
        """All numbers of a group by name."""
        return {name: value for (own, name), value in self._numbers.items() if own == group}


def read_reals(raw: bytes, kind: int) -> Array:
    """Floats of 4 bytes; DEC's are swapped by words and four times as large."""
    if kind == DEC:
        swapped = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1].copy()
        with np.errstate(all="ignore"):
            return np.asarray(swapped.view("<f4")[:, 0].astype(float) / 4.0)
    with np.errstate(all="ignore"):
        return np.frombuffer(raw, ">f4" if kind == MIPS else "<f4").astype(float)


def read_parameters(content: bytes, at: int, kind: int) -> C3DParameters:
    """The parameters in the section that begins at a byte, in a byte order."""
    mark = ">" if kind == MIPS else "<"
    groups: dict[int, str] = {}
    texts: list[tuple[int, str, list[str]]] = []
    numbers: list[tuple[int, str, Array]] = []
    place, steps = at + 4, 0
    while place + 2 < len(content) and steps < _MOST:
        steps += 1
        length = abs(struct.unpack_from("b", content, place)[0])
        number = struct.unpack_from("b", content, place + 1)[0]
        if length == 0 or number == 0:
            break
        name = content[place + 2 : place + 2 + length].decode("latin-1").upper()
        after = place + 2 + length
        (offset,) = struct.unpack_from(f"{mark}H", content, after)
        if number < 0:
            groups[-number] = name
        else:
            form, dimensions = struct.unpack_from("bB", content, after + 2)
            sizes = list(content[after + 4 : after + 4 + dimensions])
            start = after + 4 + dimensions
            data = content[start : start + int(np.prod(sizes, dtype=int)) * max(abs(form), 1)]
            if form == _TEXT:
                texts.append((number, name, _lines(data, sizes[0] if sizes else 1)))
            elif form in (_BYTE, _INTEGER, _REAL) and len(data) == int(np.prod(sizes, dtype=int)) * form:
                values = read_reals(data, kind) if form == _REAL else _whole(data, form, mark)
                numbers.append((number, name, values.reshape(sizes[::-1])))
        if offset == 0:
            break
        place = after + offset
    return C3DParameters(
        {(groups.get(number, ""), name): value for number, name, value in texts},
        {(groups.get(number, ""), name): value for number, name, value in numbers},
    )


def _lines(data: bytes, width: int) -> list[str]:
    cells = [data[k : k + width] for k in range(0, len(data), width)] if width else []
    return [cell.decode("latin-1").replace("\0", " ").strip() for cell in cells]


def _whole(data: bytes, size: int, mark: str) -> Array:
    return np.frombuffer(data, "u1" if size == _BYTE else f"{mark}i2").astype(float)
