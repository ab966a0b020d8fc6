// The gait cycle, as gait laboratories draw it: leg angles of the last cycles over 0 to 100 %, left and right, people's bands, a table.
const LEG_ANGLES = { hip_flexion: "hip flexion", knee_flexion: "knee flexion", ankle_dorsiflexion: "ankle dorsiflexion", pelvis_obliquity: "pelvic obliquity" };
const LOOKED = 6, BRIEF = .06, ENDS = .05, PAUSE = 3, POINTS = 101, SIDES = ["left", "right"], DEGREES = 180 / Math.PI;
const CYCLE_ROWS = { speed: ["speed", "m/s", 2], cadence: ["cadence", "/min", 0], step_length: ["step length", "m", 2], step_width: ["step width", "m", 3], stance: ["stance", "%", 1], double_support: ["double support", "%", 1] };
// chosen: the start of the cycle that is looked at, or null; report: what was found last, and of which run
const cycling = { chosen: null, report: null, drawn: 0 };

const meanOf = list => list.length ? list.reduce((a, b) => a + b, 0) / list.length : NaN;
const wrap = a => a - 2 * Math.PI * Math.round(a / (2 * Math.PI));
// Angles of a sample, degrees, by side and name, and where its ankles are; computed once.
function anglesOf(run, sample) {
  if (sample.legs) return sample.legs;
  const { walker: w, about: { legs, root } } = run, at = ([body, p]) => w.inWorld(body, p), middle = places => V.mul(places.map(at).reduce(V.add), 1 / places.length);
  run.pose(sample);
  const b = w.bodies, o = PER_BODY * legs.pelvis + 3, turned = u => [0, 1, 2].map(i => b[o + 3 * i] * u[0] + b[o + 3 * i + 1] * u[1] + b[o + 3 * i + 2] * u[2]);
  const [, aside, up] = legs.upright.map(turned), across = V.sub(at(legs.left.hip), at(legs.right.hip)), wide = Math.hypot(across[0], across[1]);
  const ahead = root === "planar" || wide < 1e-6 ? [1, 0] : [across[1] / wide, -across[0] / wide], along = v => v[0] * ahead[0] + v[1] * ahead[1];
  const lean = Math.atan2(along(up), up[2]), swing = v => Math.atan2(along(v), -v[2]), found = { ahead };
  for (const side of SIDES) {
    const leg = legs[side], hip = at(leg.hip), knee = at(leg.knee), ankle = at(leg.ankle), foot = V.sub(middle(leg.toe), middle(leg.heel));
    const thigh = swing(V.sub(knee, hip)), shank = swing(V.sub(ankle, knee)), sign = side === "left" ? 1 : -1;
    found[side] = { place: ankle, hip_flexion: DEGREES * wrap(thigh + lean), knee_flexion: DEGREES * wrap(thigh - shank), ankle_dorsiflexion: DEGREES * wrap(Math.atan2(foot[2], along(foot)) - shank), pelvis_obliquity: DEGREES * sign * Math.asin(Math.min(Math.max(aside[2], -1), 1)) };
  }
  return sample.legs = found;
}
// Whether a foot touches, sample by sample, without gaps and then contacts that are shorter than 0.06 s; at the ends, where they go on unseen, than ENDS.
function touches(samples, points) {
  const down = samples.map(h => points.some(p => h.contact & p.bit)), n = down.length, first = down.findIndex(d => d !== down[0]), last = down.findLastIndex(d => d !== down[n - 1]);
  if (first > 0 && samples[first].t - samples[0].t < ENDS - 1e-5) down.fill(down[first], 0, first);
  if (last >= 0 && samples[n - 1].t - samples[last + 1].t < ENDS - 1e-5) down.fill(down[last], last + 1);
  for (const value of [true, false]) for (let a = 0, b; a < down.length; a = b) {
    for (b = a; b < down.length && down[b] === down[a];) b++;
    if (down[a] !== value && a > 0 && b < down.length && samples[b].t - samples[a].t < BRIEF - 1e-5) down.fill(value, a, b);
  }
  return down;
}
// The whole cycles in some samples: { side, start, end, off, other_off, other_strike }, in order of time.
function cyclesIn(run, samples) {
  const events = Object.fromEntries(run.feet.map(({ side, points }) => {
    const down = touches(samples, points), at = (from, to) => samples.filter((_, i) => i && down[i - 1] === from && down[i] === to).map(h => h.t);
    return [side, { strikes: at(false, true), offs: at(true, false) }];
  }));
  const found = [], within = (times, a, b) => times.find(t => t > a && t < b) ?? NaN;
  for (const side of SIDES) {
    const own = events[side], other = events[side === "left" ? "right" : "left"];
    own.strikes.forEach((end, i) => {
      const start = own.strikes[i - 1], off = within(own.offs, start, end);
      if (i && end - start <= PAUSE && Number.isFinite(off)) found.push({ side, start, end, off, other_off: within(other.offs, start, end), other_strike: within(other.strikes, start, end) });
    });
  }
  return found.sort((a, b) => a.start - b.start);
}
// A value of every sample, at 0 to 100 % of a cycle.
function overCycle(samples, cycle, pick) {
  let k = 0;
  return Array.from({ length: POINTS }, (_, i) => {
    const t = cycle.start + (cycle.end - cycle.start) * i / (POINTS - 1);
    while (k < samples.length - 2 && samples[k + 1].t < t) k++;
    const a = samples[k], b = samples[k + 1], part = Math.min(Math.max((t - a.t) / (b.t - a.t), 0), 1);
    return pick(a) + part * (pick(b) - pick(a));
  });
}
// The cycles whose sizes count: where a side has four or more, all but its first and last.
const settled = cycles => SIDES.flatMap(side => { const own = cycles.filter(c => c.side === side); return own.length >= 4 ? own.slice(1, -1) : own; });
// Parameters by side, as footfall analyse defines them: a foot's place is its ankle's at its strike.
function sizesOf(run, cycles) {
  const place = (side, t) => anglesOf(run, run.at(t))[side].place, rows = Object.fromEntries(SIDES.map(side => [side, []]));
  for (const c of cycles) {
    const time = c.end - c.start, share = 100 / time, runs = c.off < c.other_strike, other = c.side === "left" ? "right" : "left";
    const a = place(c.side, c.start), way = V.sub(place(c.side, c.end), a), length = Math.hypot(way[0], way[1]);
    rows[c.side].push({ speed: length / time, cadence: 120 / time, stance: share * (c.off - c.start), double_support: runs ? 0 : share * (c.other_off - c.start + c.off - c.other_strike) });
    if (!Number.isFinite(c.other_strike)) continue;
    const ahead = anglesOf(run, run.at(c.other_strike)).ahead, u = length > .1 ? [way[0] / length, way[1] / length] : ahead, step = V.sub(place(other, c.other_strike), a);
    const aside = u[0] * step[1] - u[1] * step[0];
    rows[other].push({ step_length: step[0] * u[0] + step[1] * u[1], step_width: other === "left" ? aside : -aside });
  }
  return Object.fromEntries(SIDES.map(side => [side, Object.fromEntries(Object.keys(CYCLE_ROWS).map(name => [name, meanOf(rows[side].map(r => r[name]).filter(Number.isFinite))]))]));
}
// People's band at a speed, [101] means and deviations, between the groups next to it; null without people.
function bandAt(name, speed, leg) {
  const groups = D.people?.angles[name]; if (!groups || !Number.isFinite(speed)) return null;
  const { speeds } = D.people, v = Math.min(Math.max(speed / Math.sqrt(9.81 * leg), speeds[0]), speeds.at(-1)), k = Math.min(Math.max(speeds.findIndex(s => s >= v), 1), speeds.length - 1), part = (v - speeds[k - 1]) / (speeds[k] - speeds[k - 1]);
  const full = list => Array.from({ length: POINTS }, (_, i) => i % 2 ? .5 * (list[i >> 1] + list[(i >> 1) + 1]) : list[i >> 1]);
  return [0, 1].map(which => full(groups[k - 1][which].map((x, i) => x + part * (groups[k][which][i] - x))));
}
const matchOf = (curve, [middle, spread]) => 100 * Math.min(Math.max(1 - meanOf(curve.map((x, i) => Math.max(middle[i] - spread[i] - x, x - middle[i] - spread[i], 0) / Math.max(2 * spread[i], .01))), 0), 1);

