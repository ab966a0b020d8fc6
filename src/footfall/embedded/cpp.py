"""Reads the C++ that Warp generates for the CPU: its structures, and its functions statement by statement.

Makes the functions that Warp generates shorter without changing what they compute or in which order.

Warp writes one operation a line, each into a variable of its own. Here a variable that is set once and read once goes
into the expression that reads it, unless something between the two could change what it is made of; pointers to fields
go wherever they are used; what nobody reads is left out. A function that only calls others is put where it is called.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from footfall.embedded.tree import (
    TAKEN,
    Call,
    Dereference,
    Literal,
    Member,
    Name,
    Operation,
    Tree,
    c_type,
    changed,
    names_in,
    parse,
    resolved,
    walk,
)
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
        target: a variable, or what is behind a pointer.
        value: an expression.
        text: of a comment or a label.
    """

    kind: str
    target: Tree | None = None
    value: Tree | None = None
    text: str = ""


@dataclass
class Function:
    """A function in C++ of Warp's making.

    Attributes:
        name: in C.
        result: its type.
        parameters: (type, name).
        types: of all variables.
        body: its statements.
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
    r"^static (?:CUDA_CALLABLE )?([\w:<>, ]+?) (\w+)\(\n(.*?)\)\n\{\n(.*?)\}\n\n\n(?!\{)", re.MULTILINE | re.DOTALL
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
            return Statement("set", Dereference(pointer), value)
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
                return Dereference(pointer)
            case Call("wp::indexref", (pointer, index)):
                return Operation("&", (Operation("[]", (Dereference(pointer), index)),))
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
    return ""


def simplified(unit: Unit) -> Unit:
    """The same functions, shorter."""
    parameters = {f.name: tuple(t for t, _ in f.parameters) for f in unit.functions}
    writing = {name for name, kinds in parameters.items() if any(kind.endswith("*") for kind in kinds)}
    functions = [f if isinstance(f, Native) else _shortened(f, writing) for f in unit.functions]
    functions = _flattened(functions)
    return replace(unit, functions=tuple(functions))


def _shortened(function: Function, writing: set[str]) -> Function:
    body = function.body
    while True:
        smaller = _without_unread(_folded(replace(function, body=body), writing), writing)
        if smaller == body:
            break
        body = smaller
    return replace(function, body=_without_empty_blocks(body))


def _folded(function: Function, writing: set[str]) -> list[Statement]:
    """The statements with variables replaced by what they are, where that is safe."""
    sets = Counter(s.target.name for s in function.body if s.kind == "set" and isinstance(s.target, Name))
    sets.update(n for s in function.body for n in _written(s) if not (s.kind == "set" and isinstance(s.target, Name)))
    reads = Counter(n for s in function.body for n in _read(s))
    known: dict[str, Tree] = {}
    waiting: dict[str, Tree] = {}
    body: list[Statement] = []

    def put_in(tree: Tree | None) -> Tree | None:
        return None if tree is None else changed(tree, change)

    def change(part: Tree) -> Tree:
        if isinstance(part, Name):
            part = known.get(part.name, waiting.get(part.name, part))
        match part:
            case Dereference(Operation("&", (inner,))):
                return inner
        return part

    for statement in function.body:
        target = statement.target
        value = put_in(statement.value)
        if statement.kind == "set" and isinstance(target, Name):
            once = sets[target.name] == 1
            steady = value is not None and all(sets[n] <= 1 or _is_place(value) for n in names_in(value))
            pointer = function.types[target.name].endswith("*")
            constant = isinstance(value, Literal) or (pointer and steady and value is not None and _is_address(value))
            if once and constant and value is not None:
                known[target.name] = value
                continue
            if once and reads[target.name] == 1 and value is not None and not _calls(value, writing):
                waiting[target.name] = value
                body.append(replace(statement, value=value))
                continue
        else:
            target = put_in(target)
        new = replace(statement, target=target, value=value)
        body.append(new)
        if _is_barrier(new, sets, writing):
            waiting.clear()
    return body


def _is_address(tree: Tree) -> bool:
    """Whether it is the address of a field or element: nothing is read to find it."""
    if not (isinstance(tree, Operation) and tree.operator == "&"):
        return False
    through = (part.pointer for part in walk(tree) if isinstance(part, Dereference))
    return all(isinstance(p, Name) for p in through) and not any(isinstance(part, Call) for part in walk(tree))


def _is_place(tree: Tree) -> bool:
    """Whether it is the address of a field of a variable: the same wherever the variable's value changes."""
    return _is_address(tree) and not any(isinstance(p, Operation) and p.operator == "[]" for p in walk(tree))


