"""A controller with its body as C99: the module of a page (``footfall.live``), printed as C, behind ten functions.

An instance is one structure: the module's memory, the controller's numbers, when pushes end. Its size is fixed, and
what a function needs beyond it lies on the stack.
"""

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from importlib.resources import files
from string import Template
from typing import Any

from footfall.control.kind import Controller
from footfall.embedded.program import c_name
from footfall.embedded.wasm import PAGE, functions_in_c, read_wasm
from footfall.errors import FootfallError
from footfall.escaping import c_comment, c_string
from footfall.figures import Figure
from footfall.live.character import characters_of
from footfall.live.description import description
from footfall.live.modules import module_of

_LOAD = "static KIND load_KIND(walker_t *s, u32 a) { KIND v; memcpy(&v, at(s, a), sizeof v); return v; }"
_HELPERS = {
    **{
        f"load_{kind}": _LOAD.replace("KIND", kind)
        for kind in ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "float", "double")
    },
    **{
        f"store_{kind}": f"static void store_{kind}(walker_t *s, u32 a, {kind} v) {{ memcpy(at(s, a), &v, sizeof v); }}"
        for kind in ("u8", "u16", "u32", "u64", "float", "double")
    },
    **{
        f"bits_{to}": f"static {to} bits_{to}({of} b) {{ {to} v; memcpy(&v, &b, sizeof v); return v; }}"
        for to, of in (("u32", "float"), ("u64", "double"), ("float", "u32"), ("double", "u64"))
    },
    **{
        f"{name}_{kind}": f"static {kind} {name}_{kind}({kind} a, {kind} b) {{ "
        f"return a != a || b != b ? a + b : a == b ? ({sign} ? a : b) : a {order} b ? a : b; }}"
        for kind in ("float", "double")
        for name, order, sign in (("min", "<", "signbit(a)"), ("max", ">", "signbit(b)"))
    },
    "copysign_double": "static double copysign_double(double a, double b) { return copysign(a, b); }",
    "copysign_float": "static float copysign_float(float a, float b) { return copysignf(a, b); }",
    "held": "static double held(double x, double low, double high) "
    "{ return x != x ? 0.0 : x < low ? low : x > high ? high : x; }",
    **{
        f"{name}_{kind}": text.replace("KIND", kind).replace("BITS", str(bits))
        for kind, bits in (("u32", 32), ("u64", 64))
        for name, text in {
            "rotl": "static KIND rotl_KIND(KIND a, KIND n) { n &= BITS - 1; return n ? a << n | a >> (BITS - n) : a; }",
            "rotr": "static KIND rotr_KIND(KIND a, KIND n) { n &= BITS - 1; return n ? a >> n | a << (BITS - n) : a; }",
            "clz": "static KIND clz_KIND(KIND a) { KIND n = 0; "
            "while (n < BITS && !(a >> (BITS - 1 - n) & 1)) ++n; return n; }",
            "ctz": "static KIND ctz_KIND(KIND a) { KIND n = 0; while (n < BITS && !(a >> n & 1)) ++n; return n; }",
            "popcnt": "static KIND popcnt_KIND(KIND a) { KIND n = 0; for (; a; a &= a - 1) ++n; return n; }",
        }.items()
    },
}
"""Small functions of C that operations of a module need; those that are named are written out."""

_FACING = """  {
    const double v[2] = {qvel[0], qvel[1]}, q[4] = {qpos[3], qpos[4], qpos[5], qpos[6]};
    const double ahead = q[0] * q[0] + q[1] * q[1] - q[2] * q[2] - q[3] * q[3];
    const double turn = heading - atan2(2.0 * (q[1] * q[2] + q[0] * q[3]), ahead);
    const double a = cos(turn), b = sin(turn), c = cos(0.5 * turn), d = sin(0.5 * turn);
    if (heading != 0.0) {
      qpos[3] = c * q[0] - d * q[3];
      qpos[4] = c * q[1] - d * q[2];
      qpos[5] = c * q[2] + d * q[1];
      qpos[6] = c * q[3] + d * q[0];
      qvel[0] = a * v[0] - b * v[1];
      qvel[1] = b * v[0] + a * v[1];
      memory[TURNED] += turn;
    }
  }
"""


