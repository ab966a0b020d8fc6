// Handles on the pose of a state: it stands ahead of the walker, and its limbs turn where they are dragged.
const POSE_TINT = [.93, .66, .16, .45], POSE_AHEAD = 1.15, NEAR = 24, NUDGE = 1e-3, DAMPED = 12;
// posing: { label of the state, poses, handles: [{ at, name, joints }], at: its root, held: where that stays while it is dragged } or null
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
  if (posing.held) q.set(posing.held);
  const pose = () => run.pose({ q, v }), points = about.points.map(p => [p.body, p.position]);
  pose();
  posing.at = q.slice(0, up + 1);
  if (about.root !== "fixed" && points.length && !posing.held) { q[up] -= Math.min(...points.map(([b, p]) => { const at = w.inWorld(b, p); return at[2] - w.height(at[0], at[1]); })); posing.at[up] = q[up]; pose(); }
  run.packed(posing.poses); posing.handles = [];
  for (const { joint, ...parameter } of posedJoints(state)) {
    const shared = posing.handles.find(h => h.body === joint.body), end = joint.name === "torso" ? farEnd(joint.body).map((c, i) => i === 2 ? Math.abs(c) : c) : farEnd(joint.body);
    const handle = shared ?? { body: joint.body, at: w.inWorld(joint.body, end), name: joint.name.replace(/_(pitch|roll|yaw)$/, "").replaceAll("_", " "), joints: [] };
    const was = q[joint.qpos]; q[joint.qpos] = was + NUDGE; pose();
    const moved = V.mul(V.sub(w.inWorld(joint.body, end), handle.at), 1 / NUDGE); q[joint.qpos] = was; pose();
    if (!shared) posing.handles.push(handle);
    if (Math.hypot(...moved) > .02) handle.joints.push({ ...parameter, moved });
  }
  posing.handles = posing.handles.filter(h => h.joints.length);
}
function grabHandle(x, y) {
  const found = posing?.handles.map(h => ({ h, at: view.project(h.at) })).filter(({ at }) => at && Math.hypot(at[0] - x, at[1] - y) < NEAR).sort((a, b) => Math.hypot(a.at[0] - x, a.at[1] - y) - Math.hypot(b.at[0] - x, b.at[1] - y))[0];
  if (!found) return null;
  const { body } = found.h, r = view.canvas.getBoundingClientRect();
  posing.held = posing.at;
  return { move: e => { const h = posing?.handles.find(o => o.body === body); if (h) turnTo(h, e.clientX - r.left, e.clientY - r.top); }, end() { if (posing) posing.held = null; } };
}
// Turn a handle's joints so that it comes to a place on the screen: they share the way in the least squares' sense.
function turnTo(handle, x, y) {
  const at = view.project(handle.at); if (!at) return;
  const rows = handle.joints.map(({ moved }) => { const to = view.project(V.add(handle.at, V.mul(moved, .01))); return to ? [(to[0] - at[0]) / .01, (to[1] - at[1]) / .01] : [0, 0]; });
  let a = DAMPED ** 2, b = 0, c = DAMPED ** 2; for (const [u, v] of rows) { a += u * u; b += u * v; c += v * v; }
  const det = a * c - b * b, dx = x - at[0], dy = y - at[1], px = (c * dx - b * dy) / det, py = (a * dy - b * dx) / det;
  handle.joints.forEach(({ path, sign, index }, k) => {
    const turn = rows[k][0] * px + rows[k][1] * py, angle = Math.min(Math.max(walker.parameters[index] + turn, -Math.PI), Math.PI);
    if (Math.abs(turn) > 1e-4) { walker.set(path, sign * angle); sliders.get(path)?.set(sign * angle); }
  });
  layPose();
}
