"""``footfall studio``: author, watch and push walking bipeds in the browser."""

import gc
import os
import sys
import webbrowser
from pathlib import Path

from footfall.cli.arguments import Controller, MaybeText, serve
from footfall.cli.printing import print_json
from footfall.errors import FootfallError
from footfall.studio import DEFAULT_CONTROLLER


def studio(
    controller: Controller = DEFAULT_CONTROLLER,
    *,
    figure: MaybeText = None,
    host: str = "127.0.0.1",
    port: int = 8080,
    folder: Path = Path("."),
    browser: bool = True,
    paused: bool = False,
    shadows: bool = True,
    json: bool = False,
) -> int:
    """Open the studio: a page on which a biped walks and everything about it can be changed.

    Args:
        controller: the controller that walks first, by name (footfall show) or file, also a file of footfall imitate;
            steered-walk is steered by keys or a gamepad. What was never compiled stands until it is.
        figure: a built-in figure or a file on which it walks: a robot's .xml or .urdf, .bones. Default: the
            controller's own.
        host: address to serve on. 0.0.0.0 lets other machines in; they can do everything that you can.
        port: the page's port. The next free one is taken if it is in use.
        folder: where controllers are saved and looked for.
        browser: open the page in your browser.
        paused: start paused.
        shadows: draw shadows. Browsers without a graphics card are faster without.
        json: print one JSON object with the page's address on standard output, once it is there.
    """
    if not 0 <= port <= 65535:
        raise FootfallError(f"port is {port}; it must lie between 0 and 65535")
    if not folder.is_dir():
        raise FootfallError(f"--folder {folder}: there is no such folder")
    if not os.access(folder, os.W_OK):
        raise FootfallError(f"--folder {folder}: it cannot be written to")
    first = None if controller == DEFAULT_CONTROLLER else controller
    gc.disable()  # nothing that is made at the start becomes garbage; looking for it is a tenth of the start
    try:
        from footfall.studio import Studio

        open_studio = Studio(
            first, host=host, port=port, folder=folder, figure=figure, playing=not paused, shadows=shadows, stand=True
        )
        gc.freeze()
    finally:
        gc.enable()
    address = open_studio.address
    for line in open_studio.session.library.skipped:
        print(f"footfall: skipped {line}", file=sys.stderr)
    if json:
        print_json({"address": address, "controller": open_studio.session.document.name, "folder": str(folder)})
        sys.stdout.flush()
    else:
        print(f"footfall studio at {address} (Ctrl+C ends it)", flush=True)
    if browser and not json:
        webbrowser.open(address)
    return serve(open_studio.stop)
