// A crowd that walks in closed form (3LP): the module walks, joints.js turns its poses into joints, and this file draws them.
const D = JSON.parse(element("data").textContent), J = D.parents.length, ROOM = D.room;
const RATES = [.1, .25, .5, 1, 2, 4], GAP = 1.25, PUSH = 60, PUSHED = .3, TURN = .12;
const S = { playing: true, speed: 1, count: D.walkers, pace: D.pace, time: 0, push: null, turn: 0 };
let wasm = null, T = null, view = null, walking = [];

// ---- the walkers
const heightOf = i => (7 * i + 3) % D.heights.length;
function reset() {
  wasm.start(); T.strides.set(floats64(D.strides));
  const n = S.count, side = Math.ceil(Math.sqrt(n)), rows = D.state.length / D.heights.length / D.speeds.length;
  for (let i = 0; i < n; i++) {
    const stride = heightOf(i) * D.speeds.length + S.pace, swing = i % 2 ? -1 : 1;
    T.row[i] = T.wanted[i] = stride;
    for (let r = 0; r < rows; r++) T.state[r * ROOM + i] = D.state[stride * rows + r] * (D.mirrored.includes(r) ? swing : 1);
    T.state[D.foot * ROOM + i] += GAP * (Math.floor(i / side) - (side - 1) / 2) + .3 * Math.sin(12.9 * i);
    T.state[(D.foot + 1) * ROOM + i] += GAP * (i % side - (side - 1) / 2) + .2 * Math.sin(78.2 * i);
  }
  S.time = 0; S.push = null; S.turn = 0; view.aim = null; view.spread = Math.min(.75 * GAP * side + 1, 9); view.distance = (2.2 + .95 * side) * D.tall; floorAt = null;
  command(); wasm.walk(n, 1e-9); joints();
}
function command() {
  for (let i = 0; i < S.count; i++) { const mass = D.masses[heightOf(i)] / 70; T.command[i] = mass * (S.push?.[0] ?? 0); T.command[ROOM + i] = mass * (S.push?.[1] ?? 0); T.command[2 * ROOM + i] = S.turn; }
}
function advance(seconds) {
  for (let left = seconds; left > 1e-9;) {
    const part = Math.min(left, 1 / 30);
    if (S.push && S.time >= S.push.until) { S.push = null; command(); }
    wasm.walk(S.count, part); S.time += part; left -= part;
  }
  joints();
}

// ---- joints
let poses = new Float32Array(0), middle = [0, 0, 0];
function joints() {
  if (poses.length !== 12 * J * S.count) poses = new Float32Array(12 * J * S.count);
  walking = []; middle = [0, 0, 0];
  for (let i = 0; i < S.count; i++) {
    const pose = D.pose.map((_, r) => T.poses[r * ROOM + i]);
    walking.push(placeJoints(D, pose, D.tilts[T.row[i]], D.heights[heightOf(i)] / D.height, poses, 12 * i * J)); for (let k = 0; k < 3; k++) middle[k] += pose[k] / S.count;
  }
}

// ---- drawing
let floorAt = null;
function draw() {
  if (!floorAt || Math.hypot(middle[0] - floorAt[0], middle[1] - floorAt[1]) > 8) { floorAt = middle; view.setGround(() => 0, [], [], [middle[0] - 30, middle[1] - 30], [middle[0] + 30, middle[1] + 30]); }
  const tell = S.push ? { at: [middle[0], middle[1], 1.9], force: [S.push[0], S.push[1], 0] } : null;
  view.draw({ here: middle, poses, push: tell, moving: S.playing });
  element("facts").textContent = `${S.time.toFixed(1)} s · ${S.count} walkers · ${D.speeds[S.pace].toFixed(2)} m/s, from the next step on`;
  element("count-value").textContent = S.count; element("pace-value").textContent = `${D.speeds[S.pace].toFixed(2)} m/s`;
  bar.show();
}

// ---- hands
const bar = commandBar(S, () => view, RATES, () => { S.playing = !S.playing; });
const push = (forward, left) => { const h = T.state[D.heading * ROOM], c = Math.cos(h), s = Math.sin(h); S.push = Object.assign([PUSH * (c * forward - s * left), PUSH * (s * forward + c * left)], { until: S.time + PUSHED }); command(); };
const turn = way => { S.turn = S.turn === way * TURN ? 0 : way * TURN; command(); element("left").setAttribute("aria-pressed", S.turn > 0); element("right").setAttribute("aria-pressed", S.turn < 0); };
element("reset").onclick = () => reset(); element("left").onclick = () => turn(1); element("right").onclick = () => turn(-1);
element("count").oninput = () => { S.count = +element("count").value; reset(); };
element("pace").oninput = () => { S.pace = +element("pace").value; for (let i = 0; i < S.count; i++) T.wanted[i] = heightOf(i) * D.speeds.length + S.pace; };
document.querySelectorAll("[data-push]").forEach(b => { b.onclick = () => push(...b.dataset.push.split(",").map(Number)); });
addEventListener("keydown", e => {
  if (e.target.tagName === "INPUT" || e.ctrlKey || e.metaKey || e.altKey) return;
  const keys = { r: reset, a: () => turn(1), d: () => turn(-1), ArrowLeft: () => push(-1, 0), ArrowRight: () => push(1, 0), ArrowUp: () => push(0, 1), ArrowDown: () => push(0, -1) };
  if (Object.hasOwn(keys, e.key)) keys[e.key](); else if (!bar.key(e)) return;
  e.preventDefault();
});
const again = touched();
let last = performance.now();
function tick(now) {
  const passed = Math.max(now - last, 0); last = now;
  if (S.playing || again()) { view.adapt(passed, S.playing); if (S.playing) advance(Math.min(passed / 1000, .25) * S.speed); draw(); }
  requestAnimationFrame(tick);
}
const floats64 = text => new Float64Array(bytesOf(text).buffer);
async function begin() {
  wasm = (await instantiate(bytesOf(D.module))).exports; wasm.start(); T = tablesOf(wasm, D.tables);
  view = new Viewport({ canvas: element("view"), labels: element("labels"), shaders: D.shaders, tall: D.tall });
  view.setBody(D.body, D.colours, ROOM);
  element("count").value = S.count; element("pace").max = D.speeds.length - 1; element("pace").value = S.pace;
  if (new URLSearchParams(location.search).has("embedded")) document.body.classList.add("embedded");
  if (new URLSearchParams(location.hash.slice(1)).get("play") === "no") S.playing = false;
  reset(); draw();
  document.documentElement.dataset.ready = "yes"; last = performance.now(); requestAnimationFrame(tick);
}
// for scripts and tests
window.footfall = { state: S, reset, advance: s => { advance(s); draw(); }, get tables() { return T; }, get walking() { return walking; }, get view() { return view; } };
begin().catch(sorry);
