"""The files of an exported controller: ``NAME.h`` with its interface, ``NAME.c`` with its law and numbers, and a script
that walks a figure's file in MuJoCo with them, without footfall.

An exported controller of an adopted body takes the file's own states and gives torques in the file's own joints. Where
footfall's root is and how it moves follows from the file's kinematics, which are written out as they are for the figure
itself; joints are turned by their signs and moved by their offsets.
"""

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from string import Template

import numpy as np

from footfall.control.kind import Controller
from footfall.control.law import Law
from footfall.dynamics.expressions import Expression, Graph
from footfall.dynamics.mechanism import Mechanism
from footfall.dynamics.recursion import motions
from footfall.dynamics.spatial import add, matmul, matvec
from footfall.embedded.c99 import plain_c
from footfall.embedded.control import ControlInC, control_in_c
from footfall.embedded.tree import TAKEN
from footfall.errors import FootfallError
from footfall.escaping import c_comment, c_string, plain_line, python_text
from footfall.figures import Figure
from footfall.figures.adoption import Adoption


class CProgram:
    """An exported controller.

    Attributes:
        control: the law in C.
        file: name of the files, without suffix.
        name: what all its names in C begin with.
    """

    def __init__(self, control: ControlInC, file: str) -> None:
        self.control, self.file, self.name = control, file, c_name(file)
        figure = control.figure
        self.joints = [joint for joint in figure.joints if joint.actuated]
        for joint in self.joints:
            if joint.ndof != 1:
                raise FootfallError(
                    f"controller '{control.controller.name}': joint '{joint.name}' is a {joint.kind}; "
                    "export to C drives hinges and slides"
                )

    @cached_property
    def original(self) -> dict[str, str]:
        """What the templates of an adopted figure leave open; empty for footfall's own figures."""
        figure, adoption, name, big = self.control.figure, self.control.figure.adoption, self.name, self.name.upper()
        if adoption is None:
            return {}
        qpos, qvel = self.control.start
        joints = [adoption.joints[joint.name] for joint in self.joints]
        start_qpos, start_qvel = adoption.to_original_qpos(qpos), adoption.to_original_qvel(qpos, qvel)
        tables = [
            _table("char *const", f"{name}_original_joint_names[{big}_NU]", (c_string(j.name) for j in joints)),
            _table("double", f"{name}_original_sign[{big}_NU]", (_number(j.sign) for j in joints)),
            _table("double", f"{name}_original_offset[{big}_NU]", (_number(j.offset) for j in joints)),
            _table("double", f"{name}_original_start_qpos[{big}_ORIGINAL_NQ]", map(_number, start_qpos)),
            _table("double", f"{name}_original_start_qvel[{big}_ORIGINAL_NV]", map(_number, start_qvel)),
        ]
        return {
            "source_file": c_comment(adoption.source.name),
            "original_nq": str(adoption.original.nq),
            "original_nv": str(adoption.original.nv),
            "root": "\n  ".join(plain_c(_root(adoption)).splitlines()),
            "root_out": "\n  ".join(_PLANAR if adoption.planar else _FREE),
            "joints_out": "\n  ".join(_joints(figure, adoption)),
            "soles_out": "\n    ".join(_turned_back(adoption)),
            "original_tables": "\n".join(tables),
            "quaternion_text": "" if adoption.planar else _template("quaternion.c"),
        }

    @property
    def title(self) -> str:
        """What it is, in a line."""
        controller = self.control.controller
        return f"{controller.name}: a controller for {self.control.figure.name}, law '{controller.law}'"

    @property
    def header(self) -> str:
        """``NAME.h``."""
        return self._filled("template.h")

    @property
    def source(self) -> str:
        """``NAME.c``."""
        return self._filled("template.c")

    def _filled(self, file: str) -> str:
        words = self.words
        text = _template(file)
        if self.original:
            text = text.replace("$original\n", _template(file.replace("template", "original")))
        text = Template(text).substitute(words | {"original": ""})
        return re.sub(r"\n{3,}", "\n\n", text)

    @property
    def words(self) -> dict[str, object]:
        """What the templates leave open."""
        control, figure, law = self.control, self.control.figure, self.control.law
        controller, name = control.controller, self.name
        accelerating = _ACCELERATING if control.feels_accelerations else _UNACCELERATED
        library = law.library.size > 1
        return {
            "name": name,
            "NAME": name.upper(),
            "file": self.file,
            "title": c_comment(self.title),
            "about": _comment(controller.about) or "A controller.",
            "version": version("footfall"),
            "rate": f"{control.dt:g} s apart or so",
            "model_nq": self.original.get("original_nq", figure.nq),
            "model_nv": self.original.get("original_nv", figure.nv),
            "nq": figure.nq,
            "nv": figure.nv,
            "nu": len(self.joints),
            "points": len(control.points),
            "coordinates": 3 * len(control.points),
            "numbers": law.parameters.size,
            "memory": law.memory.size,
            "qpos": _ROOT_QPOS[figure.root],
            "qvel": _ROOT_QVEL[figure.root],
            "remembered": c_comment(", ".join(law.memory_names[:8])) or "the law's own state",
            "indices": self._indices(),
            **{key: text.replace("$nv", str(figure.nv)) for key, text in accelerating.items()},
            "library": "shared_numbers" if library else "none",
            "start_memory": _numbers(law.memory),
            "law": control.text,
            "tables": self._tables(),
            "original": "original_" if self.original else "",
            **self.original,
        }

    def _indices(self) -> str:
        """Places of the numbers that people change while a controller runs: those with a plain name and one place."""
        law, lines = self.control.law, []
        for path in law.parameter_names:
            cells = places_of(law, path) if path.isidentifier() and path.isascii() else []
            if len(cells) == 1 and cells[0][1] == 1.0:
                lines.append(f"  {self.name.upper()}_{path.upper()} = {cells[0][0]}")
        if not lines:
            return ""
        return "/* Where in the parameters some of them are. */\nenum {\n" + ",\n".join(lines) + "\n};\n"

    def _tables(self) -> str:
        control, name, joints = self.control, self.name, self.joints
        qpos, qvel = control.start
        big = name.upper()
        lines = [
            _table("char *const", f"{name}_joint_names[{big}_NU]", (c_string(j.name) for j in joints)),
            _table("int", f"{name}_joint_qpos[{big}_NU]", (str(j.qpos) for j in joints)),
            _table("int", f"{name}_joint_qvel[{big}_NU]", (str(j.dof) for j in joints)),
            _table("double", f"{name}_torque_limit[{big}_NU]", (_number(j.torque_limit) for j in joints)),
            _table("char *const", f"{name}_point_names[{big}_POINTS]", map(c_string, control.points)),
            _table("double", f"{name}_start_qpos[{big}_NQ]", (_number(x) for x in qpos)),
            _table("double", f"{name}_start_qvel[{big}_NV]", (_number(x) for x in qvel)),
            f"const double {name}_dt = {_number(control.dt)};",
            self._parameters(),
        ]
        library = control.law.library
        if library.size > 1:
            lines.append(f"static const double library_data[] = {{{_numbers(library.ravel())}}};")
            lines.append(f"#define shared_numbers ((array2){{library_data, {library.shape[1]}}})")
        return "\n".join(lines)

    def _parameters(self) -> str:
        """The controller's numbers, each with the name that it has in its file."""
        law = self.control.law
        named: dict[int, tuple[int, str]] = {}
        for path in law.parameter_names:
            cells = places_of(law, path)
            for cell, _ in cells:
                if cell not in named or len(cells) < named[cell][0]:
                    named[cell] = len(cells), path
        rows = (
            f"  {_number(value)},{f'  /* {c_comment(named[k][1])} */' if k in named else ''}"
            for k, value in enumerate(law.parameters)
        )
        return "\n".join([f"const double {self.name}_parameters[{self.name.upper()}_NUMBERS] = {{", *rows, "};"])


