# Laszlo's robo-bird: a bird-like robot with a large head and legs of four links, 15 joints.
# J. Laszlo, Controlling Bipedal Locomotion for Computer Animation, M.A.Sc. thesis, Toronto 1996, appendix B, robo-bird.bones.
#
# Axes: forward -x, right -z, up +y. Joints: z pitch, x roll, y yaw. No joint limits, no torque limits.
#
# The thesis computes mass from a density of 1 g/cm^3 but gives no unit of length and no thickness. Chosen here: a
# coordinate is 10 cm, so that the robot stands 1.6 m tall, and a segment is a rod of 3 cm radius: 38 kg altogether, at
# which it bounces at the rate of the thesis's running graph.
# The default pose turns the legs back by 20 degrees, which puts the centre of mass over the feet; in the reference pose
# it lies behind them.
# Corrected: the left upper leg's segment lies at z 2.5, on its hinge; the points of the up vector (10 to 13) are fixed to
# the body, and point 12 lies to the right at (1, 2, -1), since as printed the three do not span a frame.
# The comment of a bone, a hinge or a point names it.

unit 0.1
rods 0.03 1000

bone 1                                      # body
seg 1.0,-0.4,-1.5 -4,-0.4,-1.5
seg 1.0,-0.4,1.5 -4,-0.4,1.5
seg 1.0,0.8,-1.5 -4,0.8,-1.5
seg 1.0,0.8,1.5 -4,0.8,1.5
seg 1.0,0.8,-1.5 1.0,0.8,1.5
seg 1.0,-0.4,-1.5 1.0,-0.4,1.5
seg -4,-0.4,-1.5 -4,-0.4,1.5
seg -4,0.8,-1.5 -4,0.8,1.5
seg 1.0,-0.4,-1.5 1.0,0.8,-1.5
seg 1.0,-0.4,1.5 1.0,0.8,1.5
seg -4,-0.4,-1.5 -4,0.8,-1.5
seg -4,-0.4,1.5 -4,0.8,1.5

bone 2                                      # head
seg 0.5,1.5,-1.75 -6.0,1.5,-0.9
seg 0.5,1.5,1.75 -6.0,1.5,0.9
seg 0.5,5.5,-2.25 -4.5,5.5,-1.25
seg 0.5,5.5,2.25 -4.5,5.5,1.25
seg 0.5,1.5,-1.75 0.5,1.5,1.75
seg 0.5,5.5,-2.25 0.5,5.5,2.25
seg -6.0,1.5,-0.9 -6.0,1.5,0.9
seg -4.5,5.5,-1.25 -4.5,5.5,1.25
seg 0.5,1.5,-1.75 0.5,5.5,-2.25
seg 0.5,1.5,1.75 0.5,5.5,2.25
seg -6.0,1.5,-0.9 -4.5,5.5,-1.25
seg -6.0,1.5,0.9 -4.5,5.5,1.25
hinge 1 -2.3,1.0,0 0,1,0                    # neck - 1 DOF (yaw)

bone 3                                      # right leg1
seg 0,0,-2.5 -3,0,-2.5
uhinge 1 0,0,-2.5 1,0,0 0,0,1               # hip - 2 DOF (roll, pitch)

bone 4                                      # right leg2
seg -3,0,-2.5 -3,-4,-2.5
hinge 3 -3,0,-2.5 0,0,1                     # knee1 - 1 DOF (pitch)

bone 5                                      # right leg3
seg -3,-4,-2.5 -3,-9.5,-2.5
hinge 4 -3,-4,-2.5 0,0,1                    # knee2 - 1 DOF (pitch)

bone 6                                      # right leg4
seg -4.8,-9.5,-2.5 -1.3,-9.5,-2.5
hinge 5 -3,-9.5,-2.5 0,0,1                  # knee3 - 1 DOF (pitch)

bone 7                                      # right foot
seg -4.1,-10.4,-2.5 -7.6,-10.4,-2.5
seg -5.6,-10.4,-3.9 -5.6,-10.4,-1.1
uhinge 6 -4.8,-9.5,-2.5 0,0,1 1,0,0         # ankle - 2 DOF (pitch, roll)

bone 8                                      # left leg1
seg 0,0,2.5 -3,0,2.5
uhinge 1 0,0,2.5 -1,0,0 0,0,1               # hip - 2 DOF (roll, pitch)

bone 9                                      # left leg2
seg -3,0,2.5 -3,-4,2.5
hinge 8 -3,0,2.5 0,0,1                      # knee1 - 1 DOF (pitch)

bone 10                                     # left leg3
seg -3,-4,2.5 -3,-9.5,2.5
hinge 9 -3,-4,2.5 0,0,1                     # knee2 - 1 DOF (pitch)

bone 11                                     # left leg4
seg -4.8,-9.5,2.5 -1.3,-9.5,2.5
hinge 10 -3,-9.5,2.5 0,0,1                  # knee3 - 1 DOF (pitch)

bone 12                                     # left foot
seg -4.1,-10.4,2.5 -7.6,-10.4,2.5
seg -5.6,-10.4,1.1 -5.6,-10.4,3.9
uhinge 11 -4.8,-9.5,2.5 0,0,1 1,0,0         # ankle - 2 DOF (pitch, roll)

# servo gains: N m/rad, N m s/rad
kpd hinge 2     1000 33    # neck
kpd hinge 3:0   1000 33    # right hip roll
kpd hinge 3:1   1000 33    # right hip pitch
kpd hinge 4     1000 33    # right knee1
kpd hinge 5     1000 33    # right knee2
kpd hinge 6     1000 33    # right knee3
kpd hinge 7:0   100  1.5   # right ankle pitch
kpd hinge 7:1   100  1.5   # right ankle roll
kpd hinge 8:0   1000 33    # left hip roll
kpd hinge 8:1   1000 33    # left hip pitch
kpd hinge 9     1000 33    # left knee1
kpd hinge 10    1000 33    # left knee2
kpd hinge 11    1000 33    # left knee3
kpd hinge 12:0  100  1.5   # left ankle pitch
kpd hinge 12:1  100  1.5   # left ankle roll

# monitor points 1 to 15
mon -3.8,-10.4,-3.9        # right outside heel
mon -3.8,-10.4,-1.1        # right inside heel
mon -7.6,-10.4,-3.9        # right outside toe
mon -7.6,-10.4,-1.1        # right inside toe
mon -3.8,-10.4,3.9         # left outside heel
mon -3.8,-10.4,1.1         # left inside heel
mon -7.6,-10.4,3.9         # left outside toe
mon -7.6,-10.4,1.1         # left inside toe
mon -5.5,2,0               # nose
mon 1,2,0 1                # up origin
mon 1,3,0 1                # up tip
mon 1,2,-1 1               # up aside
mon 1,2,0 1                # tail
mon -4.8,-10.4,-2.5        # right under ankle
mon -4.8,-10.4,2.5         # left under ankle

set up_mon 10,11,12        # up vector: origin, tip, aside
set cofm_mon 15,14         # initial swing and stance foot

kpd mon 14 0 0             # markers: the ground does not push on them
kpd mon 15 0 0

# default pose, degrees
pose 3:1 20                # hips
pose 8:1 20
pose 7:0 -20               # ankles: soles level
pose 12:0 -20
