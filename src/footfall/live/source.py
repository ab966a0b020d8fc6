"""The C++ text of a module: the rollout as Warp generates it for a CPU, and a small entry that a browser can call.

Warp's kernels take structures of arrays, each with a pointer and its sizes. In WebAssembly pointers have 32 bits and
there is no one to allocate, so the entry holds one table of fixed size for each array and tells where they are. It
exports four functions:

    start()     empties all tables; the host then writes qpos, qvel and memory
    step(n)     continues for n steps, as a ragdoll after a fall; answers how many samples were recorded on the way
    pose()      places the bodies: fills the table ``bodies`` from ``qpos``
    table(i)    the address of table i, in the order of the module's description
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.mechanism import body_row_length
from footfall.simulation.ragdoll import Ragdoll
from footfall.simulation.rollout import Rollout
from footfall.simulation.structures import FELL

PARAMETERS, TERRAIN, PUSHES, SAMPLES = 65000, 16384, 64, 512
"""Room for the controllers' numbers, the terrain's, pushes, and samples of one call."""

PER_BODY = 18
"""A body's position 3, rotation matrix 9 (rows), angular 3 and linear 3 velocity, world axes."""


@dataclass(frozen=True)
class Table:
    """A table of the module: numbers of one type ("f64" or "i32") in a row, with its shape."""

    name: str
    type: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ModuleSource:
    """The text and its tables in order."""

    text: str
    tables: tuple[Table, ...]


def module_source(
    rollout: Rollout,
    ragdoll: Ragdoll,
    skin: NDArray[np.float64],
    unrolled: int = 64,
    library: NDArray[np.float64] | None = None,
) -> ModuleSource:
    """The whole text for one world of a rollout.

    Args:
        rollout: what a world does.
        ragdoll: what it does after a fall.
        skin: [cells] the balls of the figure's skin, as a row.
        unrolled: loops longer than this stay loops, which makes the module smaller.
        library: [rows, columns] numbers that the law reads besides its parameters; None for a law without.
    """
    poses = _poses_kernel(rollout)
    for kernel in (rollout.kernel, ragdoll.kernel):
        kernel.module.options["max_unroll"] = unrolled
    texts = [_lean(generated(rollout.kernel)), _lean(generated(poses)), _apart(_lean(generated(ragdoll.kernel), "\\w"))]
    tables: list[Table] = []
    laid: list[str] = []
    lines = [ENTRY_HEAD]
    kernel = rollout.kernel.get_mangled_name()
    fallen = ragdoll.kernel.get_mangled_name()
    lines.append(f"static wp_args_{kernel} rollout_;\nstatic wp_args_{poses.get_mangled_name()} poses_;")
    lines.append(f"static {APART}::wp_args_{fallen} ragdoll_;")
    setup = [f"  rollout_.{name} = {value};" for name, value in _SCALARS.items()]
    for struct in rollout.kernel.adj.args:
        for name, var in getattr(struct.type, "vars", {}).items():
            if not hasattr(var.type, "ndim"):
                continue
            room = _ROOM.get((struct.label, name), _DEFAULT_ROOM.get(struct.label, (0,)))
            shape = tuple(n(rollout) if callable(n) else n for n in room)
            if _count(shape) == 0:
                continue
            place = f"{struct.label}_{name}"
            kind, width = _element(var.type.dtype)
            own = tuple(n for n in shape if n > 1) + ((width,) if width > 1 else ())
            tables.append(Table(_NAMES.get((struct.label, name), name), kind, own or (1,)))
            declared, entry = laid_table(f"rollout_.{struct.label}.{name}", place, kind, shape, width)
            lines.append(declared)
            laid.append(entry)
    bodies = len(rollout.types.compiled.figure.bodies)
    tables.append(Table("bodies", "f64", (bodies, PER_BODY)))
    tables.append(Table("options", "f64", (3,)))
    lines.append(f"static double bodies_[{bodies * PER_BODY}];\nstatic double options_[3];")
    laid.append(f"{{&poses_.result, bodies_, {8 * bodies * PER_BODY}, {_four((1,))}}}")
    laid.append("{nullptr, options_, 24, 1, 1, 0, 0}")
    declared, entry = laid_table("ragdoll_.skin", "ragdoll_skin", "f64", (1, len(skin)), 1)
    tables.append(Table("skin", "f64", (len(skin),)))
    laid.append(entry)
    lines += [declared, f"static const double skin_[] = {{{', '.join(repr(float(x)) for x in skin)}}};"]
    if library is not None:
        lines.append(f"static double library_[] = {{{', '.join(repr(float(x)) for x in library.ravel())}}};")
        setup.append(_LIBRARY.format(rows=library.shape[0], columns=library.shape[1], row_bytes=8 * library.shape[1]))
    lines.append(f"static const Laid tables_[] = {{{', '.join(laid)}}};")
    setup += [
        "  for (int i = 0; i < (int)(sizeof(skin_) / sizeof(double)); ++i) ragdoll_skin.data()[i] = skin_[i];",
        *(f"  ragdoll_.{name} = rollout_.setting.{name};" for name in ("body", "ground", "table")),
        *_shared(ragdoll),
        "  poses_.qpos = rollout_.worlds.qpos; poses_.qvel = rollout_.worlds.qvel;",
        "  poses_.body = rollout_.setting.body;",
        "  *worlds_stance.data() = -1; options_[0] = 0.001; options_[1] = 10;",
    ]
    lines.append(
        EXPORT
        + _ENTRY.format(
            kernel=kernel,
            ragdoll=f"{APART}::{fallen}",
            fell=FELL,
            poses=poses.get_mangled_name(),
            setup="\n".join(setup),
            samples=SAMPLES,
        )
    )
    return ModuleSource(_one_sincos("\n".join([*texts, *lines])), tuple(tables))


