"""Random pose control graphs of the planar biped."""

from hypothesis import strategies as st

from footfall.control import Start
from footfall.methods.simbicon.graph import Balance, PoseControlGraph, Servo, State, Target

__all__ = ["graphs"]

ROLES = ("torso", "swing_hip", "swing_knee", "swing_ankle", "stance_knee", "stance_ankle")
numbers = st.floats(-10, 10, allow_nan=False)
positive = st.floats(0, 1e4, allow_nan=False)
words = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t\"\\'"), max_size=30)
names = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True)


@st.composite
def states(draw, name: str) -> State:
    roles = draw(st.lists(st.sampled_from(ROLES), unique=True))
    targets = {role: Target(*(draw(numbers) for _ in range(4))) for role in roles}
    contact = draw(st.sampled_from([True, False, "stance"]))
    return State(targets, hold=draw(positive), contact=contact, stance="left", flight=draw(st.booleans()), name=name)


@st.composite
def graphs(draw) -> PoseControlGraph:
    count = draw(st.integers(1, 4))
    labels = draw(st.sampled_from([[""] * count, [f"s{i}" for i in range(count)]]))
    low, high = sorted([draw(numbers), draw(numbers)])
    gains = st.none() | positive
    start = Start(tuple(draw(numbers) for _ in range(9)), tuple(draw(numbers) for _ in range(9)), 0)
    return PoseControlGraph(
        name=draw(names),
        figure="planar-biped",
        states=tuple(draw(states(label)) for label in labels),
        symmetric=draw(st.booleans()),
        about=draw(words),
        balance=Balance(
            draw(st.sampled_from(["heel", "toe"])),
            draw(st.sampled_from(["heel", "toe", "any"])),
            draw(numbers),
            (low, high),
        ),
        servo=Servo(draw(gains), draw(gains), draw(gains), draw(st.booleans())),
        start=draw(st.none() | st.just(start)),
        basin=draw(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), numbers | words, max_size=3)),
    )
