// A lesson: sliders that change a walker while it walks, and a question that the simulation itself judges.
const $ = element;
const RATES = [.1, .25, .5, 1, 2], STILL = matchMedia("(prefers-reduced-motion: reduce)").matches;
const S = { playing: !STILL, speed: 1, tries: 0, verdict: null, planned: null };
const values = Object.fromEntries(L.sliders.map(s => [s.name, s.value])), rows = new Map();
let world = null, view = null;
// A number of a trial: a number, or the slider that holds it.
const given = (x, v) => typeof x === "string" ? v[x] : x ?? 0;
const shown = v => Number.isFinite(v) ? String(+v.toFixed(Math.abs(v) < 1 ? 3 : 2)).replace("-", "−") : "–";

// ---- sliders and the link that holds them
function buildSliders() {
  for (const s of L.sliders) {
    const { row, slide } = slideRow(s.label, s.unit, v => String(+v.toFixed(3)), v => { values[s.name] = v; changed(); });
    slide.bar.dataset.slider = s.name; slide.put({ least: s.least, most: s.most, step: s.step, near: Infinity, value: values[s.name] });
    $("sliders").append(row); rows.set(s.name, slide);
  }
}
const link = () => `${location.href.split("#")[0]}#${new URLSearchParams(Object.entries(values).map(([name, v]) => [name, +v.toFixed(6)]))}`;
function arrive() {
  const asked = new URLSearchParams(location.hash.slice(1)); if (asked.get("play") === "no") S.playing = false;
  for (const s of L.sliders) { const text = asked.get(s.name), v = Number(text); if (text && Number.isFinite(v)) values[s.name] = Math.min(Math.max(v, s.least), s.most); rows.get(s.name)?.put({ value: values[s.name] }); }
  if (world) { changed(); restart(); }
}
function changed() { world.set(values); if (chart.forget) chart.forget(); if (S.verdict) { S.verdict = null; $("verdict").replaceChildren(make("p", { className: "soft", textContent: "The sliders have moved since: check again." })); } }

// ---- the judge
// Whether settings pass: each trial runs by itself, from the start, and reports its measures.
function judgedTrial(trial, v) {
  const came = world.trial(v, trial), ends = trial.ends ?? "up", good = ends === "any" || came.up === (ends === "up");
  return { ...trial, came, good };
}
function judgedAsks(trials, v) {
  const up = trials.filter(t => (t.ends ?? "up") === "up").map(t => t.came), loose = trials.filter(t => t.ends === "any");
  return L.exercise.asks.map(ask => {
    const { least = -Infinity, most = Infinity } = ask, of = Object.hasOwn(v, ask.measure) ? [v[ask.measure]] : ask.measure === "survivors" ? [loose.filter(t => t.came.up).length] : up.map(c => c[ask.measure]);
    const miss = x => Number.isFinite(x) ? Math.max(least - x, x - most) : Infinity, value = of.reduce((a, b) => miss(b) > miss(a) ? b : a, of[0]);
    return { says: ask.says, value, unit: ask.unit ?? "", good: of.length > 0 && of.every(x => miss(x) <= 1e-9) };
  });
}
function judge(v = values) {
  const trials = L.exercise.trials.map(t => judgedTrial(t, v)), asks = judgedAsks(trials, v);
  return { passed: trials.every(t => t.good) && asks.every(a => a.good), trials, asks };
}
function trialWords({ push, side_push, at, ends, came, name }, v) {
  const force = [[push, "N"], [side_push, "N sideways"]].filter(([f]) => given(f, v)).map(([f, unit]) => `${shown(given(f, v))} ${L.push_unit || unit}`).join(", ");
  const what = name ?? (force ? `push of ${force}${L.push_unit ? "" : ` at ${given(at, v).toFixed(2)} s`}` : "no push");
  return `${what}: ${came.words}${ends === "fall" ? " (it should fall)" : ""}`;
}
async function check() {
  $("check").disabled = true; $("verdict").replaceChildren(make("p", { textContent: "The walker tries it…" })); await new Promise(done => setTimeout(done, 30));
  const v = { ...values }, verdict = judge(v); S.verdict = verdict; S.tries++;
  const line = (good, text) => make("li", { className: good ? "yes" : "no", textContent: `${good ? "✓" : "✗"} ${text}` });
  $("verdict").replaceChildren(make("strong", { textContent: verdict.passed ? "Solved." : "Not yet." }), make("ul", {}, ...verdict.trials.map(t => line(t.good, trialWords(t, v))), ...verdict.asks.map(a => line(a.good, `${a.says}: ${shown(a.value)} ${a.unit}`))));
  $("check").disabled = false;
  const again = verdict.trials.find(t => !t.good) ?? verdict.trials[0]; restart(); world.plan?.(again, v); S.playing ||= !STILL;
}
function result() {
  const { verdict } = S, measures = verdict?.asks.map(a => ({ says: a.says, value: Number.isFinite(a.value) ? a.value : null, good: a.good })) ?? [];
  return { footfall_course: 1, lesson: L.name, student: $("student").value.trim(), settings: { ...values }, checked: Boolean(verdict), passed: Boolean(verdict?.passed), tries: S.tries, measures };
}

