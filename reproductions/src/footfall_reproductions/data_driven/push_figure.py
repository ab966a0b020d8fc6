"""The figure of the paper's push test."""

from footfall.figures import Figure

MASSES = {
    "torso": 29.27,
    "pelvis": 16.61,
    "head": 5.89,
    "thigh": 8.35,
    "shin": 4.16,
    "foot": 1.34,
    "upper_arm": 2.79,
    "lower_arm": 1.76,
}
"""Kilograms of SIMBICON's figure, which the paper's push test uses."""


def push_figure(figure: str = "mocap-biped") -> Figure:
    """The figure with SIMBICON's masses, 88.6 kg in all; shapes stay, inertias go with the masses."""
    own = Figure.load(figure)
    return own.with_body_parameters(own.body_parameters([f"{body}={mass}kg" for body, mass in MASSES.items()]))
