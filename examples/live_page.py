"""A live page: one HTML file that simulates three gaits in the visitor's browser, with pushes and sliders.

python examples/live_page.py
"""

from footfall import load_controller
from footfall.live import write_live_page

if __name__ == "__main__":
    gaits = [load_controller(name) for name in ("walk", "run", "skipping")]
    path = write_live_page(gaits, "live_page.html", terrains=("flat", "slope:4", "steps:0.05"), title="Three gaits")
    print(f"open {path} in a browser: {path.stat().st_size / 1000:.0f} kB, no network needed")
