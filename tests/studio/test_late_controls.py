"""A control may be used just before another controller takes over: what it asks for then comes too late."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event
from typing import Any

import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.studio import Studio
from footfall.studio.core.background import RealTimeLoop
from footfall.studio.core.making import make_world
from footfall.studio.core.setting import Setting
from footfall.studio.widgets import Control

pytestmark = pytest.mark.slow

WALKERS = ("walk", "tracked-walk", "steered-walk")
KEPT = ("export/", "stress/", "gait/controller", "gait/new", "edit/save-load-compare/file", "cycle/people")
"""Files, studies in processes of their own, what begins anew."""


class NoPage:
    """A page that sees nothing."""

    number = 99

    def download(self, *_: Any) -> None: ...
    def toast(self, *_: Any, **__: Any) -> None: ...
    def ask(self, *_: Any, **__: Any) -> None: ...


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio("walk", port=0, playing=False)
    yield studio
    studio.stop()


def use_everything(studio: Studio, pick: random.Random) -> None:
    for item in studio.shared.items():
        owner, props, page = item.owner, item.props, NoPage()
        if not isinstance(owner, Control) or props["name"].startswith(KEPT):
            continue
        if item.kind in ("button", "buttons"):
            for option in props.get("options", [""]):
                owner.press(page, option)  # type: ignore[attr-defined]
        elif item.kind == "slider":
            owner.change(page, pick.uniform(props["min"], props["max"]))
        elif item.kind == "checkbox":
            owner.change(page, not props["value"])
        elif item.kind in ("dropdown", "gallery"):
            owner.change(page, pick.choice(props["options"]))
        elif item.kind == "text":
            owner.change(page, pick.choice(("", "a-name", "x" * 300)))


@pytest.mark.parametrize("first", WALKERS)
def test_what_is_asked_too_late_is_refused_in_words_or_done(studio: Studio, first: str) -> None:
    session = studio.session

    def enter(name: str) -> None:
        document = session.library.document(name)
        figure = Figure.load(document.controller.figure)
        session.enter(document, make_world(session.library.together(name), figure, Setting()))
        session.step(0.1)

    for second in WALKERS:
        session.loop.call(partial(enter, first), 300.0)
        waiting: list[Callable[[], Any]] = []
        plain, session.act = session.act, waiting.append  # type: ignore[method-assign]
        try:
            use_everything(studio, random.Random(1))
        finally:
            session.act = plain  # type: ignore[method-assign]
        session.loop.call(partial(enter, second), 300.0)
        session.loop.call(partial(do_all, waiting), 300.0)
        session.loop.call(session.reset)
        session.loop.call(lambda: session.step(0.1))
        assert len(waiting) > 80
        assert session.world.time == pytest.approx(0.1, abs=0.02)


def do_all(jobs: list[Callable[[], Any]]) -> None:
    for job in jobs:
        try:
            job()
        except FootfallError:
            continue


def test_who_waits_for_a_busy_thread_is_told_so() -> None:
    free = Event()
    loop = RealTimeLoop(lambda _: None, lambda: None, lambda _: None)
    loop.start()
    try:
        assert loop.call(lambda: 3) == 3
        loop.submit(free.wait)
        with pytest.raises(FootfallError, match="busy"):
            loop.call(lambda: 4, timeout=0.01)
    finally:
        free.set()
        loop.stop()
