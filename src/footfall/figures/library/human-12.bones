# Laszlo's human with 12 joints (fig. 3.7 of the thesis): no spine, no hip yaw, and arms held in the reference pose.
# The torso is both torso links and the arms made one: 38.372 kg.

include human.bones
weld 3:0                   # spine
weld 5:2 8:2               # hip yaw
weld 11:0 12:0 13:0 14:0   # shoulders and elbows
rename 2 torso
