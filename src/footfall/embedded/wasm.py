"""WebAssembly as C99: the functions of a module that imports nothing, printed one operation after the other.

A function's locals are C's; its stack is followed while printing, so that a value which is used once stands where it is
used. Values that something could change before they are used, such as a load before a store, go into variables. Blocks
and loops become labels, branches ``goto``. Memory is an array of bytes in a structure that the caller gives; loads and
stores copy bytes, as a little-endian processor has them.
"""

import re
import struct
from collections import Counter
from dataclasses import dataclass, field

from footfall.errors import FootfallError

_TYPES = {0x7F: "u32", 0x7E: "u64", 0x7D: "float", 0x7C: "double"}
_SLOTS = {"u32": "i", "u64": "j", "float": "f", "double": "d"}
_LONGEST = 160
"""Letters of an expression before it gets a variable."""
PAGE = 65536


def _names(first: int, words: str) -> dict[int, str]:
    return {first + k: word for k, word in enumerate(words.split())}


_COMPARE = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
_WHOLE = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr"
_REAL = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign"
_OPERATIONS: dict[int, tuple[str, str]] = {
    **{code: ("u32", name) for code, name in _names(0x45, f"eqz {_COMPARE}").items()},
    **{code: ("u64", name) for code, name in _names(0x50, f"eqz {_COMPARE}").items()},
    **{code: ("float", name) for code, name in _names(0x5B, "eq ne lt gt le ge").items()},
    **{code: ("double", name) for code, name in _names(0x61, "eq ne lt gt le ge").items()},
    **{code: ("u32", name) for code, name in _names(0x67, _WHOLE).items()},
    **{code: ("u64", name) for code, name in _names(0x79, _WHOLE).items()},
    **{code: ("float", name) for code, name in _names(0x8B, _REAL).items()},
    **{code: ("double", name) for code, name in _names(0x99, _REAL).items()},
}
_SIGNED = {"u32": "i32", "u64": "i64"}
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^", "div_u": "/", "rem_u": "%"}
_INFIX |= {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}
_COMPARED = {"eq", "ne", "lt", "gt", "le", "ge"}
_UNARY = {"clz", "ctz", "popcnt", "abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"}
_REALS = {"abs": "fabs", "ceil": "ceil", "floor": "floor", "trunc": "trunc", "nearest": "rint", "sqrt": "sqrt"}
_CASTS = {
    0xA7: ("u32", "(u32){0}"), 0xA8: ("u32", "(u32)(i32){0}"), 0xA9: ("u32", "(u32){0}"),
    0xAA: ("u32", "(u32)(i32){0}"), 0xAB: ("u32", "(u32){0}"), 0xAC: ("u64", "(u64)(i64)(i32){0}"),
    0xAD: ("u64", "(u64){0}"), 0xAE: ("u64", "(u64)(i64){0}"), 0xAF: ("u64", "(u64){0}"),
    0xB0: ("u64", "(u64)(i64){0}"), 0xB1: ("u64", "(u64){0}"), 0xB2: ("float", "(float)(i32){0}"),
    0xB3: ("float", "(float){0}"), 0xB4: ("float", "(float)(i64){0}"), 0xB5: ("float", "(float){0}"),
    0xB6: ("float", "(float){0}"), 0xB7: ("double", "(double)(i32){0}"), 0xB8: ("double", "(double){0}"),
    0xB9: ("double", "(double)(i64){0}"), 0xBA: ("double", "(double){0}"), 0xBB: ("double", "(double){0}"),
    0xBC: ("u32", "bits_u32({0})"), 0xBD: ("u64", "bits_u64({0})"), 0xBE: ("float", "bits_float({0})"),
    0xBF: ("double", "bits_double({0})"), 0xC0: ("u32", "(u32)(i32)(i8){0}"), 0xC1: ("u32", "(u32)(i32)(i16){0}"),
    0xC2: ("u64", "(u64)(i64)(i8){0}"), 0xC3: ("u64", "(u64)(i64)(i16){0}"), 0xC4: ("u64", "(u64)(i64)(i32){0}"),
}  # fmt: skip
_SATURATED = {
    0: ("u32", "(u32)(i32)held({0}, -2147483648.0, 2147483647.0)"), 1: ("u32", "(u32)held({0}, 0.0, 4294967295.0)"),
    2: ("u32", "(u32)(i32)held({0}, -2147483648.0, 2147483647.0)"), 3: ("u32", "(u32)held({0}, 0.0, 4294967295.0)"),
}  # fmt: skip
_LOADS = {
    0x28: ("u32", "u32"), 0x29: ("u64", "u64"), 0x2A: ("float", "float"), 0x2B: ("double", "double"),
    0x2C: ("u32", "i8"), 0x2D: ("u32", "u8"), 0x2E: ("u32", "i16"), 0x2F: ("u32", "u16"), 0x30: ("u64", "i8"),
    0x31: ("u64", "u8"), 0x32: ("u64", "i16"), 0x33: ("u64", "u16"), 0x34: ("u64", "i32"), 0x35: ("u64", "u32"),
}  # fmt: skip
_STORES = {
    0x36: "u32", 0x37: "u64", 0x38: "float", 0x39: "double", 0x3A: "u8", 0x3B: "u16", 0x3C: "u8", 0x3D: "u16",
    0x3E: "u32",
}  # fmt: skip


