"""Names, paths and remarks of users in the files that footfall writes: one function for each language, so that a text
stays a text there whatever it holds.

Every name comes from somebody's file: a controller's, a figure's, a clip's. What generates C, Python, HTML, SVG, MJCF,
JavaScript, tables or commands takes it through these functions.
"""

import csv
import html
import io
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_BREAKING = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Control characters, everything that ends a line, what reverses the direction of reading, and halves of characters."""
_NOT_IN_MARKUP = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile(r"\s*[=+\-@].*[^\d.\s]", re.DOTALL)


def plain_line(text: object) -> str:
    """A text as one line that shows what it holds: a space for control characters and the ends of lines."""
    return _BREAKING.sub(" ", str(text))


def c_comment(text: object) -> str:
    """A text within a comment of C: it neither ends nor opens one, and no backslash or trigraph joins lines."""
    return re.sub(r"\*(?=/)|/(?=\*)|\?(?=\?)", r"\g<0> ", plain_line(text).replace("\\", "/"))


def c_string(text: str) -> str:
    """A string of C, with its quotes, of exactly this text in UTF-8."""
    data = text.encode(errors="replace")
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data) + '"'


def python_text(text: object) -> str:
    """A text within a string of Python, between quotes of any kind."""
    return re.sub(r"[\\\"']", r"\\\g<0>", plain_line(text))


def markup(text: object) -> str:
    """A text within HTML, SVG or XML, between tags or as an attribute; lines stay lines."""
    return html.escape(_NOT_IN_MARKUP.sub(" ", str(text)))


def markup_comment(text: object) -> str:
    """A text within a comment of HTML or XML."""
    return re.sub("-{2,}", "-", plain_line(text))


def script_data(value: Any) -> str:
    """A value as JSON that may be an element's text in HTML, or a value in JavaScript."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", text)


def markdown_cell(text: object) -> str:
    """A text as a cell of a table in Markdown."""
    return markup(plain_line(text)).replace("|", "&#124;").replace("`", "&#96;")


def csv_cell(value: Any) -> Any:
    """A cell that spreadsheets show as it is: an apostrophe before a text that they would take for a formula."""
    if not isinstance(value, str):
        return value
    text = plain_line(value)
    return f"'{text}" if _FORMULA.match(text) else text


def csv_table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A .csv file of rows by column, whose cells are escaped; what a row lacks is empty, and what else it has is left
    out."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(row.get(name, "")) for name in columns] for row in rows)
    return text.getvalue().encode()


def shell_words(*words: object) -> str:
    """Words of a command as a user can copy it, each in quotes where it needs them."""
    return " ".join(shlex.quote(plain_line(word)) for word in words)


def completed_words(words: Iterable[str]) -> str:
    """Words that a shell may offer, a space between them; without those that would need quotes."""
    return " ".join(word for word in words if re.fullmatch(r"[\w.:+=,/@%-]+", word, re.ASCII))


def fish_string(text: object) -> str:
    """A string of the shell fish, with its quotes."""
    return "'" + re.sub(r"[\\']", r"\\\g<0>", plain_line(text)) + "'"


def file_stem(name: str) -> str:
    """A name as that of a file: letters, digits, and ``-_.`` within it."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")
    return plain[:100] or "controller"