function cycleReport(run, until = Infinity) {
  const end = Math.min(until, run.walker.fallTime ?? Infinity, run.end), samples = run.history.filter(h => h.t <= end + 1e-9 && h.t > end - LOOKED - 1e-9);
  const cycles = cyclesIn(run, samples); if (!cycles.length) return null;
  for (const h of samples) anglesOf(run, h);
  run.walker.pose();
  const table = sizesOf(run, settled(cycles)), speed = meanOf(SIDES.map(s => table[s].speed).filter(Number.isFinite)), curves = {}, bands = {}, matches = {};
  run.walker.pose();
  for (const name of Object.keys(LEG_ANGLES)) {
    curves[name] = cycles.map(c => overCycle(samples, c, h => h.legs[c.side][name]));
    const band = bandAt(name, speed, run.about.legs.length);
    if (band) { bands[name] = band; matches[name] = matchOf(curves[name][0].map((_, i) => meanOf(curves[name].map(row => row[i]))), band); }
  }
  return { run, cycles, curves, bands, matches, table, speed };
}

// ---- drawing
const FRAME = { left: 30, top: 4, foot: 4 };
function drawAngle(canvas, name, report) {
  if (!canvas.clientWidth) return;
  const { pen, w, h, colour } = plotPen(canvas), { left, top, foot } = FRAME, band = report?.bands[name], rows = report?.curves[name] ?? [];
  const edges = band ? [0, 1].map(k => band[0].map((m, i) => m + (k ? 1 : -1) * band[1][i])) : [], [low, high] = extent([...rows, ...edges], 20);
  const x = i => left + (w - left - 2) * i / (POINTS - 1), y = v => top + (h - top - foot) * (1 - (v - low) / (high - low));
  if (band) { pen.globalAlpha = .3; pen.fillStyle = colour("--soft"); pen.beginPath(); edges[1].forEach((v, i) => pen.lineTo(x(i), y(v))); for (let i = POINTS - 1; i >= 0; i--) pen.lineTo(x(i), y(edges[0][i])); pen.fill(); pen.globalAlpha = 1; }
  pen.strokeStyle = colour("--line"); pen.strokeRect(left, top, w - left - 2, h - top - foot);
  if (low < 0 && high > 0) { pen.beginPath(); pen.moveTo(left, y(0)); pen.lineTo(w - 2, y(0)); pen.stroke(); }
  pen.fillStyle = colour("--soft"); pen.textAlign = "right"; pen.fillText(`${high.toFixed(0)}°`, left - 4, top + 8); pen.fillText(`${low.toFixed(0)}°`, left - 4, h - foot); pen.textAlign = "left";
  rows.forEach((row, k) => {
    const c = report.cycles[k], strong = cycling.chosen === null || cycling.chosen === c.start;
    pen.strokeStyle = colour(`--${c.side}`); pen.setLineDash(c.side === "right" ? [5, 3] : []); pen.globalAlpha = strong ? 1 : .25; pen.lineWidth = (strong ? 1.5 : .8); pen.beginPath();
    row.forEach((v, i) => i ? pen.lineTo(x(i), y(v)) : pen.moveTo(x(i), y(v))); pen.stroke();
  });
  pen.setLineDash([]); pen.globalAlpha = 1;
  const c = report?.cycles.find(one => one.start === cycling.chosen);
  if (c && S.look !== null && S.look >= c.start - 1e-9 && S.look <= c.end + 1e-9) { const at = left + (w - left - 2) * (S.look - c.start) / (c.end - c.start); pen.strokeStyle = colour("--ink"); pen.lineWidth = 1; pen.beginPath(); pen.moveTo(at, top); pen.lineTo(at, h - foot); pen.stroke(); }
  Object.assign(canvas, { place: { left: left, width: (w - left - 2), value: py => low + (high - low) * (1 - (py - top) / (h - top - foot)) } });
}
const nameOf = c => `${c.side}, ${c.start.toFixed(2)} to ${c.end.toFixed(2)} s`;
function cyclePanel() {
  const now = performance.now(), looking = S.look !== null && cycling.chosen !== null, [run] = runs;
  if (!looking && now - cycling.drawn > 300) {
    cycling.drawn = now; if (cycling.chosen !== null) cycling.chosen = null;
    cycling.report = about.legs ? cycleReport(run, S.look ?? Infinity) : null; tabulate(cycling.report);
  }
  for (const canvas of $("angles").querySelectorAll("canvas")) drawAngle(canvas, canvas.dataset.angle, cycling.report);
}
function tabulate(report) {
  const cell = (side, name, digits) => { const v = report.table[side][name]; return make("td", { textContent: Number.isFinite(v) ? v.toFixed(digits) : "–" }); };
  $("no-cycle").hidden = !!report; $("cycle-table").hidden = $("cycle-choice").hidden = !report;
  for (const [name, title] of Object.entries(LEG_ANGLES)) $(`angle-${name}`).textContent = title + (report && name in report.matches ? `, match ${report.matches[name].toFixed(0)} %` : "");
  if (!report) return;
  $("cycle-table").replaceChildren(make("tr", {}, make("td"), ...SIDES.map(s => make("th", { textContent: s, scope: "col" })), make("td")), ...Object.entries(CYCLE_ROWS).map(([name, [title, unit, digits]]) => make("tr", {}, make("th", { textContent: title, scope: "row" }), ...SIDES.map(s => cell(s, name, digits)), make("td", { className: "soft", textContent: unit }))));
  const words = ["", ...report.cycles.map(nameOf)].join("|"), list = $("cycle"); if (list.dataset.words === words) return;
  list.dataset.words = words; list.replaceChildren(make("option", { value: "", textContent: `all ${report.cycles.length}` }), ...report.cycles.map((c, i) => make("option", { value: i, textContent: nameOf(c) })));
}
// Show a cycle: its curves strongly, and the walker at a share of it.
function showCycle(c, share = 0) { cycling.chosen = c ? c.start : null; cycling.drawn = 0; if (c) { lookBackTo(c.start + share * (c.end - c.start)); $("cycle").value = cycling.report.cycles.indexOf(c); } else $("cycle").value = ""; draw(); }
// The curve nearest to a place in a panel, and the moment of the cycle there.
function pickCycle(e) {
  const { left, width, value } = e.target.place ?? {}, report = cycling.report; if (!report || !left) return;
  const share = Math.min(Math.max((e.offsetX - left) / width, 0), 1), at = Math.round(share * (POINTS - 1)), v = value(e.offsetY);
  const held = e.type === "pointermove" ? report.cycles.findIndex(c => c.start === cycling.chosen) : -1, off = report.curves[e.target.dataset.angle].map(row => Math.abs(row[at] - v));
  const k = held >= 0 ? held : off.indexOf(Math.min(...off)); if (k >= 0) showCycle(report.cycles[k], share);
}
for (const [name, title] of Object.entries(LEG_ANGLES)) {
  const canvas = make("canvas", { title: "a click shows the walker at that moment of the nearest cycle" }); canvas.dataset.angle = name; canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", `${title} over the gait cycle, left and right`);
  canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId); pickCycle(e); }; canvas.onpointermove = e => { if (e.buttons) pickCycle(e); };
  $("angles").append(make("figure", {}, make("figcaption", { id: `angle-${name}`, textContent: title }), canvas));
}
$("cycle").onchange = () => showCycle(cycling.report?.cycles[$("cycle").value === "" ? -1 : +$("cycle").value] ?? null);
$("people").textContent = D.people ? `Grey: people at this speed, mean ± one deviation (${D.people.source}).` : "";
Object.assign(window.footfall, { cycling, showCycle, cycleReport: until => cycleReport(runs[0], until) });
