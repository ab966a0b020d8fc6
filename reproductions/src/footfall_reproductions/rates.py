"""Rates: k of n, with their confidence."""

import math


def wilson_interval(passed: int, tried: int, z: float = 1.96) -> tuple[float, float]:
    """The confidence interval of a rate (Wilson 1927), 95 % by default:
    (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    p, n = passed / tried, float(tried)
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))


def standard_error(passed: int, tried: int) -> float:
    """Of a rate, √(p(1-p)/n)."""
    p = passed / tried
    return math.sqrt(p * (1 - p) / tried)
