// The live page: the clock, the hands and the stage around one walker, or two, and a viewport.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = element;
const RATES = [.05, .1, .25, .5, 1, 2, 4, 8], PULL = 900, GRIP = 260, SPAN = 4, ASIDE = .8;
const B_TINT = [.55, .58, .63, .72], GHOST_TINT = [.2, .65, .92, .9];
const STILL = matchMedia("(prefers-reduced-motion: reduce)").matches, QUERY = new URLSearchParams(location.search);
// look: a moment of the past that is shown, or null for the present
const S = { playing: !STILL, speed: 1, ...DEFAULTS, owed: 0, late: false, look: null };
// runs: A, and B where two are compared. walker: the one that the sliders act on.
let walker = null, about = null, view = null, drag = null, floorAt = Infinity, requested = null;
const runs = [], walkers = new Map();
const names = () => D.characters.flatMap(c => c.gaits.map(g => g.name));
const characterOf = gait => D.characters.findIndex(c => c.gaits.some(g => g.name === gait));

// ---- the characters on stage
const load = async i => Walker.load(await unzipped(D.modules[D.characters[i].module]), D.characters[i]);
async function walkerOf(gait) { const i = characterOf(gait); if (i < 0) return null; if (!walkers.has(i)) walkers.set(i, await load(i)); return walkers.get(i); }
// before: settings to keep; by default those of the character that leaves.
async function enter(gait, before = walker?.settings) {
  const name = characterOf(gait) < 0 ? names()[0] : gait, i = characterOf(name), next = await walkerOf(name), two = runs.length > 1;
  runs.length = 0; runs.push(new Run(next)); walker = next; about = D.characters[i];
  if (before) keep(before);
  walker.reset(name); if (two) await compare(true);
  stage(); begin(); panel();
}
function keep(settings) { const { terrain, ...rest } = settings; walker.change(Object.hasOwn(about.terrains, terrain) ? settings : rest); }
// A second walker with the same numbers, or none.
async function compare(on) {
  if (on === runs.length > 1) return;
  if (on) {
    const other = await load(D.characters.indexOf(about)), first = runs[0].walker;
    for (const g of about.gaits) for (const path of Object.keys(g.parameters)) other.set(path, first.get(path, g.name), g.name);
    other.change(first.settings); other.reset(first.gait.name); runs.push(new Run(other));
  } else { runs.length = 1; walker = runs[0].walker; }
  restart(); panel();
}
const standardDistance = () => (about.root === "planar" ? 3.4 : 3) * about.tall;
function stage() {
  const planar = about.root === "planar";
  if (!view) { view = new Viewport({ canvas: $("view"), labels: $("labels"), shaders: D.shaders, planar, tall: about.tall, grab, flat: QUERY.has("flat") }); document.body.classList.toggle("flat", view.flat); }
  if (view.planar !== planar) { view.planar = planar; view.look(planar ? "side" : "three"); view.distance = standardDistance(); }
  $("stick").hidden = !about.memory.includes("gait_speed");
  view.tall = about.tall; view.setBody(about.solids, D.colours, 4);
  resize();
}
function resize() {
  if (!view) return;
  const wide = innerWidth > 760, folded = document.body.classList.contains("folded") || document.body.classList.contains("embedded");
  view.shift = wide && !folded ? -350 / innerWidth : 0;
  view.lift = wide ? .11 : folded ? .2 : .6;
  view.reach = wide ? 1 : folded ? 1.1 : 2.3;
}
function begin() { for (const run of runs) run.begin(); S.owed = 0; S.look = null; drag = null; requested = posing = null; if (view) view.aim = null; floorAt = Infinity; say(""); }
function restart() { const { name } = walker.where().gait, kept = posing; for (const run of runs) run.walker.reset(name); begin(); posing = kept; markGait(); }
function reset() { if (walker) { endChallenge(); restart(); } }

