"""What runs on a worker: one job, if the worker has the footfall that the job came from."""

import pickle
import socket
from collections.abc import Mapping
from typing import Any

from footfall.clusters.source import differences, own_source, processor_name
from footfall.errors import FootfallError


def perform(wanted: Mapping[str, str], job: bytes) -> tuple[str, Any]:
    """Run a pickled (function, args, kwargs), and answer this machine's kind of processor and the result.

    Args:
        wanted: the source that the job came from (see :mod:`footfall.clusters.source`); another is refused.
    """
    if other := differences(wanted, own_source()):
        raise FootfallError(
            f"the worker on {socket.gethostname()} has {', '.join(other)}: results would differ; install there what"
            " is here, and start the workers again"
        )
    try:
        function, args, kwargs = pickle.loads(job)
    except (ImportError, AttributeError) as error:
        raise FootfallError(
            f"the worker on {socket.gethostname()} lacks what the job needs ({error}); install it there"
        ) from error
    return processor_name(), function(*args, **kwargs)
