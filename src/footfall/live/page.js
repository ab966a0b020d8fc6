// The live page: the clock, the hands and the panel around a walker and a viewport.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = element;
const make = (tag, more = {}, ...children) => { const e = Object.assign(document.createElement(tag), more); e.append(...children); return e; };
const RATES = [.05, .1, .25, .5, 1, 2, 4, 8], PULL = 900, GRIP = 260, LONGEST = 12000, SPAN = 4, MOST = 1e6;
const S = { playing: true, speed: 1, contacts: true, trail: false, shown: 0, owed: 0, late: false };
let walker = null, about = null, view = null, history = [], drag = null, floorAt = Infinity, requested = null, sliders = new Map(), poses = null;

const number = (text, low = -MOST, high = MOST) => { const v = Number(text); return text === null || text === "" || !Number.isFinite(v) ? null : Math.min(Math.max(v, low), high); };
const names = () => D.characters.flatMap(c => c.gaits.map(g => g.name));

// ---- the character on stage
const walkers = new Map();
async function enter(gait) {
  const i = Math.max(0, D.characters.findIndex(c => c.gaits.some(g => g.name === gait))), next = D.characters[i];
  if (!walkers.has(i)) walkers.set(i, await Walker.load(bytesOf(D.modules[next.module]), next));
  const before = walker?.settings;
  walker = walkers.get(i); about = next;
  if (before) keep(before);
  stage(); walker.reset(gait ?? next.gaits[0].name); begin(); panel();
}
function keep(settings) {
  const { terrain, ...rest } = settings;
  walker.change(Object.hasOwn(about.terrains, terrain) ? settings : rest);
}
function stage() {
  const planar = about.root === "planar";
  if (!view) view = new Viewport({ canvas: $("view"), labels: $("labels"), shaders: D.shaders, planar, tall: about.tall, grab });
  if (view.planar !== planar) { view.planar = planar; view.look(planar ? "side" : "three"); view.distance = (planar ? 3.4 : 3) * about.tall; }
  view.tall = about.tall; view.aim = null; floorAt = Infinity;
  view.setBody(about.solids, D.colours); poses = new Float32Array(12 * about.bodies.length);
  resize();
}
function resize() {
  if (!view) return;
  const wide = innerWidth > 760, folded = document.body.classList.contains("folded") || document.body.classList.contains("embedded");
  view.shift = wide && !folded ? -350 / innerWidth : 0;
  view.lift = wide ? .11 : folded ? .2 : .6;
  view.reach = wide ? 1 : folded ? 1.1 : 2.3;
}
function begin() { history = []; S.owed = 0; drag = null; requested = null; view.aim = null; floorAt = Infinity; say(""); }
function reset() { if (walker) { walker.reset(walker.where().gait.name); begin(); markGait(); } }

