"""Pulling at the walker: a spring between a body and the pointer of whoever drags it."""

import numpy as np
from numpy.typing import NDArray

from footfall.studio.core.session.events import Restarted
from footfall.studio.core.session.session import Session

Array = NDArray[np.float64]

SPRING = 600.0
"""Newtons a metre between a dragged body and the pointer. The force is held below ``MOST_PULL``."""
MOST_PULL = 900.0


class Pulling:
    """One pull at a time: whoever began it keeps it until they let go or are gone."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._puller: int | None = None
        self._pulled: tuple[str, Array, Array] | None = None
        session.before_advance.append(self._spring)
        session.events.on(Restarted, lambda _: self._forget())

    def _forget(self) -> None:
        self._puller, self._pulled = None, None

    def grab(self, client: int, body: str, grabbed: Array, to: Array) -> None:
        """A client takes hold of a body at a point [3] and pulls it to another [3]."""
        self._puller = client
        self.move(client, body, grabbed, to)

    def move(self, client: int, body: str, grabbed: Array, to: Array) -> None:
        """The client that pulls moves its pointer."""
        if self._puller == client:
            self._pulled = (body, grabbed, to)

    def let_go(self, client: int) -> None:
        """A client lets go of what it pulls, or has gone."""
        if self._puller == client:
            if self._pulled is not None:
                self._session.world.pull(self._pulled[0], None)
            self._forget()

    def _spring(self) -> None:
        if self._pulled is None:
            return
        body, grabbed, end = self._pulled
        force = SPRING * (end - grabbed)
        size = float(np.linalg.norm(force))
        self._session.world.pull(body, force * min(1.0, MOST_PULL / max(size, 1e-9)))
