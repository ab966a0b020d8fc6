// The player: a recorded motion in the viewport, with a timeline.
const D = JSON.parse(element("data").textContent);
// A body that moves: its poses between the frames that travel in the page.
class Moving {
  constructor({ times, joints, root }) {
    this.times = floatsOf(times); this.joints = floatsOf(joints); this.root = floatsOf(root);
    this.F = this.times.length; this.J = this.F ? this.joints.length / 7 / this.F : 0; this.poses = new Float32Array(12 * Math.max(this.J, 1));
  }
  get end() { return this.times[this.F - 1] || 0; }
  frameAt(t) {
    const { times, F } = this; let low = 0, high = Math.max(F - 2, 0);
    while (low < high) { const m = (low + high + 1) >> 1; if (times[m] <= t) low = m; else high = m - 1; }
    const next = Math.min(low + 1, F - 1), span = times[next] - times[low];
    return [low, next, span > 0 ? Math.min(Math.max((t - times[low]) / span, 0), 1) : 0];
  }
  rootAt(t) { const [f, g, u] = this.frameAt(t); return between(this.root, 3 * f, 3 * g, u); }
  posed(t, shift = [0, 0, 0]) {
    const [f, g, u] = this.frameAt(t), { joints, J, poses } = this;
    for (let j = 0; j < J; j++) {
      const a = (f * J + j) * 7, b = (g * J + j) * 7; let d = 0;
      for (let k = 3; k < 7; k++) d += joints[a + k] * joints[b + k];
      const q = [3, 4, 5, 6].map(k => joints[a + k] * (1 - u) + (d < 0 ? -u : u) * joints[b + k]), l = Math.hypot(...q) || 1;
      putPose(poses, j, V.add(between(joints, a, b, u), shift), q.map(v => v / l));
    }
    return poses;
  }
}
const between = (data, a, b, u) => [0, 1, 2].map(k => data[a + k] * (1 - u) + data[b + k] * u);
const moving = new Moving(D), beside = D.beside ? new Moving(D.beside) : null, { times, root, F, end } = moving;
const points = floatsOf(D.points), P = F ? points.length / 3 / F : 0, push = D.push ? floatsOf(D.push) : null, grf = D.forces ? floatsOf(D.forces) : null, heat = D.heat ? bytesOf(D.heat) : null;
const RATES = [.1, .25, .5, 1, 2, 4], STILL = matchMedia("(prefers-reduced-motion: reduce)").matches, ASIDE = 1.1, BESIDE_TINT = [.49, .33, .69, .55];
const S = { t: 0, playing: !STILL, speed: D.speed, contacts: P > 0, trail: false, forces: false, prints: false, torques: false };
let view = null;
// where contact points landed: { t, from, to, left }
const landed = [], touches = (f, p) => D.touching[f]?.charCodeAt(p) === 49, pointAt = (f, p) => [...points.subarray((f * P + p) * 3, (f * P + p) * 3 + 3)];
for (let f = 1; f < F; f++) for (let p = 0; p < P; p++) if (touches(f, p) && !touches(f - 1, p)) { const at = pointAt(f, p); landed.push({ t: times[f], from: at, to: at, left: D.left[p] }); }

// ---- the ground: rows along x, columns along y
const { x: gx, y: gy, z: gz } = D.ground, height = heightOver(gx, gy, gz.flat());
function layGround() {
  const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (let f = 0; f < F; f++) for (let k = 0; k < 2; k++) { low[k] = Math.min(low[k], root[3 * f + k] - 20); high[k] = Math.max(high[k], root[3 * f + k] + 20); }
  view.setGround(height, gx, gy, low, high);
}

