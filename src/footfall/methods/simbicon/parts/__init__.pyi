from footfall.methods.simbicon.parts.reaction import raised_gain as raised_gain
from footfall.methods.simbicon.parts.reaction import time_since_impact as time_since_impact
from footfall.methods.simbicon.parts.torso_and_hips import stance_hip_torque as stance_hip_torque