// ---- time: physics follows the clock, whatever drawing takes
const again = touched();
let last = performance.now();
function tick(now, budget) { const passed = Math.max(now - last, 0) / 1000; last = now; if (walker && (S.playing || again())) { view.adapt(1000 * passed, S.playing); if (S.playing) advance(Math.min(passed, 1) * S.speed, budget); draw(); } }
// budget: milliseconds after which what is still owed is dropped, on a device that is too slow
function advance(seconds, budget = 60) {
  S.owed += seconds;
  const began = performance.now(), chunk = Math.max(1, Math.round(.004 / walker.dt));
  let steps = Math.floor(S.owed / walker.dt + 1e-9);
  S.late = false;
  while (steps > 0) {
    if (performance.now() - began > budget) { S.owed = 0; S.late = true; break; }
    const now = drag ? Math.min(chunk, steps) : Math.min(steps, 100 * walker.every), first = Math.ceil(walker.step_count[0] / walker.every);
    if (drag) pull();
    const before = walker.step_count[0], count = walker.step(now);
    remember(first, count);
    steps -= now; S.owed -= now * walker.dt;
    if (walker.step_count[0] === before) { S.owed = 0; break; }
  }
  walker.pose(); watch();
}
function remember(first, count) {
  const nq = about.coordinates.length, nv = walker.qvel.length, ns = Math.max(1, about.signals.length);
  for (let k = 0; k < count; k++) history.push({
    t: (first + k) * walker.every * walker.dt, q: walker.sample_qpos.slice(nq * k, nq * (k + 1)), v: walker.sample_qvel.slice(nv * k, nv * (k + 1)),
    s: walker.sample_signals.slice(ns * k, ns * (k + 1)), state: walker.sample_events[3 * k], contact: walker.sample_events[3 * k + 1],
  });
  if (history.length > LONGEST) history.splice(0, history.length - LONGEST);
}
function watch() {
  const status = walker.outcome;
  if (status === "fell" || status === "stopped") say(`fell at ${walker.fallTime.toFixed(2)} s`);
  else if (status === "diverged") say(`the numbers ran away at ${walker.fallTime.toFixed(2)} s; reset to go on`);
  else say(S.late ? "this device is too slow for this speed" : "");
  if (requested && walker.where().gait.name === requested) { requested = null; walker.gait = walker.where().gait; panel(); }
  if (requested && status !== "walking") { requested = null; markGait(); }
}
const say = text => { if ($("status").textContent !== text) $("status").textContent = text; };

// ---- drawing
function draw() {
  const here = walker.inWorld(0, [0, 0, 0]), path = [], contacts = [];
  if (Math.abs(here[0] - floorAt) > 8) layFloor(here);
  if (S.contacts) about.points.forEach((p, i) => { if (walker.contact[0] >> i & 1) contacts.push(walker.inWorld(p.body, p.position)); });
  if (S.trail) for (let k = Math.max(0, history.length - 300); k < history.length; k += 6) path.push(rootOf(history[k].q));
  const push = drag ? { at: drag.com, force: drag.force } : walker.force();
  view.draw({ here, poses: posed(), contacts, push, path, moving: S.playing });
  words(here);
  if (!$("tab-plots").hidden) plots();
}
const rootOf = q => about.root === "planar" ? [q[0], 0, q[1]] : about.root === "free" ? [q[0], q[1], q[2]] : [0, 0, 0];
function posed() {
  const b = walker.bodies;
  for (let i = 0; i < about.bodies.length; i++) for (let r = 0; r < 3; r++) {
    const o = PER_BODY * i, to = 12 * i + 4 * r;
    for (let c = 0; c < 3; c++) poses[to + c] = b[o + 3 + 3 * r + c];
    poses[to + 3] = b[o + r];
  }
  return poses;
}
function layFloor(here) {
  const t = walker.terrain, grid = about.terrain_kind === "grid"; floorAt = here[0];
  const xs = grid ? Array.from({ length: t[4] }, (_, i) => t[0] + i * t[2]) : [...t.subarray(1, 1 + t[0])];
  const ys = grid ? Array.from({ length: t[5] }, (_, i) => t[1] + i * t[3]) : [];
  view.setGround((x, y) => walker.height(x, y), xs, ys, [here[0] - 28, here[1] - 20], [here[0] + 28, here[1] + 20]);
}
function words() {
  const back = history[Math.max(0, history.length - 200)], front = history.at(-1);
  const speed = back && front && front.t > back.t ? (rootOf(front.q)[0] - rootOf(back.q)[0]) / (front.t - back.t) : 0;
  const { state } = walker.where();
  $("facts").textContent = `${walker.time.toFixed(1)} s · ${speed.toFixed(2)} m/s${state ? ` · state ${state.label}` : ""}${S.speed < 1 ? " · slow motion" : ""}`;
  bar.show();
  for (const d of $("parameters").querySelectorAll("details[data-state]")) d.classList.toggle("now", d.dataset.state === state?.label);
}
function plots() {
  const shown = history.slice(-Math.round(SPAN * 1000 / (walker.every * walker.dt * 1000))), times = shown.map(h => h.t), states = shown.map(h => h.state);
  const joint = about.joints.find(j => j.name === $("joint").value) ?? about.joints.find(j => j.actuated);
  if (!joint) return;
  const angle = shown.map(h => h.q[joint.qpos]), target = shown.map(h => targetOf(h, joint.name));
  plotCurves($("plot-angle"), times, SPAN, [{ values: target, colour: "--right", dash: true }, { values: angle, colour: "--left" }], states);
  if (about.signals.length) plotCurves($("plot-signals"), times, SPAN, signals().map((_, i) => ({ values: shown.map(h => h.s[i]), colour: COLOURS[i] })), states);
  plotPhase($("plot-phase"), angle, shown.map(h => h.v[joint.dof]));
}
// The signals that are plotted: d and v of a controller with states, of any other its law's own, the first few.
const COLOURS = ["--left", "--right", "--ink", "--soft"];
const signals = () => about.signals.slice(0, walker.gait.states.length ? 2 : COLOURS.length);
// What the state asks of a joint: its angle with balance feedback; a hip against the world is shown against the torso.
function targetOf({ q, s, state }, joint) {
  const found = walker.where(state).state, cells = found?.targets[joint];
  if (!cells) return NaN;
  const [angle, d, v] = cells.map(i => walker.parameters[i]);
  return angle + (d ?? 0) * s[0] + (v ?? 0) * s[1] - (found.world.includes(joint) ? q[2] : 0);
}

