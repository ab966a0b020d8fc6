"""Pictures of the guides for characters of one's own: ``python -m tools.guide_pictures docs/images``, in a checkout
after ``make browser``."""

import ctypes
import io
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from footfall.cli.main import main as footfall
from footfall.control.registry import load_controller
from footfall.embedded.physics import physics_in_c
from footfall.figures import Figure
from footfall.live.description import write_module
from footfall.motion import Motion
from footfall.pictures import save
from tools.browser import Browser, served

THREE = Path(__file__).parents[1] / "build" / "node" / "node_modules" / "three"


def web_game(folder: Path) -> Path:
    """A character in a page: walking, pulled by its arm, lying."""
    with TemporaryDirectory() as place:
        person, web = Path(place) / "character.glb", Path(place) / "web"
        assert footfall(["pendulum", "--height", "1.6", "--seconds", "1", "--out", str(person)]) == 0
        write_module([load_controller("walk-3d")], web, name="walk", onto=person)
        (web / "node_modules").mkdir()
        (web / "node_modules" / "three").symlink_to(THREE)
        shots = []
        with served(web) as address, Browser(420, 420) as browser:
            page = browser.open(f"{address}/character.html")
            page.wait("globalThis.walker?.time > 0.1", 120)
            for push, steps in (("[0, 0, 0]", 1600), ("[0, 260, 0]", 420), ("[0, 900, 0]", 2200)):
                page.js(f"(() => {{ walker.push({push}, 0.4); walker.step({steps}); }})()")
                page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    whole = Image.new("RGB", (sum(shot.width for shot in shots), shots[0].height))
    for k, shot in enumerate(shots):
        whole.paste(shot, (k * shot.width, 0))
    path = folder / "web-game.png"
    whole.quantize(256).save(path, optimize=True)
    return path


def game_engines(folder: Path) -> Path:
    """A walker of the C library, pushed and fallen: its coordinates, drawn as poses."""
    controller = load_controller("walk-3d")
    with TemporaryDirectory() as place:
        for text, end in zip(physics_in_c([controller], "walker"), "ch", strict=True):
            (Path(place) / f"walker.{end}").write_text(text, encoding="utf-8")
        build = ["cc", "-std=c99", "-O1", "-shared", "-fPIC", "walker.c", "-lm", "-o", "walker.so"]
        subprocess.run(build, cwd=place, check=True)
        library = ctypes.CDLL(f"{place}/walker.so")
    library.walker_coordinates.restype = ctypes.POINTER(ctypes.c_double)
    walker, nothing = ctypes.create_string_buffer(library.walker_size()), ctypes.c_double(0.0)
    library.walker_start(walker, None, nothing, nothing, nothing)
    figure, rows = Figure.load(controller.figure), []
    for frame in range(120):
        rows.append(library.walker_coordinates(walker)[: figure.nq])
        if frame == 45:
            library.walker_push(walker, -1, (ctypes.c_double * 3)(0.0, 900.0, 0.0), ctypes.c_double(0.3))
        library.walker_step(walker, 25)
    motion = Motion.from_qpos(figure, np.arange(len(rows), dtype=float) / 40.0, np.array(rows))
    path = Path(save(motion, folder / "game-engines.png", title=""))
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)
    return path


def rigs(folder: Path) -> Path:
    """A fall on a character of another size."""
    path = folder / "rigs.png"
    with TemporaryDirectory() as place:
        fall, person = f"{place}/fall.npz", f"{place}/character.glb"
        footfall(["run", "walk-3d", "--seconds", "5", "--push", "0,900,0@1.5:0.3", "--out", fall])
        footfall(["pendulum", "--height", "1.2", "--seconds", "1", "--out", person])
        footfall(["motion", "import", fall, "--onto", person, "--out", str(path)])
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)
    return path


if __name__ == "__main__":
    print(*(make(Path(sys.argv[1])) for make in (web_game, game_engines, rigs)))
