"""Reads the C++ that Warp generates for the CPU: its structures, and its functions statement by statement."""

import re
from dataclasses import dataclass, field
from itertools import count

from footfall.embedded.tree import Call, Field, Literal, Name, Operation, Target, Tree, changed, parse
from footfall.embedded.vocabulary import TAKEN, c_type, resolved
from footfall.errors import FootfallError


@dataclass(frozen=True)
class Structure:
    """A structure: its name in C and its fields, (type, name)."""

    name: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Statement:
    """A statement.

    Attributes:
        kind: "set" (target = value), "do" (value), "if" (opens a block), "else", "end" (of a block), "goto" (if value,
            where there is one), "label", "return", or "comment".
        target: a variable, or what is behind a pointer. value: an expression. text: of a comment or a label.
    """

    kind: str
    target: Tree | None = None
    value: Tree | None = None
    text: str = ""


@dataclass
class Function:
    """A function in C++ of Warp's making.

    Attributes:
        name: in C. result: its type. parameters: (type, name). types: of all variables. body: its statements.
    """

    name: str
    result: str
    parameters: tuple[tuple[str, str], ...]
    types: dict[str, str]
    body: list[Statement] = field(default_factory=list)


@dataclass(frozen=True)
class Native:
    """A function that was given to Warp as C++: its text after the arguments."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    text: str


@dataclass(frozen=True)
class Unit:
    """All of a file: structures and functions in an order in which each knows those that it uses."""

    structures: tuple[Structure, ...]
    functions: tuple[Function | Native, ...]


_STRUCT = re.compile(r"^struct (\w+)\n\{\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
_FUNCTION = re.compile(
    r"^static (?:CUDA_CALLABLE )?([\w:<>, ]+?) (\w+)\(\n(.*?)\)\n\{\n(.*?)\}\n\n\n", re.MULTILINE | re.DOTALL
)
_REFERENCE = re.compile(r"^ *[\w:<>, ]+& \w+ = \*_wp_ref_\w+;\n", re.MULTILINE)


def read_unit(text: str) -> Unit:
    """The structures and functions of a text; kernels and derivatives are left out."""
    names = _Names()
    structures: list[Structure] = []
    text = text.partition("\nstruct wp_args_")[0] + "\n\n"
    for found in _STRUCT.finditer(text):
        names.structures[found[1]] = names.short(found[1])
        fields = (line.strip().rstrip(";").rpartition(" ") for line in found[2].splitlines())
        members = tuple((c_type(kind, names.structures), name) for kind, _, name in fields)
        structures.append(Structure(names.structures[found[1]], members))
    functions: list[Function | Native] = []
    for found in _FUNCTION.finditer(text):
        if found[2].startswith("adj_"):
            continue
        names.functions[found[2]] = names.short(found[2])
        functions.append(_function(found[1], found[2], found[3], found[4], names))
    return Unit(tuple(structures), tuple(functions))


class _Names:
    """Short names in C for long ones in C++."""

    def __init__(self) -> None:
        self.structures: dict[str, str] = {}
        self.functions: dict[str, str] = {}
        self._taken = set(TAKEN)

    def short(self, name: str) -> str:
        """The last part of a name without Warp's numbers, counted where it is there already."""
        plain = re.sub(r"(_[0-9a-f]{12})?_(\d+|[0-9a-f]{8})$", "", name.rpartition("__locals__")[2])
        found = plain
        for k in count(2):
            if found not in self._taken:
                break
            found = f"{plain}_{k}"
        self._taken.add(found)
        return found