_ACCELERATING = {
    "more_state": "  double qvel[$nv];              /* of the last step */\n  int begun;\n",
    "more_init": "  state->begun = 0;\n",
    "more_step": "  for (int i = 0; i < $nv; ++i) state->qvel[i] = qvel[i];\n  state->begun = 1;\n",
    "acceleration": "state->begun ? (qvel[i] - state->qvel[i]) / dt : 0.0",
}
"""What a law adds that reads the last step's accelerations."""
_UNACCELERATED = dict.fromkeys(_ACCELERATING, "") | {"acceleration": "0.0"}
_ROOT_QPOS = {
    "planar": "x, z and the pitch of the root, then the joints",
    "free": "the root's position x y z and quaternion w x y z, then the joints",
    "fixed": "the joints",
}
_ROOT_QVEL = {
    "planar": "their rates",
    "free": "the root's velocity along the world's axes, its angular velocity along its own, then the joints",
    "fixed": "their rates",
}


def c_program(controller: Controller, figure: Figure, file: str) -> CProgram:
    """A controller on a figure as C99.

    Args:
        controller: one that gives torques and sees no ground ahead.
        figure: what it drives.
        file: name of the files, without suffix; names in C begin with it.
    """
    c_name(file)
    return CProgram(control_in_c(controller, figure), file)


def places_of(law: Law, path: str) -> list[tuple[int, float]]:
    """Where a parameter is in a law's row; nowhere for a name that fits no number of this controller, such as hold
    where every state ends by contact."""
    try:
        return law.cells(path)
    except FootfallError:
        return []


def _template(file: str) -> str:
    return (files("footfall.embedded") / file).read_text(encoding="utf-8")