def laid_table(array: str, place: str, kind: str, shape: tuple[int, ...], width: int) -> tuple[str, str]:
    """The C++ declaration of room for one of a kernel's arrays, and its entry in the list of tables.

    Args:
        array: the array in the kernel's arguments.
        place: a name for its room.
        kind: "f64" or "i32".
        shape: how many elements.
        width: numbers of that kind in an element.
    """
    size = width * (8 if kind == "f64" else 4)
    room = (
        f"static Room<decltype({array}), {_count(shape)}> {place};\nstatic_assert(sizeof(*{place}.data()) == {size});"
    )
    return room, f"{{&{array}, {place}.bytes, {size}, {_four(shape)}}}"


def generated(kernel: Any) -> str:
    """The kernel's C++ for a CPU. Warp's public way to it (``compile_aot_module``) compiles it as well, which takes
    ten times as long."""
    module = kernel.module
    return str(module._run_codegen(module.resolve_options(wp.config), True)[0])


COLD = "bodies_|landmarks_|fallen|recorded"
"""Functions that do not run in every step: these are made small, the others fast."""
APART = "lying"
"""The namespace of what runs after a fall: it has functions that the rollout has too."""


def _shared(ragdoll: Ragdoll) -> list[str]:
    """C++ that gives a ragdoll the rollout's tables."""
    parts = {
        "fallen": ("worlds", ragdoll.Fallen),
        "pushing": ("pushing", ragdoll.Pushing),
        "trace": ("trace", ragdoll.Trace),
    }
    return [
        f"  ragdoll_.{mine}.{name} = rollout_.{its}.{name};"
        for mine, (its, structure) in parts.items()
        for name in structure.cls.__annotations__
    ]


def _apart(text: str) -> str:
    """The text with its functions and structures in a namespace of their own."""
    head, macro, rest = text.partition("#define adj_int(x, adj_x, adj_ret) adj_cast_int(x, adj_x, adj_ret)\n")
    return f"{head}{macro}namespace {APART} {{\n{rest}\n}}\n"


