"""What an environment is made of, as ``gymnasium.make`` takes it: checked once, with the valid choices in every
error.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from footfall.control.kind import Controller
from footfall.errors import FootfallError, check_name
from footfall.figures import Figure
from footfall.learning.rewards import rewards_of
from footfall.pictures.scene import CAMERAS
from footfall.simulation.hardware import Hardware
from footfall.terrain import Terrain

if TYPE_CHECKING:
    from footfall.motion import Motion

ACTIONS = ("torques", "targets", "corrections", "follow")
ARRAYS = ("numpy", "warp", "torch", "jax")
FALLEN = "fallen"
STARTS = ("usual", FALLEN)
RENDER_MODES = ("rgb_array",)
STEP = "step"
"""``decide`` once a footstep."""
COM, SEGMENTS = "com", "segments"
PUSH_PLACES = ("top", COM, SEGMENTS)
SLOWEST, FASTEST = 1.0, 1000.0
"""Decisions a second."""
MOST_POOL = 10_000

HARDWARE = tuple(f.name for f in fields(Hardware))
"""What may be between a policy and the body."""

DISABLED, NEXT_STEP, SAME_STEP = range(3)
AUTORESET = {"Disabled": DISABLED, "NextStep": NEXT_STEP, "SameStep": SAME_STEP}
"""When a world whose episode has ended begins the next one, by the values of Gymnasium's ``AutoresetMode``."""

Range = float | tuple[float, float]
Clip: TypeAlias = "str | Path | Motion"


