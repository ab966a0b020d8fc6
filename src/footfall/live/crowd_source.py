"""The C++ text of the crowd's module: 3LP's kernel as Warp generates it for a CPU, and an entry for a browser.

It exports three functions (tables and their layout are those of :mod:`footfall.live.source`):

    start()          empties all tables; the host then writes strides, row, wanted and state
    walk(n, dt)      the first n walkers walk one frame of dt seconds; fills the table ``poses``
    table(i)         the address of table i, in the order of the description
"""

from footfall.live.source import ENTRY_HEAD, EXPORT, ModuleSource, Table, generated, laid_table
from footfall.methods.pendulum.crowd_kernel import CROWD_POSE, CROWD_STATE, crowd_kernel
from footfall.methods.pendulum.stride import Stride

CROWD = "3lp"
"""The crowd's name where controllers have theirs, and its module's."""
WALKERS, STRIDES = 256, 64
"""Room for walkers, and for gaits that they choose from."""


def crowd_tables() -> tuple[Table, ...]:
    """The module's tables, in order."""
    return tuple(
        Table(name, kind, tuple(n for n in shape if n > 1) + ((width,) if width > 1 else ()))
        for name, (kind, shape, width) in _TABLES.items()
    )


def crowd_source() -> ModuleSource:
    """The whole text for up to :data:`WALKERS` walkers."""
    kernel, _ = crowd_kernel("float64")
    lines = [generated(kernel), ENTRY_HEAD]
    name = kernel.get_mangled_name()
    lines.append(f"static wp_args_{name} crowd_;")
    laid = []
    for table, (kind, shape, width) in _TABLES.items():
        declared, entry = laid_table(f"crowd_.{table}", f"room_{table}", kind, shape, width)
        lines.append(declared)
        laid.append(entry)
    lines.append(f"static const Laid tables_[] = {{{', '.join(laid)}}};")
    lines.append(EXPORT + _ENTRY.format(kernel=name))
    return ModuleSource("\n".join(lines), crowd_tables())


_TABLES = {
    "strides": ("f64", (STRIDES,), len(Stride.names())),
    "row": ("i32", (WALKERS,), 1),
    "wanted": ("i32", (WALKERS,), 1),
    "state": ("f64", (len(CROWD_STATE), WALKERS), 1),
    "command": ("f64", (3, WALKERS), 1),
    "poses": ("f64", (1, len(CROWD_POSE), WALKERS), 1),
}
"""Name -> type, how many elements, numbers in an element."""

_ENTRY = """
EXPORT(start) __attribute__((minsize)) void module_start() {{ for (const Laid& one : tables_) lay(one); }}

EXPORT(table) void* module_table(int i) {{ return tables_[i].bytes; }}

EXPORT(walk) void module_walk(int n, double dt) {{
  crowd_.first = 0; crowd_.frames = 1; crowd_.dt = dt;
  wp::launch_bounds_t<1> dim;
  dim.shape[0] = n; dim.size = n; dim.coord_mult = 1;
  for (int i = 0; i < n; ++i) {kernel}_cpu_kernel_forward<true>(dim, i, &crowd_);
}}
"""
