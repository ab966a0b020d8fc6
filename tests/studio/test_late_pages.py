"""Pages that come late, or open a panel while nothing moves."""

from collections.abc import Iterator

import pytest

from footfall.studio import Studio
from tests.studio.controls import until
from tests.studio.random_page import RandomPage


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio("walk", port=0, playing=False)
    yield studio
    studio.stop()


def test_a_panel_that_is_opened_while_it_is_paused_shows_what_was_simulated(studio: Studio) -> None:
    session = studio.session
    for _ in range(8):
        session.loop.call(lambda: session.step(0.25))
    page = RandomPage(studio.server.port, 1)
    page.open()
    page.open("plots")
    plot = page.page.named("plots/folder/plot")["number"]

    def drawn() -> bool:
        page.listen(0.1)
        return plot in page.page.data and "timeline" in page.page.named("plots/html")["props"]["html"]

    until(drawn, what="the plot")
    page.close()


def test_a_push_that_is_over_within_one_long_frame_is_drawn_in_it(studio: Studio) -> None:
    session, arrows = studio.session, []

    def drawn() -> None:
        session.step(0.25)
        studio._draw()
        arrows.append(len(studio.stage.marks._push.data))

    session.loop.call(lambda: studio.steering.push(0.3, 0.0))
    for _ in range(2):
        session.loop.call(drawn)
    assert arrows == [1, 0]


def test_a_late_page_sees_the_walker_where_it_is_and_lets_go_when_it_dies(studio: Studio) -> None:
    session = studio.session
    page = RandomPage(studio.server.port, 2)
    walker = page.page.items["walker"]
    places = page.page.data[walker["number"]].reshape(-1, 7)
    assert len(places) == walker["props"]["joints"] == len(walker["props"]["names"])
    assert abs(places[0, 0] - session.world.state["qpos"][0][0]) < 0.5
    page.drag("walker", 0, "start")
    until(lambda: studio._pulling._pulled is not None, what="the pull")
    page.close()
    until(lambda: studio._pulling._pulled is None, what="the pull to end")