// ---- time: physics follows the clock, whatever drawing takes
const again = touched();
let last = performance.now(), coloured = 0;
function tick(now, budget) { const passed = Math.max(now - last, 0) / 1000; last = now; if (walker && (S.playing || again())) { view.adapt(1000 * passed, S.playing); if (S.playing) advance(Math.min(passed, 1) * S.speed, budget); draw(); } }
// budget: milliseconds after which what is still owed is dropped, on a device that is too slow
function advance(seconds, budget = 60) {
  if (S.look !== null) goOn();
  const began = performance.now(), { dt, every } = walker;
  S.owed += seconds; S.late = false;
  let steps = Math.floor(S.owed / dt + 1e-9);
  while (steps > 0) {
    if (performance.now() - began > budget) { S.owed = 0; S.late = true; break; }
    const now = Math.min(steps, drag ? Math.max(1, Math.round(.004 / dt)) : challenge ? every : 10 * every);
    if (drag) pull();
    const going = runs.map(run => run.step(now));
    steps -= now; S.owed -= now * dt; tryOn();
    if (!going.includes(true)) { S.owed = 0; break; }
  }
  for (const run of runs) run.walker.pose();
  watch();
}
// Show a moment of the past; the newest is the present. Time stands still meanwhile.
function lookBackTo(t) { const [run] = runs; S.playing = false; S.look = t >= run.end - .5 * walker.dt || !run.history.length ? null : Math.max(t, run.start); watch(); }
function stepBy(samples) { const by = samples * walker.every * walker.dt; if (S.look === null && samples > 0) { S.playing = false; advance(by, Infinity); } else lookBackTo((S.look ?? runs[0].end) + by); }
// Go on from the moment that is shown.
function goOn() { if (S.look === null) return; const t = S.look; S.look = null; endChallenge(); for (const run of runs) run.rewind(t); requested = null; walker.gait = walker.where().gait; S.owed = 0; watch(); panel(); }
function watch() {
  const fallen = runs.map((run, i) => [run.walker, runs.length > 1 ? `${"AB"[i]} ` : ""]).filter(([w]) => w.outcome !== "walking");
  if (S.look !== null) say(`${(runs[0].end - S.look).toFixed(2)} s ago; play goes on from here`);
  else if (fallen.length) say(fallen.map(([w, who]) => w.outcome === "diverged" ? `${who}the numbers ran away at ${w.fallTime.toFixed(2)} s; reset to go on` : `${who}fell at ${w.fallTime.toFixed(2)} s`).join(", "));
  else say(S.late ? "this device is too slow for this speed" : "");
  if (requested && runs[0].walker.where().gait.name === requested) { requested = null; for (const run of runs) run.walker.gait = run.walker.where().gait; panel(); }
  if (requested && runs[0].walker.outcome !== "walking") { requested = null; markGait(); }
}
const say = text => write("status", text);

