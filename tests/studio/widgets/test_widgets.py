"""Widgets take what they can have, whatever a page sends, and call whoever waits for it."""

import json
import math
from typing import Any

import pytest

from footfall.studio.messages import Press, SetValue
from footfall.studio.shared import Shared
from footfall.studio.widgets import Event, Gui, marked


class Someone:
    """A page."""

    number = 1

    def download(self, name: str, content: bytes) -> None:
        raise AssertionError

    def ask(self, title: str, text: str, buttons: Any, act: Any) -> None:
        raise AssertionError


@pytest.fixture
def shared() -> Shared:
    shared = Shared("run", "1")
    shared.join(1, lambda: None)
    return shared


def sent(shared: Shared, page: int = 1) -> list[dict[str, Any]]:
    text = shared.take(page, 1)[0]
    return list(json.loads(text)["ops"]) if text else []


@pytest.mark.parametrize(
    ("value", "kept"), [(0.5, 0.5), (7, 2.0), (-math.inf, 1.0), (math.nan, 1.0), ("x", 1.0), (True, 1.0), (None, 1.0)]
)
def test_a_slider_takes_numbers_between_its_ends(shared: Shared, value: Any, kept: float) -> None:
    gui, events = Gui(shared), list[Event]()
    slider = gui.add_slider("Force (N)", 0.0, 2.0, 0.1, 1.0)
    slider.on_update(events.append)
    sent(shared)
    gui.receive(Someone(), SetValue(slider.item.id, value))
    assert slider.value == kept
    assert [event.value for event in events] == [kept]
    told = [op["props"]["value"] for op in sent(shared)]
    assert told == [] if value == kept else set(told) == {kept}


def test_a_disabled_control_stays_as_it_is_on_the_page_too(shared: Shared) -> None:
    gui, events = Gui(shared), list[Event]()
    box = gui.add_checkbox("Follow", True)
    box.disabled = True
    box.on_update(events.append)
    sent(shared)
    gui.receive(Someone(), SetValue(box.item.id, False))
    assert box.value is True
    assert events == []
    assert [op["props"] for op in sent(shared)] == [{"value": True}]


def test_what_the_studio_sets_calls_nobody_and_is_sent_once(shared: Shared) -> None:
    gui, events = Gui(shared), list[Event]()
    choice = gui.add_dropdown("State", ("0", "1"), "0")
    choice.on_update(events.append)
    sent(shared)
    choice.value = "1"
    choice.value = "1"
    assert [op["props"] for op in sent(shared)] == [{"value": "1"}]
    gui.receive(Someone(), SetValue(choice.item.id, "7"))
    assert choice.value == "1"
    choice.offer(("a", "b"))
    assert choice.value == "a"
    gui.receive(Someone(), SetValue(choice.item.id, "b"))
    assert [event.value for event in events] == ["1", "b"]


def test_buttons_are_pressed_by_their_words_and_nothing_else(shared: Shared) -> None:
    gui, events = Gui(shared), list[Event]()
    group = gui.add_button_group("Push", ("back", "forward"))
    group.on_update(events.append)
    for value in ("back", "sideways", ""):
        gui.receive(Someone(), Press(group.item.id, value))
    gui.receive(Someone(), SetValue(group.item.id, "back"))
    gui.receive(Someone(), Press("w99", "back"))
    assert [event.value for event in events] == ["back"]


def test_names_are_paths_of_labels_and_stay_when_rows_are_made_again(shared: Shared) -> None:
    gui = Gui(shared)
    with gui.add_panel("edit", "Edit", "verb"):
        rows = gui.add_folder()
    names = []
    for _ in range(2):
        with rows:
            first, second = gui.add_button("Add a state"), gui.add_button("Add a state")
        names.append((first.item.props["name"], second.item.props["name"]))
        assert gui.find("edit/folder/add-a-state") is first
        assert first.item.panel == "edit"
        first.remove()
        second.remove()
    assert names[0] == names[1] == ("edit/folder/add-a-state", "edit/folder/add-a-state-2")
    gui.receive(Someone(), Press(first.item.id))


def test_notes_escape_what_they_say() -> None:
    assert marked("") == ""
    assert marked("a *b* **c** <script>") == "<p class='ff-small'>a <em>b</em> <b>c</b> &lt;script&gt;</p>"
