# Laszlo's human: a skeleton with feet, arms and a torso of two links, 19 joints.
# J. Laszlo, Controlling Bipedal Locomotion for Computer Animation, M.A.Sc. thesis, Toronto 1996, appendix B, human.bones;
# mass and inertia from Wooten and Hodgins. Metres, kilograms, reference pose standing with the soles at y = 0.
#
# Axes: forward -x, right -z, up +y. Joints: z pitch, x roll, y yaw. No joint limits, no torque limits.
#
# Read from the thesis and kept although it looks odd:
#   lower torso's centre of mass at 1.3112 (it puts the centre of mass of the whole trunk at 1.3500), foot mass 1.20,
#   neck hinge at x 0.0478 as printed (0.00478 would also be plausible), shoulder hinges at x 0.02 beside segments that
#   start at 0.0289, points 4 and 5 under the ankle and not at mid-foot, every point feels the ground.
# The comment of a bone, a hinge or a point names it.

bone 1                                            # pelvis
seg 0,0.95,0.12 0,0.95,-0.12
mass 16.61
iner 0.23 0.16 0.18
cofm 0 0.98 0

bone 2                                            # lower torso
seg 0,1.02,0 0,1.35,0
mass 19.5133
iner 0.4867 0.17427 0.42
cofm -0.03 1.3112 0
hinge 1 0,1.0202,0 0,0,1                          # waist - 1 DOF (pitch)

bone 3                                            # upper torso
seg 0,1.35,0 0,1.505,0
mass 9.7567
iner 0.2433 0.08713 0.21
cofm -0.03 1.4275 0
hinge 2 0,1.35,0 0,0,1                            # spine - 1 DOF (pitch)

bone 4                                            # head
seg 0.02,1.57,0 0.02,1.80,0
mass 5.89
iner 0.03 0.023 0.033
cofm -0.01 1.70 0
hinge 3 0.0478,1.5052,0 0,0,1                     # neck - 1 DOF (pitch)

bone 5                                            # left upper leg
seg 0.00478,0.9629,0.0932 0.00478,0.5197,0.09091
mass 8.35
iner 0.15 0.025 0.16
cofm 0 0.80 0.09
ghinge 1 0.00478,0.9629,0.0932 1,0,0 0,0,1 0,1,0  # hip - 3 DOF (roll, pitch, yaw)

bone 6                                            # left lower leg
seg 0.00478,0.5197,0.09091 0.03348,0.09164,0.0837
mass 4.16
iner 0.055 0.007 0.056
cofm 0 0.35 0.07
hinge 5 0.00478,0.5197,0.09091 0,0,1              # knee - 1 DOF (pitch)

bone 7                                            # left foot
seg -0.10,0,0.0837 0.07,0,0.0837
mass 1.20
iner 0.0018 0.0070 0.0075
cofm -0.03 0.02 0.08
uhinge 6 0.03348,0.09164,0.0837 0,0,1 1,0,0       # ankle - 2 DOF (pitch, roll)

bone 8                                            # right upper leg
seg 0.00478,0.9629,-0.0932 0.00478,0.5197,-0.09091
mass 8.35
iner 0.15 0.025 0.16
cofm 0 0.80 -0.09
ghinge 1 0.00478,0.9629,-0.0932 1,0,0 0,0,1 0,1,0 # hip - 3 DOF (roll, pitch, yaw)

bone 9                                            # right lower leg
seg 0.00478,0.5197,-0.09091 0.03348,0.09164,-0.0837
mass 4.16
iner 0.055 0.007 0.056
cofm 0 0.35 -0.07
hinge 8 0.00478,0.5197,-0.09091 0,0,1             # knee - 1 DOF (pitch)

bone 10                                           # right foot
seg -0.10,0,-0.0837 0.07,0,-0.0837
mass 1.20
iner 0.0018 0.0070 0.0075
cofm -0.03 0.02 -0.08
uhinge 9 0.03348,0.09164,-0.0837 0,0,1 1,0,0      # ankle - 2 DOF (pitch, roll)

bone 11                                           # left upper arm
seg 0.0289,1.4203,0.1847 0.0287,1.1491,0.2102
mass 2.79
iner 0.025 0.005 0.025
cofm 0 1.34 0.21
hinge 3 0.02,1.4203,0.1847 0,0,1                  # shoulder - 1 DOF (pitch)

bone 12                                           # left lower arm
seg 0.0287,1.1491,0.2102 0.0287,0.85,0.2302
mass 1.761
iner 0.0066 0.0018 0.0080
cofm 0.0287 1.03 0.222
hinge 11 0.0287,1.1491,0.2102 0,0,1               # elbow - 1 DOF (pitch)

bone 13                                           # right upper arm
seg 0.0289,1.4203,-0.1847 0.0287,1.1491,-0.2102
mass 2.79
iner 0.025 0.005 0.025
cofm 0 1.34 -0.21
hinge 3 0.02,1.4203,-0.1847 0,0,1                 # shoulder - 1 DOF (pitch)

bone 14                                           # right lower arm
seg 0.0287,1.1491,-0.2102 0.0287,0.85,-0.2302
mass 1.761
iner 0.0066 0.0018 0.0080
cofm 0.0287 1.03 -0.222
hinge 13 0.0287,1.1491,-0.2102 0,0,1              # elbow - 1 DOF (pitch)

# servo gains: N m/rad, N m s/rad
kpd hinge 2:0  2000 100   # waist
kpd hinge 3:0  2000 100   # spine
kpd hinge 4:0   100  10   # neck
kpd hinge 5:0   900  30   # left hip roll
kpd hinge 5:1  1275  60   # left hip pitch
kpd hinge 5:2  1275  60   # left hip yaw
kpd hinge 6:0  1275  60   # left knee
kpd hinge 7:0   170  17   # left ankle pitch
kpd hinge 7:1   170  17   # left ankle roll
kpd hinge 8:0   900  30   # right hip roll
kpd hinge 8:1  1275  60   # right hip pitch
kpd hinge 8:2  1275  60   # right hip yaw
kpd hinge 9:0  1275  60   # right knee
kpd hinge 10:0  170  17   # right ankle pitch
kpd hinge 10:1  170  17   # right ankle roll
kpd hinge 11:0  100  10   # left shoulder
kpd hinge 12:0   50   5   # left elbow
kpd hinge 13:0  100  10   # right shoulder
kpd hinge 14:0   50   5   # right elbow

# monitor points 1 to 21
mon 0,1.1,0                       # up origin
mon 0,1.3,0                       # up tip
mon 0,1.1,-.05                    # up aside
mon 0.03348,0,0.0837              # left under ankle
mon 0.03348,0,-0.0837             # right under ankle
mon -0.10,0,0.05                  # left inside ball
mon 0.07,0,0.05                   # left inside heel
mon 0.07,0,0.13                   # left outside heel
mon -0.10,0,0.13                  # left little toe
mon -0.10,0,-0.05                 # right inside ball
mon 0.07,0,-0.05                  # right inside heel
mon 0.07,0,-0.13                  # right outside heel
mon -0.10,0,-0.13                 # right little toe
mon 0.00478,0.5197,0.09091        # left knee
mon 0.00478,0.5197,-0.09091       # right knee
mon 0.02,1.80,0                   # head
mon 0,0.95,0                      # pelvis origin
mon 0,0.97,0                      # pelvis up
mon 0,0.95,-.02                   # pelvis aside
mon 0,0.95,+.02                   # servo axis
mon 0,1.1,+.05                    # torso axis

set up_mon 1,2,3                  # up vector: origin, tip, aside
set cofm_mon 5,4                  # initial swing and stance foot