def _function(result: str, name: str, parameters: str, body: str, names: _Names) -> Function | Native:
    listed = [line.strip().rstrip(",") for line in parameters.splitlines()]
    given = tuple((c_type(kind, names.structures), own) for kind, own in (_declared(line) for line in listed))
    if "// primal vars" not in body:
        return Native(names.functions[name], given, _REFERENCE.sub("", body))
    declarations, _, forward = body.partition("    // forward\n")
    function = Function(names.functions[name], c_type(result, names.structures), given, {n: t for t, n in given})
    for line in declarations.splitlines():
        text = line.strip().rstrip(";")
        if not text or text.startswith("//"):
            continue
        declared, _, value = text.partition(" = ")
        kind, own = _declared(declared)
        function.types[own] = c_type(kind, names.structures)
        if value:
            constant = _listed(function.types[own], value) if value.endswith("}") else parse(value)
            function.body.append(Statement("set", Name(own), _in_c(constant, function.types, names)))
    for line in forward.splitlines():
        if line.strip():
            function.body.append(_statement(line.strip(), function.types, names))
    return function


def _declared(text: str) -> tuple[str, str]:
    """Type and name of a declaration."""
    kind, _, name = text.rpartition(" ")
    return kind.strip().removesuffix(" const"), name.removeprefix("_wp_ref_")


def _listed(kind: str, text: str) -> Tree:
    """The value of ``{1, 2, 3}``, of the type that is declared."""
    return Call(f"{kind}{{}}", tuple(parse(part) for part in text.partition("{")[2].rstrip("}").split(",")))


def _statement(line: str, types: dict[str, str], names: _Names) -> Statement:
    def read(text: str) -> Tree:
        return _in_c(parse(text), types, names)

    if line.startswith("//"):
        return Statement("comment", text=re.sub(r"\s*<L \d+>$", "", line[2:].strip()))
    if line == "}":
        return Statement("end")
    if line == "} else {":
        return Statement("else")
    if found := re.fullmatch(r"if \((.*)\) \{", line):
        return Statement("if", value=read(found[1]))
    if found := re.fullmatch(r"(?:if \((.*)\) )?goto (\w+);", line):
        return Statement("goto", value=read(found[1]) if found[1] else None, text=found[2])
    if found := re.fullmatch(r"(\w+):;", line):
        return Statement("label", text=found[1])
    if found := re.fullmatch(r"return(?: (.+))?;", line):
        return Statement("return", value=read(found[1]) if found[1] else None)
    if found := re.fullmatch(r"([\w.()*]+) ([-+*/]?)= (.+);", line):
        target, value = parse(found[1]), read(found[3])
        return Statement("set", target, Operation(found[2], (target, value)) if found[2] else value)
    if not line.endswith(");"):
        raise FootfallError(f"the law's C++ has '{line}', which export to C cannot read")
    call = parse(line[:-1])
    match call:
        case Call("wp::store", (pointer, value)):
            return Statement("set", Target(pointer), value)
        case Call("wp::assign", (target, value)):
            return Statement("set", target, value)
        case Call("wp::assign_inplace", (vector, index, value)):
            return Statement("set", Operation("[]", (vector, index)), value)
    return Statement("do", value=_in_c(call, types, names))


def _in_c(tree: Tree, types: dict[str, str], names: _Names) -> Tree:
    """An expression with Warp's functions replaced."""

    def change(part: Tree) -> Tree:
        match part:
            case Call("wp::load", (pointer,)):
                return Target(pointer)
            case Call("wp::indexref", (pointer, index)):
                return Operation("&", (Operation("[]", (Target(pointer), index)),))
            case Call(function, arguments) if function in names.functions:
                return Call(names.functions[function], arguments)
            case Call():
                return resolved(part, [_type(a, types) for a in part.arguments], names.structures)
        return part

    return changed(tree, change)


def _type(tree: Tree, types: dict[str, str]) -> str:
    """The type of an argument, which is a variable, a number or the address of a variable."""
    match tree:
        case Name(name):
            return types[name]
        case Literal(text):
            return "bool" if text in ("true", "false") else "int" if re.fullmatch(r"-?\d+", text) else "double"
        case Operation("&", (inner,)):
            return _type(inner, types) + " *"
        case Field() | Target():
            return ""
    return ""