// ---- drawing
const moment = run => S.look === null ? null : run.at(S.look);
const rootOf = q => about.root === "planar" ? [q[0], 0, q[1]] : about.root === "free" ? [q[0], q[1], q[2]] : [0, 0, 0];
const balanced = () => about.signals[0] === "d" && about.signals[1] === "v";
function draw() {
  const [run, second] = runs, sample = moment(run), latest = sample ?? run.history.at(-1), others = [], notes = [], w = run.walker;
  const asked = S.ghost && latest && w.outcome === "walking" ? run.asked(latest) : null;
  if (asked) others.push({ poses: asked, tint: GHOST_TINT, alpha: .4 });
  layPose(); if (posing) others.push({ poses: posing.poses, tint: POSE_TINT, alpha: .75 });
  if (second) {
    second.pose(moment(second)); others.push({ poses: second.packed(second.poses, ASIDE), tint: B_TINT });
    const top = b => V.add(b.inWorld(about.torso, about.bodies[about.torso].com), [0, 0, .32 * about.tall]);
    notes.push({ at: V.add(top(second.walker), [0, ASIDE, 0]), text: "B", colour: "--ink" }); run.pose(sample); notes.push({ at: top(w), text: "A", colour: "--ink" });
  }
  run.pose(sample);
  const here = w.inWorld(0, [0, 0, 0]), path = [], touching = sample ? sample.contact : w.contact[0], now = sample ?? { ...latest, contact: touching, anchor: w.anchor };
  if (Math.abs(here[0] - floorAt) > 8) layFloor(here);
  const contacts = S.contacts ? about.points.filter((_, i) => touching >> i & 1).map(p => w.inWorld(p.body, p.position)) : [];
  const until = S.look ?? Infinity;
  if (S.trail) for (const k of run.history.filter(h => h.t <= until).slice(-300)) if (Math.round(k.t / w.dt / w.every) % 6 === 0) path.push(rootOf(k.q));
  view.draw({
    here, poses: run.poses, heat: S.torques && latest && latest.t < (w.fallTime ?? Infinity) ? run.heat(latest) : null, others, contacts, path, notes, handles: posing?.handles ?? [], moving: S.playing,
    forces: S.forces && latest && w.outcome === "walking" ? run.forces(now) : [], prints: S.prints ? run.prints.filter(p => p.t <= until).slice(-24) : [],
    push: drag ? { at: drag.com, force: drag.force } : sample ? sample.push : w.force(), balance: S.balance && latest && balanced() && w.outcome === "walking" ? balanceOf(run, latest) : null,
  });
  words(); if (sample) w.pose();
  if (!$("tab-plots").hidden) plots();
  if (!$("tab-cycle").hidden) cyclePanel();
}
function balanceOf(run, { s, state }) {
  const stance = run.walker.where(state).state?.stance, points = about.points.filter(p => p.foot === stance), foot = points.length ? V.mul(points.map(p => run.walker.inWorld(p.body, p.position)).reduce(V.add), 1 / points.length) : null;
  return { com: run.centre(), foot, along: run.heading(), d: s[0], v: s[1] };
}
function layFloor(here) {
  const w = runs[0].walker, t = w.terrain, grid = about.terrain_kind === "grid"; floorAt = here[0];
  const xs = grid ? Array.from({ length: t[4] }, (_, i) => t[0] + i * t[2]) : [...t.subarray(1, 1 + t[0])];
  const ys = grid ? Array.from({ length: t[5] }, (_, i) => t[1] + i * t[3]) : [];
  view.setGround((x, y) => w.height(x, y), xs, ys, [here[0] - 28, here[1] - 20], [here[0] + 28, here[1] + 20]);
}
function words() {
  const [run] = runs, at = S.look ?? run.end, front = run.at(at), back = run.at(at - 2);
  const speed = back && front && front.t > back.t ? (rootOf(front.q)[0] - rootOf(back.q)[0]) / (front.t - back.t) : 0;
  const { state } = run.walker.where(S.look === null ? undefined : front?.state);
  write("facts", `${at.toFixed(S.look === null ? 1 : 2)} s · ${speed.toFixed(2)} m/s${state ? ` · state ${state.label}` : ""}${S.speed < 1 ? " · slow motion" : ""}`);
  bar.show(); time.show(at, run.start, Math.max(run.end, .01));
  const now = performance.now(); if (now - coloured > 250 || !S.playing) { coloured = now; time.colour(run.history.filter((h, i) => i % 4 === 0).map(h => [h.t, h.state]), run.start, Math.max(run.end, .01), run.walker.fallTime); }
  for (const d of $("parameters").querySelectorAll("details[data-state]")) d.classList.toggle("now", d.dataset.state === state?.label);
}
// The signals that are plotted: d and v of a controller with states, of any other its law's own, the first few.
const COLOURS = ["--left", "--right", "--ink", "--soft"];
const signals = () => about.signals.slice(0, walker.gait.states.length ? 2 : COLOURS.length);
function plots() {
  const joint = about.joints.find(j => j.name === $("joint").value) ?? about.joints.find(j => j.actuated);
  if (!joint) return;
  const count = Math.round(SPAN / (walker.every * walker.dt)), until = (S.look ?? Infinity) + 1e-9, [first, second] = runs.map(run => run.history.filter(h => h.t <= Math.min(until, run.walker.fallTime ?? Infinity)).slice(-count));
  const times = first.map(h => h.t), span = [(times.at(-1) ?? 0) - SPAN, times.at(-1) ?? 0], states = first.map(h => h.state), of = (list, pick) => list.map(pick), grey = "--soft";
  const pair = (list, pick, colour, more = {}) => ({ values: of(list, pick), colour, ...more }), shift = second?.length - first.length;
  const beside = second ? first.map((_, i) => second[i + shift]).map(h => h ?? null) : null, from = pick => beside ? [{ values: beside.map(h => h ? pick(h) : NaN), colour: grey }] : [];
  plotCurves($("plot-angle"), times, span, [...from(h => DEGREES * h.q[joint.qpos]), pair(first, h => DEGREES * runs[0].target(h, joint.name), "--right", { dash: true }), pair(first, h => DEGREES * h.q[joint.qpos], "--left")], { bands: states, least: .05 });
  if (about.signals.length) plotCurves($("plot-signals"), times, span, [...(beside ? signals().flatMap((_, i) => from(h => h.s[i])) : []), ...signals().map((_, i) => pair(first, h => h.s[i], COLOURS[i]))], { bands: states, least: .05 });
  const portrait = (x, y) => [...(second ? [{ xs: of(second, x), ys: of(second, y), colour: grey }] : []), { xs: of(first, x), ys: of(first, y), colour: "--left" }];
  if (balanced()) plotPhase($("plot-balance"), portrait(h => h.s[0], h => h.s[1]), "d, m", "v, m/s");
  plotPhase($("plot-phase"), portrait(h => DEGREES * h.q[joint.qpos], h => DEGREES * h.v[joint.dof]), "°", "°/s");
}

