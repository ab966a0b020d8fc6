"""Uploads that are too large are refused when they are announced, before a byte of them is read."""

from collections.abc import Callable
from typing import Any

from footfall.errors import FootfallError

__all__ = ["limit_uploads"]


def limit_uploads(server: Any, limits: dict[str, int], refused: Callable[[FootfallError], None]) -> None:
    """Refuse uploads to some of a viser server's buttons.

    Args:
        server: viser's. limits: the most bytes for each upload button, by its uuid.
        refused: called with the error when an upload is refused.
    """
    from viser._messages import FileTransferStartUpload

    gui = server.gui
    begin = gui._handle_file_transfer_start

    def start(client_id: int, message: Any) -> None:
        most = limits.get(message.source_component_uuid)
        if most is not None and message.size_bytes > most:
            name = str(message.filename)[:60]
            size = message.size_bytes / 1e6
            refused(FootfallError(f"'{name}': {size:.1f} MB are too much here (at most {most / 1e6:.0f} MB)"))
            return
        begin(client_id, message)

    interface = gui._websock_interface
    interface.unregister_handler(FileTransferStartUpload, begin)
    interface.register_handler(FileTransferStartUpload, start)
