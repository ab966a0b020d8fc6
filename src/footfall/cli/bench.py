"""``footfall bench``: how fast it is on this machine, against MuJoCo."""

__all__ = ["bench"]


def bench(device: str = "cpu", repeats: int = 5, json: bool = False) -> int:
    """Measure footfall against MuJoCo on this machine, as ratios within one run.

    Args:
        device: cpu, or cuda for the GPU's measures.
        repeats: how often each duration is taken; the least counts.
        json: one JSON object on standard output.
    """
    from footfall.simulation.bench import bench as measure
    from footfall.simulation.bench import print_measures

    print_measures(measure(device, repeats), device, as_json=json)
    return 0
