"""Makes the functions that Warp generates shorter without changing what they compute or in which order.

Warp writes one operation a line, each into a variable of its own. Here a variable that is set once and read once goes
into the expression that reads it, unless something between the two could change what it is made of; pointers to fields
go wherever they are used; what nobody reads is left out. A function that only calls others is put where it is called.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from footfall.embedded.cpp import Function, Native, Statement, Unit
from footfall.embedded.tree import Call, Field, Literal, Name, Operation, Target, Tree, changed, names_in, walk


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
            case Target(Operation("&", (inner,))):
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
    through = (part.pointer for part in walk(tree) if isinstance(part, Target))
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
    while isinstance(whole, Field) or (isinstance(whole, Operation) and whole.operator == "[]"):
        whole = whole.value if isinstance(whole, Field) else whole.operands[0]
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