// ---- time, drawing, hands
const restart = () => { world.begin(); view.aim = null; };
const again = touched();
let last = performance.now();
function tick(now) {
  const passed = Math.min(Math.max(now - last, 0), 200) / 1000; last = now;
  const charting = chart.work?.() ?? false;
  if (!S.playing && !again() && !charting) return;
  view.adapt(1000 * passed, S.playing); if (S.playing) world.advance(passed * S.speed); draw();
}
function draw() {
  view.draw({ ...world.scene(), moving: S.playing }); bar.show(); chart.draw();
  $("facts").textContent = world.facts(); const said = world.status(); if ($("status").textContent !== said) $("status").textContent = said;
}
const push = () => { world.push(); S.playing = true; };
const bar = commandBar(S, () => view, RATES, () => { S.playing = !S.playing; });
const chart = makeChart();
$("reset").onclick = () => { restart(); S.playing = true; }; $("push").onclick = push; $("check").onclick = check;
$("save").onclick = () => { const name = $("student").value.trim(); download(`${L.name}${name ? `-${name}` : ""}.json`, JSON.stringify(result(), null, 1), "application/json"); };
$("copy").onclick = async () => {
  const text = link(); window.history.replaceState(null, "", text); let done = true;
  try { await navigator.clipboard.writeText(text); } catch { done = false; }
  $("copy").textContent = done ? "copied" : "the link is in the address bar"; setTimeout(() => { $("copy").textContent = "copy a link to my settings"; }, 2500);
};
addEventListener("keydown", e => {
  if (["INPUT", "SUMMARY"].includes(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey || !world) return;
  const keys = { r: $("reset").onclick, ...(world.push ? { p: push } : {}) };
  if (Object.hasOwn(keys, e.key)) keys[e.key](); else if (!bar.key(e)) return;
  e.preventDefault();
});
addEventListener("hashchange", arrive);

async function start() {
  document.body.classList.add("embedded"); // the wheel scrolls the page around the picture
  $("title").textContent = `${L.number}. ${L.title}`; $("text").innerHTML = L.text; $("question").innerHTML = L.exercise.question; $("hint").innerHTML = L.exercise.hint;
  $("others").append(...D.others.map(o => { const a = make("a", { href: `${o.name}.html`, textContent: o.number, title: o.title }); a.setAttribute("aria-label", `lesson ${o.number}: ${o.title}`); if (o.name === L.name) a.setAttribute("aria-current", "page"); return a; }));
  buildSliders(); world = await WORLDS[D.kind](); $("push").hidden = !world.push;
  view = new Viewport({ canvas: $("view"), labels: $("labels"), shaders: D.shaders, planar: world.planar, tall: world.tall, flat: new URLSearchParams(location.search).has("flat") });
  if (world.solids) view.setBody(world.solids, D.colours, 1); else view.setGround(() => 0, [], []);
  arrive(); draw();
  // for scripts and tests
  window.footfall = { state: S, values, judge, check, link, result, get world() { return world; }, get view() { return view; }, get chart() { return chart; }, restart, advance: s => { world.advance(s); draw(); } };
  document.documentElement.dataset.ready = "yes"; last = performance.now();
  const frame = now => { tick(now); requestAnimationFrame(frame); }; requestAnimationFrame(frame);
}
start().catch(sorry);
