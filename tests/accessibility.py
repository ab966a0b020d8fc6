"""axe-core, which looks for controls that cannot be reached, named or read; tests use it where it is installed."""

import json
import os
from pathlib import Path
from typing import Any

from tools.browser import Page

__all__ = ["NO_AXE", "find_axe", "violations"]

NO_AXE = "NO AXE-CORE: pages were not checked for accessibility; `make axe` installs it (npm)"


def find_axe() -> Path | None:
    """The script of axe-core: in FOOTFALL_AXE, or installed by npm in the project's root; None if it is not there."""
    places = [Path(os.environ["FOOTFALL_AXE"])] if "FOOTFALL_AXE" in os.environ else []
    places.append(Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js")
    return next((place for place in places if place.is_file()), None)


def violations(page: Page) -> list[str]:
    """What axe-core finds serious or critical in a page as it is shown."""
    script = find_axe()
    assert script is not None
    page.js(f"{script.read_text(encoding='utf-8')}; 0")
    found: list[dict[str, Any]] = json.loads(
        page.js(
            "axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations.map(v =>"
            " ({id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 4).map(n => n.html.slice(0, 120) + ' '"
            " + (n.any[0]?.message ?? '').slice(0, 160))}))))"
        )
    )
    return [f"{v['id']}: {v['nodes']}" for v in found if v["impact"] in ("serious", "critical")]