def _lean(text: str, cold: str = COLD) -> str:
    """The text made smaller and faster for a browser, without a change in what it computes: one number of a vector is
    read through its pointer, where Warp copies the vector first, and what seldom runs is marked as cold."""
    text = re.sub(
        r"(\w+) = wp::load\((\w+)\);\s*\n\s*(\w+) = wp::extract\(\1, (\w+)\);",
        r"\3 = wp::extract(*\2, \4);",
        text,
    )
    named = rf"^static (CUDA_CALLABLE )?(\w+) (\w*(?:{cold})\w*\()"
    return re.sub(named, r"__attribute__((minsize, cold, noinline)) static \1\2 \3", text, flags=re.MULTILINE)


_SINCOS = re.compile(r"struct Trig \{ static CUDA_CALLABLE inline (void sincos.*?\n\}) \};\n", re.DOTALL)


def _one_sincos(text: str) -> str:
    """The text with one sine and cosine for all functions, which is called. Every generated function brings its own and
    has it pasted in for each joint: a tenth of a planar module."""
    found = _SINCOS.search(text)
    if found is None:
        return text
    shared = f"struct Trig {{ typedef double S; __attribute__((noinline)) static {found[1]} }};\n"
    before = text.rfind("\nstatic ", 0, found.start()) + 1
    return text[:before] + shared + _SINCOS.sub("", text[before:])


def _element(dtype: Any) -> tuple[str, int]:
    """("f64" or "i32", how many) of an array's element."""
    width = int(getattr(dtype, "_length_", 1))
    scalar = getattr(dtype, "_wp_scalar_type_", dtype)
    return ("i32" if scalar in (wp.int32, int) else "f64"), width


def _four(shape: tuple[int, ...]) -> str:
    """The number of dimensions and three sizes, as C++ arguments."""
    return ", ".join(str(n) for n in (len(shape), *shape, *(0,) * (3 - len(shape))))


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=int))


def _body_cells(rollout: Rollout) -> int:
    compiled = rollout.types.compiled
    ends = 2 * len(compiled.solid.capsules)
    return body_row_length(len(compiled.figure.bodies), len(compiled.figure.points) + ends)


Size = int | Callable[[Rollout], int]
_ROOM: dict[tuple[str, str], tuple[Size, ...]] = {
    ("setting", "body"): (1, _body_cells),
    ("setting", "parameters"): (1, PARAMETERS),
    ("setting", "ground"): (1, 4),
    ("setting", "table"): (1, TERRAIN),
    ("pushing", "window"): (1, PUSHES, 2),
    ("pushing", "force"): (1, PUSHES, 3),
    ("pushing", "slot"): (PUSHES,),
    ("trace", "ring_qpos"): (0, 0),
    ("trace", "ring_qvel"): (0, 0),
    **{("trace", name): (0, 0) for name in ("qacc", "moment", "grf")},
    ("trace", "events"): (SAMPLES, 1, 3),
}
_DEFAULT_ROOM: dict[str, tuple[Size, ...]] = {"worlds": (1,), "trace": (SAMPLES, 1)}
_NAMES = {
    ("setting", "table"): "terrain",
    ("pushing", "window"): "push_window",
    ("pushing", "force"): "push_force",
    ("pushing", "slot"): "push_place",
    **{("trace", name): f"sample_{name}" for name in ("qpos", "qvel", "torque", "signals", "events")},
}
_SCALARS = {
    "first": "0",
    "steps": "0",
    "own_rows": "wp::vec_t<4, wp::int32>()",
    "trace.ring_stride": "0",
}

_LIBRARY = """  {{ auto& library = rollout_.setting.library;
    library.data = library_; library.ndim = 2;
    library.shape.dims[0] = {rows}; library.shape.dims[1] = {columns};
    library.strides[0] = {row_bytes}; library.strides[1] = 8; }}"""


