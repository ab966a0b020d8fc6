"""Phrases that made readers stop stay out of docstrings, messages and help."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import footfall

SOURCE = Path(footfall.__file__).parent
FOLDERS = (SOURCE, Path(__file__).parents[1] / "reproductions" / "src")
PHRASES = {
    r"\bin words\b": "as text, or nothing",
    r"\b(what )?c(a|o)mes? of it\b": "the outcome",
    r"\bwhat walks\b": "the walker, the articulated figure",
    r"\bwho walks\b(?! alike| ``)": "the walker",
    r"\blaid together\b": "relative to the pelvis",
    r"\b(tell|tells|told) a fall\b|\bfalls? (is|are) told\b": "report a fall",
    r"\bof a good result also\b": "a good result also names",
    r"\bclip is (-|[0-9{])": "limit: a clip is a motion",
    r"\b(the (root|pelvis|body|clip|joint)('s|s')) places?\b(?! in (the|a) )": "position",
    r"\bfinite place\b": "finite position",
}
"""Pattern -> what is written instead."""


def _texts() -> Iterator[tuple[Path, int, str]]:
    """Every text of the sources: docstrings, messages and help, also the fixed parts of f-strings."""
    for folder in FOLDERS:
        for file in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield file, node.lineno, node.value


def test_phrases_that_left_stay_away():
    words = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)
    found = [
        f"{file}:{line}: '{match.group()}'; write: {better}"
        for file, line, text in _texts()
        if words.search(plain := " ".join(text.split()))
        for phrase, better in PHRASES.items()
        if (match := re.search(phrase, plain, re.IGNORECASE))
    ]
    assert found == []
