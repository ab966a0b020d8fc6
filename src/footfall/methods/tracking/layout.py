"""Where the tracking law's numbers stand: its parameters, its memory and its library of motion, by name."""

from dataclasses import dataclass

from footfall.errors import unknown_name

__all__ = ["FRAGMENT", "GAINS", "KINDS", "SETTINGS", "START_FRAMES", "Layout"]

KINDS = ("stand", "left_swing", "right_swing", "flight")
"""Kinds of fragments, by their number in the library."""

START_FRAMES = 3
"""Over how many frames the velocity at the start is estimated; captured motion is noisy."""

FRAGMENT = ("first", "length", "kind", "ground", "gains", "successor", "turn")
"""A fragment's row: the row of its first frame, how many frames after that, its kind, the ankles' lowest height in it,
which set of gains goes with it, the fragment that follows (-1 for none), and the turn of heading when that begins."""

GAINS = (
    "c0",
    "c1_sag",
    "c1_cor",
    "c2_sag_behind",
    "c2_sag_ahead",
    "c2_cor",
    "c3_sag",
    "c3_cor",
    "c4",
    "c5",
    "c6",
    "lift",
)
"""Feedback gains (figure 5), and how much the swing foot is lifted in mid-swing, metres."""

SETTINGS = (
    "frame_time",
    "kt",
    "kv",
    "feedforward",
    "clip_feedforward",
    "ahead",
    "sole",
    "clearance",
    "earliest_landing",
    "settling",
    "ankle_settling",
    "ankle_from",
    "synchronise",
    "stabilise",
    "stance_hip",
    "swing_hip",
    "swing_height",
    "lower_body",
    "stance_ankle",
)
"""frame_time: seconds a frame. kt, kv: equation 1. feedforward: weight of its last term, which the authors estimate as
half the second difference: 1 for theirs, 2 for the whole. clip_feedforward: weight of the acceleration of the clip as
it is before any correction for balance, which is added. ahead: 1 where the target is the pose of the next frame, as the
paper says, with differences centred on the present; 0 where it is the present one, as in the authors' code. sole:
height of the ankle over the sole. clearance: how much lower the swing foot is taken to be, so that it comes down later:
a foot that touches while it still moves forward brakes the whole body. earliest_landing: share of a swing before which
no landing counts. settling: share in which the stance foot comes to its orientation; ankle_settling: the same for the
ankle's feedback, 1 for the whole fragment. ankle_from: frames before the ankle's feedback begins. The rest are
switches, 1 or 0."""


@dataclass(frozen=True)
class Layout:
    """Offsets for a figure with ``joints`` ball joints and a free root, and a number of ``sets`` of gains.

    A row of parameters holds SETTINGS, then the sets of gains.
    """

    joints: int
    sets: int

    @property
    def gains(self) -> int:
        """First gain of set 0."""
        return len(SETTINGS)

    @property
    def set_size(self) -> int:
        """How many numbers a set of gains has."""
        return len(GAINS)

    def columns(self, name: str) -> list[int]:
        """Where in a row a setting is, or a gain of every set."""
        if name in SETTINGS:
            return [SETTINGS.index(name)]
        if name not in GAINS:
            raise unknown_name("parameter of the tracking law", name, (*GAINS, *SETTINGS))
        return [self.gains + GAINS.index(name) + self.set_size * k for k in range(self.sets)]

    def memory(self) -> dict[str, int]:
        """Name -> first place in the memory; ``size`` is its length.

        frame: frames since the start, -1 before the first. due: time of the next one. fragment, index: where in the
        library, the index beyond the fragment's length while it is extended. heading: turn of the library's motion.
        reference: last four horizontal places of the reference's pelvis, latest first. arms: the pelvis less the left
        and the right ankle in the last reference frame, horizontally. heights: left and right ankle's target heights,
        one and two frames ago. pelvis: the simulated one at the last frame. lead: how far and how fast it was then
        ahead of the reference. swing: the last correction of the swing hip (rotation vectors, sagittal and coronal).
        displacement: rotation vectors, root and joints. control, control_2: the last two target poses (quaternions,
        root and joints). acceleration: of the joints, held between frames.
        """
        bodies = self.joints + 1
        sizes = {
            "frame": 1,
            "due": 1,
            "fragment": 1,
            "index": 1,
            "heading": 1,
            "reference": 8,
            "arms": 4,
            "heights": 4,
            "pelvis": 3,
            "lead": 2,
            "swing": 6,
            "displacement": 3 * bodies,
            "control": 4 * bodies,
            "control_2": 4 * bodies,
            "acceleration": 3 * self.joints,
        }
        places, at = {}, 0
        for name, size in sizes.items():
            places[name] = at
            at += size
        return places | {"size": at}