@dataclass(frozen=True)
class Signature:
    """Types of a function's arguments and of its result ("void": none), as C names them."""

    arguments: tuple[str, ...]
    result: str


@dataclass
class WasmModule:
    """What a module holds.

    Attributes:
        signatures: of its functions.
        bodies: their code.
        exports: function by name.
        globals: type and first value of each global variable.
        pages: of memory.
        data: (address, bytes) that memory begins with.
    """

    signatures: list[Signature] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    exports: dict[str, int] = field(default_factory=dict)
    globals: list[tuple[str, int]] = field(default_factory=list)
    pages: int = 0
    data: list[tuple[int, bytes]] = field(default_factory=list)


class _Reader:
    """Bytes, read one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def more(self) -> bool:
        return self.at < len(self.data)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self) -> int:
        begun = self.at
        value = self.unsigned()
        bits = 7 * (self.at - begun)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def name(self) -> str:
        return self.take(self.unsigned()).decode()


def read_wasm(data: bytes) -> WasmModule:
    """A module that imports nothing."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise FootfallError("this is not a WebAssembly module")
    module, whole, kinds = WasmModule(), _Reader(data[8:]), [Signature((), "void")][:0]
    while whole.more:
        section, part = whole.byte(), _Reader(whole.take(whole.unsigned()))
        if section in (2, 8, 9):
            raise FootfallError("this module imports, or calls by a table: it cannot become C")
        for _ in range(part.unsigned() if section in (1, 3, 5, 6, 7, 10, 11) else 0):
            if section == 1:
                part.byte()
                arguments = tuple(_TYPES[part.byte()] for _ in range(part.unsigned()))
                results = [_TYPES[part.byte()] for _ in range(part.unsigned())]
                kinds.append(Signature(arguments, results[0] if results else "void"))
            elif section == 3:
                module.signatures.append(kinds[part.unsigned()])
            elif section == 5:
                limited = part.byte()
                module.pages = part.unsigned()
                if limited:
                    part.unsigned()
            elif section == 6:
                kind = _TYPES[part.byte()]
                part.take(2)
                module.globals.append((kind, part.signed()))
                part.byte()
            elif section == 7:
                name, what, number = part.name(), part.byte(), part.unsigned()
                if what == 0:
                    module.exports[name] = number
            elif section == 10:
                module.bodies.append(part.take(part.unsigned()))
            else:
                part.take(2)
                at = part.signed()
                part.byte()
                module.data.append((at, part.take(part.unsigned())))
    return module


