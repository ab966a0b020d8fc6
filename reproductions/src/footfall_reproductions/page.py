"""The report of all papers as one HTML page that needs nothing else: rows, rules, pictures, machine and versions."""

import base64
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files as resources
from pathlib import Path
from string import Template

from footfall.escaping import markup
from footfall.text_files import write_whole
from footfall_reproductions import PAPERS
from footfall_reproductions.claims import paper_claims
from footfall_reproductions.headline import count_states, headline, number_with_unit
from footfall_reproductions.row import STATES, Row
from footfall_reproductions.sources import machine

_CLASSES = {"holds": "holds", "holds, near its bound": "near", "does not hold": "fails"}
_KINDS = {".png": "image/png", ".svg": "image/svg+xml", ".gif": "image/gif", ".mp4": "video/mp4", ".webm": "video/webm"}
LIMBS = {
    "": "",
    "solid": "solid: they touch each other",
    "passing": "they pass through each other",
    "plane": "in the plane they pass each other",
    "model": "a model without limbs that collide",
}
"""What the limbs of a row do, as text."""
LARGEST = 8_000_000
"""Bytes of a picture or film that is still put into the page; larger ones are linked."""


def write_page(
    path: Path,
    rows: Mapping[str, Sequence[Row]],
    files: Mapping[str, Sequence[str]],
    errors: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Path:
    """Write the page.

    Args:
        path: the file.
        rows: by paper.
        files: pictures and films by paper, beside the page.
        errors: parts that could not be measured.
        notes: on the run as a whole, such as how long it took.
    """
    every = [row for own in rows.values() for row in own]
    tiles = "".join(
        f'<div class="tile {_class(state)}"><b>{n}</b>{markup(state)}</div>'
        for state, n in count_states([r for r in every if r.from_paper]).items()
    )
    about = " · ".join([*(f"{name} {value}" for name, value in machine().items()), *notes])
    page = Template(resources("footfall_reproductions").joinpath("page.html").read_text(encoding="utf-8"))
    text = page.substitute(
        machine=markup(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC · {about}"),
        tiles=tiles,
        errors="".join(f'<p class="fails">{markup(e)}</p>' for e in errors),
        papers="".join(f"<option>{markup(name)}</option>" for name in rows),
        states="".join(f"<option>{markup(state)}</option>" for state in STATES),
        body="".join(_section(name, own, files.get(name, ()), path.parent) for name, own in rows.items()),
    )
    write_whole(path, text.encode())
    return path


def _section(name: str, rows: Sequence[Row], files: Sequence[str], folder: Path) -> str:
    claims = paper_claims(PAPERS[name])
    head = "<tr><th>state</th><th>what</th><th>paper</th><th>measured</th><th>limbs pass</th></tr>"
    columns = '<col class="state"><col class="what"><col class="paper"><col class="measured"><col class="passing">'
    table = "".join(_row(name, row) for row in sorted(rows, key=lambda row: not row.from_paper))
    missing = [c for c in claims.claims if c.why_not]
    parts = [
        f'<section id="{markup(name)}"><h2>{markup(claims.paper if claims.claims else name)}</h2>',
        f"<p>{markup(headline(name, rows))}</p><p><code>footfall reproduce {markup(name)} --out report</code></p>",
        f"<table><colgroup>{columns}</colgroup><thead>{head}</thead><tbody>{table}</tbody></table>",
    ]
    if missing:
        items = "".join(
            f"<li>{markup(c.section)}: {markup(c.text)}. <span class=soft>{markup(c.why_not)}</span></li>"
            for c in missing
        )
        parts.append(f"<details><summary><b>Not reproduced ({len(missing)})</b></summary><ul>{items}</ul></details>")
    if files:
        parts.append(f'<div class="pictures">{"".join(_picture(folder, f) for f in files)}</div>')
    return "".join(parts) + "</section>"


def _row(paper: str, row: Row) -> str:
    parts = {
        "claim": row.claim,
        "source": row.source or "not said",
        "rule": row.rule or row.what,
        "departures": row.departures or "none known",
        "rule changed": row.changed,
        "note": row.note,
        "ending": row.ending,
        "limbs": LIMBS[row.limbs],
    }
    lines = "".join(f"<dt>{name}</dt><dd>{markup(text)}</dd>" for name, text in parts.items() if text)
    command = f"footfall reproduce {paper} --row {row.id}"
    took = f" ({row.seconds:g} s with the rows measured beside it)" if row.seconds is not None else ""
    lines += f"<dt>command</dt><dd><code>{markup(command)}</code>{took}</dd>"
    source, mark = ("paper", "") if row.from_paper else ("own", "<div class=soft>ours or derived</div>")
    return (
        f'<tr id="{markup(paper)}/{markup(row.id)}" data-paper="{markup(paper)}" data-state="{markup(row.state)}" '
        f'data-source="{source}"><td class="state {_class(row.state)}">{markup(row.state)}{mark}</td>'
        f"<td><details><summary><b>{markup(row.id)}</b> {markup(row.what)}</summary><dl>{lines}</dl></details></td>"
        f"<td>{markup(number_with_unit(row.paper, row.unit))}</td>"
        f"<td>{markup(number_with_unit(row.measured, row.unit))}{_rate(row)}</td>"
        f"<td>{_passing(row)}</td></tr>"
    )


def _passing(row: Row) -> str:
    other = row.passing
    if other is None:
        return ""
    state = f'<div class="state {_class(other.state)}">{markup(other.state)}</div>'
    return f"{markup(number_with_unit(other.measured, other.unit))}{state}"


def _rate(row: Row) -> str:
    if row.rate is None or row.interval is None:
        return ""
    low, high = row.interval
    bound = "" if row.bound is None else f'<s style="left:{100 * row.bound:.1f}%"></s>'
    counted = f"{row.passed} of {row.tried}"
    before = "" if str(row.measured) == counted else f"{counted}, "
    return (
        f"<div class=soft>{before}{low:.0%} to {high:.0%}</div>"
        f'<div class="bar {_class(row.state)}">'
        f'<i style="left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"></i>'
        f'<u style="left:{100 * row.rate:.1f}%"></u>{bound}</div>'
    )


def _picture(folder: Path, name: str) -> str:
    path, kind = folder / name, _KINDS.get(Path(name).suffix.lower())
    caption = f"<figcaption>{markup(Path(name).stem.replace('-', ' '))}</figcaption>"
    if kind is None or not path.is_file() or path.stat().st_size > LARGEST:
        return f'<figure><a href="{markup(name)}">{markup(name)}</a>{caption}</figure>'
    data = f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
    if kind.startswith("video"):
        return f'<figure><video controls preload="metadata" src="{data}"></video>{caption}</figure>'
    return f'<figure><img loading="lazy" src="{data}" alt="{markup(Path(name).stem)}">{caption}</figure>'


def _class(state: str) -> str:
    return _CLASSES.get(state, "none")
