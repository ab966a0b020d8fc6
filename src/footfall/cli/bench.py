"""``footfall bench``: how fast footfall is on this machine, compared with MuJoCo."""


def bench(device: str = "cpu", repeats: int = 5, json: bool = False) -> int:
    """Compare footfall with MuJoCo on this machine, as ratios within one run.

    Args:
        device: cpu, or cuda to measure the GPU.
        repeats: how often each duration is measured; the shortest counts.
        json: print one JSON object on standard output.
    """
    from footfall.simulation.bench import measure_speed, print_measures

    print_measures(measure_speed(device, repeats), device, as_json=json)
    return 0
