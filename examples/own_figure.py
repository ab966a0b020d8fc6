"""A figure of your own: a planar biped written as MJCF by a few lines of Python, driven by SIMBICON's walk.

python examples/own_figure.py
"""

from pathlib import Path

import footfall as ff

LEG = """
<body name="{side}_thigh">
  <joint name="{side}_hip" range="-1 3"/>
  <inertial pos="0 0 -{half}" mass="6" diaginertia="0.1 0.1 0.01"/>
  <geom type="capsule" fromto="0 {y} 0 0 {y} -{long}" size="0.05"/>
  <body name="{side}_shank" pos="0 0 -{long}">
    <joint name="{side}_knee" range="-3 -0.02"/>
    <inertial pos="0 0 -{half}" mass="4" diaginertia="0.08 0.08 0.005"/>
    <geom type="capsule" fromto="0 {y} 0 0 {y} -{long}" size="0.04"/>
    <body name="{side}_foot" pos="0 0 -{long}">
      <joint name="{side}_ankle"/>
      <inertial pos="0.05 0 -0.02" mass="1" diaginertia="0.003 0.01 0.01"/>
      <geom type="box" pos="0.05 {y} -0.03" size="0.1 0.04 0.02"/>
      <site name="{side}_heel" pos="-0.05 0 -0.05"/>
      <site name="{side}_toe" pos="0.15 0 -0.05"/>
    </body>
  </body>
</body>"""

BODY = """<!-- A planar biped of my own. -->
<mujoco model="own-figure">
  <compiler angle="radian" autolimits="true"/>
  <default>
    <joint type="hinge" axis="0 -1 0"/>
    <position kp="300" kv="30" forcerange="-1000 1000"/>
  </default>
  <worldbody>
    <body name="torso">
      <joint name="root_x" type="slide" axis="1 0 0"/>
      <joint name="root_z" type="slide" axis="0 0 1"/>
      <joint name="torso_pitch"/>
      <inertial pos="0 0 0.25" mass="{mass}" diaginertia="1.8 1.6 0.6"/>
      <geom type="capsule" fromto="0 0 0.05 0 0 0.45" size="0.08"/>
      <site name="torso_top_back" pos="-0.06 0 0.5"/>
      <site name="torso_top_front" pos="0.06 0 0.5"/>{legs}
    </body>
  </worldbody>
  <actuator>{servos}
  </actuator>
</mujoco>
"""


def write_figure(path: Path, leg: float, mass: float) -> Path:
    """A biped with thighs and shanks of ``leg`` metres and a torso of ``mass`` kilograms."""
    sides = {"right": -0.08, "left": 0.08}
    legs = "".join(LEG.format(side=side, y=y, long=leg, half=leg / 2) for side, y in sides.items())
    joints = [f"{side}_{joint}" for side in sides for joint in ("hip", "knee", "ankle")]
    servos = "".join(f'\n    <position name="{joint}" joint="{joint}"/>' for joint in joints)
    path.write_text(BODY.format(mass=mass, legs=legs, servos=servos), encoding="utf-8")
    return path


if __name__ == "__main__":
    figure = ff.Figure.load(write_figure(Path("own-figure.xml"), leg=0.45, mass=60.0))
    simulation = ff.Simulation("walk", figure=figure, record=ff.Record(rate=50.0))
    outcome = simulation.run(6.0)
    ff.save(simulation.trace().motion(), "own_figure.png")
    word = "stayed up" if outcome.survived[0] else f"fell at {outcome.end_time[0]:.1f} s"
    print(f"{word}, {outcome.distance[0]:.1f} m; see own_figure.png")