@dataclass(frozen=True, eq=False)
class Options:
    """An environment's options.

    Attributes:
        figure: the figure, its built-in name or its file (MJCF, URDF); None for the controller's own.
        controller: whose motion "corrections" change, by name or file; it also gives the start. None without one.
        action: what an action is, one of ``ACTIONS``.
        correct: what corrections change, with how far an action of 1 changes it: "targets" (rad), "gains" (share of kp
            and kd), or the path of any parameter of the controller (its own unit).
        reach: how far an action of 1 moves the target of a joint from the standing pose ("targets") or the clip's
            ("follow"), rad.
        strength: share of a motor's limit that an action of 1 asks for ("torques").
        stiffness: of the joints' servos, times the figure's kp and kd ("targets" and "follow").
        torque_limit: N m that no joint's servo exceeds ("targets" and "follow"); None for the figure's own limits.
        start: where episodes begin: "usual" for the controller's start or the clips, "fallen" for bodies in space that
            were thrown to the ground too: each has a clip that gets up from there, which is followed like the others.
            Lying on the ground ends no episode then.
        falls: how many bodies are pushed for such a start; those that fall lie there. 0 for the ways up alone.
        decide: decisions a second, or "step" for one a footstep ("corrections" alone).
        speed: the goal, m/s along the goal's heading: a number, or (low, high) drawn in every episode.
        heading: the goal, rad from x to the left: None for no such goal, a number or (low, high).
        terrain: a terrain or its name; random terrains differ between episodes. Or several, one drawn in every episode.
        terrains: how many terrains there are where one is random; several take turns.
        terrain_seed: of the first.
        push: newtons of pushes in random directions at random times: None for none, a number or (low, high).
        push_seconds: how long each lasts, in the same way.
        push_gap: seconds between the end of a push and the next one, in the same way.
        push_place: where on the torso, "top" or "com"; "segments" for the centre of mass of any segment, drawn anew for
            each push.
        clip: a motion or its file to imitate, a folder of such files, or several of these; "own" for the walk of the
            figure's usual controller, "made" for many that footfall makes itself; None for none.
        leash: metres that the root may be from the clip's before the episode ends; None for any.
        tether: metres; a clip that is further away is pulled after the figure for good; None for none.
        observe: names of terms that are observed beside the usual ones, footfall's or other packages'.
        noise: how far joints (rad) and velocities (rad/s) at the start differ from it, at most.
        hardware: what is between the policy and the body, by the names of
            :class:`footfall.simulation.hardware.Hardware`: delays, noise, motors. A pair (low, high) is drawn once for
            each world.
        weights: of the reward's terms, by name, where they are not the usual ones.
        dt: step of the simulation, seconds; None for the controller's, else 0.002.
        device: "cpu" or "cuda".
        precision: "float64" or "float32".
        threads: CPU threads.
        lanes: worlds that a CPU's thread takes side by side, in the lanes of its vector unit: 1, 2, 4 or 8.
        arrays: what vector environments take and answer, one of ``ARRAYS``; on a GPU the last three stay there.
        render_mode: "rgb_array" or None.
        width, height: pixels.
        camera: one of footfall's, None for the usual one.
    """

    figure: str | Path | Figure | None = None
    controller: str | Path | Controller | None = None
    action: str = "torques"
    correct: Mapping[str, float] = field(default_factory=lambda: {"targets": 0.3})
    reach: float = 1.0
    strength: float = 1.0
    stiffness: float = 1.0
    torque_limit: float | None = None
    start: str = "usual"
    falls: int = 400
    decide: float | str = 50.0
    speed: Range = 1.0
    heading: Range | None = None
    terrain: str | Terrain | Sequence[str | Terrain] = "flat"
    terrains: int = 64
    terrain_seed: int = 0
    push: Range | None = None
    push_seconds: Range = 0.2
    push_gap: Range = (1.0, 3.0)
    push_place: str = "top"
    clip: "Clip | Sequence[Clip] | None" = None
    leash: float | None = None
    tether: float | None = None
    observe: Sequence[str] = ()
    noise: tuple[float, float] = (0.01, 0.05)
    hardware: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    dt: float | None = None
    device: str = "cpu"
    precision: str | None = None
    threads: int | None = None
    lanes: int = 1
    arrays: str = "numpy"
    render_mode: str | None = None
    width: int = 640
    height: int = 360
    camera: str | None = None

    @classmethod
    def of(cls, **given: Any) -> "Options":
        """Options by name; unknown ones are refused."""
        names = [f.name for f in fields(cls)]
        for name in given:
            check_name("option of a footfall environment", name, names)
        return cls(**given)

    def __post_init__(self) -> None:
        if self.figure is None and self.controller is None:
            raise FootfallError("figure: give a built-in name (footfall show) or a file, or a controller with its own")
        self._check_choices()
        if self.action == "follow" and not self.follows:
            raise FootfallError("action 'follow' sets targets around a clip's pose; give the clip with clip=")
        if self.start == FALLEN and self.action != "follow":
            raise FootfallError("start 'fallen' works with action 'follow': clips that get up are followed")
        if self.action == "corrections" and self.controller is None:
            raise FootfallError("action 'corrections' changes a controller's motion; name it with controller=")
        self._check_decide()
        self._check_numbers()
        for name in self.hardware:
            check_name("hardware", name, HARDWARE)
        rewards_of(self.weights)

    @property
    def follows(self) -> bool:
        """Whether there are clips."""
        return self.clip is not None or self.start == FALLEN

    def _check_choices(self) -> None:
        choices: dict[str, tuple[str | None, ...]] = {"action": ACTIONS, "arrays": ARRAYS, "push_place": PUSH_PLACES}
        choices |= {"start": STARTS}
        choices |= {"render_mode": (None, *RENDER_MODES), "camera": (None, *CAMERAS)}
        for name, valid in choices.items():
            if getattr(self, name) not in valid:
                raise FootfallError(f"{name} is '{getattr(self, name)}'; choose one of: {', '.join(map(str, valid))}")

    def _check_numbers(self) -> None:
        if self.torque_limit is not None and not (math.isfinite(self.torque_limit) and self.torque_limit > 0):
            raise FootfallError(f"torque_limit is {self.torque_limit}; give N m above 0, or None for the figure's own")
        for name, value in (("leash", self.leash), ("tether", self.tether)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise FootfallError(f"{name} is {value}; give metres above 0, or None for no {name}")
        for name in ("speed", "heading", "push", "push_seconds", "push_gap"):
            if getattr(self, name) is not None:
                self.limits(name)
        numbers = {"reach": self.reach, "strength": self.strength, "stiffness": self.stiffness}
        numbers |= dict(zip(("noise of joints", "noise of velocities"), _pair(self, "noise")))
        for name, value in (numbers | {f"correct '{k}'": v for k, v in self.correct.items()}).items():
            if not (math.isfinite(value) and value >= 0):
                raise FootfallError(f"{name} is {value}; it must be finite and at least 0")
        whole = {
            "falls": (0, MOST_POOL),
            "terrains": (1, MOST_POOL),
            "terrain_seed": (0, 10**9),
            "width": (32, 8192),
            "height": (32, 8192),
        }
        for name, (least, most) in whole.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise FootfallError(f"{name} is {value}; it must be a whole number from {least} to {most}")

    def _check_decide(self) -> None:
        if self.decide == STEP:
            if self.action != "corrections":
                raise FootfallError(f"decide is 'step' and action '{self.action}'; only corrections wait for footsteps")
            return
        rate = self.decide
        if isinstance(rate, str | bool) or not SLOWEST <= rate <= FASTEST:
            raise FootfallError(
                f"decide is {rate!r}; give decisions a second, from {SLOWEST:g} to {FASTEST:g}, or 'step' for footsteps"
            )

    def limits(self, name: str) -> tuple[float, float]:
        """A goal's range: (low, high), equal for a number."""
        low, high = _pair(self, name)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise FootfallError(f"{name} is {getattr(self, name)}; give a finite number, or (low, high) in this order")
        if name == "push" and low < 0:
            raise FootfallError(f"push is {getattr(self, name)}; give newtons of at least 0; directions are random")
        if name in ("push_seconds", "push_gap") and low <= 0:
            raise FootfallError(f"{name} is {getattr(self, name)}; give seconds above 0")
        return low, high


def _pair(options: Options, name: str) -> tuple[float, float]:
    value = getattr(options, name)
    try:
        low, high = (float(value), float(value)) if isinstance(value, int | float) else map(float, value)
    except (TypeError, ValueError):
        raise FootfallError(f"{name} is {value!r}; give a number or a pair of numbers") from None
    return low, high
