"""Tables as an .xlsx workbook: the few parts of Office Open XML that plain tables need.

openpyxl and XlsxWriter do much more; a workbook of numbers without styles is five small XML files in a zip archive.
"""

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | float | int | None

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_LONGEST = 31
"""Letters of a sheet's name."""
_EARLIEST = (1980, 1, 1, 0, 0, 0)


def write_workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> None:
    """Write a workbook with a sheet for each table; the first row of each is bold."""
    names = _sheet_names(list(sheets))
    parts = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{_KIND}.worksheet+xml"/>'
            for k in range(1, len(names) + 1)
        )
        + "</Types>",
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_RELATIONS}">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name, {chr(34): "&quot;"})}" sheetId="{k}" r:id="rId{k}"/>'
            for k, name in enumerate(names, start=1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_RELATIONS}">'
        + "".join(
            f'<Relationship Id="rId{k}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{k}.xml"/>'
            for k in range(1, len(names) + 1)
        )
        + f'<Relationship Id="rId{len(names) + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>'
        '<cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
    }
    for k, rows in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{k}.xml"] = _sheet(rows)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text.encode())


def _sheet_names(names: list[str]) -> list[str]:
    """Names that a workbook can have: short, without its special characters, and each once."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[\[\]:*?/\\]", "_", name).strip("'")[:_LONGEST] or "sheet"
        base, number = plain, 2
        while plain.lower() in (other.lower() for other in found):
            plain = f"{base[: _LONGEST - 4]} {number}"
            number += 1
        found.append(plain)
    return found


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    lines = []
    for number, row in enumerate(rows, start=1):
        style = ' s="1"' if number == 1 else ""
        cells = "".join(
            _cell(f"{_letters(k)}{number}", value, style) for k, value in enumerate(row) if value is not None
        )
        lines.append(f'<row r="{number}">{cells}</row>')
    frozen = (
        '<sheetViews><sheetView workbookViewId="0">'
        '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>'
        "</sheetView></sheetViews>"
    )
    return f'{_HEAD}<worksheet xmlns="{_MAIN}">{frozen}<sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(place: str, value: Cell, style: str) -> str:
    if isinstance(value, str):
        clean = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", value)
        return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{escape(clean)}</t></is></c>'
    return f'<c r="{place}"{style}><v>{value!r}</v></c>'


def _letters(column: int) -> str:
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name
