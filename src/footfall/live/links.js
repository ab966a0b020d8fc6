// Links: the address holds everything that can be set, and a page that is sent to another one begins from the standard.
const DEFAULTS = { contacts: true, trail: false, forces: false, prints: false, balance: false, torques: false, ghost: false };
const NUMBERS = { gravity: [0, 100, -1], friction: [0, 10, 1], load: [0, 1000, 1] };

// The settings that are not standard. a/ and b/ name the walkers' parameters: b/GAIT/PATH; A's have no letter.
function settings() {
  const s = new URLSearchParams({ gait: walker.gait.name }), w = walker.settings, was = standardSettings(about);
  if (w.terrain !== was.terrain) s.set("terrain", w.terrain);
  for (const [name, [, , sign]] of Object.entries(NUMBERS)) if (w[name] !== was[name]) s.set(name, sign * w[name]);
  if (S.speed !== 1) s.set("speed", S.speed);
  if ($("force").value !== $("force").defaultValue) s.set("push", $("force").value);
  const changed = Object.keys(DEFAULTS).filter(name => S[name] !== DEFAULTS[name]); if (changed.length) s.set("show", changed.map(name => S[name] ? name : `-${name}`).join(" "));
  if (!view.follow) s.set("follow", "no");
  const [yaw, pitch] = view.views[about.root === "planar" ? "side" : "three"], far = standardDistance();
  if (Math.abs(view.yaw - yaw) + Math.abs(view.pitch - pitch) + Math.abs(view.distance - far) > 1e-6) s.set("camera", [view.yaw, view.pitch, view.distance].map(v => +v.toFixed(3)).join(" "));
  if (runs.length > 1) s.set("compare", walker === runs[1].walker ? "b" : "a");
  const all = new Set([...walkers.values(), runs[0].walker]);
  for (const of of all) each(of, "", s);
  if (runs.length > 1) each(runs[1].walker, "b/", s);
  return s;
}
function each(of, letter, s) { for (const g of of.about.gaits) for (const [path, p] of Object.entries(g.parameters)) { const v = of.get(path, g.name); if (v !== p.value) s.set(`${letter}${g.name}/${path}`, v); } }
const link = () => `${location.href.split("#")[0]}#${settings()}`;

async function arrive(text) {
  let asked; try { asked = new URLSearchParams(text); } catch { asked = new URLSearchParams(); }
  for (const of of walkers.values()) { standardValues(of); of.change(standardSettings(of.about)); }
  Object.assign(S, DEFAULTS, { speed: number(asked.get("speed"), .05, 8) ?? 1, playing: asked.get("play") !== "no" && !(STILL && asked.get("play") !== "yes"), look: null });
  runs.length = Math.min(runs.length, 1); endChallenge();
  await enter(names().includes(asked.get("gait")) ? asked.get("gait") : names()[0], null);
  $("force").value = number(asked.get("push"), 20, 600) ?? $("force").defaultValue; showForce();
  for (const word of (asked.get("show") ?? "").split(" ")) { const name = word.replace(/^-/, ""); if (Object.hasOwn(DEFAULTS, name)) S[name] = !word.startsWith("-"); }
  view.follow = asked.get("follow") !== "no"; view.distance = standardDistance(); view.look(about.root === "planar" ? "side" : "three");
  if (asked.has("view")) view.look(asked.get("view"));
  const camera = (asked.get("camera") ?? "").split(" ").map(v => number(v, -1000, 1000));
  if (camera.length === 3 && camera.every(v => v !== null)) { view.yaw = camera[0]; view.pitch = Math.min(Math.max(camera[1], -.05), 1.5); view.distance = Math.min(Math.max(camera[2], .8), 60); }
  if (["a", "b"].includes(asked.get("compare"))) await compare(true);
  for (const run of runs) {
    for (const [name, [low, high, sign]] of Object.entries(NUMBERS)) { const v = number(asked.get(name), low, high); if (v !== null) run.walker.change({ [name]: sign * v }); }
    if (asked.has("terrain") && Object.hasOwn(about.terrains, asked.get("terrain"))) run.walker.change({ terrain: asked.get("terrain") });
  }
  for (const [key, text] of asked) {
    const second = key.startsWith("b/") && runs.length > 1, rest = second ? key.slice(2) : key, cut = rest.indexOf("/"), path = rest.slice(cut + 1), value = number(text);
    const of = second ? runs[1].walker : await walkerOf(rest.slice(0, cut)), gait = of?.about.gaits.find(g => g.name === rest.slice(0, cut));
    if (cut > 0 && gait && value !== null && Object.hasOwn(gait.parameters, path)) of.set(path, value, gait.name);
  }
  if (asked.get("compare") === "b" && runs.length > 1) walker = runs[1].walker;
  restart(); panel();
}
async function copy() {
  const text = link(); window.history.replaceState(null, "", `#${settings()}`);
  let done = true;
  try { await navigator.clipboard.writeText(text); } catch {
    const box = make("textarea", { value: text }); document.body.append(box); box.select(); done = document.execCommand("copy"); box.remove();
  }
  $("copy").textContent = done ? "copied" : "the link is in the address bar"; setTimeout(() => { $("copy").textContent = "copy link with all settings"; }, 2000);
}