// ---- drawing
function draw() {
  const [f, g, u] = moving.frameAt(S.t), contacts = [], path = [], forces = [], others = [], here = moving.rootAt(S.t);
  for (let p = 0; p < P; p++) if (touches(f, p)) {
    const at = between(points, (f * P + p) * 3, (g * P + p) * 3, u);
    if (S.contacts) contacts.push(at);
    if (S.forces && grf) forces.push({ at, force: between(grf, (f * P + p) * 3, (g * P + p) * 3, u) });
  }
  if (S.trail) for (let k = 0; k <= 36; k++) { const t = S.t - 3 + k / 12; if (t >= 0) path.push(moving.rootAt(t)); }
  if (beside) {
    const t = beside.end > 0 ? S.t % beside.end : 0, its = beside.rootAt(t), side = [-Math.sin(D.heading) * ASIDE, Math.cos(D.heading) * ASIDE], place = [here[0] + side[0], here[1] + side[1]];
    others.push({ name: "beside", tint: BESIDE_TINT, poses: beside.posed(t, [place[0] - its[0], place[1] - its[1], height(...place)]) });
  }
  const force = push ? { at: [...push.subarray(6 * f, 6 * f + 3)], force: [...push.subarray(6 * f + 3, 6 * f + 6)] } : null;
  view.draw({ here, poses: moving.posed(S.t), heat: S.torques && heat ? Float32Array.from(heat.subarray(f * moving.J, (f + 1) * moving.J), v => v / 255) : null, others, contacts, forces, push: force, path, prints: S.prints ? landed.filter(p => p.t <= S.t).slice(-80) : [], moving: S.playing });
  words(f);
}
function words(f) {
  time.show(S.t, 0, end);
  element("clock").textContent = `${S.t.toFixed(2)} / ${end.toFixed(2)} s`; element("state").textContent = D.state ? `state ${D.states[D.state[f]] ?? D.state[f]}` : "";
  bar.show();
}

// ---- hands
const seek = t => { S.t = Math.min(Math.max(t, 0), end); };
const step = t => { S.playing = false; seek(t); };
const play = () => { if (!S.playing && S.t >= end) S.t = 0; S.playing = !S.playing; };
const bar = commandBar(S, () => view, RATES, play);
const time = timeline(t => { S.playing = false; seek(t); });
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const frame = end / Math.max(F - 1, 1) * (e.shiftKey ? 10 : 1), steps = { ArrowRight: S.t + frame, ArrowLeft: S.t - frame, Home: 0, End: end };
  if (Object.hasOwn(steps, e.key)) step(steps[e.key]); else if (!bar.key(e)) return;
  e.preventDefault();
});

// The figure stands between the page's head and its bar.
function place() {
  const top = document.querySelector("header").getBoundingClientRect().bottom, bottom = document.querySelector("footer").getBoundingClientRect().top, H = innerHeight;
  view.lift = (H - top - bottom) / H; view.reach = Math.max(innerWidth < 500 ? 1.15 : 1, .72 * H / Math.max(bottom - top, 80));
}
addEventListener("resize", place);

// ---- time
const again = touched();
let last = performance.now();
function tick(now) {
  const passed = now - last; last = now;
  if (S.playing) { S.t += Math.min(passed / 1000, .1) * S.speed; if (S.t > end) S.t = end > 0 ? S.t % end : 0; }
  if (S.playing || again()) { view.adapt(passed, S.playing); draw(); }
  requestAnimationFrame(tick);
}
if (!D.sides) element("legend").style.display = "none";
for (const [id, there] of [["contacts", P], ["prints", landed.length], ["forces", grf], ["torques", heat]]) element(id).hidden = !there;
if (D.state) time.colour([...times].map((t, f) => [t, D.state[f]]), 0, end);
try {
  view = new Viewport({ canvas: element("view"), labels: element("labels"), shaders: D.shaders, planar: D.planar, tall: D.tall, heading: D.heading, flat: new URLSearchParams(location.search).has("flat") });
  place(); view.setBody(D.body, D.colours); if (beside) view.setBody(D.beside.body, D.colours, 1, "beside"); layGround();
} catch (error) { sorry(error, "This page cannot be drawn here"); }
const hash = new URLSearchParams(location.hash.slice(1));
if (hash.has("t")) step(+hash.get("t") || 0);
if (hash.has("view")) view.look(hash.get("view"));
window.footfall = { view }; // for scripts and tests
draw(); document.documentElement.dataset.ready = "yes"; requestAnimationFrame(tick);
