"""Bodies that come from elsewhere, brought to footfall's conventions when they are read.

A file of MuJoCo's (MJCF) or of ROS's (URDF) has its own axes, signs, names and contact shapes. Here a body is written
anew from what MuJoCo compiled: rooted where its legs begin, every frame along the world's axes in a pose with straight
limbs, hinges about -y, x and z, joints named by what they are for, left and right as mirror images, points at the soles
and off the feet, servos within the motors' limits. Its dynamics stay those of the file. :class:`Adoption` is the way
back.

    source.py      the file, with or without its meshes; whether it follows the conventions already; what a small TOML
                   file beside it overrules
    tree.py        links and joints in one pose, free of frames; their surfaces
    limbs.py       which way is up, the two legs, which way is forward
    roles.py       what every joint is for, and names of links
    zero_pose.py   limbs straight
    symmetry.py    left and right paired and averaged
    soles.py       contact points
    writing.py     motors, and the new model
    way_back.py    the map back
    adopting.py    all of it in order, and what was found
"""

from footfall.figures.adoption.adopting import Adopted, adopt
from footfall.figures.adoption.way_back import Adoption, Finding, OriginalJoint

__all__ = ["Adopted", "Adoption", "Finding", "OriginalJoint", "adopt"]