// ---- pulling a body
function bodyAt(x, y) {
  let best = null;
  for (const c of about.shape) {
    const a = view.project(walker.inWorld(c.body, c.from)), b = view.project(walker.inWorld(c.body, c.to));
    if (!a || !b) continue;
    const l = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2, u = l ? Math.min(Math.max(((x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])) / l, 0), 1) : 0;
    const off = Math.hypot(x - a[0] - u * (b[0] - a[0]), y - a[1] - u * (b[1] - a[1]));
    const size = view.canvas.clientHeight / view.distance / view.reach * Math.max(...c.radii) * 1.6;
    if (off < size + 14 && (!best || off - size < best.off)) best = { off: off - size, body: c.body };
  }
  return best?.body ?? null;
}
function grab(e) {
  const r = view.canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
  const body = walker && view.camera ? bodyAt(x, y) : null;
  if (body === null) return null;
  const com = walker.inWorld(body, about.bodies[body].com);
  drag = { body, com, force: [0, 0, 0], goal: com, slip: V.sub(com, view.unproject(x, y, com)) };
  view.canvas.classList.add("pulling");
  return {
    move: m => { if (drag) drag.goal = V.add(view.unproject(m.clientX - r.left, m.clientY - r.top, drag.com), drag.slip); },
    end: () => { if (drag) { walker.pull(drag.body, null); drag = null; } view.canvas.classList.remove("pulling"); },
  };
}
function pull() {
  walker.pose();
  const { body } = drag, o = PER_BODY * body, b = walker.bodies, com = walker.inWorld(body, about.bodies[body].com);
  const spin = [...b.subarray(o + 12, o + 15)], speed = V.add([...b.subarray(o + 15, o + 18)], V.cross(spin, V.sub(com, [...b.subarray(o, o + 3)])));
  const force = V.sub(V.mul(V.sub(drag.goal, com), PULL), V.mul(speed, GRIP * .35)), size = Math.hypot(...force), most = 12 * about.mass;
  drag.com = com; drag.force = size > most ? V.mul(force, most / size) : force;
  if (about.root === "planar") drag.force[1] = 0;
  walker.pull(body, drag.force);
}
function push(forward, left) { if (walker) walker.push([forward * $("force").value, left * $("force").value, 0], .1); }