def functions_in_c(module: WasmModule, state: str) -> str:
    """Static C functions ``f0``, ``f1`` … of a module, each with a pointer to the structure ``state`` first, which has
    ``memory`` and a member ``g0`` … for each global variable."""
    heads = [_head(signature, k, state) for k, signature in enumerate(module.signatures)]
    parts = [f"{head};" for head in heads]
    for k, body in enumerate(module.bodies):
        parts.append(f"\n{heads[k]} {{\n{_Printer(module, module.signatures[k], body).text()}}}")
    return "\n".join(parts) + "\n"


def _head(signature: Signature, number: int, state: str) -> str:
    arguments = "".join(f", {kind} l{k}" for k, kind in enumerate(signature.arguments))
    return f"static {signature.result} f{number}({state} *s{arguments})"


@dataclass
class _Value:
    """An entry of the stack: C's text, its type, variables that it reads, whether it reads memory or globals."""

    text: str
    kind: str
    variables: frozenset[str] = frozenset()
    reads: bool = False


@dataclass
class _Block:
    """A block that is open: its label, the height of the stack where it began, its result."""

    label: int
    height: int
    result: str
    loop: bool = False
    used: bool = False
    dead: bool = False
    otherwise: bool = False


class _Printer:
    """One function."""

    def __init__(self, module: WasmModule, signature: Signature, body: bytes) -> None:
        self.module, self.signature, self.code = module, signature, _Reader(body)
        self.kinds = list(signature.arguments)
        for _ in range(self.code.unsigned()):
            count = self.code.unsigned()
            self.kinds += [_TYPES[self.code.byte()]] * count
        self.lines: list[str] = []
        self.stack: list[_Value] = []
        self.blocks = [_Block(0, 0, signature.result)]
        self.labels = 0
        self.slots: set[tuple[str, int]] = set()

    def text(self) -> str:
        """The lines of its body."""
        while self.blocks:
            self._instruction(self.code.byte())
        own = len(self.signature.arguments)
        names = {f"l{k}": kind for k, kind in enumerate(self.kinds) if k >= own}
        names |= {f"{_SLOTS[kind]}{k}": kind for kind, k in sorted(self.slots)}
        while dropped := self._drop_unread(set(names)):
            names = {name: kind for name, kind in names.items() if name not in dropped}
        words = set(re.findall(r"\w+", "\n".join(self.lines)))
        declared = [f"{kind} {name} = 0;" for name, kind in names.items() if name in words]
        rows = [" ".join(declared[k : k + 8]) for k in range(0, len(declared), 8)]
        rows += [f"(void){name};" for name in ("s", *(f"l{k}" for k in range(own))) if name not in words]
        return "".join(f"  {line}\n" for line in [*rows, *self.lines])

    def _drop_unread(self, names: set[str]) -> set[str]:
        """Leave out what is kept in variables that nobody reads; the variables."""
        read = Counter(re.findall(r"\w+", "\n".join(re.sub(r"^\w+ = ", "", line) for line in self.lines)))
        unread = {name for name in names if not read[name]}
        kept, dropped = [], set()
        for line in self.lines:
            name, _, value = line.partition(" = ")
            if name not in unread:
                kept.append(line)
                continue
            dropped.add(name)
            if re.match(r"f\d+\(", value):
                kept.append(f"(void){value}")
        self.lines = kept
        return dropped

    # -- the stack

    def _push(self, text: str, kind: str, *parts: _Value, reads: bool = False) -> None:
        known = frozenset[str]().union(*(part.variables for part in parts))
        value = _Value(text, kind, known, reads or any(part.reads for part in parts))
        self.stack.append(value)
        if len(text) > _LONGEST:
            self._settle(len(self.stack) - 1)

    def _pop(self) -> _Value:
        return self.stack.pop()

    def _settle(self, index: int) -> None:
        """Put a value of the stack into its variable, after those below that still read what the variable held."""
        value = self.stack[index]
        slot = f"{_SLOTS[value.kind]}{index}"
        if value.text == slot:
            return
        for below in range(index):
            if slot in self.stack[below].variables:
                self._settle(below)
        self.slots.add((value.kind, index))
        self.lines.append(f"{slot} = {_bare(value.text)};")
        self.stack[index] = _Value(slot, value.kind, frozenset({slot}))

    def _settle_all(self) -> None:
        for index in range(len(self.stack)):
            self._settle(index)

    def _settle_readers(self) -> None:
        """Settle what reads memory or globals."""
        for index in range(len(self.stack)):
            if self.stack[index].reads:
                self._settle(index)

    # -- blocks

    def _open(self, code: int) -> None:
        kind = self.code.byte()
        condition = self._pop() if code == 0x04 else None
        self._settle_all()
        self.labels += 1
        result = "void" if kind == 0x40 else _TYPES[kind]
        self.blocks.append(_Block(self.labels, len(self.stack), result, loop=code == 0x03))
        if code == 0x03:
            self.lines.append(f"L{self.labels}:;")
        if condition is not None:
            self.lines.append(f"if ({_bare(condition.text)}) {{")
            self.blocks[-1].otherwise = True

    def _close(self) -> None:
        block = self.blocks[-1]
        self._leave_result(block)
        self.blocks.pop()
        if not self.blocks:
            if block.used:
                self.lines.append("L0:;")
            if block.result != "void":
                self.slots.add((block.result, 0))
                self.lines.append(f"return {_SLOTS[block.result]}0;")
            return
        if block.otherwise:
            self.lines.append("}")
        if block.used and not block.loop:
            self.lines.append(f"L{block.label}:;")
        elif block.loop and not block.used:
            self.lines.remove(f"L{block.label}:;")
        del self.stack[block.height :]
        if block.result != "void":
            self.slots.add((block.result, block.height))
            slot = f"{_SLOTS[block.result]}{block.height}"
            self.stack.append(_Value(slot, block.result, frozenset({slot})))

    def _leave_result(self, block: _Block) -> None:
        """The value on top into the variable of a block's result."""
        if block.result == "void" or self.blocks[-1].dead:
            return
        value, slot = self.stack[-1], f"{_SLOTS[block.result]}{block.height}"
        self.slots.add((block.result, block.height))
        if value.text != slot:
            self.lines.append(f"{slot} = {_bare(value.text)};")

    def _else(self) -> None:
        block = self.blocks[-1]
        self._leave_result(block)
        del self.stack[block.height :]
        block.dead = False
        self.lines.append("} else {")

    def _goto(self, depth: int) -> str:
        block = self.blocks[-1 - depth]
        block.used = True
        return f"goto L{block.label};"

    def _branch(self, depth: int) -> list[str]:
        """Lines that leave for a label, with its result."""
        block = self.blocks[-1 - depth]
        if block.loop or block.result == "void":
            return [self._goto(depth)]
        slot = f"{_SLOTS[block.result]}{block.height}"
        self.slots.add((block.result, block.height))
        value = self.stack[-1]
        moved = [] if value.text == slot else [f"{slot} = {_bare(value.text)};"]
        return [*moved, self._goto(depth)]

    def _die(self) -> None:
        """Nothing runs until the end of the block: it is skipped."""
        block = self.blocks[-1]
        block.dead = True
        del self.stack[block.height :]
        depth = 0
        while True:
            at = self.code.at
            code = self.code.byte()
            if depth == 0 and code in (0x05, 0x0B):
                self.code.at = at
                return
            if code in (0x02, 0x03, 0x04):
                depth += 1
            elif code == 0x0B:
                depth -= 1
            self._skip(code)

    def _skip(self, code: int) -> None:
        """Pass over an instruction's own numbers."""
        if code in (0x02, 0x03, 0x04):
            self.code.byte()
        elif code == 0x0E:
            for _ in range(self.code.unsigned() + 1):
                self.code.unsigned()
        elif code in (0x0C, 0x0D, 0x10) or 0x20 <= code <= 0x24 or code in (0x3F, 0x40):
            self.code.unsigned()
        elif 0x28 <= code <= 0x3E:
            self.code.unsigned()
            self.code.unsigned()
        elif code in (0x41, 0x42):
            self.code.signed()
        elif code in (0x43, 0x44):
            self.code.take(4 if code == 0x43 else 8)
        elif code == 0xFC:
            kind = self.code.unsigned()
            self.code.take(2 if kind == 10 else 1 if kind == 11 else 0)

    # -- instructions

    def _instruction(self, code: int) -> None:
        if code in (0x02, 0x03, 0x04):
            self._open(code)
        elif code == 0x05:
            self._else()
        elif code == 0x0B:
            self._close()
        elif code in (0x00, 0x0C, 0x0D, 0x0E, 0x0F):
            self._jump(code)
        elif code in (0x10, 0x1A, 0x1B) or 0x20 <= code <= 0x24:
            self._plain(code)
        elif code in _LOADS:
            self.code.unsigned()
            offset, kind = self.code.unsigned(), _LOADS[code]
            address = self._pop()
            cast = "" if kind[0] == kind[1] else f"({kind[0]})" + (_of_sign(kind[0]) if kind[1][0] == "i" else "")
            self._push(f"{cast}load_{kind[1]}(s, {_at(address, offset)})", kind[0], address, reads=True)
        elif code in _STORES:
            self.code.unsigned()
            offset, value, address = self.code.unsigned(), self._pop(), self._pop()
            self._settle_readers()
            kind1 = _STORES[code]
            self.lines.append(f"store_{kind1}(s, {_at(address, offset)}, ({kind1}){value.text});")
        elif code in (0x41, 0x42):
            number = self.code.signed()
            bits, mark = (32, "u") if code == 0x41 else (64, "ull")
            self._push(f"{number % (1 << bits)}{mark}", "u32" if code == 0x41 else "u64")
        elif code in (0x43, 0x44):
            self._constant(code)
        elif code in _CASTS:
            kind2, form = _CASTS[code]
            value = self._pop()
            self._push(f"({form.format(value.text)})", kind2, value)
        elif code == 0xFC:
            self._bulk(self.code.unsigned())
        elif code in _OPERATIONS:
            self._operation(*_OPERATIONS[code])
        elif code != 0x01:
            raise FootfallError(f"this module has an instruction ({code:#x}) that cannot become C")

    def _jump(self, code: int) -> None:
        if code == 0x00:
            self._die()
        elif code == 0x0C:
            self._settle_all()
            self.lines += self._branch(self.code.unsigned())
            self._die()
        elif code == 0x0D:
            condition = self._pop()
            self._settle_all()
            self.lines.append(f"if ({_bare(condition.text)}) {{ {' '.join(self._branch(self.code.unsigned()))} }}")
        elif code == 0x0E:
            targets = [self.code.unsigned() for _ in range(self.code.unsigned() + 1)]
            chosen = self._pop()
            self._settle_all()
            rows = [f"case {k}: {' '.join(self._branch(depth))}" for k, depth in enumerate(targets[:-1])]
            rows.append(f"default: {' '.join(self._branch(targets[-1]))}")
            self.lines.append(f"switch ({_bare(chosen.text)}) {{ {' '.join(rows)} }}")
            self._die()
        else:
            value = f" {_bare(self._pop().text)}" if self.signature.result != "void" else ""
            self.lines.append(f"return{value};")
            self._die()

    def _plain(self, code: int) -> None:
        """Calls, drop, select, locals and globals."""
        if code == 0x10:
            number = self.code.unsigned()
            signature = self.module.signatures[number]
            given = [self._pop() for _ in signature.arguments][::-1]
            self._settle_readers()
            call = f"f{number}({', '.join(['s', *(_bare(value.text) for value in given)])})"
            if signature.result == "void":
                self.lines.append(f"{call};")
            else:
                self.stack.append(_Value(call, signature.result, reads=True))
                self._settle(len(self.stack) - 1)
        elif code == 0x1A:
            self._pop()
        elif code == 0x1B:
            condition, second, first = self._pop(), self._pop(), self._pop()
            text = f"({condition.text} ? {first.text} : {second.text})"
            self._push(text, first.kind, condition, first, second)
        elif code == 0x20:
            local = self.code.unsigned()
            self.stack.append(_Value(f"l{local}", self.kinds[local], frozenset({f"l{local}"})))
        elif code in (0x21, 0x22):
            local, value = self.code.unsigned(), self._pop()
            for index in range(len(self.stack)):
                if f"l{local}" in self.stack[index].variables:
                    self._settle(index)
            self.lines.append(f"l{local} = {_bare(value.text)};")
            if code == 0x22:
                self.stack.append(_Value(f"l{local}", self.kinds[local], frozenset({f"l{local}"})))
        else:
            number = self.code.unsigned()
            if code == 0x23:
                self._push(f"s->g{number}", self.module.globals[number][0], reads=True)
            else:
                value = self._pop()
                self._settle_readers()
                self.lines.append(f"s->g{number} = {_bare(value.text)};")

    def _constant(self, code: int) -> None:
        kind = "float" if code == 0x43 else "double"
        packed = self.code.take(4 if code == 0x43 else 8)
        (value,) = struct.unpack("<f" if code == 0x43 else "<d", packed)
        if value - value == 0.0:
            text = repr(value) if kind == "double" else f"{value!r}f"
            self._push(f"({text})" if text.startswith("-") else text, kind)
        else:
            bits = int.from_bytes(packed, "little")
            self._push(f"bits_{kind}({bits}{'u' if code == 0x43 else 'ull'})", kind)

    def _bulk(self, number: int) -> None:
        """Saturating conversions, memory.copy and memory.fill."""
        if number in (10, 11):
            self.code.take(2 if number == 10 else 1)
            count, what, to = self._pop(), self._pop(), self._pop()
            self._settle_readers()
            place = f"at(s, {_bare(to.text)})"
            if number == 10:
                self.lines.append(f"memmove({place}, at(s, {_bare(what.text)}), {count.text});")
            else:
                self.lines.append(f"memset({place}, (int)({what.text} & 255u), {count.text});")
            return
        if number not in _SATURATED:
            raise FootfallError(f"this module has an instruction (0xfc {number}) that cannot become C")
        kind, form = _SATURATED[number]
        value = self._pop()
        self._push(f"({form.format(value.text)})", kind, value)

    def _operation(self, kind: str, name: str) -> None:
        parts = [self._pop() for _ in range(1 if name in _UNARY or name == "eqz" else 2)][::-1]
        texts = [part.text for part in parts]
        whole, plain = kind in _SIGNED, name.removesuffix("_s").removesuffix("_u")
        result = "u32" if name == "eqz" or plain in _COMPARED else kind
        if name == "eqz":
            text = f"(u32)({texts[0]} == 0)"
        elif plain in _COMPARED:
            if name.endswith("_s"):
                texts = [f"({_SIGNED[kind]}){text}" for text in texts]
            text = f"(u32)({texts[0]} {_INFIX[plain]} {texts[1]})"
        elif whole and name in ("shl", "shr_s", "shr_u"):
            bits = f"({texts[1]} & {31 if kind == 'u32' else 63}u)"
            shifted = f"({_SIGNED[kind]}){texts[0]}" if name == "shr_s" else texts[0]
            text = f"({kind})({shifted} {'<<' if name == 'shl' else '>>'} {bits})"
        elif name in ("div_s", "rem_s"):
            first, second = (f"({_SIGNED[kind]}){text}" for text in texts)
            text = f"({kind})({first} {'/' if name == 'div_s' else '%'} {second})"
        elif name in _INFIX:
            text = f"({texts[0]} {_INFIX[name]} {texts[1]})"
        elif name == "neg":
            text = f"(-{texts[0]})"
        elif name in _REALS:
            text = f"{_REALS[name]}{'f' if kind == 'float' else ''}({_bare(texts[0])})"
        else:
            text = f"{name}_{kind}({', '.join(map(_bare, texts))})"
        self._push(f"({text})" if text.startswith("(u32)(") or text.startswith(f"({kind})(") else text, result, *parts)


def _of_sign(kind: str) -> str:
    return f"({_SIGNED[kind]})"


def _at(address: _Value, offset: int) -> str:
    return f"{_bare(address.text)} + {offset}u" if offset else _bare(address.text)


def _bare(text: str) -> str:
    """A text without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and k < len(text) - 1:
            return text
    return text[1:-1]
