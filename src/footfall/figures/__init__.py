"""Articulated figures.

A figure is an MJCF file that MuJoCo compiles, read with these conventions:

- **one tree**: exactly one body is attached to the world. It hangs on a free joint (root ``"free"``), on slide x, slide
  z and a hinge about y (``"planar"``), or on nothing (``"fixed"``). Root joints take no actuator. Planar root joints
  that point along -x, -z or +y are reversed when the file is read, with their coordinates.
- **axes**: the figure looks along x, its left is y, up is z. Hinges about -y make the hip positive forward, the knee
  negative when flexed, the ankle positive with the toes up; hinges about x make a leg's roll positive to the left.
- **servos**: ``<position kp kv forcerange>`` (or ``<general>`` with the same meaning), one for each driven joint. A
  ``<motor>`` has no gains: a controller for such a figure gives them (``kp`` and ``kd`` under ``[servo]``).
  ``forcerange`` or ``actuatorfrcrange`` gives torque limits.
- **stops**: ``range`` is how far a joint turns; beyond it the body itself stops it, whatever drives it. Joints of a
  figure with legs that have no range get about a person's, by their place in the leg or their name (``footfall.figures
  .stops``). ``<custom><numeric name="stop_slack" data="0.4"/></custom>`` puts all stops beyond the ranges by so much.
- **contact points**: the sites. Groups 0 to 2 feel the ground, 3 to 5 are markers. Another point than a foot's that
  touches the ground means a fall. A file without sites on its feet gets points under its colliding geoms.
- **sides**: by name, ``left_…`` and ``right_…`` (also ``….L``/``….R``, ``…_l``/``…_r``, ``l…``/``r…``).
- **roles**: the torso is the body named by ``<custom><text name="torso" data="…"/></custom>``, or else the body
  ``torso``, or else the first. Feet are the bodies that custom texts ``left_foot`` and ``right_foot`` name, or else
  those of left-right pairs with ``foot`` or ``toe`` in their names. A leg runs from a foot up to the body that both
  feet hang from; heel and toe are the rear and front ends of its sole in the default pose.
- **default pose**: key frame ``home``, or else the reference pose, raised or lowered until the feet touch z = 0.
- **geoms** are for pictures, for MuJoCo's own contacts and for what a fallen body lies on: soles have contype 1, the
  rest contype 2, all conaffinity 0, so that soles meet a plain floor, the body also objects with conaffinity 3, and
  nothing meets itself. While it is up, the figure's own ground knows sites alone. No floor belongs to a figure.

The ``.bones`` format of Laszlo's thesis is read too (``footfall.figures.bones``): human, human-12 and robo-bird.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
