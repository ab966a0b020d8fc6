"""How tools and collections name the joints of a person: facts about their files, one list for each.

Spines run from pelvis to head; arms hang on the last joint but two of them, or on the chest where one is named. Arms
run from the collar-bone (where there is one) to the hand, legs from the hip on.
"""

__all__ = ["FAMILIES", "joint_names"]

FAMILIES: dict[str, dict[str, list[str]]] = {
    "100STYLE, Xsens BVH": {
        "spine": ["Hips", "Chest", "Chest2", "Chest3", "Chest4", "Neck", "Head"],
        "arm": ["LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist"],
        "leg": ["LeftHip", "LeftKnee", "LeftAnkle", "LeftToe"],
    },
    "Mixamo": {
        "spine": ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Neck", "mixamorig:Head"],
        "arm": ["mixamorig:LeftShoulder", "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"],
        "leg": ["mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftToeBase"],
    },
    "Mixamo in Unity": {
        "spine": ["mixamorig1_Hips", "mixamorig1_Spine", "mixamorig1_Neck", "mixamorig1_Head"],
        "arm": ["mixamorig1_LeftShoulder", "mixamorig1_LeftArm", "mixamorig1_LeftForeArm", "mixamorig1_LeftHand"],
        "leg": ["mixamorig1_LeftUpLeg", "mixamorig1_LeftLeg", "mixamorig1_LeftFoot", "mixamorig1_LeftToeBase"],
    },
    "Xsens segments": {
        "spine": ["Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head"],
        "arm": ["LeftShoulder", "LeftUpperArm", "LeftForeArm", "LeftHand"],
        "leg": ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToe"],
    },
    "Perception Neuron": {
        "spine": ["Robot_Hips", "Robot_Spine", "Robot_Spine1", "Robot_Neck", "Robot_Head"],
        "arm": ["Robot_LeftShoulder", "Robot_LeftArm", "Robot_LeftForeArm", "Robot_LeftHand"],
        "leg": ["Robot_LeftUpLeg", "Robot_LeftLeg", "Robot_LeftFoot"],
    },
    "OptiTrack Motive": {
        "spine": ["Hip", "Ab", "Chest", "Neck", "Head"],
        "arm": ["LShoulder", "LUArm", "LFArm", "LHand"],
        "leg": ["LThigh", "LShin", "LFoot", "LToe"],
    },
    "OptiTrack Motive, named": {
        "spine": [
            "Skeleton 001_Hip",
            "Skeleton 001_Ab",
            "Skeleton 001_Chest",
            "Skeleton 001_Neck",
            "Skeleton 001_Head",
        ],
        "arm": ["Skeleton 001_LShoulder", "Skeleton 001_LUArm", "Skeleton 001_LFArm", "Skeleton 001_LHand"],
        "leg": ["Skeleton 001_LThigh", "Skeleton 001_LShin", "Skeleton 001_LFoot", "Skeleton 001_LToe"],
    },
    "Biped": {
        "spine": ["Bip001 Pelvis", "Bip001 Spine", "Bip001 Spine1", "Bip001 Neck", "Bip001 Head"],
        "arm": ["Bip001 L Clavicle", "Bip001 L UpperArm", "Bip001 L Forearm", "Bip001 L Hand"],
        "leg": ["Bip001 L Thigh", "Bip001 L Calf", "Bip001 L Foot", "Bip001 L Toe0"],
    },
    "Truebones": {
        "spine": ["BIP01_Pelvis", "BIP01_Spine", "BIP01_Spine1", "BIP01_Neck", "BIP01_Head"],
        "arm": ["BIP01_L_Clavicle", "BIP01_L_UpperArm", "BIP01_L_Forearm", "BIP01_L_Hand"],
        "leg": ["BIP01_L_Thigh", "BIP01_L_Calf", "BIP01_L_Foot", "BIP01_L_Toe0"],
    },
    "Valve": {
        "spine": [
            "ValveBiped.Bip01_Pelvis",
            "ValveBiped.Bip01_Spine",
            "ValveBiped.Bip01_Neck1",
            "ValveBiped.Bip01_Head1",
        ],
        "arm": [
            "ValveBiped.Bip01_L_Clavicle",
            "ValveBiped.Bip01_L_UpperArm",
            "ValveBiped.Bip01_L_Forearm",
            "ValveBiped.Bip01_L_Hand",
        ],
        "leg": [
            "ValveBiped.Bip01_L_Thigh",
            "ValveBiped.Bip01_L_Calf",
            "ValveBiped.Bip01_L_Foot",
            "ValveBiped.Bip01_L_Toe0",
        ],
    },
    "ACCAD, Vicon": {
        "spine": ["root", "lowerback", "upperback", "thorax", "lowerneck", "head"],
        "arm": ["lclavicle", "lhumerus", "lradius", "lwrist"],
        "leg": ["lfemur", "ltibia", "lfoot", "ltoes"],
    },
    "SFU, LaFAN, MotionBuilder": {
        "spine": ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"],
        "arm": ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"],
        "leg": ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"],
    },
    "Rokoko": {
        "spine": ["Hips", "Spine1", "Spine2", "Spine3", "Spine4", "Neck", "Head"],
        "arm": ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"],
        "leg": ["LeftThigh", "LeftShin", "LeftFoot", "LeftToe"],
    },
    "Poser, Second Life": {
        "spine": ["hip", "abdomen", "chest", "neck", "head"],
        "arm": ["lCollar", "lShldr", "lForeArm", "lHand"],
        "leg": ["lThigh", "lShin", "lFoot", "lToe"],
    },
    "DAZ Genesis 8": {
        "spine": ["hip", "abdomenLower", "abdomenUpper", "chestLower", "chestUpper", "neckLower", "head"],
        "arm": ["lCollar", "lShldrBend", "lShldrTwist", "lForearmBend", "lForearmTwist", "lHand"],
        "leg": ["lThighBend", "lThighTwist", "lShin", "lFoot", "lMetatarsals", "lToe"],
    },
    "DAZ Genesis 9": {
        "spine": ["hip", "pelvis", "spine1", "spine2", "spine3", "neck1", "head"],
        "arm": ["l_shoulder", "l_upperarm", "l_forearm", "l_hand"],
        "leg": ["l_thigh", "l_shin", "l_foot", "l_toes"],
    },
    "Unreal": {
        "spine": ["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"],
        "arm": ["clavicle_l", "upperarm_l", "lowerarm_l", "hand_l"],
        "leg": ["thigh_l", "calf_l", "foot_l", "ball_l"],
    },
    "Unity": {
        "spine": ["Hips", "Spine", "Chest", "UpperChest", "Neck", "Head"],
        "arm": ["LeftShoulder", "LeftUpperArm", "LeftLowerArm", "LeftHand"],
        "leg": ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes"],
    },
    "VRoid": {
        "spine": ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_Neck", "J_Bip_C_Head"],
        "arm": ["J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm", "J_Bip_L_Hand"],
        "leg": ["J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot", "J_Bip_L_ToeBase"],
    },
    "Rigify": {
        "spine": ["DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-neck", "DEF-head"],
        "arm": ["DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L"],
        "leg": ["DEF-thigh.L", "DEF-shin.L", "DEF-foot.L", "DEF-toe.L"],
    },
    "Rigify, deforming bones": {
        "spine": ["DEF-spine", *(f"DEF-spine.00{k}" for k in range(1, 7))],
        "chest": ["DEF-spine.003"],
        "arm": [
            "DEF-shoulder.L",
            "DEF-upper_arm.L",
            "DEF-upper_arm.L.001",
            "DEF-forearm.L",
            "DEF-forearm.L.001",
            "DEF-hand.L",
        ],
        "leg": ["DEF-thigh.L", "DEF-shin.L", "DEF-foot.L", "DEF-toe.L"],
    },
    "Rigify, metarig": {
        "spine": ["spine", *(f"spine.00{k}" for k in range(1, 7))],
        "chest": ["spine.003"],
        "arm": ["shoulder.L", "upper_arm.L", "forearm.L", "hand.L"],
        "leg": ["thigh.L", "shin.L", "foot.L", "toe.L"],
    },
    "Auto-Rig Pro": {
        "spine": ["root.x", "spine_01.x", "spine_02.x", "neck.x", "head.x"],
        "arm": ["shoulder.l", "arm_stretch.l", "forearm_stretch.l", "hand.l"],
        "leg": ["thigh_stretch.l", "leg_stretch.l", "foot.l", "toes_01.l"],
    },
    "Advanced Skeleton": {
        "spine": ["Root_M", "Spine1_M", "Chest_M", "Neck_M", "Head_M"],
        "arm": ["Scapula_L", "Shoulder_L", "Elbow_L", "Wrist_L"],
        "leg": ["Hip_L", "Knee_L", "Ankle_L", "Toes_L"],
    },
    "Character Creator": {
        "spine": ["CC_Base_Hip", "CC_Base_Waist", "CC_Base_Spine01", "CC_Base_NeckTwist01", "CC_Base_Head"],
        "arm": ["CC_Base_L_Clavicle", "CC_Base_L_Upperarm", "CC_Base_L_Forearm", "CC_Base_L_Hand"],
        "leg": ["CC_Base_L_Thigh", "CC_Base_L_Calf", "CC_Base_L_Foot", "CC_Base_L_ToeBase"],
    },
    "DeepMotion": {
        "spine": ["hips_JNT", "spine_JNT", "spine1_JNT", "neck_JNT", "head_JNT"],
        "arm": ["l_shoulder_JNT", "l_arm_JNT", "l_forearm_JNT", "l_hand_JNT"],
        "leg": ["l_upleg_JNT", "l_leg_JNT", "l_foot_JNT", "l_toebase_JNT"],
    },
    "SMPL": {
        "spine": ["Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Head"],
        "arm": ["L_Collar", "L_Shoulder", "L_Elbow", "L_Wrist"],
        "leg": ["L_Hip", "L_Knee", "L_Ankle", "L_Foot"],
    },
    "Human3.6M": {
        "spine": ["Hip", "Spine", "Thorax", "Neck", "Head"],
        "arm": ["LShoulder", "LElbow", "LWrist"],
        "leg": ["LHip", "LKnee", "LAnkle"],
    },
    "Kinect": {
        "spine": ["SpineBase", "SpineMid", "SpineShoulder", "Neck", "Head"],
        "arm": ["ShoulderLeft", "ElbowLeft", "WristLeft"],
        "leg": ["HipLeft", "KneeLeft", "AnkleLeft", "FootLeft"],
    },
    "iPi": {
        "spine": ["Hip", "LowerSpine", "MiddleSpine", "Chest", "Neck", "Head"],
        "arm": ["LClavicle", "LShoulder", "LForearm", "LHand"],
        "leg": ["LThigh", "LShin", "LFoot", "LToe"],
    },
    "Second Life, new": {
        "spine": ["mPelvis", "mTorso", "mChest", "mNeck", "mHead"],
        "arm": ["mCollarLeft", "mShoulderLeft", "mElbowLeft", "mWristLeft"],
        "leg": ["mHipLeft", "mKneeLeft", "mAnkleLeft", "mFootLeft"],
    },
}


def joint_names(family: str, part: str, side: str) -> list[str]:
    """The names of a limb on one side."""
    names = FAMILIES[family][part]
    return names if side == "left" else [_right(name) for name in names]


def _right(name: str) -> str:
    for left, right in (("Left", "Right"), (" L ", " R "), ("_L_", "_R_"), (".L", ".R"), (".l", ".r")):
        if left in name:
            return name.replace(left, right)
    for left, right in (("_L", "_R"), ("_l", "_r")):
        if name.endswith(left):
            return name[: -len(left)] + right
    head, space, tail = name.rpartition(" 001_")
    return head + space + {"L": "R", "l": "r"}[tail[0]] + tail[1:]
