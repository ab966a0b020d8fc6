// The joints of a 3LP walker from its pose: pelvis, trunk, arms and legs, as footfall.methods.pendulum.walker_motion places them.
const mul = (a, b) => { const o = new Array(9); for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) o[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c]; return o; };
const aboutX = a => { const c = Math.cos(a), s = Math.sin(a); return [1, 0, 0, 0, c, -s, 0, s, c]; };
const aboutY = a => { const c = Math.cos(a), s = Math.sin(a); return [c, 0, s, 0, 1, 0, -s, 0, c]; };
const aboutZ = a => { const c = Math.cos(a), s = Math.sin(a); return [c, -s, 0, s, c, 0, 0, 0, 1]; };
// about: the walker's rows of a pose, names, parents and offsets of its joints, how arms and trunk swing.
function turnsOf(about, pose, tilt) {
  const p = name => pose[about.pose.indexOf(name)], spread = p("spread"), trunk = about.trunk_turn * spread, turns = {
    Hips: mul(aboutZ(p("pelvis_turn")), aboutX(p("pelvis_list"))), Spine: mul(aboutZ(trunk), aboutY(tilt)), Neck: aboutY(.4 * tilt), Head: aboutY(.4 * tilt),
  };
  for (const [side, sign] of [["Left", 1], ["Right", -1]]) {
    const leg = name => p(`${sign * p("swing_side") > 0 ? "swing" : "stance"}_${name}`), roll = aboutX(leg("roll")), swing = -sign * spread;
    turns[`${side}UpLeg`] = mul(roll, aboutY(-leg("thigh"))); turns[`${side}Leg`] = mul(roll, aboutY(-leg("shank")));
    turns[`${side}Foot`] = mul(aboutZ(leg("yaw")), aboutY(-leg("pitch"))); turns[`${side}ToeBase`] = mul(aboutZ(leg("yaw")), aboutY(-leg("toe")));
    turns[`${side}Arm`] = mul(aboutZ(trunk), mul(aboutY(.25 * tilt - about.arm_rest - about.arm_swing * swing), aboutX(.08 * sign)));
    turns[`${side}ForeArm`] = turns[`${side}Hand`] = mul(turns[`${side}Arm`], aboutY(-(about.elbow_rest + swing * (about.elbow_swing + .15 * swing))));
  }
  return turns;
}
// Joints' places and turns for a pose (numbers in the order of about.pose) of a walker of a size; their rows go into poses from a place on.
function placeJoints(about, pose, tilt, size, poses, from) {
  const frame = aboutZ(pose[3]), turns = turnsOf(about, pose, tilt), places = [];
  for (let j = 0; j < about.parents.length; j++) {
    const turn = mul(frame, turns[about.names[j]]), parent = about.parents[j], o = about.offsets[j].map(v => v * size);
    const at = parent < 0 ? pose.slice(0, 3) : [0, 1, 2].map(r => places[parent].at[r] + places[parent].turn[3 * r] * o[0] + places[parent].turn[3 * r + 1] * o[1] + places[parent].turn[3 * r + 2] * o[2]);
    places.push({ at, turn });
    for (let r = 0; r < 3; r++) { const to = from + 12 * j + 4 * r; for (let c = 0; c < 3; c++) poses[to + c] = size * turn[3 * r + c]; poses[to + 3] = at[r]; }
  }
  return places;
}
