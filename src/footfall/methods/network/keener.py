"""A policy that follows a clip, made keener on the clip's place: it sees itself further from it than it is.

A policy lags behind its clip, or runs ahead, by a distance at which what it gains by closing it and what it loses
are equal. Seen as g times as far, the same policy keeps it to about 1/g. That is linear in what it observes, and so
only another first layer.
"""

import numpy as np

from footfall.errors import FootfallError
from footfall.methods.network.clip_inputs import looks_of
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network

WAYS = ("forward", "left")


def keener(policy: NetworkController, gain: float) -> Network:
    """The policy's network, for one that sees ``gain`` times how far the clip's root is from its own, along the
    ground.

    The offset now is the one at the nearest look, less the way that the clip goes until then.
    """
    if policy.history != 1:
        raise FootfallError(f"policy '{policy.name}' sees {policy.history} observations; one alone can be made keener")
    names = [name for block in policy.observations for name in block.names]
    looks, first = looks_of(names), policy.network.weights[0]
    changed = first.copy()
    for way in WAYS:
        columns = [names.index(f"clip_{look}_{way}") for look in looks]
        pull = np.float32(gain - 1.0) * first[:, columns].sum(axis=1)
        changed[:, columns[0]] += pull
        changed[:, names.index(f"clip_velocity_{way}")] -= pull * np.float32(looks[0] / policy.rate)
    weights, biases = (changed, *policy.network.weights[1:]), policy.network.biases
    return Network(weights, biases, policy.network.activation)
