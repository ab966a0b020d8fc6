"""Compiles the kernels that come with footfall: ``python -m tools.kernels``.

They are those of the studio's first start, of tracked motion, and of ``footfall run`` with every built-in controller.
Compile them again when a law, the ground or the rollout changed; until then they are not found, and the first use takes
longer.
"""

import argparse
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import footfall
from footfall.control.registry import controller_names
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.kernels.building import PORTABLE
from footfall.kernels.shipped import ABOUT, archive_name, built_with
from footfall.kernels.start import start_warp
from footfall.simulation import Simulation
from footfall.studio import DEFAULT_CONTROLLER
from footfall.studio.core.library import Library
from footfall.studio.core.making import make_world
from footfall.studio.core.setting import Setting
from footfall.text_files import write_whole


def use_shipped() -> None:
    """Load every kernel that comes with footfall."""
    library = Library(None)
    for name in (DEFAULT_CONTROLLER, "walk", "tracked-walk"):
        make_world(library.together(name), Figure.load(library.document(name).controller.figure), Setting())
    for name in controller_names("edit", guests=False):
        simulation = Simulation(name)
        simulation.step(1)
        simulation.load_ragdoll()


def ship(path: Path) -> list[str]:
    """Compile the kernels into an archive; their names."""
    wp = start_warp()
    with tempfile.TemporaryDirectory() as cache:
        wp.config.kernel_cache_dir = cache
        token = PORTABLE.set(True)
        try:
            use_shipped()
        finally:
            PORTABLE.reset(token)
        return write_archive(path, Path(cache))


def write_archive(path: Path, cache: Path) -> list[str]:
    """Pack the kernels of a cache, compiled to run on any machine such as this one, into an archive; their names."""
    found = sorted(f for f in cache.rglob("wp_*.o") if f.parent.name == f.name.partition(".")[0])

    def write(part: Path) -> None:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            archive.writestr(zipfile.ZipInfo(ABOUT), json.dumps(built_with()))
            for file in found:
                meta = (file.parent / f"{file.parent.name}.meta").read_bytes()
                for suffix, content in ((".o", file.read_bytes()), (".meta", meta)):
                    entry = zipfile.ZipInfo(f"{file.parent.name}{suffix}")
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, content)

    write_whole(path, write)
    return [file.parent.name for file in found]


def main() -> int:
    """Write the archive for machines such as this one, into the package unless the command line names a file."""
    home = Path(footfall.__file__).parent / "kernels" / "compiled"
    parser = argparse.ArgumentParser(prog="python -m tools.kernels", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=home / archive_name())
    asked = parser.parse_args()
    try:
        asked.file.parent.mkdir(parents=True, exist_ok=True)
        for name in ship(asked.file):
            print(name)
        print(f"{asked.file}: {asked.file.stat().st_size / 1000:.0f} kB")
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
