"""Prints what was read from Warp's C++ as C99."""

import re
from collections.abc import Iterable

from footfall.embedded.cpp import Function, Native, Statement, Structure, Unit
from footfall.embedded.tree import (
    TAKEN,
    Call,
    Cast,
    Dereference,
    Literal,
    Member,
    Name,
    Operation,
    Tree,
    helper_text,
    names_in,
)
from footfall.errors import FootfallError
from footfall.escaping import c_comment

_LEVELS = {"?": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, "<=": 8, ">": 8, ">=": 8,
           "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11}  # fmt: skip
_PREFIX, _POSTFIX, _ATOM = 12, 13, 14
_MIXED = {"&&", "|", "^", "&", "<<", ">>", "==", "!=", "<", "<=", ">", ">="}
"""Operators whose operands stand in brackets where they are operations: compilers ask for them."""
_BASES = {
    "array2": "typedef struct { const double *data; int columns; } array2;",
    "range": "typedef struct { int at, end, step; } range;",
}


def print_unit(unit: Unit) -> str:
    """The text of its types and functions; all functions are static."""
    functions = [_native(f) if isinstance(f, Native) else _function(f) for f in unit.functions]
    text = "\n\n".join(functions)
    structures = "\n\n".join(_structure(s) for s in unit.structures)
    everything = f"{structures}\n{text}"
    helpers = _helpers(everything)
    everything += "\n".join(helpers)
    bases = [line for name, line in _BASES.items() if re.search(rf"\b{name}\b", everything)]
    vectors = sorted(set(re.findall(r"\b(vec|ints)(\d+)\b", everything)), key=lambda v: (v[0], int(v[1])))
    for kind, size in vectors:
        bases.append(f"typedef struct {{ {'double' if kind == 'vec' else 'int'} v[{size}]; }} {kind}{size};")
    return "\n\n".join(part for part in ("\n".join(bases), structures, "\n".join(helpers), text) if part)


def _helpers(text: str) -> list[str]:
    """The functions that C lacks and the text calls."""
    called = sorted(set(re.findall(r"\b(\w+)\(", text)))
    return [found for name in called if (found := helper_text(name)) is not None]


def _structure(structure: Structure) -> str:
    fields = "\n".join(f"  {kind} {name};" for kind, name in structure.fields)
    return f"typedef struct {{\n{fields}\n}} {structure.name};"


def _declaration(kind: str, name: str) -> str:
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


def _local(name: str) -> str:
    short = re.sub(r"^var_", "", name)
    short = f"v{short}" if short.isdigit() else short
    return f"{short}_" if short in TAKEN else short


def _head(result: str, name: str, parameters: Iterable[tuple[str, str]]) -> str:
    listed = ", ".join(_declaration(kind, _local(own)) for kind, own in parameters)
    return f"static {_declaration(result, name)}({listed or 'void'}) {{"


def _function(function: Function) -> str:
    lines = [_head(function.result, function.name, function.parameters)]
    read = {n for s in function.body for t in (s.target, s.value) if t is not None for n in names_in(t)}
    lines += [f"  (void){_local(name)};" for _, name in function.parameters if name not in read]
    early = _early(function)
    for name in sorted(early):
        lines.append(f"  {_declaration(function.types[name], _local(name))} = {_zero(function.types[name])};")
    parameters = {name for _, name in function.parameters}
    depth = 1
    for statement in function.body:
        depth -= statement.kind in ("end", "else")
        own = isinstance(statement.target, Name) and statement.target.name not in early | parameters
        declared = function.types[statement.target.name] if own and isinstance(statement.target, Name) else ""
        indent = "" if statement.kind == "label" else "  " * depth
        lines.append(indent + _statement(statement, declared))
        depth += statement.kind in ("if", "else")
    return "\n".join([*lines, "}"])


def _zero(kind: str) -> str:
    if kind.endswith("*"):
        return "0"
    return {"double": "0.0", "int": "0", "bool": "false"}.get(kind, "{0}")


def _early(function: Function) -> set[str]:
    """Variables that must be declared first: set more than once, or read outside the block that sets them."""
    sets: dict[str, list[tuple[int, ...]]] = {}
    places: dict[str, list[tuple[int, ...]]] = {}
    block: tuple[int, ...] = ()
    count = 0
    labels = any(s.kind == "label" for s in function.body)
    for statement in function.body:
        if statement.kind in ("end", "else"):
            block = block[:-1]
        for tree in (statement.value, statement.target):
            for name in names_in(tree) if tree is not None else ():
                places.setdefault(name, []).append(block)
        if statement.kind == "set" and isinstance(statement.target, Name):
            sets.setdefault(statement.target.name, []).append(block)
        if statement.kind in ("if", "else"):
            count += 1
            block = (*block, count)
    return {
        name
        for name, blocks in sets.items()
        if len(blocks) > 1 or labels or any(place[: len(blocks[0])] != blocks[0] for place in places[name])
    } - {name for _, name in function.parameters}


def _statement(statement: Statement, declared: str) -> str:
    value = "" if statement.value is None else _print(statement.value)
    match statement.kind:
        case "comment":
            return f"/* {c_comment(statement.text)} */"
        case "set":
            assert statement.target is not None
            target = _print(statement.target)
            return f"{_declaration(declared, target) if declared else target} = {value};"
        case "do":
            return f"{value};"
        case "if":
            return f"if ({value}) {{"
        case "else":
            return "} else {"
        case "end":
            return "}"
        case "goto":
            return f"if ({value}) goto {statement.text};" if value else f"goto {statement.text};"
        case "label":
            return f"{statement.text}:;"
    return f"return {value};" if value else "return;"


def _print(tree: Tree, level: int = 0) -> str:
    text, own = _printed(tree)
    return f"({text})" if own < level else text


def _printed(tree: Tree) -> tuple[str, int]:
    """The text of an expression and how tightly it holds together."""
    match tree:
        case Name(name):
            return _local(name), _ATOM
        case Literal(text):
            return text, _PREFIX if text.startswith("-") else _ATOM
        case Member(Dereference(pointer), field):
            return f"{_print(pointer, _POSTFIX)}->{field}", _POSTFIX
        case Member(value, field):
            return f"{_print(value, _POSTFIX)}.{field}", _POSTFIX
        case Operation("[]", (Dereference(pointer), index)):
            return f"{_print(pointer, _POSTFIX)}->v[{_print(index)}]", _POSTFIX
        case Operation("[]", (vector, index)):
            return f"{_print(vector, _POSTFIX)}.v[{_print(index)}]", _POSTFIX
        case Dereference(pointer):
            return f"*{_print(pointer, _PREFIX)}", _PREFIX
        case Operation(operator, (value,)):
            inner = _print(value, _PREFIX)
            return (f"{operator}({inner})" if inner.startswith(operator) else f"{operator}{inner}"), _PREFIX
        case Operation("?", (condition, chosen, other)):
            return f"{_print(condition, 2)} ? {_print(chosen, 2)} : {_print(other, 2)}", 1
        case Operation(operator, (left, right)):
            own = _LEVELS[operator]
            inside = _PREFIX if operator in _MIXED else own
            if operator == "||":
                inside = 4
            return f"{_print(left, inside)} {operator} {_print(right, inside + (inside == own))}", own
        case Cast(kind, value):
            return f"({kind}){_print(value, _PREFIX)}", _PREFIX
        case Call(function, arguments) if function.endswith("{}"):
            return _constructed(function.removesuffix("{}"), arguments), _POSTFIX
        case Call(function, arguments):
            return f"{function}({', '.join(_print(a) for a in arguments)})", _POSTFIX
    raise AssertionError(tree)


def _constructed(kind: str, arguments: tuple[Tree, ...]) -> str:
    if not arguments:
        return f"({kind}){{0}}"
    inner = ", ".join(_print(a) for a in arguments)
    return f"({kind}){{{{{inner}}}}}" if re.fullmatch(r"(vec|ints)\d+", kind) else f"({kind}){{{inner}}}"


_TRIG = re.compile(r"struct Trig \{.*?sincos\(S x, S& s, S& c\) \{(.*?)\n\} \};\n", re.DOTALL)
_DEVICE = re.compile(r"^#if defined\(__CUDA_ARCH__\)\n.*?^#else\n(.*?)^#endif\n", re.DOTALL | re.MULTILINE)
"""What a GPU does otherwise."""
_NUMBER = re.compile(r"\bS\((-?[\d.]+(?:e[+-]?\d+)?)\)")


def _native(function: Native) -> str:
    """A function that was given as C++: arithmetic of numbers and elements of vectors."""
    text = re.sub(r"^typedef double S;\n", "", function.text.strip() + "\n")
    text = plain_c(_DEVICE.sub(r"\1", _TRIG.sub("", text))).replace("wp::exp(", "exp(")
    if re.search(r"::|\bauto\b|\btemplate\b|\bstruct\b|\w&", text):
        raise FootfallError(f"the law calls the C++ function '{function.name}', which export to C cannot translate")
    vectors = [name for kind, name in function.parameters if kind.endswith("*")]
    lines = [_head("void", function.name, [(k, f"{n}_" if n in vectors else n) for k, n in function.parameters])]
    for kind, name in function.parameters:
        if not re.search(rf"\b{name}\b", text):
            lines.append(f"  (void){name}{'_' if name in vectors else ''};")
        elif name in vectors:
            scalar = "double" if kind.startswith("vec") else "int"
            constant = "" if re.search(rf"\b{name}\[[\w +]+\] [-+*/]?= ", text) else "const "
            lines.append(f"  {constant}{scalar} *{name} = {name}_->v;")
    return "\n".join([*lines, *(f"  {line}" for line in text.strip().splitlines()), "}"])


def plain_c(text: str) -> str:
    """Printed expressions as C: numbers, elements of vectors, sines and cosines."""
    return _in_double(re.sub(r"Trig::sincos\((.*?), (\w+), (\w+)\);", r"sine_cosine(\1, &\2, &\3);", text))


def _in_double(text: str) -> str:
    text = _NUMBER.sub(lambda n: f"({n[1]})" if n[1].startswith("-") else n[1], text)
    text = re.sub(r"\bS\(", "(", text)
    return re.sub(r"\bS\b", "double", text)


def sine_cosine(unit: Unit) -> str:
    """Sine and cosine as the unit's functions have them; empty where none needs them."""
    for function in unit.functions:
        found = _TRIG.search(function.text) if isinstance(function, Native) else None
        if found:
            body = re.sub(r"^  ([sc]) = ", r"  *\1 = ", _in_double(found[1]), flags=re.MULTILINE)
            return f"static void sine_cosine(double x, double *s, double *c) {{{body}\n}}"
    return ""
