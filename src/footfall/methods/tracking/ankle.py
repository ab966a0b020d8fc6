"""The ankles among the feet's ground points, as the tracking law senses them."""

import warp as wp

from footfall.control.law import Types
from footfall.dynamics.sampled_ground import foot_of


def ankle_function(types: Types) -> wp.Function:
    """(points, side) -> the ankle among a foot's four points: their weighted sum, for places and velocities alike."""
    real, Points = types.real, types.compiled.Points
    Vec3 = wp.types.vector(length=3, dtype=real)
    feet = [foot_of(types.compiled, side) for side in ("left", "right")]
    points = tuple(foot.points for foot in feet)
    weights = tuple(tuple(float(w) for w in foot.origin) for foot in feet)

    @wp.func
    def ankle(found: wp.ref[Points], side: int):
        place = Vec3()
        for k in range(4):
            p = wp.static(points[0][k])
            w = real(wp.static(weights[0][k]))
            if side == 1:
                p = wp.static(points[1][k])
                w = real(wp.static(weights[1][k]))
            place += w * Vec3(found[3 * p], found[3 * p + 1], found[3 * p + 2])
        return place

    return ankle
