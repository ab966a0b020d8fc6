"""A crowd: five hundred people of all sizes walk in closed form, each at a speed and turn of its own.

python examples/crowd.py
"""

import matplotlib.pyplot as plt
import numpy as np

from footfall.methods.pendulum import CROWD_POSE, Crowd, Person, human_walk, periodic_gait

PEOPLE, SECONDS, FPS = 500, 8, 20

if __name__ == "__main__":
    dice = np.random.default_rng(1)
    person = Person.of(dice.uniform(1.2, 2.0, PEOPLE), dice.uniform(35, 100, PEOPLE))
    speed = dice.uniform(1.0, 1.6, PEOPLE)
    crowd = Crowd(periodic_gait(person, human_walk(person, speed=speed)))
    crowd.command(turn=dice.uniform(-0.12, 0.12, PEOPLE))
    poses = crowd.walk(SECONDS * FPS, 1.0 / FPS).numpy()
    x, y = (poses[:, CROWD_POSE.index(name)] for name in ("x", "y"))  # [frames, people]
    plt.figure(figsize=(6.4, 4.8), layout="constrained")
    for k, colour in enumerate(plt.colormaps["viridis"]((speed - 1.0) / 0.6)):
        plt.plot(x[:, k], y[:, k], color=colour, linewidth=0.6)
    plt.scatter(x[-1], y[-1], c=speed, s=9, zorder=2)
    plt.colorbar(label="speed, m/s")
    plt.axis("equal")
    plt.xlabel("x, m")
    plt.ylabel("y, m")
    plt.title(f"{PEOPLE} walkers from one place, {SECONDS} s", fontsize=10)
    plt.savefig("crowd.png", dpi=120)
    print(f"{PEOPLE} walkers for {SECONDS} s; see crowd.png")
