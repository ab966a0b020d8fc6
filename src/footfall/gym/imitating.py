"""A clip imitated by what does it best: a network that follows clips, practice of the clip, a search for gains."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.gym.practised import follow_and_practise, worth
from footfall.methods.network.controller import NetworkController
from footfall.motion import Motion
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.imitate import Imitation, imitate

__all__ = ["Imitated", "imitate_by_any_law", "imitated_clip"]

FOLLOWED = 0.6
"""Share of the progress bar at which a search begins."""

Show = Callable[[float, str], None]


@dataclass(frozen=True, eq=False)
class Imitated:
    """A clip's character.

    Attributes:
        made: the best that was made. law: whose it is, "learned" or "tracking".
        why: why the network as it comes was not enough, in words; empty where it was.
        practised: whether the network practised. searched: whether gains were searched.
    """

    made: Imitation[Any]
    law: str
    why: str
    practised: bool
    searched: bool


def imitate_by_any_law(
    clip: Path | Motion,
    policy: NetworkController,
    *,
    practice: int | None = None,
    name: str = "",
    loop: bool = False,
    pushes: bool = True,
    seed: int = 1,
    progress: Show | None = None,
) -> Imitated:
    """Make a clip's controller: by a network that follows clips, which practises where it must; where it still falls,
    by a search for gains too. The better of the two is kept.

    Args:
        clip: a motion or its file. policy: a tracker. practice: decisions, at most
            (:func:`~footfall.gym.practised.follow_and_practise`).
        name: of the controller; by default from the file's name. loop: repeat the clip's best two steps.
        pushes: whether to look for push limits.
        seed: of everything random.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    options: dict[str, Any] = {"name": name, "loop": loop, "pushes": pushes}
    followed = follow_and_practise(
        clip, policy, practice=practice, seed=seed, progress=lambda d, w: show(FOLLOWED * d, w), **options
    )
    own = Imitated(followed.made, "learned", followed.why, followed.practised, False)
    if not followed.falls:
        return own
    try:
        found: Imitation[Any] = imitate(
            clip,
            search=GainSearch(seed=seed),
            progress=lambda d, w: show(FOLLOWED + (1.0 - FOLLOWED) * d, w),
            **options,
        )
    except FootfallError:
        return own  # a clip that the network can follow and that has no steps to search with
    if worth(found) > worth(followed.made):
        return Imitated(found, "tracking", followed.why, followed.practised, True)
    return Imitated(followed.made, "learned", followed.why, followed.practised, True)


def imitated_clip(clip: Path | Motion, policy: NetworkController, **options: Any) -> Imitation[Any]:
    """The character alone; arguments as :func:`imitate_by_any_law` takes them."""
    return imitate_by_any_law(clip, policy, **options).made