// ---- pulling a body
function bodyAt(x, y) {
  let best = null;
  for (const c of about.shape) {
    const w = runs[0].walker, a = view.project(w.inWorld(c.body, c.from)), b = view.project(w.inWorld(c.body, c.to));
    if (!a || !b) continue;
    const l = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2, u = l ? Math.min(Math.max(((x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])) / l, 0), 1) : 0;
    const off = Math.hypot(x - a[0] - u * (b[0] - a[0]), y - a[1] - u * (b[1] - a[1]));
    const size = view.canvas.clientHeight / view.distance / view.reach * Math.max(...c.radii) * 1.6;
    if (off < size + 14 && (!best || off - size < best.off)) best = { off: off - size, body: c.body };
  }
  return best?.body ?? null;
}
function grab(e) {
  const r = view.canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top, w = runs[0]?.walker;
  const handle = w && view.camera ? grabHandle(x, y) : null; if (handle) return handle;
  const body = w && view.camera && S.look === null ? bodyAt(x, y) : null;
  if (body === null) return null;
  hint("");
  const com = w.inWorld(body, about.bodies[body].com);
  drag = { body, com, force: [0, 0, 0], goal: com, slip: V.sub(com, view.unproject(x, y, com)) };
  view.canvas.classList.add("pulling");
  return {
    move: m => { if (drag) drag.goal = V.add(view.unproject(m.clientX - r.left, m.clientY - r.top, drag.com), drag.slip); },
    end: () => { if (drag) { for (const run of runs) run.walker.pull(drag.body, null); drag = null; } view.canvas.classList.remove("pulling"); },
  };
}
// The hand's spring pulls at A; B feels the same force.
function pull() {
  const w = runs[0].walker; w.pose();
  const { body } = drag, o = PER_BODY * body, b = w.bodies, com = w.inWorld(body, about.bodies[body].com);
  const spin = [...b.subarray(o + 12, o + 15)], speed = V.add([...b.subarray(o + 15, o + 18)], V.cross(spin, V.sub(com, [...b.subarray(o, o + 3)])));
  const force = V.sub(V.mul(V.sub(drag.goal, com), PULL), V.mul(speed, GRIP * .35)), size = Math.hypot(...force), most = 12 * about.mass;
  drag.com = com; drag.force = size > most ? V.mul(force, most / size) : force;
  if (about.root === "planar") drag.force[1] = 0;
  for (const run of runs) run.walker.pull(body, drag.force);
}
function push(forward, left) { if (!walker) return; goOn(); for (const run of runs) run.walker.push([forward * $("force").value, left * $("force").value, 0], .1); }
function choose(name) {
  const here = about.gaits.some(g => g.name === name);
  goOn(); endChallenge();
  if (!here || !about.switches || runs[0].walker.outcome !== "walking") { enter(name); return; }
  for (const run of runs) run.walker.request(name);
  requested = name; markGait();
}

