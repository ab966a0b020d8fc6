"""Mistakes in files: numbers, words, lines and bytes changed, left out, doubled and exchanged."""

import random
import re
import struct
from collections.abc import Callable
from typing import Literal

__all__ = ["Mistakes", "mutated"]

NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
NUMBERS = (
    *("0", "-1", "1", "2", "7", "100", "1000000", "0.5", "-0.0", "1e-308", "1e308", "-1e308", "nan", "inf", "-inf"),
    *("2147483647", "-2147483648", "4294967296", "9223372036854775808", "9" * 40, "9" * 400, "1" * 5000),
)
WORDS = (
    *("true", "false", '""', '"x"', "'walk'", "[]", "{}", "[1, 2]", "[[1], [2, 3]]", '{ angle = "x" }', "[[[[", "]"),
    *("}", "=", "#", '"', "<", ">", "\\", "\0", "\u00e9", "\ufeff", "\n", "1979-05-27", "-", "."),
)
INTEGERS = (0, 1, -1, 2, 127, 255, 32767, -32768, 2**31 - 1, -(2**31))
REALS = (0.0, -1.0, float("nan"), float("inf"), 1e38, -1e38, 1e-38)

Mistakes = Literal["text", "numbers", "bytes"]
Change = Callable[[bytearray, random.Random], None]


def mutated(content: bytes, chance: random.Random, mistakes: Mistakes = "text") -> bytes:
    """A file's content with one to four mistakes: those of a text, of its numbers alone, or of bytes."""
    changed = bytearray(content)
    changes = {"text": _TEXT, "numbers": _NUMBERS, "bytes": _BYTES}[mistakes]
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        chance.choice(changes)(changed, chance)
    return bytes(changed)


def _number(content: bytearray, chance: random.Random) -> None:
    found = list(NUMBER.finditer(content))
    if found:
        chosen = chance.choice(found)
        content[chosen.start() : chosen.end()] = chance.choice(NUMBERS).encode()


def _sign(content: bytearray, chance: random.Random) -> None:
    found = list(NUMBER.finditer(content))
    if found:
        chosen = chance.choice(found)
        new = chosen[0][1:] if chosen[0].startswith(b"-") else b"-" + chosen[0]
        content[chosen.start() : chosen.end()] = new


def _more_numbers(content: bytearray, chance: random.Random) -> None:
    """A list that is longer: a number many times."""
    found = list(NUMBER.finditer(content))
    if found:
        chosen = chance.choice(found)
        gap = chance.choice((b", ", b" ", b","))
        content[chosen.end() : chosen.end()] = (gap + bytes(chosen[0])) * chance.choice((1, 2, 30, 5000))


def _fewer_numbers(content: bytearray, chance: random.Random) -> None:
    found = list(NUMBER.finditer(content))
    if found:
        first = chance.randrange(len(found))
        last = min(first + chance.choice((0, 0, 1, 20)), len(found) - 1)
        del content[found[first].start() : found[last].end()]


def _word(content: bytearray, chance: random.Random) -> None:
    """A word for another of the file, or for one that is out of place."""
    found = list(re.finditer(rb"\S+", content))
    if found:
        chosen, other = chance.choice(found), chance.choice(found)
        new = chance.choice((other[0], chance.choice(WORDS).encode()))
        content[chosen.start() : chosen.end()] = new


def _value(content: bytearray, chance: random.Random) -> None:
    """What a key holds, for something of another type."""
    found = list(re.finditer(rb"(?<==)[^=\n>]*", content))
    if found:
        chosen = chance.choice(found)
        content[chosen.start() : chosen.end()] = chance.choice((*WORDS, *NUMBERS)).encode()


def _line(content: bytearray, chance: random.Random) -> None:
    """Lines left out, doubled or exchanged."""
    lines = content.split(b"\n")
    k, m = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.choice(("drop", "double", "exchange", "drop some")):
        case "drop":
            del lines[k]
        case "double":
            lines.insert(k, lines[k])
        case "exchange":
            lines[k], lines[m] = lines[m], lines[k]
        case "drop some":
            del lines[min(k, m) : min(k, m) + chance.choice((2, 5, 50))]
    content[:] = b"\n".join(lines)


def _block(content: bytearray, chance: random.Random) -> None:
    """Two stretches exchanged, or one put elsewhere as well."""
    size = chance.choice((1, 10, 100, 1000))
    a, b = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    first, second = content[a : a + size], content[b : b + size]
    if chance.random() < 0.5 and a + size <= b:
        content[a : a + size], content[b : b + len(second)] = second, first
    else:
        content[b:b] = first


def _cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content) + 1) :]


def _byte(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 4, 20))):
        if content:
            content[chance.randrange(len(content))] = chance.randrange(256)


def _field(content: bytearray, chance: random.Random) -> None:
    """Four bytes for another number, often near the beginning, where sizes are."""
    whole = chance.random() < 0.6
    raw = struct.pack("<i", chance.choice(INTEGERS)) if whole else struct.pack("<f", chance.choice(REALS))
    raw = raw[: chance.choice((1, 2, 4, 4))]
    most = len(content) if chance.random() < 0.5 else min(len(content), 700)
    at = chance.randrange(most + 1)
    content[at : at + len(raw)] = raw


def _nest(content: bytearray, chance: random.Random) -> None:
    """Brackets within brackets."""
    at = chance.randrange(len(content) + 1)
    content[at:at] = chance.choice((b"[", b"{", b"(", b"<a>")) * chance.choice((10, 3000))


_TEXT: tuple[Change, ...] = (
    *((_number,) * 8),
    *((_value,) * 2),
    *((_word,) * 2),
    *((_line,) * 3),
    *(_sign, _more_numbers, _fewer_numbers, _block, _cut, _byte, _nest),
)
_NUMBERS: tuple[Change, ...] = (*((_number,) * 6), _sign, _more_numbers, _fewer_numbers)
_BYTES: tuple[Change, ...] = (*((_field,) * 4), *((_byte,) * 3), _block, _cut, _number, _nest)
