"""The films of the gallery and the pictures of the tutorials, small enough to be kept: ``make gallery``.

    python -m tools.gallery docs/images [NAME …]

A film is made as MP4 by footfall's own command and then written as an animated WebP, which Markdown shows everywhere. A
picture is the one that a tutorial's own command or code writes, with fewer colours and pixels.
"""

import contextlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import imageio.v3 as iio
from PIL import Image

from footfall import load_motion, save
from footfall.cli.main import main as footfall
from footfall.errors import FootfallError
from footfall.motion.editing import trimmed
from footfall.pictures import save_figure
from footfall.pictures.strips import strips

ROOT = Path(__file__).parents[1]
SIZE, FPS, QUALITY = (360, 204), 12, 45
"""Pixels, frames a second, and WebP's measure of quality, 0 to 100."""
WIDTH, COLOURS = 1100, 128
"""Most pixels across, and colours, of a tutorial's picture."""


@dataclass(frozen=True)
class Film:
    """One film: the command that makes the motion, and which seconds of it are shown."""

    command: str
    start: float
    end: float


FILMS = {
    "walk-3d-pushed": Film("run walk-3d --seconds 5 --push 0,200,0@1.2:0.25", 0.6, 3.8),
    "run-3d": Film("run run-3d --seconds 5", 2.0, 4.0),
    "skip-3d": Film("run skip-3d --seconds 6", 3.0, 5.4),
    "climb-3d": Film("run climb-3d --seconds 8 --terrain slope:20,1.5", 4.5, 7.0),
    "back-flip": Film('run --sequence "walk 5, in-place-walk 6, stand 3, back-flip 5"', 13.4, 16.6),
    "ground-sight-walk": Film("run ground-sight-walk --seconds 6 --terrain random-steps:0.15", 2.5, 5.5),
    "fall": Film("run walk-3d --seconds 5 --push 0,900,0@1.5:0.3", 1.2, 4.0),
    "tracked-walk": Film("run tracked-walk --seconds 5", 1.5, 4.0),
    "bird-run": Film("limit-cycle bird-run --target 0.08 0 --footsteps 24", 1.0, 3.0),
    "3lp": Film("pendulum --human --speed 1.4 --seconds 5 --push 0,-40@2:0.4", 1.6, 4.2),
}
"""Name -> what is filmed."""

PICTURES = {
    "tutorial-history": ("optimize walk --minimize torque --vary kd=20:40 --vary swing_hip.c_v=0.1:0.3 --population 8 "
                         "--generations 12 --out thrifty.toml --out picture.png",),
    "tutorial-sweep": ("sweep walk --over push.force=-600:600:41 --over swing_hip.c_v=0:0.6:61 --set push.start=3 "
                       "--recovery 3 --out sweep.nc --out picture.png",),
    "tutorial-import": ("pendulum --human --speed 1.2 --seconds 6 --out clip.bvh",
                        "import clip.bvh --onto human-28 --out on-human.npz",
                        "export on-human.npz --out picture.png"),
    "tutorial-robot": ("run {robots}/gymnasium-humanoid-walk.toml --figure my-robot.xml --seconds 3 "
                       "--out picture.png",),
    "tutorial-law": (),
    "tutorial-gait": ("analyse walk-3d --seconds 8 --out picture.png",),
}  # fmt: skip
"""Name -> footfall's commands that write picture.png; none where the tutorial's own code writes a picture."""


STRIPS = {
    "walks-3d": (
        "walk-3d gait-lab-slow-walk gait-lab-fast-walk crouch-walk-3d high-step-walk-3d sturdy-walk-3d",
        "",
        8.0,
    ),
    "moves-3d": ("run-3d fast-run-3d skip-3d hop-3d tai-chi-3d climb-3d", "", 8.0),
    "pushed-3d": ("walk-3d gait-lab-walk run-3d crouch-walk-3d high-step-walk-3d sturdy-walk-3d", "0,150,0@6:0.3", 5.8),
}
"""Name -> gaits in space that are drawn from the side and from the front, a push, and when the drawing begins."""
STRIP = 2.8
"""Seconds that a strip shows."""


def make_strips(name: str, folder: Path) -> Path:
    """Simulate gaits and draw their poses below each other, from the side and from the front; returns the file."""
    gaits, push, start = STRIPS[name]
    motions = {}
    with _elsewhere():
        for gait in gaits.split():
            options = ["--push", push] if push else []
            options += ["--terrain", "slope:20,1.5"] if gait.startswith("climb") else []
            _run(name, ["run", gait, "--seconds", str(start + STRIP), *options, "--out", "motion.npz"])
            motions[gait] = trimmed(load_motion("motion.npz"), start, start + STRIP)
    page = strips(motions, every=0.2, seconds=STRIP, cameras=("side", "front"))
    target = folder / "gallery" / f"{name}.png"
    with _elsewhere():
        _write_small(Image.open(save_figure(page, Path("strips.png"))), target)
    return target


def make_film(name: str, folder: Path) -> Path:
    """Simulate and write one film; returns its file."""
    film = FILMS[name]
    with _elsewhere():
        _run(name, [*shlex.split(film.command), "--out", "motion.npz"])
        large = (2 * SIZE[0], 2 * SIZE[1])
        save(load_motion("motion.npz"), "film.mp4", start=film.start, end=film.end, fps=FPS, size=large)
        frames = [Image.fromarray(frame).resize(SIZE, Image.Resampling.LANCZOS) for frame in iio.imread("film.mp4")]
    target = folder / "gallery" / f"{name}.webp"
    target.parent.mkdir(exist_ok=True)
    after = frames[1:]
    frames[0].save(
        target, quality=QUALITY, method=6, save_all=True, append_images=after, duration=round(1000 / FPS), loop=0
    )
    return target


def make_picture(name: str, folder: Path) -> Path:
    """Run a tutorial's commands and write its picture; returns its file."""
    with _elsewhere():
        if name == "tutorial-robot":
            import gymnasium

            shutil.copy(Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "humanoid.xml", "my-robot.xml")
        for command in PICTURES[name]:
            _run(name, shlex.split(command.format(robots=ROOT / "examples" / "robots")))
        if not PICTURES[name]:
            page = (ROOT / "docs" / "tutorials" / "write-a-law.md").read_text(encoding="utf-8")
            block = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[0]
            exec(block.replace("swing.png", "picture.png"), {})
        target = folder / f"{name}.png"
        _write_small(Image.open("picture.png"), target)
    return target


def _write_small(picture: Image.Image, target: Path) -> None:
    """Write a picture with fewer pixels and colours."""
    picture = picture.convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


def _run(name: str, command: list[str]) -> None:
    if footfall(command) != 0:
        raise FootfallError(f"gallery, {name}: footfall {shlex.join(command)} failed")


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """In a folder that is removed afterwards."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)


def main(arguments: list[str]) -> None:
    """Make the named films and pictures, or all."""
    folder = Path(arguments[0]).resolve()
    for name in arguments[1:] or (*FILMS, *STRIPS, *PICTURES):
        make = make_film if name in FILMS else make_strips if name in STRIPS else make_picture
        target = make(name, folder)
        print(f"wrote {target} ({target.stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main(sys.argv[1:])
