"""A clip imitated by what does it best: a network that follows clips, practice of the clip, a search for gains."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.gym.practised import Followed, follow_and_practise, worth
from footfall.methods.network.controller import NetworkController
from footfall.motion import Motion
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.imitate import Imitation, imitate

Show = Callable[[float, str], None]


@dataclass(frozen=True, eq=False)
class Imitated:
    """A clip's character.

    Attributes:
        made: the best that was made. law: whose it is, "learned" or "tracking".
        tried: what was done, in the order in which it was: "network", "practice", "search".
        why: why the first of these was not enough, in words; empty where it was.
    """

    made: Imitation[Any]
    law: str
    tried: tuple[str, ...]
    why: str = ""


def imitate_by_any_law(
    clip: Path | Motion,
    policy: NetworkController,
    *,
    practice: int | None = None,
    aim: str = "course",
    name: str = "",
    loop: bool = False,
    pushes: bool = True,
    seed: int = 1,
    search: GainSearch | None = None,
    progress: Show | None = None,
) -> Imitated:
    """Make a clip's controller: by a network that follows clips, which practises where it must, and where it still
    falls by a search for gains. A loop is searched first: such a character walks without end, where the network's
    walks for a minute. The better of the two is kept.

    Args:
        clip: a motion or its file. policy: a tracker. practice: decisions, at most. aim: what it practises for
            (:func:`~footfall.gym.practised.follow_and_practise`); "sturdy" counts for the search too.
        name: of the controller; by default from the file's name. loop: repeat the clip's best two steps.
        pushes: whether to look for push limits. seed: of everything random. search: how to look for gains.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    share = 0.4 if loop else 0.6
    options: dict[str, Any] = {"name": name, "loop": loop, "pushes": pushes}

    def follow(first: float, last: float) -> Followed:
        own: dict[str, Any] = {"practice": practice, "aim": aim, "seed": seed, "progress": part(first, last)}
        return follow_and_practise(clip, policy, **own, **options)

    def searched(first: float, last: float) -> Imitation[Any] | None:
        own: dict[str, Any] = {"sturdy": aim == "sturdy", "progress": part(first, last)}
        try:
            return imitate(clip, search=search or GainSearch(seed=seed), **own, **options)
        except FootfallError:  # the network may do without the steps that a search needs; it says what else is wrong
            return None

    def part(first: float, last: float) -> Show:
        return lambda done, what: show(first + (last - first) * done, what)

    if loop:
        found = searched(0.0, share)
        if found is not None and not found.failed:
            return Imitated(found, "tracking", ("search",))
        followed = follow(share, 1.0)
        why = "its steps cannot be repeated" if found is None else found.failed
        return _better(followed, found, ("search", *_steps(followed)), why)
    followed = follow(0.0, share)
    if not followed.falls:
        return Imitated(followed.made, "learned", _steps(followed), followed.why)
    return _better(followed, searched(share, 1.0), (*_steps(followed), "search"), followed.why)


def imitate_by_network(clip: Path | Motion, policy: NetworkController, **options: Any) -> Imitated:
    """The same by the network alone, which practises where it must; arguments as
    :func:`~footfall.gym.practised.follow_and_practise` takes them."""
    followed = follow_and_practise(clip, policy, **options)
    return Imitated(followed.made, "learned", _steps(followed), followed.why)


def _steps(followed: Followed) -> tuple[str, ...]:
    return ("network", "practice") if followed.practised else ("network",)


def _better(followed: Followed, found: Imitation[Any] | None, tried: tuple[str, ...], why: str) -> Imitated:
    if found is not None and worth(found) > worth(followed.made):
        return Imitated(found, "tracking", tried, why)
    return Imitated(followed.made, "learned", tried, why)


def imitated_clip(clip: Path | Motion, policy: NetworkController, **options: Any) -> Imitation[Any]:
    """The character alone; arguments as :func:`imitate_by_any_law` takes them."""
    return imitate_by_any_law(clip, policy, **options).made
