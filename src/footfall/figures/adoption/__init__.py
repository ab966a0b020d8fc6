"""Bodies that come from elsewhere, brought to footfall's conventions when they are read.

A file of MuJoCo's (MJCF) or of ROS's (URDF) has its own axes, signs, names and contact shapes. Here a body is written
anew from what MuJoCo compiled: rooted where its legs begin, every frame along the world's axes in a pose with straight
limbs, hinges about -y, x and z, joints named by what they are for, left and right as mirror images, points at the soles
and off the feet, servos within the motors' limits. Its dynamics stay those of the file. :class:`Adoption` is the way
back.

    source.py      the file, with or without its meshes
    tree.py        links and joints in one pose, free of frames
    standing.py    which way is up · limbs.py: the two legs, which way is forward
    roles.py       what every joint is for · zero_pose.py: limbs straight
    symmetry.py    left and right paired and averaged · naming.py
    soles.py       contact points · motors.py: limits
    writing.py     the new model · way_back.py: the map · findings.py: what was found, in words
    overrules.py   what a person knows better: a small TOML file beside the model
    adopting.py    all of it in order
"""

from footfall.figures.adoption.adopting import Adopted, adopt
from footfall.figures.adoption.way_back import Adoption, Finding, OriginalJoint

__all__ = ["Adopted", "Adoption", "Finding", "OriginalJoint", "adopt"]
