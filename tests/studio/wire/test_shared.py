"""However slowly a page is told, it ends up with the state that is shared."""

import json
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.studio.messages import Item, Toast, frame_bytes
from footfall.studio.shared import Shared
from tests.studio.wire.model_page import ModelPage

NAMES = ("a", "b", "c", "d")
act = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(NAMES), st.sampled_from((None, *NAMES))),
    st.tuples(st.just("set"), st.sampled_from(NAMES), st.integers(0, 3)),
    st.tuples(st.just("remove"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.integers(0, 3)),
    st.tuples(st.just("bar"), st.sampled_from(NAMES), st.integers(0, 3)),
    st.tuples(st.just("take"), st.integers(1, 2), st.none()),
    st.tuples(st.just("open"), st.integers(1, 2), st.booleans()),
)


def shared_with(*pages: int) -> Shared:
    shared = Shared("run", "1")
    for page in pages:
        shared.join(page, lambda: None)
    return shared


def apply(shared: Shared, items: dict[str, Item], step: tuple[str, Any, Any]) -> None:
    kind, name, value = step
    if kind == "add" and name not in items and value != name and (value is None or value in items):
        kind_of_item = "html" if value else "panel"
        props = {"name": name, "place": "more", "html": "", "visible": True}
        items[name] = shared.add(Item(name, kind_of_item, props, value), data=True)
    elif kind == "set" and name in items:
        shared.set(items[name], {"html" if value % 2 else "visible": value})
    elif kind == "remove" and name in items:
        shared.remove(items[name])
        for gone in [n for n, item in items.items() if shared.item(n) is not item]:
            del items[gone]
    elif kind == "put" and name in items:
        shared.put(items[name], np.full(3, value))
    elif kind == "bar":
        shared.bar(**{name: value})
    elif kind == "open":
        shared.opened(name, NAMES if value else ())


def shown(page: ModelPage) -> dict[str, Any]:
    return {name: (item["kind"], item["parent"], item["props"]) for name, item in page.items.items()}


@settings(max_examples=120, deadline=None)
@given(st.lists(act, max_size=40))
def test_a_page_that_is_told_late_shows_what_one_shows_that_is_told_at_once(steps: list[tuple[str, Any, Any]]) -> None:
    shared, items, pages = shared_with(1, 2), dict[str, Item](), {1: ModelPage(), 2: ModelPage()}
    for n, step in enumerate(steps):
        if step[0] == "take":
            pages[step[1]].turn(*shared.take(step[1], n))
        else:
            apply(shared, items, step)
    shared.join(3, lambda: None)
    pages[3] = ModelPage()
    for number, page in pages.items():
        shared.opened(number, NAMES)
        page.turn(*shared.take(number, 100))
    for number, page in pages.items():
        assert shown(page) == {name: (i.kind, i.parent, i.props) for name, i in items.items()}
        for item in items.values():
            held = shared.data(item)
            assert (held is None) == (item.number not in page.data)
            assert held is None or np.array_equal(held, page.data[item.number])
        assert page.bar == pages[3].bar
        assert shared.take(number, 101) == ("", b"")


def test_what_waits_for_a_slow_page_does_not_grow() -> None:
    shared = shared_with(1)
    node = shared.add(Item("walker", "body", {"visible": True}, node=True), data=True)
    for k in range(1000):
        shared.put(node, np.full(7, k))
        shared.set(node, {"visible": k % 2 == 0})
        shared.bar(time=float(k))
    text, frame = shared.take(1, 1)
    assert len(json.loads(text)["ops"]) == 3
    assert len(frame) == 4 * (2 + 2 + 7)
    page = ModelPage()
    page.turn(text, frame)
    assert page.bar == {"time": 999.0}
    assert page.data[node.number].tolist() == [999.0] * 7


def test_drawings_of_a_closed_panel_wait_until_it_is_opened_and_all_else_does_not() -> None:
    shared = shared_with(1)
    panel = shared.add(Item("p", "panel", {"name": "plots", "place": "more"}))
    drawing = shared.add(Item("d", "html", {"name": "plots/html", "html": "", "visible": True}, "p"))
    lines = shared.add(Item("l", "plot", {"name": "plots/plot"}, "p"), data=True)
    shared.take(1, 1)
    assert shared.watched("plots")
    shared.opened(1, ())
    assert not shared.watched("plots")
    shared.set(drawing, {"html": "old"})
    shared.set(drawing, {"html": "new"})
    shared.put(lines, [1.0])
    assert shared.take(1, 2) == ("", b"")
    shared.set(panel, {"visible": False})
    assert [op["id"] for op in json.loads(shared.take(1, 3)[0])["ops"]] == ["p"]
    shared.opened(1, ("plots",))
    text, frame = shared.take(1, 4)
    assert json.loads(text)["ops"] == [{"op": "set", "id": "d", "props": {"html": "new"}}]
    assert len(frame) == 4 * (2 + 2 + 1)


def test_a_change_is_not_sent_back_to_the_page_that_made_it() -> None:
    shared = shared_with(1, 2)
    item = shared.add(Item("s", "slider", {"name": "s", "value": 1.0}))
    for page in (1, 2):
        shared.take(page, 1)
    shared.set(item, {"value": 2.0}, but=1)
    assert shared.take(1, 2) == ("", b"")
    assert "2.0" in shared.take(2, 2)[0]
    shared.tell(Toast("a", "b", "good", 4.0), 1)
    assert "toast" in shared.take(1, 3)[0]
    assert shared.take(2, 3) == ("", b"")


def test_changes_that_belong_together_are_rung_once() -> None:
    shared, rung = Shared("run", "1"), []
    shared.join(1, lambda: rung.append(1))
    rung.clear()
    with shared.atomic():
        shared.bar(time=1.0)
        shared.bar(time=2.0)
        assert not rung
    assert rung == [1]
    shared.bar(time=2.0)
    assert rung == [1]


def test_numbers_that_json_does_not_have_are_sent_as_nothing() -> None:
    shared = shared_with(1)
    shared.bar(time=float("nan"), runs=[[float("inf"), 1]])
    page = ModelPage()
    page.turn(*shared.take(1, 1))
    assert page.bar == {"time": None, "runs": [[None, 1]]}


def test_a_frame_has_its_blocks_in_order() -> None:
    frame = frame_bytes(7, [(3, np.array([[1.0, 2.0]], np.float32)), (9, np.zeros((0, 6), np.float32))])
    assert np.frombuffer(frame, "<u4")[:6].tolist() == [7, 2, 3, 2, 9, 0]
    assert np.frombuffer(frame, "<f4")[6:].tolist() == [1.0, 2.0]
