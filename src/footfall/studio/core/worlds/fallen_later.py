"""Worlds that are made without what takes over after a fall, so that they walk sooner: it is loaded later, beside the
walk (:meth:`.world.World.load_fallen`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LATER: ContextVar[bool] = ContextVar("LATER", default=False)


@contextmanager
def fallen_later() -> Iterator[None]:
    """While this lasts, worlds are made that way."""
    token = LATER.set(True)
    try:
        yield
    finally:
        LATER.reset(token)