def c_name(file: str) -> str:
    """A file's name as names in C begin with it."""
    name = re.sub(r"\W", "_", file, flags=re.ASCII).lower()
    if not re.fullmatch(r"[a-z]\w*", name) or name in TAKEN or not re.fullmatch(r"[\w .,+@()=-]+", file):
        raise FootfallError(
            f"'{plain_line(file)}': names in C begin with it, so it must begin with a letter, be no word of C and "
            "hold no special characters"
        )
    return name


def _number(value: float) -> str:
    if math.isinf(value):
        return "HUGE_VAL" if value > 0 else "-HUGE_VAL"
    return repr(float(value))


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(_number(x) for x in values)


def _table(kind: str, name: str, entries: Iterable[str]) -> str:
    lines, line = [], "  "
    for entry in entries:
        if len(line) + len(entry) > 116:
            lines.append(line.rstrip())
            line = "  "
        line += f"{entry}, "
    return "\n".join([f"const {kind} {name} = {{", *lines, line.rstrip(), "};"])


def _comment(text: str) -> str:
    """Text as the lines of a comment."""
    return "\n * ".join(textwrap.wrap(c_comment(" ".join(text.split())), 110))


def runner_script(program: CProgram) -> str:
    """The text of ``run_NAME.py``, which needs MuJoCo, numpy and a C compiler."""
    return Template(_template("runner.py.txt")).substitute(program.words | {"title": python_text(program.title)})


# -- the way back to an adopted robot's file: footfall's root and joints from the file's own states --------------------

_FREE = [
    "quaternion_of(r, ours_qpos + 3);",
    "for (int i = 0; i < 3; ++i) {",
    "  ours_qpos[i] = r[9 + i];",
    "  ours_qvel[i] = r[12 + i];",
    "  ours_qvel[3 + i] = r[i] * r[15] + r[3 + i] * r[16] + r[6 + i] * r[17];",
    "}",
]
_PLANAR = [
    "ours_qpos[0] = r[9];",
    "ours_qpos[1] = r[11];",
    "ours_qpos[2] = -atan2(r[2], r[0]);",
    "ours_qvel[0] = r[12];",
    "ours_qvel[1] = r[14];",
    "ours_qvel[2] = -r[16];",
]


def _root(adoption: Adoption) -> str:
    """C++ that sets r [18]: rotation, position, velocity and angular velocity of footfall's root in its world."""
    graph, model, hub = Graph(), adoption.original, adoption.hub - 1
    qpos = [graph.symbol(f"qpos[{k}]") for k in range(model.nq)]
    qvel = [graph.symbol(f"qvel[{k}]") for k in range(model.nv)]
    moving = motions(Mechanism(graph, model, np.zeros((0, 3)), []), qpos, qvel)

    def constants(matrix: np.ndarray) -> tuple[tuple[Expression, ...], ...]:
        clean = np.where(np.abs(matrix) < 1e-15, 0.0, matrix)
        return tuple(tuple(graph.constant(float(x)) for x in row) for row in clean)

    turn, hub_turn = constants(adoption.turn), constants(adoption.hub_turn.T)
    at = moving.point(hub, tuple(graph.constant(float(x)) for x in adoption.hub_position))  # type: ignore[arg-type]
    rotation = matmul(matmul(turn, moving.rotation[hub]), hub_turn)  # type: ignore[arg-type]
    values = [
        *(entry for row in rotation for entry in row),
        *matvec(turn, add(moving.origin, at)),  # type: ignore[arg-type]
        *matvec(turn, moving.point_velocity(hub, at)),  # type: ignore[arg-type]
        *matvec(turn, moving.velocity[hub][:3]),  # type: ignore[arg-type]
    ]
    return graph.print([(f"r[{k}]", value) for k, value in enumerate(values)])


def _joints(figure: Figure, adoption: Adoption) -> list[str]:
    """C that sets the joints of ours_qpos and ours_qvel."""
    lines = []
    for name, joint in adoption.joints.items():
        at, dof, width = adoption.layout[name]
        if width == 4:
            raise FootfallError(
                f"figure '{figure.name}': joint '{joint.name}' is a ball; export to C takes files of hinges and slides"
            )
        offset = f" - {joint.offset!r}" if joint.offset > 0 else f" + {-joint.offset!r}" if joint.offset else ""
        sign = "-" if joint.sign < 0 else ""
        bracketed = f"({{}}{offset})" if offset and sign else f"{{}}{offset}"
        lines.append(f"ours_qpos[{at}] = {sign}{bracketed.format(f'qpos[{joint.qpos}]')};")
        lines.append(f"ours_qvel[{dof}] = {sign}qvel[{joint.dof}];")
    return lines


def _turned_back(adoption: Adoption) -> Sequence[str]:
    """C that turns a position ``at`` from footfall's world to the file's, into ``position``."""
    rows = adoption.turn.T
    terms = [[f"({float(x)!r}) * at[{k}]" for k, x in enumerate(row) if abs(x) > 1e-15] for row in rows]
    return [f"position[{i}] = {' + '.join(parts)};" for i, parts in enumerate(terms)]