def _poses_kernel(rollout: Rollout) -> Any:
    compiled = rollout.types.compiled
    real, bodies = compiled.real, compiled.bodies
    Qpos, Qvel = compiled.Qpos, compiled.Qvel
    Placed = wp.types.vector(length=PER_BODY * len(compiled.figure.bodies), dtype=real)

    @wp.kernel(enable_backward=False, module="unique")
    def poses(qpos: wp.array[Qpos], qvel: wp.array[Qvel], body: wp.array2d[real], result: wp.array[Placed]):
        q = qpos[0]
        v = qvel[0]
        placed = Placed()
        bodies(q, v, body, 0, placed)
        result[0] = placed

    return poses


_MATHEMATICS = (files("footfall.live") / "mathematics.cpp").read_text(encoding="utf-8")

ENTRY_HEAD = (
    f"""
#undef float
#undef int
{_MATHEMATICS}
"""
    + """
template <typename A> struct Held;
template <typename T> struct Held<wp::array_t<T>> { typedef T type; };
template <typename A, int N> struct Room {
  typedef typename Held<A>::type T;
  alignas(16) unsigned char bytes[N > 0 ? N * sizeof(T) : 16];
  T* data() { return (T*)bytes; }
};
struct Laid { void* array; void* bytes; unsigned short element, dims, sizes[3]; };
static void lay(const Laid& of) {
  int stride = of.element;
  int sizes[3], strides[3];
  for (int k = 2; k >= 0; --k) {
    sizes[k] = k < of.dims ? of.sizes[k] : 0;
    strides[k] = stride;
    if (k < of.dims) stride *= sizes[k];
  }
  __builtin_memset(of.bytes, 0, stride);
  if (!of.array) return;
  wp::array_t<double>& laid = *(wp::array_t<double>*)of.array;
  laid.data = (double*)of.bytes;
  laid.ndim = of.dims;
  for (int k = 0; k < 3; ++k) { laid.shape.dims[k] = sizes[k]; laid.strides[k] = strides[k]; }
}
"""
)

EXPORT = '#define EXPORT(name) extern "C" __attribute__((export_name(#name)))\n'
_ENTRY = """
EXPORT(start) __attribute__((minsize)) void module_start() {{
  for (const Laid& one : tables_) lay(one);
{setup}
}}

EXPORT(table) void* module_table(int i) {{ return tables_[i].bytes; }}

EXPORT(step) int module_step(int n) {{
  const double dt = options_[0];
  const int stride = (int)options_[1], pushes = (int)options_[2];
  const int begun = *worlds_step_count.data();
  rollout_.steps = n;
  rollout_.dt = dt;
  rollout_.fall_stride = dt < 0.01 ? (int)(0.01 / dt + 0.5) : 1;
  rollout_.trace.stride = stride;
  rollout_.trace.first = stride > 0 ? (begun + stride - 1) / stride : 0;
  rollout_.pushing.slot.shape.dims[0] = pushes;
  wp::launch_bounds_t<1> dim;
  dim.shape[0] = 1; dim.size = 1; dim.coord_mult = 1;
  {kernel}_cpu_kernel_forward<true>(dim, 0, &rollout_);
  if (*worlds_status.data() == {fell}) {{
    ragdoll_.until = begun + n;
    ragdoll_.dt = dt;
    ragdoll_.trace.stride = stride;
    ragdoll_.trace.first = rollout_.trace.first;
    ragdoll_.pushing.slot.shape.dims[0] = pushes;
    {ragdoll}_cpu_kernel_forward<true>(dim, 0, &ragdoll_);
  }}
  if (stride <= 0) return 0;
  const int samples = (*worlds_step_count.data() + stride - 1) / stride - rollout_.trace.first;
  return samples < {samples} ? samples : {samples};
}}

EXPORT(pose) void module_pose() {{
  wp::launch_bounds_t<1> dim;
  dim.shape[0] = 1; dim.size = 1; dim.coord_mult = 1;
  {poses}_cpu_kernel_forward<true>(dim, 0, &poses_);
}}
"""
