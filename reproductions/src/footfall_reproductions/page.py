"""The report of all papers as one HTML page that needs nothing else: rows, rules, pictures, machine and versions."""

import base64
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files as resources
from pathlib import Path

from footfall.escaping import markup
from footfall.text_files import write_whole
from footfall_reproductions import PAPERS
from footfall_reproductions.claims import paper_claims
from footfall_reproductions.headline import count_states, headline, number_with_unit, rows_that_hold
from footfall_reproductions.row import STATES, Row
from footfall_reproductions.sources import machine

_CLASSES = {"holds": "holds", "holds, near its bound": "near", "does not hold": "fails"}
_KINDS = {".png": "image/png", ".svg": "image/svg+xml", ".gif": "image/gif", ".mp4": "video/mp4", ".webm": "video/webm"}
_IMAGES = {kind for kind, name in _KINDS.items() if name.startswith("image")}
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
    measured: Mapping[str, str] | None = None,
) -> Path:
    """Write the page.

    Args:
        path: the file.
        rows: by paper.
        files: pictures and films by paper, beside the page; the first one stands beside the paper's counts.
        errors: parts that could not be measured.
        notes: on the run as a whole, such as how long it took.
        measured: by paper when, on which machine and in how long.
    """
    from footfall.pictures.web_page import Verdict, report_page, table_section

    every = [row for own in rows.values() for row in own]
    papers = [row for row in every if row.from_paper]
    counts = count_states(papers)
    tiles = "".join(f'<div class="card {_class(s)}"><b>{n}</b>{markup(s)}</div>' for s, n in counts.items())
    options = ("".join(f"<option>{markup(one)}</option>" for one in many) for many in (rows, STATES))
    verdict = Verdict(
        f"tables and claims of {'one paper' if len(rows) == 1 else f'{len(rows)} papers'}, measured again",
        "; ".join([f"{len(every)} rows, {len(papers)} of them from the papers", *notes]),
        f"{rows_that_hold(papers)} rows of the papers that a rule judges",
        question="do they hold?",
    )
    about = " · ".join(f"{name} {value}" for name, value in machine().items())
    body = [
        f'<div class="tiles">{tiles}</div>',
        "".join(f'<p class="fails">{markup(error)}</p>' for error in errors),
        _FILTERS.format(*options),
        table_section("Papers", _papers(rows, measured or {})),
        *(
            _section(name, own, files.get(name, ()), path.parent, (measured or {}).get(name, ""))
            for name, own in rows.items()
        ),
        f'<h2>How to read this</h2><div class="card soft"><p>{markup(_READING)}</p>'
        f"<p>This page was written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC: {markup(about)}</p></div>",
    ]
    home = resources("footfall_reproductions")
    style, script = (home.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    page = report_page("The papers measured again", verdict, "".join(body), style=style, script=script)
    write_whole(path, page.encode())
    return path


_FILTERS = (
    '<form id="filters" class="card"><label>paper <select name="paper"><option value="">all</option>{}</select></label>'
    '<label>source <select name="source"><option value="">all</option><option value="paper">a paper</option>'
    '<option value="own">ours or derived</option></select></label>'
    '<label>state <select name="state"><option value="">all</option>{}</select></label>'
    '<label>find <input name="text" type="search" placeholder="words or row id"></label>'
    '<span class="soft" id="count"></span></form>'
)
_READING = (
    "Each row is a number or claim, judged by the rule that it states; a row opens to its source, rule, departures and "
    "command. Counts are of rows whose source is a paper; rows that are our own or from derived facts are marked. A "
    "claim of the kind “it walks” was tried from disturbed starts and with several steps: the bar shows the share that "
    "passed with its 95 % confidence interval, the red line the share that the rule asks for. Bodies in space have "
    "limbs that touch each other; where a row was measured with limbs that pass through each other too, the last "
    "column has it."
)


def _papers(rows: Mapping[str, Sequence[Row]], measured: Mapping[str, str]) -> str:
    """A line for each paper: how many of its rows hold, how many of the others, and when and where it was measured."""
    names = ("paper", "its rows that hold", "other rows that hold", "measured", "command")
    head = f"<tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>"
    lines = []
    for name, own in rows.items():
        counts = (rows_that_hold([row for row in own if row.from_paper is paper]) for paper in (True, False))
        command = f"<code>footfall reproduce {markup(name)}</code>"
        values = (*map(markup, counts), markup(measured.get(name, "")), command)
        cells = "".join(_cell(word, value) for word, value in zip(names[1:], values, strict=True))
        lines.append(f'<tr><td><a href="#{markup(name)}">{markup(_title(name))}</a></td>{cells}</tr>')
    return f'<table class="rows"><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table>'


def _cell(name: str, value: str) -> str:
    """A cell of a table, which has the name of its column where the table is too narrow for columns."""
    return f'<td data-name="{name}">{value}</td>'


def _title(name: str) -> str:
    claims = paper_claims(PAPERS[name])
    return claims.paper if claims.claims else name


def _section(name: str, rows: Sequence[Row], files: Sequence[str], folder: Path, measured: str) -> str:
    names = ["state", "what", "paper", "measured", *(["limbs pass"] if any(row.passing for row in rows) else [])]
    head = f"<tr>{''.join(f'<th>{one}</th>' for one in names)}</tr>"
    columns = "".join(f'<col class="{one.split()[-1]}">' for one in names)
    ordered = sorted(rows, key=lambda row: not row.from_paper)
    table = "".join(_row(name, row, passing=len(names) > 4) for row in ordered)
    missing = [c for c in paper_claims(PAPERS[name]).claims if c.why_not]
    words = f"<p>{markup(headline(name, rows))}</p><p class=soft>{markup(measured)}</p>"
    words += f"<p><code>footfall reproduce {markup(name)} --out report</code></p>"
    if missing:
        items = "".join(
            f"<li>{markup(c.section)}: {markup(c.text)}. <span class=soft>{markup(c.why_not)}</span></li>"
            for c in missing
        )
        words += f"<details><summary><b>Not reproduced ({len(missing)})</b></summary><ul>{items}</ul></details>"
    pictures = [_picture(folder, f) for f in sorted(files, key=lambda f: Path(f).suffix.lower() not in _IMAGES)]
    parts = [
        f'<section id="{markup(name)}"><h2>{markup(_title(name))}</h2>',
        f'<div class="paper{"" if pictures else " alone"}"><div class="card">{words}</div>',
        f"{''.join(pictures[:1])}</div>",
    ]
    if pictures[1:]:
        more = f'<div class="plots">{"".join(pictures[1:])}</div>'
        parts.append(
            f'<details class="card"><summary><b>More pictures ({len(pictures) - 1})</b></summary>{more}</details>'
        )
    region = f'tabindex="0" role="region" aria-label="rows of {markup(name)}"'
    parts.append(
        f'<details class="card" open><summary><b>Rows ({len(rows)})</b></summary><div class="scroll" {region}>'
        f'<table class="rows"><colgroup>{columns}</colgroup><thead>{head}</thead><tbody>{table}</tbody></table>'
        "</div></details>"
    )
    return "".join(parts) + "</section>"


def _row(paper: str, row: Row, *, passing: bool) -> str:
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
    source = "paper" if row.from_paper else "own"
    soft = (row.ending.partition(":")[0].lower(), "" if row.from_paper else "ours or derived")
    mark = "".join(f"<div class=soft>{markup(one)}</div>" for one in soft if one)
    return (
        f'<tr id="{markup(paper)}/{markup(row.id)}" data-paper="{markup(paper)}" data-state="{markup(row.state)}" '
        f'data-source="{source}"><td class="state {_class(row.state)}">{markup(row.state)}{mark}</td>'
        f"<td><details><summary><b>{markup(row.id)}</b> {markup(row.what)}</summary><dl class=facts>{lines}</dl>"
        "</details></td>"
        f"{_cell('paper', markup(number_with_unit(row.paper, row.unit)))}"
        f"{_cell('measured', markup(number_with_unit(row.measured, row.unit)) + _rate(row))}"
        f"{_cell('limbs pass', _passing(row)) if passing else ''}</tr>"
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
        return f'<figure class=card><a href="{markup(name)}">{markup(name)}</a>{caption}</figure>'
    data = f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
    if kind.startswith("video"):
        return f'<figure class=card><video controls preload="metadata" src="{data}"></video>{caption}</figure>'
    return f'<figure class=card><img loading="lazy" src="{data}" alt="{markup(Path(name).stem)}">{caption}</figure>'


def _class(state: str) -> str:
    return _CLASSES.get(state, "none")
