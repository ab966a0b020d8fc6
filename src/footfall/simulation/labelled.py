"""Traces and outcomes as labelled data: an xarray.Dataset over time and worlds, a pandas.DataFrame over worlds."""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.motion.skeleton.figure_skeleton import channel_labels

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from footfall.simulation.outcome import Outcome
    from footfall.simulation.trace import Trace

COLUMNS = {
    "qpos": "coordinate",
    "qvel": "velocity",
    "torque": "velocity",
    "qacc": "velocity",
    "moment": "velocity",
    "contact": "point",
    "grf": "point",
}
"""Field of a trace -> the dimension of its columns."""
UNITS = {"grf": "N"}
DESCRIPTIONS = {
    "qpos": "generalised coordinates, metres and radians (quaternions w x y z)",
    "qvel": "generalised velocities, m/s and rad/s",
    "torque": "torques of the controller, N m",
    "qacc": "generalised accelerations, m/s² and rad/s²",
    "moment": "what acts at the joints, N m",
    "contact": "whether a ground point touches",
    "grf": "force of the ground on a ground point",
    "state": "state of the controller",
    "stance": "stance side: 0 left, 1 right",
    "last": "samples that the world lived through",
}


def trace_dataset(trace: "Trace") -> "xr.Dataset":
    """A trace as a Dataset over time and world; columns are named by joint and by ground point."""
    import xarray as xr

    labels = channel_labels(trace.figure)
    names = {"coordinate": labels["qpos"], "velocity": labels["qvel"]}
    names["point"] = tuple(p.name for p in trace.figure.points if p.ground)
    data: dict[str, Any] = {}
    used: set[str] = set()
    for name, dimension in COLUMNS.items():
        values = getattr(trace, name)
        if values.size:
            used.add(dimension)
            axes = ("time", "world", dimension, "axis")[: values.ndim]
            data[name] = (axes, values, _about(name))
    for name, values in ({"state": trace.state, "stance": trace.stance} | dict(trace.signals)).items():
        if values.size:
            data[name] = (("time", "world"), values, _about(name))
    data["last"] = ("world", trace.last, _about("last"))
    coordinates: dict[str, Any] = {
        "time": ("time", trace.times, {"units": "s"}),
        "world": np.arange(len(trace.last)),
        **{dimension: list(names[dimension]) for dimension in sorted(used)},
    }
    if "grf" in data:
        coordinates["axis"] = ["x", "y", "z"]
    return xr.Dataset(data, coordinates, {"figure": trace.figure.name, **_plain(trace.source)})


def outcome_frame(outcome: "Outcome") -> "pd.DataFrame":
    """An outcome as a table with a row for each world; states are left out."""
    import pandas as pd

    columns: dict[str, Any] = {"survived": outcome.survived}
    for field in fields(outcome):
        values = getattr(outcome, field.name)
        if np.ndim(values) == 1:
            columns[field.name] = values
    return pd.DataFrame(columns, index=pd.RangeIndex(len(outcome.fell), name="world"))


def _about(name: str) -> dict[str, str]:
    about = {"long_name": DESCRIPTIONS[name]} if name in DESCRIPTIONS else {}
    return about | ({"units": UNITS[name]} if name in UNITS else {})


def _plain(source: Mapping[str, Any]) -> dict[str, Any]:
    """What of a description a NetCDF file can hold as attributes."""
    return {
        name: int(value) if isinstance(value, bool) else value
        for name, value in source.items()
        if isinstance(value, str | int | float)
    }
