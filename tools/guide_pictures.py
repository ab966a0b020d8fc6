"""Pictures of the guides for characters of one's own: ``python -m tools.guide_pictures docs/images``, in a checkout
after ``make browser``."""

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from footfall.cli.main import main as footfall
from footfall.control.registry import load_controller
from footfall.live.description import write_module
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


if __name__ == "__main__":
    print(web_game(Path(sys.argv[1])))
