"""Retargeting: a walk in closed form (3LP) goes onto footfall's human, feet on the ground.

python examples/retarget.py
"""

import footfall as ff
from footfall.methods.pendulum import Person, human_walk, periodic_gait, record_walk, walk_motion

if __name__ == "__main__":
    person = Person.of(height=1.6, mass=55.0)
    clip = walk_motion(record_walk(periodic_gait(person, human_walk(person, speed=1.2)), 4.0, fps=60))
    motion, report = ff.retarget(clip, ff.Figure.load("human-28"))
    ff.save(motion, "retarget.png", start=0.5, end=3.0)
    print(f"{report.verdict()}; see retarget.png")