// ---- the panel
function range(path, value) {
  const part = path.split(".").at(-1), size = Math.abs(value);
  if (["kp", "kd", "torque_limit"].includes(part)) return [0, Math.max(10, 2.5 * Math.min(size, 4000))];
  if (part === "hold") return [.01, Math.max(1, 2.5 * size)];
  if (part.startsWith("c_")) return [-Math.max(1.5, 2 * size), Math.max(1.5, 2 * size)];
  if (path.includes(".") || part.startsWith("hip_")) return [value - 1.2, value + 1.2];
  return [value - Math.max(1, 2 * size), value + Math.max(1, 2 * size)];
}
const shown = v => Math.abs(v) >= 1e6 ? v.toExponential(0) : String(+v.toFixed(3));
function slider(text, value, standard, low, high, change, title = text) {
  const step = (high - low) / 400, bar = make("input", { type: "range", min: low, max: high, step, value }), box = make("input", { type: "number", step: "any", value: shown(value) });
  bar.setAttribute("aria-label", title); box.setAttribute("aria-label", `${title}, number`);
  const row = make("div", { className: "row", title }, make("span", { textContent: text }), bar, box);
  const set = v => { bar.value = v; box.value = shown(v); row.classList.toggle("changed", Math.abs(v - standard) > 1e-9); };
  bar.addEventListener("input", () => { change(+bar.value); set(+bar.value); });
  box.addEventListener("change", () => { const v = number(box.value); if (v !== null) { change(v); set(v); } else set(+bar.value); });
  bar.addEventListener("dblclick", () => { change(standard); set(standard); });
  set(value);
  return { row, set };
}
function parameterName(path, label) { const rest = label ? path.slice(label.length + 1) : path; return rest.replace(/\.angle$/, "").split(".").map(part => part.startsWith("c_") ? part : part.replaceAll("_", " ")).join(" · "); }
// Feedback that a state does not use stays folded away under the rest.
const unused = (path, p) => p.state !== "" && p.value === 0 && walker.get(path) === 0 && path.split(".").at(-1).startsWith("c_");
function rarer(group) {
  const found = group.querySelector("details"), made = found ?? make("details", {}, make("summary", { textContent: "feedback that is 0" }));
  if (!found) group.append(made);
  return made;
}
function panel() {
  const gait = walker.gait; sliders = new Map();
  $("title").textContent = gait.name; document.title = `${gait.name} · footfall`; $("about").textContent = gait.about;
  const groups = new Map();
  for (const [path, p] of Object.entries(gait.parameters)) {
    const key = p.state !== "" ? `state ${p.state}` : !gait.states.length ? "parameters" : path.includes(".") ? "gains" : "balance and limits";
    if (!groups.has(key)) groups.set(key, make("details", {}, make("summary", { textContent: key })));
    const group = groups.get(key); if (p.state !== "") group.dataset.state = p.state;
    const s = slider(parameterName(path, p.state), walker.get(path), p.value, ...range(path, p.value), v => walker.set(path, v), path);
    sliders.set(path, s); if (unused(path, p)) rarer(group).append(s.row); else group.insertBefore(s.row, group.querySelector("details"));
  }
  const parts = [...groups.values()]; if (parts[0]) parts[0].open = true;
  $("parameters").replaceChildren(...parts, make("p", {}, make("button", { textContent: "standard values", onclick: () => { for (const [path, p] of Object.entries(gait.parameters)) { walker.set(path, p.value); sliders.get(path).set(p.value); } } })));
  $("gaits").replaceChildren(...(names().length > 1 ? names() : []).map(name => make("button", { textContent: name, onclick: () => choose(name) })));
  $("gait").replaceChildren(...names().map(name => make("option", { value: name, textContent: name })));
  $("gait").hidden = names().length < 2 || !document.body.classList.contains("embedded");
  markGait();
  $("terrain").replaceChildren(...Object.keys(about.terrains).map(name => make("option", { value: name, textContent: name })));
  $("terrain").value = walker.settings.terrain;
  world();
  $("joint").replaceChildren(...about.joints.filter(j => j.actuated).map(j => make("option", { value: j.name, textContent: j.name.replaceAll("_", " ") })));
  captions(gait.states.length > 0);
  const ways = [["← push", "push backward (arrow left)", -1, 0], ["push →", "push forward (arrow right)", 1, 0]];
  if (about.root !== "planar") ways.splice(1, 0, ["↖", "push to its left (arrow up)", 0, 1], ["↘", "push to its right (arrow down)", 0, -1]);
  $("pushes").replaceChildren(...ways.map(([textContent, title, x, y]) => { const b = make("button", { textContent, title, onclick: () => push(x, y) }); b.setAttribute("aria-label", title); return b; }));
}
function captions(states) {
  $("caption-angle").textContent = states ? "angle and target, rad" : "angle, rad";
  $("figure-signals").hidden = !about.signals.length;
  const units = { d: " (m)", v: " (m/s)" }, named = signals().flatMap((name, i) => [i ? ", " : "", make("b", { textContent: name, style: `color: var(${COLOURS[i]})` }), states ? units[name] ?? "" : ""]);
  $("caption-signals").replaceChildren(states ? "balance: " : "signals: ", ...named);
}
function world() {
  const now = walker.settings;
  $("world").replaceChildren(
    slider("gravity, m/s²", -now.gravity, -about.body.at(-1), 0, 20, v => walker.change({ gravity: -v })).row,
    slider("friction", now.friction, about.ground[2], 0, 1.5, v => walker.change({ friction: Math.max(0, v) })).row,
    slider("load on the torso, kg", now.load, 0, 0, .8 * about.mass, v => walker.change({ load: Math.max(0, v) })).row,
  );
}
function choose(name) {
  const here = about.gaits.some(g => g.name === name);
  if (!here || !about.switches || walker.outcome !== "walking") { enter(name); return; }
  walker.request(name); requested = name; markGait();
}
function markGait() { $("gait").value = requested ?? walker.gait.name; for (const b of $("gaits").children) { b.setAttribute("aria-pressed", b.textContent === walker.gait.name); b.setAttribute("aria-busy", b.textContent === requested); } }