// ---- hands
const bar = commandBar(S, () => view, RATES, () => { S.playing = !S.playing; if (S.playing) goOn(); });
const time = timeline(lookBackTo);
const fold = folded => { $("panel").classList.toggle("folded", folded); document.body.classList.toggle("folded", folded); $("fold").textContent = folded ? "▴" : "×"; $("fold").setAttribute("aria-expanded", !folded); resize(); };
const hint = text => { $("hint").textContent = text; $("hint").hidden = !text; };
const showForce = () => { $("force-value").textContent = `${$("force").value} N`; };
const tabs = [...document.querySelectorAll("[data-tab]")];
function showTab(b) { fold(false); for (const o of tabs) { const on = o === b; o.setAttribute("aria-selected", on); o.tabIndex = on ? 0 : -1; $(`tab-${o.dataset.tab}`).hidden = !on; } }
tabs.forEach((b, i) => { b.onclick = () => showTab(b); b.onkeydown = e => { const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key]; if (by) { const next = tabs[(i + by + tabs.length) % tabs.length]; showTab(next); next.focus(); e.preventDefault(); e.stopPropagation(); } }; });
$("reset").onclick = reset; $("back").onclick = () => stepBy(-1); $("step").onclick = () => stepBy(1);
$("force").oninput = showForce;
$("fold").onclick = () => fold(!document.body.classList.contains("folded"));
$("compare").onclick = () => compare(runs.length < 2);
$("edit-a").onclick = () => { walker = runs[0].walker; panel(); }; $("edit-b").onclick = () => { if (runs[1]) walker = runs[1].walker; panel(); };
$("terrain").onchange = () => { for (const run of runs) run.walker.change({ terrain: $("terrain").value }); reset(); };
$("standard").onclick = () => { standardWorld(); reset(); panel(); };
$("gait").onchange = () => choose($("gait").value);
$("copy").onclick = copy;
$("save-controller").onclick = () => download(`${walker.gait.name}.toml`, controllerText(about.templates[walker.gait.name], walker.gait.parameters, p => walker.get(p)), "application/toml");
$("save-motion").onclick = () => download(`${walker.gait.name}.csv`, motionText(walker, about, runs.find(run => run.walker === walker).history), "text/csv");
addEventListener("keydown", e => {
  if (e.key === "Escape") { close(e.target); return; }
  if (["INPUT", "SELECT", "TEXTAREA"].includes(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey || !walker) return;
  const line = e.target.id === "scrub", some = e.shiftKey ? 10 : 1;
  const keys = { r: reset, h: $("fold").onclick, m: $("compare").onclick, ",": () => stepBy(-1), ".": () => stepBy(1), "<": () => stepBy(-10), ">": () => stepBy(10),
    ArrowLeft: () => line ? stepBy(-some) : push(-1, 0), ArrowRight: () => line ? stepBy(some) : push(1, 0), ArrowUp: () => push(0, 1), ArrowDown: () => push(0, -1), ...(line ? { Home: () => lookBackTo(0), End: () => lookBackTo(Infinity) } : {}) };
  if (Object.hasOwn(keys, e.key)) keys[e.key](); else if (!bar.key(e)) return;
  e.preventDefault();
});
// Escape leaves a field, else closes what is shown over the picture.
function close(target) {
  if (["INPUT", "SELECT"].includes(target.tagName)) target.blur();
  else if ($("shows").open) { $("shows").open = false; $("shows").firstElementChild.focus({ preventScroll: true }); }
  else if (innerWidth <= 760) fold(true);
}
addEventListener("pointerdown", e => { if (!$("shows").contains(e.target)) $("shows").open = false; });
addEventListener("resize", resize);
addEventListener("hashchange", () => arrive(location.hash.slice(1)));

// for scripts and tests: footfall.walker, footfall.advance(seconds), footfall.link()
window.footfall = { get walker() { return walker; }, get view() { return view; }, state: S, runs, advance: s => { advance(s, Infinity); draw(); }, tick, link, reset, choose, compare, lookAt: lookBackTo, stepBy, goOn, startChallenge, showPose, get posing() { return posing; }, get history() { return runs[0].history; } };
if (QUERY.has("embedded")) document.body.classList.add("embedded");
if (innerWidth <= 760) fold(true);
arrive(location.hash.slice(1)).then(() => {
  const touch = matchMedia("(pointer: coarse)").matches;
  hint(STILL && !S.playing ? "Your system asks for less motion, so this is paused: ▶ plays it." : touch ? "Touch the figure and pull it." : "Drag the figure to pull it.");
  setTimeout(() => hint(""), 9000);
  document.documentElement.dataset.ready = "yes"; last = performance.now();
  const frame = now => { tick(now); requestAnimationFrame(frame); }; requestAnimationFrame(frame);
}).catch(sorry);
