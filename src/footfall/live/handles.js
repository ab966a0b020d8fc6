// Handles on the pose of a state: it stands ahead of the walker, and its limbs turn where they are dragged.
const POSE_TINT = [.93, .66, .16, .45], POSE_AHEAD = 1.15, NUDGE = 1e-3;
// posing: { label of the state, poses, handles: [{ at, name, joints }], high: its root over the ground, held: whether it is dragged and stays so high } or null
let posing = null;

function showPose(label) { posing = label === null || posing?.label === label ? null : { label, poses: new Float32Array(runs[0].poses.length), handles: [] }; markPose(); }
function markPose() { for (const b of document.querySelectorAll("[data-pose]")) b.setAttribute("aria-pressed", b.dataset.pose === posing?.label); }
const posedState = () => walker.gait.states.find(s => s.label === posing.label);
// Joints that the state has targets for, with the parameter that each target is: { joint, index, path, sign }.
function posedJoints(state) {
  const owner = new Map();
  for (const [path, p] of Object.entries(walker.gait.parameters)) for (const [index, sign] of p.cells) if (path.endsWith(".angle")) owner.set(index, { path, sign });
  const joints = about.root === "planar" ? [...about.joints.filter(j => j.actuated), { name: "torso", qpos: 2, body: about.torso }] : about.joints.filter(j => j.actuated);
  return joints.filter(j => state.targets[j.name] && owner.has(state.targets[j.name][0])).map(joint => ({ joint, index: state.targets[joint.name][0], ...owner.get(state.targets[joint.name][0]) }));
}
function posedQ(state) {
  const q = Float64Array.from(walker.gait.start.qpos), root = runs[0].pose(), along = runs[0].heading(), planar = about.root === "planar";
  const here = [root[3], root[7]], torso = planar && state.targets.torso ? walker.parameters[state.targets.torso[0]] : 0;
  if (about.root !== "fixed") { q[0] = here[0] + POSE_AHEAD * along[0]; if (!planar) q[1] = here[1] + POSE_AHEAD * along[1]; }
  for (const j of about.joints) if (state.targets[j.name]) q[j.qpos] = walker.parameters[state.targets[j.name][0]] - (state.world.includes(j.name) ? torso : 0);
  if (planar) q[2] = torso;
  return q;
}
// The end of a body that is farthest from its joint, in its own frame.
function farEnd(body) { const ends = about.shape.filter(c => c.body === body).flatMap(c => [c.from, c.to]); return ends.reduce((a, b) => Math.hypot(...b) > Math.hypot(...a) ? b : a, [0, 0, 0]); }
// Bodies of the pose, standing on the ground, and its handles; call it before the walker's own pose is drawn.
function layPose() {
  const state = posing && posedState(); if (!state) return;
  const run = runs[0], w = run.walker, q = posedQ(state), v = new Float64Array(w.qvel.length), up = about.root === "planar" ? 1 : 2;
  const pose = () => run.pose({ q, v }), points = about.points.map(p => [p.body, p.position]), ground = w.height(q[0], up > 1 ? q[1] : 0);
  pose();
  if (about.root !== "fixed" && points.length) {
    if (!posing.held) posing.high = q[up] - ground - Math.min(...points.map(([b, p]) => { const at = w.inWorld(b, p); return at[2] - w.height(at[0], at[1]); }));
    q[up] = ground + posing.high; pose();
  }
  run.packed(posing.poses); posing.handles = [];
  for (const { joint, ...parameter } of posedJoints(state)) {
    const shared = posing.handles.find(h => h.body === joint.body), end = joint.name === "torso" ? farEnd(joint.body).map((c, i) => i === 2 ? Math.abs(c) : c) : farEnd(joint.body);
    const handle = shared ?? { body: joint.body, at: w.inWorld(joint.body, end), name: joint.name.replace(/_(pitch|roll|yaw)$/, "").replaceAll("_", " "), joints: [] };
    const was = q[joint.qpos], before = placed(w, joint.body); q[joint.qpos] = was + NUDGE; pose();
    const hinge = hingeOf(before, placed(w, joint.body)); q[joint.qpos] = was; pose();
    if (!shared) posing.handles.push(handle);
    const angle = walker.parameters[parameter.index], [low, high] = joint.range ?? [], across = V.sub(handle.at, hinge.anchor);
    if (Math.hypot(...V.cross(hinge.axis, across)) > .02) handle.joints.push({ ...parameter, ...hinge, angle, low: Math.min(low ?? -Math.PI, angle), high: Math.max(high ?? Math.PI, angle) });
  }
  posing.handles = posing.handles.filter(h => h.joints.length);
}
const placed = (w, body) => [...w.bodies.subarray(PER_BODY * body, PER_BODY * body + 12)];
// The hinge about which a body turned a little: axis and anchor, from its place and its rotation before and after.
function hingeOf(a, b) {
  const turn = (r, c) => [0, 1, 2].reduce((sum, k) => sum + b[3 + 3 * r + k] * a[3 + 3 * c + k], 0), axis = V.unit([turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1)]);
  const way = V.mul(V.sub(b, a), 1 / (2 * Math.tan(NUDGE / 2))), half = V.mul(V.add(a, b), .5);
  return { axis, anchor: V.sub(half, V.cross(way, axis)) };
}
function grabHandle(x, y) {
  const h = handleNear(view, posing?.handles ?? [], x, y); if (!h) return null;
  const { camera } = view, { label } = posing, r = view.canvas.getBoundingClientRect(), grip = new Grip(h.joints, h.at, p => view.project(p, camera), x, y);
  posing.held = true;
  return { move: e => { if (posing?.label === label) turnTo(h.joints, grip.to(e.clientX - r.left, e.clientY - r.top)); }, end() { if (posing) posing.held = false; } };
}
function turnTo(joints, angles) {
  for (const [k, { path, sign }] of joints.entries()) { walker.set(path, sign * angles[k]); sliders.get(path)?.set(sign * angles[k]); }
  layPose();
}
