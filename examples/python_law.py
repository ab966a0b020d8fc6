"""SIMBICON's walk as a plain Python function: easy to try things out with, about real time.

python examples/python_law.py
"""

from footfall.pictures import save
from footfall.simulation import Drive, PythonSimulation, Record, Sensed, Simulation

state, entered = 0, 0.0


def walk(sensed: Sensed) -> Drive:
    """Two states a step: lift the swing leg for 0.3 s, then reach with it until its heel strikes."""
    global state, entered
    stance, swing = ("left", "right") if state < 2 else ("right", "left")
    reaching = state % 2 == 1
    landed = f"{swing}_heel" in sensed.contact
    d = sensed.qpos[0] - sensed.position[f"{stance}_heel"][0]
    v, torso, torso_rate = sensed.qvel[0], sensed.qpos[2], sensed.qvel[2]
    angle = dict(zip(JOINTS, sensed.qpos[3:], strict=True))
    rate = dict(zip(JOINTS, sensed.qvel[3:], strict=True))
    hip = min(max(-0.7 + 2.2 * d if reaching else 0.4 + 0.2 * v, -0.4), 1.6)
    lift = 300 * (hip - torso - angle[f"{swing}_hip"]) - 30 * (torso_rate + rate[f"{swing}_hip"])
    upright = 300 * (0.0 - torso) - 30 * torso_rate
    if (sensed.time - entered >= 0.3 and not reaching) or (landed and reaching):
        state, entered = (state + 1) % 4, sensed.time
    return Drive(
        torque={f"{swing}_hip": lift, f"{stance}_hip": -upright - lift},
        target={
            f"{swing}_knee": -0.05 if reaching else -1.1,
            f"{stance}_knee": -0.1 if reaching else -0.05,
            "left_ankle": 0.2,
            "right_ankle": 0.2,
        },
    )


JOINTS = ("right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle")

if __name__ == "__main__":
    start = Simulation("walk")
    simulation = PythonSimulation(walk, "planar-biped", qpos=start.qpos, qvel=start.qvel, record=Record(rate=50))
    outcome = simulation.run(5.0)
    save(simulation.trace().motion(), "python_law.png")
    print(f"{'fell' if outcome.fell[0] else 'walked'} {outcome.distance[0]:.2f} m; see python_law.png")
