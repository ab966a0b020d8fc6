"""Motions in notebooks: the player in a frame of its own."""

import html
import tempfile
from pathlib import Path
from typing import Any

from footfall.motion.motion import Motion
from footfall.pictures.files import default_title
from footfall.pictures.player import write_player

HEIGHT = 420


def motion_html(motion: Motion, height: int = HEIGHT) -> str:
    """An inline frame that plays a motion; it needs no network and no kernel once it is shown."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.html"
        write_player(motion, path, title=default_title(motion))
        page = path.read_text(encoding="utf-8")
    style = f"width:100%;height:{height}px;border:1px solid #d8dde3;border-radius:4px"
    return f'<iframe srcdoc="{html.escape(page, quote=True)}" style="{style}" allowfullscreen></iframe>'


def figure_html(figure: Any) -> str:
    """A matplotlib figure as an inline picture."""
    import base64
    import io

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return f'<img src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}" style="max-width:100%">'
