// The panel: sliders for the controller and the world, with units and help; the gaits; what is being compared.
const MOST = 1e6, NEAR_ANGLE = 20;
let sliders = new Map();
const number = (text, low = -MOST, high = MOST) => { const v = Number(text); return text === null || text === "" || !Number.isFinite(v) ? null : Math.min(Math.max(v, low), high); };

const SIGNED = ["speed", "side_speed", "heading", "heading_rate", "reference", "feedforward_angle", "sight_drop"];
function range(path, value) {
  const part = path.split(".").at(-1), size = Math.abs(value);
  if (part.startsWith("sensor_")) return [0, 1];
  if (size >= 1e8) return [0, part === "torque_limit" ? 2000 : 3];
  if (["kp", "kd", "torque_limit"].includes(part)) return [0, Math.max(10, 2.5 * Math.min(size, 4000))];
  if (part === "hold") return [.01, Math.max(1, 2.5 * size)];
  if (part.startsWith("c_")) return [-Math.max(1.5, 2 * size), Math.max(1.5, 2 * size)];
  if (path.includes(".") || part.startsWith("hip_")) return [value - 1.2, value + 1.2];
  if (about.gaits[0].states.length && !SIGNED.includes(part)) return [0, Math.max(1, 2.5 * size)];
  return [value - Math.max(1, 2 * size), value + Math.max(1, 2 * size)];
}
const shown = v => Math.abs(v) >= 1e6 ? v.toExponential(0) : String(+v.toFixed(3));
// path: names the number, for its unit and help. The sentence is shown under the panel where the slider has the pointer or the focus.
function slider(text, path, value, standard, low, high, change) {
  const [told, sentence] = helpFor(path), turns = told === "rad", unit = turns ? "°" : told, per = turns ? 180 / Math.PI : 1;
  const { row, slide } = slideRow(text, unit, turns ? v => String(+v.toFixed(2)) : shown, v => { change(v / per); mark(v); }, sentence);
  row.dataset.path = path;
  const mark = v => row.classList.toggle("changed", Math.abs(v / per - standard) > 1e-6), set = v => { slide.put({ value: per * v }); mark(per * v); }, help = () => { $("help").textContent = `${text}: ${sentence}`; };
  slide.bar.addEventListener("dblclick", () => { change(standard); set(standard); });
  row.addEventListener("pointerenter", help); row.addEventListener("focusin", help);
  const [least, most] = turns ? turnsOf(path) : [low, high];
  slide.put({ least: Math.min(per * least, per * value), most: Math.max(per * most, per * value), near: turns ? NEAR_ANGLE : Infinity, step: turns ? .5 : (high - low) / 400 }); set(value);
  return { row, set };
}
// The limits of the joint that an angle is of; half a turn either way where there are none.
function turnsOf(path) {
  const cell = walker.gait.parameters[path]?.cells[0][0], joint = walker.gait.states.flatMap(s => Object.entries(s.targets)).find(([, cells]) => cells[0] === cell)?.[0], [low, high] = about.joints.find(j => j.name === joint)?.range ?? [];
  return [low ?? -Math.PI, high ?? Math.PI];
}
function parameterName(path, label) { const rest = label ? path.slice(label.length + 1) : path; return rest.replace(/\.angle$/, "").split(".").map(part => part.startsWith("c_") ? part : part.replaceAll("_", " ")).join(" · "); }
// What the controller does not use stays folded away under the rest.
const unused = (path, p) => p.unused && walker.get(path) === p.value;
function rarer(group) {
  const found = group.querySelector("details"), made = found ?? make("details", {}, make("summary", { textContent: "not used" }));
  if (!found) group.append(made);
  return made;
}
function panel() {
  const gait = walker.gait; sliders = new Map(); $("help").textContent = "";
  $("title").textContent = gait.name; document.title = `${gait.name} · footfall`; $("about").textContent = gait.about;
  const groups = new Map();
  for (const [path, p] of Object.entries(gait.parameters)) {
    const key = p.state !== "" ? `state ${p.state}` : !gait.states.length ? "parameters" : path.includes(".") ? "gains" : "balance and limits";
    if (!groups.has(key)) groups.set(key, make("details", {}, make("summary", { textContent: key }), ...(p.state !== "" ? [poseButton(p.state)] : [])));
    const group = groups.get(key); if (p.state !== "") group.dataset.state = p.state;
    const s = slider(parameterName(path, p.state), path, walker.get(path), p.value, ...range(path, p.value), v => walker.set(path, v));
    sliders.set(path, s); if (unused(path, p)) rarer(group).append(s.row); else group.insertBefore(s.row, group.querySelector("details"));
  }
  const parts = [...groups.values()]; if (parts[0]) parts[0].open = true;
  $("parameters").replaceChildren(...parts, make("p", {}, make("button", { textContent: "standard values", onclick: () => { standardValues(walker, [gait]); panel(); } })));
  $("gaits").replaceChildren(...(names().length > 1 ? names() : []).map(name => make("button", { textContent: name, onclick: () => choose(name) })));
  $("gait").replaceChildren(...names().map(name => make("option", { value: name, textContent: name })));
  $("gait").hidden = names().length < 2 || !document.body.classList.contains("embedded");
  markGait(); markPair(); markPose();
  $("terrain").replaceChildren(...Object.keys(about.terrains).map(name => make("option", { value: name, textContent: name })));
  world(); listChallenges();
  $("joint").replaceChildren(...about.joints.filter(j => j.actuated).map(j => make("option", { value: j.name, textContent: j.name.replaceAll("_", " ") })));
  captions(gait.states.length > 0);
  const ways = [["← push", "push backward (arrow left)", -1, 0], ["push →", "push forward (arrow right)", 1, 0]];
  if (about.root !== "planar") ways.splice(1, 0, ["↖", "push to its left (arrow up)", 0, 1], ["↘", "push to its right (arrow down)", 0, -1]);
  $("pushes").replaceChildren(...ways.map(([textContent, title, x, y]) => { const b = make("button", { textContent, title, onclick: () => push(x, y) }); b.setAttribute("aria-label", title); return b; }));
}
function poseButton(label) { const b = make("button", { textContent: "pose with handles", title: "draws this state's pose ahead of the walker; drag its orange balls to turn its joints", onclick: () => showPose(label) }); b.dataset.pose = label; b.className = "small"; return b; }
function captions(states) {
  $("caption-angle").textContent = states ? "angle and target, °" : "angle, °";
  $("figure-signals").hidden = !about.signals.length; $("figure-balance").hidden = !balanced();
  const units = { d: " (m)", v: " (m/s)" }, named = signals().flatMap((name, i) => [i ? ", " : "", make("b", { textContent: name, style: `color: var(${COLOURS[i]})` }), states ? units[name] ?? "" : ""]);
  $("caption-signals").replaceChildren(states ? "balance: " : "signals: ", ...named);
}
// What the world's sliders change holds for both walkers.
function world() {
  const now = walker.settings, put = settings => { for (const run of runs) run.walker.change(settings); };
  $("terrain").value = now.terrain;
  $("world").replaceChildren(
    slider("gravity", "gravity", -now.gravity, -about.body.at(-1), 0, 20, v => put({ gravity: -v })).row,
    slider("friction", "friction", now.friction, about.ground[2], 0, 1.5, v => put({ friction: Math.max(0, v) })).row,
    slider("load on the torso", "load", now.load, 0, 0, .8 * about.mass, v => put({ load: Math.max(0, v) })).row,
  );
}
function standardValues(of, gaits = of.about.gaits) { for (const g of gaits) for (const [path, p] of Object.entries(g.parameters)) of.set(path, p.value, g.name); }
const standardSettings = of => ({ gravity: of.body.at(-1), friction: of.ground[2], load: 0, terrain: Object.keys(of.terrains)[0] });
function standardWorld() { for (const run of runs) run.walker.change(standardSettings(about)); }
function markGait() { $("gait").value = requested ?? walker.gait.name; for (const b of $("gaits").children) { b.setAttribute("aria-pressed", b.textContent === walker.gait.name); b.setAttribute("aria-busy", b.textContent === requested); } }
function markPair() {
  const two = runs.length > 1, b = two && walker === runs[1].walker;
  $("compare").setAttribute("aria-pressed", two); $("compare").textContent = two ? "stop comparing" : "compare A with B"; $("which").hidden = $("pair-colours").hidden = !two;
  $("edit-a").setAttribute("aria-pressed", two && !b); $("edit-b").setAttribute("aria-pressed", b);
}
