"""Whatever pages do, in whatever order: the studio complains in words or not at all, and goes on."""

import logging

import pytest

from footfall.studio import Studio
from tests.studio.random_page import RandomPage


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_random_acts_of_two_pages(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    studio = Studio("walk", port=0)
    try:
        with caplog.at_level(logging.WARNING):
            pages = [RandomPage(studio.server.port, 10 * seed + k) for k in range(2)]
            for k in range(600):
                page = pages[k % 2]
                did = page.act()
                page.listen(0.02)
                assert not caplog.records, f"after {did}: {caplog.text}"
            for page in pages:
                page.close()
        session = studio.session
        session.loop.call(lambda: session.play(False), timeout=300.0)
        session.loop.call(session.reset)
        session.loop.call(lambda: session.step(0.1))
        assert session.world.time == pytest.approx(0.1, abs=0.01)
    finally:
        studio.stop()