// ---- links: every setting in the address
function settings() {
  const s = new URLSearchParams({ gait: walker.gait.name }), w = walker.settings;
  if (w.terrain !== Object.keys(about.terrains)[0]) s.set("terrain", w.terrain);
  if (w.gravity !== about.body.at(-1)) s.set("gravity", -w.gravity);
  if (w.friction !== about.ground[2]) s.set("friction", w.friction);
  if (w.load !== 0) s.set("load", w.load);
  if (S.speed !== 1) s.set("speed", S.speed);
  for (const g of about.gaits) for (const [path, p] of Object.entries(g.parameters)) { const v = walker.get(path, g.name); if (v !== p.value) s.set(`${g.name}/${path}`, v); }
  return s;
}
const link = () => `${location.href.split("#")[0]}#${settings()}`;
async function arrive(text) {
  let asked; try { asked = new URLSearchParams(text); } catch { asked = new URLSearchParams(); }
  await enter(names().includes(asked.get("gait")) ? asked.get("gait") : names()[0]);
  const numbers = { gravity: [0, 100, -1], friction: [0, 10, 1], load: [0, 1000, 1] };
  for (const [name, [low, high, sign]] of Object.entries(numbers)) { const v = number(asked.get(name), low, high); if (v !== null) walker.change({ [name]: sign * v }); }
  if (asked.has("terrain") && Object.hasOwn(about.terrains, asked.get("terrain"))) walker.change({ terrain: asked.get("terrain") });
  const speed = number(asked.get("speed"), .05, 8); if (speed !== null) S.speed = speed;
  if (asked.get("play") === "no") S.playing = false;
  if (asked.has("view")) view.look(asked.get("view"));
  for (const [key, text] of asked) {
    const cut = key.indexOf("/"), gait = about.gaits.find(g => g.name === key.slice(0, cut)), path = key.slice(cut + 1), value = number(text);
    if (cut > 0 && gait && value !== null && Object.hasOwn(gait.parameters, path)) walker.set(path, value, gait.name);
  }
  walker.reset(walker.gait.name); begin(); panel();
}
async function copy() {
  const text = link(); window.history.replaceState(null, "", `#${settings()}`);
  let done = true;
  try { await navigator.clipboard.writeText(text); } catch {
    const box = make("textarea", { value: text }); document.body.append(box); box.select(); done = document.execCommand("copy"); box.remove();
  }
  $("copy").textContent = done ? "copied" : "the link is in the address bar"; setTimeout(() => { $("copy").textContent = "copy link with all settings"; }, 2000);
}

