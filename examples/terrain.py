"""Rough ground: sturdy-walk over thirty random grounds of steps, one of them as a strip of poses.

python examples/terrain.py
"""

import footfall as ff

if __name__ == "__main__":
    grounds = [ff.parse_terrain("random-steps:0.04", seed) for seed in range(30)]
    simulation = ff.Simulation("sturdy-walk", worlds=30, terrain=grounds, record=ff.Record(rate=50.0, worlds=1))
    outcome = simulation.run(6.0)
    ff.save(simulation.trace().motion(), "terrain.png")
    print(f"{int(outcome.survived.sum())} of 30 grounds crossed for 6 s; see terrain.png")