def _calls(tree: Tree, writing: set[str]) -> bool:
    """Whether it calls a function that may write."""
    called = {part.function for part in walk(tree) if isinstance(part, Call)}
    return not called.isdisjoint(writing | {"following"})


def _is_barrier(statement: Statement, sets: Counter[str], writing: set[str]) -> bool:
    """Whether what was read before it may be different after it."""
    if statement.kind == "comment":
        return False
    if statement.kind == "set" and isinstance(statement.target, Name) and sets[statement.target.name] == 1:
        return statement.value is not None and _calls(statement.value, writing)
    return True


def _written(statement: Statement) -> list[str]:
    """Variables that a statement changes in part, or whose address it hands to a function."""
    found = []
    whole = statement.target
    while isinstance(whole, Member) or (isinstance(whole, Operation) and whole.operator == "[]"):
        whole = whole.value if isinstance(whole, Member) else whole.operands[0]
    if isinstance(whole, Name) and whole is not statement.target:
        found.append(whole.name)
    for part in walk(statement.value) if statement.value is not None else ():
        if isinstance(part, Operation) and part.operator == "&" and isinstance(part.operands[0], Name):
            found.append(part.operands[0].name)
    return found


def _read(statement: Statement) -> list[str]:
    found = [] if statement.value is None else names_in(statement.value)
    if statement.target is not None and not isinstance(statement.target, Name):
        found += names_in(statement.target)
    return found


def _without_unread(body: list[Statement], writing: set[str]) -> list[Statement]:
    """The statements less those that set a variable that nobody reads."""
    reads = {n for s in body for n in _read(s)}
    kept = []
    for statement in body:
        unread = statement.kind == "set" and isinstance(statement.target, Name) and statement.target.name not in reads
        if not unread or statement.value is None:
            kept.append(statement)
        elif _calls(statement.value, writing):
            kept.append(Statement("do", value=statement.value))
    return kept


def _without_empty_blocks(body: list[Statement]) -> list[Statement]:
    """The statements less blocks without any, and comments without a statement."""
    while True:
        kept: list[Statement] = []
        for statement in body:
            if statement.kind == "end":
                while kept and kept[-1].kind == "comment":
                    kept.pop()
                if kept and kept[-1].kind == "if":
                    kept.pop()
                    continue
            if statement.kind == "comment" and kept and kept[-1].kind == "comment":
                kept.pop()
            kept.append(statement)
        while kept and kept[-1].kind == "comment":
            kept.pop()
        if kept == body:
            return kept
        body = kept


def _flattened(functions: Sequence[Function | Native]) -> list[Function | Native]:
    """Functions that only call others, with all their own arguments in their order, are put where they are called."""
    inlined: dict[str, list[Tree]] = {}
    kept: list[Function | Native] = []
    for function in functions:
        if isinstance(function, Native):
            kept.append(function)
            continue
        body: list[Statement] = []
        for statement in function.body:
            call = statement.value
            if statement.kind == "do" and isinstance(call, Call) and call.function in inlined:
                body += [
                    Statement("do", value=Call(c.function, call.arguments))
                    for c in inlined[call.function]
                    if isinstance(c, Call)
                ]
            else:
                body.append(statement)
        function = replace(function, body=body)
        own = tuple(Name(name) for _, name in function.parameters)
        calls = [s.value for s in body if s.kind != "comment"]
        if all(isinstance(c, Call) and c.arguments == own for c in calls) and function.result == "void":
            inlined[function.name] = [c for c in calls if c is not None]
        else:
            kept.append(function)
    return kept