// ---- hands
const bar = commandBar(S, () => view, RATES, () => { S.playing = !S.playing; });
const fold = folded => { $("panel").classList.toggle("folded", folded); document.body.classList.toggle("folded", folded); $("fold").textContent = folded ? "▴" : "×"; resize(); };
$("reset").onclick = reset;
$("force").oninput = () => { $("force-value").textContent = `${$("force").value} N`; };
document.querySelectorAll("[data-tab]").forEach(b => { b.onclick = () => { fold(false); document.querySelectorAll("[data-tab]").forEach(o => { const on = o === b; o.setAttribute("aria-selected", on); $(`tab-${o.dataset.tab}`).hidden = !on; }); }; });
$("fold").onclick = () => fold(!document.body.classList.contains("folded"));
$("terrain").onchange = () => { walker.change({ terrain: $("terrain").value }); reset(); };
$("standard").onclick = () => { walker.change({ gravity: about.body.at(-1), friction: about.ground[2], load: 0, terrain: Object.keys(about.terrains)[0] }); reset(); panel(); };
$("gait").onchange = () => choose($("gait").value);
$("copy").onclick = copy;
$("save-controller").onclick = () => download(`${walker.gait.name}.toml`, controllerText(about.templates[walker.gait.name], walker.gait.parameters, p => walker.get(p)), "application/toml");
$("save-motion").onclick = () => download(`${walker.gait.name}.csv`, motionText(walker, about, history), "text/csv");
addEventListener("keydown", e => {
  if (["INPUT", "SELECT", "TEXTAREA"].includes(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey) return;
  const keys = { r: reset, h: $("fold").onclick, ArrowLeft: () => push(-1, 0), ArrowRight: () => push(1, 0), ArrowUp: () => push(0, 1), ArrowDown: () => push(0, -1) };
  if (Object.hasOwn(keys, e.key)) keys[e.key](); else if (!bar.key(e)) return;
  e.preventDefault();
});
addEventListener("resize", resize);
addEventListener("hashchange", () => arrive(location.hash.slice(1)));

// for scripts and tests: footfall.walker, footfall.advance(seconds), footfall.link()
window.footfall = { get walker() { return walker; }, get view() { return view; }, state: S, advance: s => { advance(s, Infinity); draw(); }, tick, link, reset, choose, get history() { return history; } };
if (new URLSearchParams(location.search).has("embedded")) document.body.classList.add("embedded");
if (innerWidth <= 760) fold(true);
arrive(location.hash.slice(1)).then(() => {
  document.documentElement.dataset.ready = "yes"; last = performance.now();
  const frame = now => { tick(now); requestAnimationFrame(frame); }; requestAnimationFrame(frame);
}).catch(error => { $("sorry").style.display = "grid"; $("sorry").firstChild.textContent = `This page needs a browser with WebGL 2 and WebAssembly (${error.message}).`; throw error; });
