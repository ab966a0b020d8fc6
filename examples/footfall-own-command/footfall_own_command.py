"""A command of one's own: ``footfall cadence WALK`` prints how many steps a minute someone takes.

The signature of the function is its command line, its docstring the help. What the user gave and is wrong is a
``FootfallError``; footfall prints it in one line.
"""

from typing import Annotated

import tyro

from footfall import FootfallError, load_motion
from footfall.motion import gait_measures


def cadence(walk: Annotated[str, tyro.conf.Positional], json: bool = False) -> None:
    """Print the steps a minute of a walk.

    Args:
        walk: a motion file.
        json: print one JSON object on standard output.
    """
    rate = gait_measures(load_motion(walk)).steps_per_second
    if rate is None:
        raise FootfallError(f"{walk}: there are too few steps to tell their rate")
    print(f'{{"cadence": {60 * rate:.1f}}}' if json else f"{walk}: {60 * rate:.0f} steps a minute")