def physics_in_c(
    controllers: Sequence[Controller], file: str, figure: Figure | None = None, dt: float | None = None
) -> tuple[str, str]:
    """Source and header of controllers with their body.

    Args:
        controllers: those that can be switched between; the first one starts.
        file: name of the files, without suffix; names in C begin with it.
        figure: by default the controllers' own.
        dt: time step, seconds; by default the first controller's.
    """
    name = c_name(file)
    characters = characters_of(controllers, figure, dt=dt)
    if len(characters) > 1:
        raise FootfallError(
            f"these controllers cannot share a program; export them one by one: {', '.join(c.name for c in characters)}"
        )
    (character,) = characters
    module = module_of(character)
    about, wasm = description(character, module.tables), read_wasm(module.wasm)
    functions = functions_in_c(wasm, "walker_t")
    places = {f"t_{table.name}": k for k, table in enumerate(module.tables)}
    room = {table.name: table.shape for table in module.tables}
    turned = "turned" in about["memory"] and about["root"] == "free"
    values = {
        "title": f"{c_comment(', '.join(g['name'] for g in about['gaits']))} on {c_comment(about['figure'])}",
        "about": c_comment(about["gaits"][0]["about"] or "A walker."),
        "version": version("footfall"),
        "name": name,
        "NAME": name.upper(),
        "file": file,
        "bodies": len(about["bodies"]),
        "body_names": c_comment(", ".join(body["name"] for body in about["bodies"])),
        "points": len(about["points"]),
        "point_names": c_comment(", ".join(point["name"] for point in about["points"])),
        "coordinates": c_comment(", ".join(about["coordinates"])),
        "nq": room["qpos"][0],
        "nv": room["qvel"][0],
        "nm": room["memory"][0],
        "cells": wasm.pages * PAGE // 8,
        "size": f"{wasm.pages * PAGE / 1e6:.1f}",
        "numbers": len(about["parameters"]),
        "pushes": room["push_window"][0],
        "gait": c_comment(about["gaits"][0]["name"]),
        "gaits": c_comment(", ".join(gait["name"] for gait in about["gaits"])),
        "faces": "" if turned else ". It faces x: a heading other than 0 is refused",
        "faces_ok": int(turned),
        "path": c_comment(next(iter(about["gaits"][0]["parameters"]), "speed")),
        "helpers": "\n".join(text for word, text in _HELPERS.items() if re.search(rf"\b{word}\b", functions)),
        "functions": functions,
        "data": "\n".join(_bytes(f"data{k}", data) for k, (_, data) in enumerate(wasm.data)),
        "load_data": "\n".join(
            f"    memcpy(at(s, {to}u), data{k}, sizeof data{k});" for k, (to, _) in enumerate(wasm.data)
        ),
        "g0": f"{wasm.globals[0][1]}u",
        "tables": _tables(about, name),
        "gait_count": len(about["gaits"]),
        "path_count": sum(len(gait["parameters"]) for gait in about["gaits"]),
        "place": _place(about, turned),
        "switches": int(about["switches"]),
        "m_request": about["memory"].index("request") if about["switches"] else 0,
        "m_request_time": about["memory"].index("request_time") if about["switches"] else 0,
        **places,
        **wasm.exports,
    }
    source, header = (
        Template((files("footfall.embedded") / f"physics.{end}").read_text(encoding="utf-8")).substitute(values)
        for end in "ch"
    )
    return source, header


def _place(about: dict[str, Any], turned: bool) -> str:
    """C that puts the start over a position and faces it to a heading; with heading 0 as the gait begins."""
    if about["root"] == "free":
        text = _FACING.replace("TURNED", str(about["memory"].index("turned"))) if turned else ""
        return f"{text}  qpos[0] = x;\n  qpos[1] = y;"
    return "  (void)y;\n" + ("  qpos[0] = x;" if about["root"] == "planar" else "  (void)x;")


def _tables(about: dict[str, Any], name: str) -> str:
    gaits = about["gaits"]
    rows = [
        f"const char *const {name}_body_names[] = {{{', '.join(c_string(b['name']) for b in about['bodies'])}}};",
        f"const int {name}_body_parents[] = {{{', '.join(str(b['parent']) for b in about['bodies'])}}};",
        f"const double {name}_dt = {about['dt']!r};",
        _reals("numbers", about["parameters"]),
        _reals("body_row", about["body"]),
        _reals("ground_row", about["ground"]),
        _reals("terrain_row", next(iter(about["terrains"].values()))),
    ]
    for k, gait in enumerate(gaits):
        rows += [_reals(f"{what}{k}", gait["start"][what]) for what in ("qpos", "qvel", "memory")]
    told = ", ".join(f"{{{c_string(gait['name'])}, qpos{k}, qvel{k}, memory{k}}}" for k, gait in enumerate(gaits))
    rows.append(f"static const gait_t gaits[] = {{{told}}};")
    cells: list[int] = []
    paths = []
    for k, gait in enumerate(gaits):
        for path, parameter in gait["parameters"].items():
            paths.append(f"{{{c_string(path)}, {k}, {len(cells)}, {len(parameter['cells'])}}}")
            cells += [index if sign > 0 else -1 - index for index, sign in parameter["cells"]]
    rows.append(f"static const path_t paths[] = {{{_lines(paths)}}};")
    rows.append(f"static const int cells[] = {{{_lines(map(str, cells))}}};")
    return "\n".join(rows)


def _reals(name: str, values: Iterable[float]) -> str:
    return f"static const double {name}[] = {{{_lines(repr(float(v)) for v in values)}}};"


def _bytes(name: str, data: bytes) -> str:
    return f"static const unsigned char {name}[] = {{{_lines(map(str, data))}}};"


def _lines(words: Iterable[str]) -> str:
    """Words in lines of a few."""
    listed = list(words) or ["0"]
    return ",\n  ".join(", ".join(listed[k : k + 16]) for k in range(0, len(listed), 16))
