"""Where the tracking law's numbers are: its parameters, its memory and its library of motion, by name."""

from dataclasses import dataclass

from footfall.control.rows import Field, MemoryLayout
from footfall.errors import unknown_name

KINDS = ("stand", "left_swing", "right_swing", "flight")
"""Kinds of fragments, by their number in the library."""
STAND, LEFT_SWING, RIGHT_SWING, FLIGHT = range(4)

START_FRAMES = 3
"""Over how many frames the velocity at the start is estimated; captured motion is noisy."""


class FragmentField(Field):
    """A fragment's row: the row of its first frame, how many frames after that, its kind, the ankles' lowest height in
    it, which set of gains goes with it, the fragment that follows (-1 for none), and the turn of heading when that
    begins; frames after which its stance foot is off the ground too (its length where it stays down); 1
    where it is a flight, or a stand before or after one."""

    FIRST, LENGTH, KIND, GROUND, GAINS, SUCCESSOR, TURN, TAKE_OFF, LEAPS = range(9)


class GainField(Field):
    """Feedback gains (figure 5), and how much the swing foot is lifted in mid-swing, metres."""

    C0, C1_SAG, C1_COR, C2_SAG_BEHIND, C2_SAG_AHEAD, C2_COR, C3_SAG, C3_COR, C4, C5, C6, LIFT = range(12)


class SettingField(Field):
    """How the law tracks.

    FRAME_TIME: seconds a frame. KT, KV: equation 1. FEEDFORWARD: weight of its last term, which the authors estimate as
    half the second difference: 1 for theirs, 2 for the whole. CLIP_FEEDFORWARD: weight of the acceleration of the clip
    as it is before any correction for balance, which is added. AHEAD: 1 where the target is the pose of the next frame,
    as the paper says, with differences centred on the present; 0 where it is the present one, as in the authors' code.
    SOLE: height of the ankle over the sole. CLEARANCE: how much lower the swing foot is taken to be, so that it comes
    down later: a foot that touches while it still moves forward brakes the whole body. EARLIEST_LANDING: share of a
    swing before which no landing counts. SETTLING: share in which the stance foot comes to its orientation;
    ANKLE_SETTLING: the same for the ankle's feedback, 1 for the whole fragment. ANKLE_FROM: frames before the ankle's
    feedback begins. The next seven are switches, 1 or 0. COURSE: for each metre that the pelvis is off its position on
    the clip's path it is to go so much faster towards it, m/s, COURSE_SPEED at most; 0 leaves the path to chance, as
    the paper does. TORQUE_LIMIT: what a joint can give, N m for each kg of the body; 0 for whatever is asked, as in the
    paper. PLACEMENT: share of the swing foot's placement that a pendulum's prediction has instead of the swing hip's
    feedback (:mod:`.balance`), 0 in the paper. LATE_LANDING: m/s with which a foot that lands late is put down, 0 in
    the paper.
    """

    FRAME_TIME, KT, KV, FEEDFORWARD, CLIP_FEEDFORWARD, AHEAD, SOLE, CLEARANCE = range(8)
    EARLIEST_LANDING, SETTLING, ANKLE_SETTLING, ANKLE_FROM = range(8, 12)
    SYNCHRONISE, STABILISE, STANCE_HIP, SWING_HIP, SWING_HEIGHT, LOWER_BODY, STANCE_ANKLE = range(12, 19)
    COURSE, COURSE_SPEED, TORQUE_LIMIT, PLACEMENT, LATE_LANDING = range(19, 24)


GAINS, SETTINGS = (tuple(field.name.lower() for field in fields) for fields in (GainField, SettingField))
"""Names of the gains and of the settings, in the order of their places."""


@dataclass(frozen=True)
class TrackingLayout:
    """Offsets for a figure with ``joints`` ball joints and a free root, and a number of ``sets`` of gains.

    A figure of hinges has a skeleton of ball joints (``motion.ball_poses``), and ``hinges`` degrees of freedom of its
    own; 0 for a figure of ball joints. A row of parameters holds SETTINGS, then the sets of gains.
    """

    joints: int
    sets: int
    hinges: int = 0

    @property
    def hinged(self) -> bool:
        """Whether the figure is made of hinges."""
        return self.hinges > 0

    @property
    def freedoms(self) -> int:
        """Degrees of freedom of the joints."""
        return self.hinges or 3 * self.joints

    def columns(self, name: str) -> list[int]:
        """Where in a row a setting is, or a gain of every set."""
        if name in SETTINGS:
            return [SETTINGS.index(name)]
        if name not in GAINS:
            raise unknown_name("parameter of the tracking law", name, (*GAINS, *SETTINGS))
        return [len(SETTINGS) + GAINS.index(name) + len(GAINS) * k for k in range(self.sets)]

    def memory(self) -> MemoryLayout:
        """What the law remembers, by name.

        frame: frames since the start, -1 before the first. due: time of the next one. fragment, index: where in the
        library, the index beyond the fragment's length while it is extended. heading: turn of the library's motion.
        origin: where the clip's origin lies, after the joins between fragments. reference: last four horizontal
        positions of the reference's pelvis, latest first. arms: the pelvis less the left and the right ankle in the
        last reference frame, horizontally. heights: left and right ankle's target heights, one and two frames ago.
        pelvis: the simulated one at the last frame. lead: how far and how fast it was then ahead of the reference.
        swing: the last correction of the swing hip (rotation vectors, sagittal and coronal). displacement: rotation
        vectors, root and joints. control, control_2: the last two target poses (quaternions, root and joints).
        acceleration: of the joints, held between frames. planned: their velocities, had no torque been cut since the
        last frame. angles, angles_2: of the chains of hinges in the last two target poses.
        """
        bodies = self.joints + 1
        sizes = {
            "frame": 1,
            "due": 1,
            "fragment": 1,
            "index": 1,
            "heading": 1,
            "origin": 2,
            "reference": 8,
            "arms": 4,
            "heights": 4,
            "pelvis": 3,
            "lead": 2,
            "swing": 6,
            "displacement": 3 * bodies,
            "control": 4 * bodies,
            "control_2": 4 * bodies,
            "acceleration": self.freedoms,
            "planned": self.freedoms,
        }
        if self.hinged:
            sizes |= {"angles": 3 * self.joints, "angles_2": 3 * self.joints}
        return MemoryLayout(tuple(sizes.items()))
