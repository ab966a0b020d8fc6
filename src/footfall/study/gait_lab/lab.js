const data = JSON.parse(document.getElementById("data").textContent);
const main = document.querySelector("main"), several = data.walks.length > 1;
const show = { left: true, right: true, bands: true, cycles: false, walks: data.walks.map(() => true) };
const W = 300, H = 170, LEFT = 34, RIGHT = 6, TOP = 16, BOTTOM = 20;
const sides = ["left", "right"];
const make = (name, attributes = {}, ...inside) => {
  const svg = ["svg", "path", "line", "text", "polygon", "g", "rect", "circle"].includes(name);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...inside); return e; };
const number = (v, digits) => v === null || v === undefined ? "–" : v.toFixed(digits).replace("-", "−");
const digitsFor = v => v === null || v === undefined ? 2 : Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : Math.abs(v) >= 1 ? 2 : 3;
const text = v => number(v, digitsFor(v));
const colour = (k, side) => several ? data.colours[k % data.colours.length] : `var(--${side})`;
const dash = side => side === "right" ? "5 3" : "none";
const curvesOf = name => data.walks.flatMap((walk, k) => sides.map(side => ({ walk, k, side, curve: (walk.curves[name] || {})[side] })))
  .filter(c => c.curve && show.walks[c.k] && show[c.side]);
const ticks = (low, high) => {
  const raw = (high - low) / 4, unit = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map(m => m * unit).find(s => s >= raw);
  const all = []; for (let v = Math.ceil(low / step) * step; v <= high + 1e-9; v += step) all.push(Math.abs(v) < 1e-9 ? 0 : v); return all; };

const cursors = [];
let at = null;
function panelCard(panel) {
  const card = make("div", { class: "card" }), head = make("h3", {}, panel.title), aside = make("span"), read = make("div", { class: "read" });
  head.append(aside);
  const svg = make("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${panel.title} over the gait cycle` });
  card.append(head, svg, read);
  const draw = () => {
    svg.replaceChildren();
    const found = curvesOf(panel.name);
    const bands = show.bands ? data.walks.map((w, k) => [w.bands[panel.name], k]).filter(([b, k]) => b && show.walks[k]).slice(0, 1) : [];
    const values = found.flatMap(c => show.cycles ? c.curve.rows.flat() : c.curve.sd ? c.curve.mean.flatMap((v, i) => [v - c.curve.sd[i], v + c.curve.sd[i]]) : c.curve.mean).concat(bands.flatMap(([b]) => [...b.low, ...b.high]));
    if (!values.length) return;
    let low = Math.min(...values), high = Math.max(...values); const pad = 0.06 * (high - low || 1); low -= pad; high += pad;
    const x = p => LEFT + (W - LEFT - RIGHT) * p / 100, y = v => TOP + (H - TOP - BOTTOM) * (high - v) / (high - low);
    const path = row => row.map((v, p) => `${p ? "L" : "M"}${x(p).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    for (const v of ticks(low, high)) {
      svg.append(make("line", { x1: LEFT, x2: W - RIGHT, y1: y(v), y2: y(v), stroke: "var(--line)", "stroke-width": v === 0 ? 1.4 : 0.7 }));
      svg.append(make("text", { x: LEFT - 4, y: y(v) + 3, "text-anchor": "end" }, String(+v.toFixed(4)).replace("-", "−"))); }
    for (const p of [0, 20, 40, 60, 80, 100]) svg.append(make("text", { x: x(p), y: H - 6, "text-anchor": "middle" }, p === 100 ? "100 %" : String(p)));
    for (const [b] of bands) svg.append(make("path", { d: path(b.high) + [...b.low].map((v, i) => [100 - i, b.low[100 - i]]).map(([p, v]) => `L${x(p).toFixed(1)} ${y(v).toFixed(1)}`).join("") + "Z", fill: "var(--band)" }));
    for (const c of found) {
      const paint = colour(c.k, c.side), off = c.walk.off[c.side];
      if (off !== null) svg.append(make("line", { x1: x(off), x2: x(off), y1: TOP, y2: H - BOTTOM, stroke: paint, "stroke-width": 0.8, "stroke-dasharray": "2 3" }));
      if (show.cycles) for (const row of c.curve.rows) svg.append(make("path", { d: path(row), fill: "none", stroke: paint, "stroke-width": 0.5, opacity: 0.45 }));
      else if (c.curve.sd) svg.append(make("path", { d: path(c.curve.mean.map((v, i) => v + c.curve.sd[i])) + c.curve.mean.map((v, i) => { const p = 100 - i; return `L${x(p).toFixed(1)} ${y(c.curve.mean[p] - c.curve.sd[p]).toFixed(1)}`; }).join("") + "Z", fill: paint, opacity: 0.15 }));
      svg.append(make("path", { d: path(c.curve.mean), fill: "none", stroke: paint, "stroke-width": 1.7, "stroke-dasharray": dash(c.side), "stroke-linejoin": "round" })); }
    svg.append(make("text", { x: LEFT, y: 10 }, `${panel.up} ↑  [${panel.unit}]`));
    const cursor = make("line", { y1: TOP, y2: H - BOTTOM, stroke: "var(--ink)", "stroke-width": 0.7, visibility: "hidden" });
    svg.append(cursor);
    const matched = data.walks.filter((w, k) => show.walks[k] && w.matches[panel.name]).map(w => `${number(w.matches[panel.name].both, 0)} %`);
    aside.textContent = show.bands && matched.length ? `match ${matched.join(", ")}` : "";
    cursors.push(p => {
      cursor.setAttribute("visibility", p === null ? "hidden" : "visible");
      if (p === null) { read.textContent = ""; return; }
      cursor.setAttribute("x1", x(p)); cursor.setAttribute("x2", x(p));
      read.textContent = `${p} %: ` + found.map(c => `${several ? c.walk.name + " " : ""}${c.side} ${text(c.curve.mean[p])}`).join(", ") + (bands.length ? `, people ${text(bands[0][0].low[p])} to ${text(bands[0][0].high[p])}` : ""); });
    svg.onpointermove = e => { const r = svg.getBoundingClientRect(); at = Math.max(0, Math.min(100, Math.round(((e.clientX - r.left) / r.width * W - LEFT) / (W - LEFT - RIGHT) * 100))); move(); };
    svg.onpointerleave = () => { at = null; move(); }; };
  return [card, draw]; }

function pressureCard() {
  const card = make("div", { class: "card" }, make("h3", {}, "centre of pressure", make("span", {}, "cm from the ankle")));
  const svg = make("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "path of the centre of pressure under each foot" });
  card.append(svg, make("div", { class: "read" }));
  const draw = () => {
    svg.replaceChildren();
    const found = data.walks.flatMap((walk, k) => sides.map(side => ({ k, side, path: walk.pressure[side] }))).filter(c => c.path && show.walks[c.k] && show[c.side]);
    const points = found.flatMap(c => c.path); if (!points.length) return;
    const xs = points.map(p => p[0]), low = Math.min(-8, ...xs), high = Math.max(20, ...xs), scale = (W - LEFT - RIGHT) / (high - low);
    const x = v => LEFT + scale * (v - low), middle = { left: TOP + (H - BOTTOM - TOP) * 0.28, right: TOP + (H - BOTTOM - TOP) * 0.74 };
    for (const v of ticks(low, high)) svg.append(make("line", { x1: x(v), x2: x(v), y1: TOP, y2: H - BOTTOM, stroke: "var(--line)" }), make("text", { x: x(v), y: H - 6, "text-anchor": "middle" }, String(v)));
    for (const side of sides) svg.append(make("line", { x1: LEFT, x2: W - RIGHT, y1: middle[side], y2: middle[side], stroke: "var(--line)" }), make("text", { x: 2, y: middle[side] + 3 }, side));
    for (const c of found) svg.append(make("path", { d: c.path.map((p, i) => `${i ? "L" : "M"}${x(p[0]).toFixed(1)} ${(middle[c.side] + (c.side === "left" ? -1 : 1) * scale * p[1]).toFixed(1)}`).join(""), fill: "none", stroke: colour(c.k, c.side), "stroke-width": 1.7 })); };
  return [card, draw]; }

// A number; outside people's range with a sign and a colour.
const spoken = (v, people) => {
  const e = make("span", {}, v ? text(v.mean) : "–");
  if (v && v.sd !== null) e.append(make("small", {}, ` ± ${text(v.sd)}`));
  if (people && v && (v.mean < people[0] || v.mean > people[1])) { const low = v.mean < people[0]; e.className = "out"; e.title = `${low ? "below" : "above"} people's range`; e.prepend(low ? "▼ " : "▲ "); }
  return e; };
const cell = (v, people) => make("td", {}, spoken(v, people));
const pair = (own, people) => make("td", {}, spoken(own && own.left, people), " / ", spoken(own && own.right, people));
// People's column, where people are known.
const peopled = data.walks.some(w => w.people), column = cell => peopled ? [cell] : [];
const range = people => make("td", {}, make("small", {}, people ? `${text(people[0])} to ${text(people[1])}` : ""));
const scrolled = (table, name) => make("div", { class: "card scroll", tabindex: 0, role: "region", "aria-label": name }, table);
// Of one walk left and right with their symmetry; of several a column each, left / right.
function parameterTable() {
  const heads = several ? [...data.walks.map(w => `${w.name}: left / right`), ...column("people")] : ["left", "right", "symmetry", ...column("people")], table = make("table", {}, make("tr", {}, make("th", {}, "parameter"), ...heads.map(word => make("th", {}, word))));
  for (const row of data.parameters) {
    const owns = data.walks.map(w => w.parameters[row.name]), ranges = data.walks.map(w => w.ranges[row.name]), [own] = owns;
    const cells = several ? owns.map((o, k) => pair(o, ranges[k])) : [cell(own && own.left, ranges[0]), cell(own && own.right, ranges[0]), make("td", {}, make("small", {}, own && own.symmetry !== null ? `${number(own.symmetry, 1)} %` : ""))];
    table.append(make("tr", {}, make("td", { title: row.definition }, row.title, make("small", {}, ` ${row.unit}`)), ...cells, ...column(range(ranges.find(r => r))))); }
  return scrolled(table, "parameters"); }
function listTable(title, rows) {
  const table = make("table", {}, make("tr", {}, ...title.map(t => make("th", {}, t))));
  for (const row of rows) table.append(make("tr", {}, ...row.map(v => v instanceof Node ? v : make("td", {}, v))));
  return scrolled(table, title[0]); }
const meter = v => { const bar = make("i"); bar.style.width = `${v}%`; return make("td", {}, make("span", { class: "meter" }, bar), `${number(v, 0)} %`); };

const drawings = [];
const title = (words, small) => { const h = make("h2", {}, words); if (small) h.append(make("small", {}, small)); main.append(h); };
document.body.classList.toggle("several", several);
if (several) data.walks.forEach((w, k) => { const dot = make("i", { class: "dot" }); dot.style.background = data.colours[k % data.colours.length];
  const b = make("button", { "aria-pressed": "true" }, dot, w.name); b.onclick = () => { show.walks[k] = !show.walks[k]; b.setAttribute("aria-pressed", show.walks[k]); draw(); }; document.getElementById("walks").append(b); });
for (const b of document.querySelectorAll("[data-show]")) b.onclick = () => { const what = b.dataset.show; show[what] = !show[what]; b.setAttribute("aria-pressed", show[what]); draw(); };

title("Parameters", `mean ± standard deviation over the cycles${peopled ? "; people's range beside, coloured where a number is outside" : ""}`);
document.querySelector("[data-show=bands]").hidden = !peopled;
main.append(parameterTable());
for (const [group, words] of Object.entries(data.groups)) {
  const panels = data.panels.filter(p => p.group === group && data.walks.some(w => w.curves[p.name])); if (!panels.length) { if (group !== "angles") { title(words); main.append(make("div", { class: "card" }, "None are known: see the notes below.")); } continue; }
  title(words, group === "angles" && data.walks.some(w => w.people) ? [...new Set(data.walks.map(w => w.people).filter(p => p))].join("; ") : group === "moments" ? data.walks.map(w => w.kinetics).filter((k, i, all) => k && all.indexOf(k) === i).join("; ") : "");
  const grid = make("div", { class: "grid" }); main.append(grid);
  for (const panel of panels) { const [card, draw] = panelCard(panel); grid.append(card); drawings.push(draw); }
  if (group === "forces" && data.walks.some(w => Object.keys(w.pressure).length)) { const [card, draw] = pressureCard(); grid.append(card); drawings.push(draw); } }
title("The mean cycle in numbers", "the measures that searches take as goals");
main.append(listTable(["measure", ...data.walks.map(w => several ? w.name : "")], data.cycleMeasures.map(m => [make("td", { title: m.definition }, m.title, make("small", {}, ` ${m.unit}`)), ...data.walks.map(w => text(w.cycleMeasures[m.name]))])));
const two = make("div", { class: "two" }); title(peopled ? "Beside people" : "Peaks", peopled ? "" : "--norms FOLDER sets people's beside them"); main.append(two);
const compared = data.walks.filter(w => Object.keys(w.matches).length);
if (compared.length) two.append(listTable(["curve", ...compared.flatMap(w => [`${several ? w.name + ": " : ""}match`, "score left / right"])],
  data.panels.filter(p => compared.some(w => w.matches[p.name])).map(p => [p.title, ...compared.flatMap(w => { const m = w.matches[p.name], s = w.scores[p.name] || {}; return [m ? meter(m.both) : "", m ? `${number(s.left, 1)}° / ${number(s.right, 1)}°` : ""]; })])
  .concat([["Gait Profile Score", ...compared.flatMap(w => [`overall ${number(w.profile.overall, 1)}°`, `${number(w.profile.left, 1)}° / ${number(w.profile.right, 1)}°`])]])));
if (data.peaks.length) two.append(listTable(["number", ...data.walks.map(w => `${several ? w.name + ": " : ""}left / right`), ...column("people")],
  data.peaks.map(name => [name, ...data.walks.map(w => { const p = w.peaks[name] || {}; return `${text(p.left)} / ${text(p.right)}`; }), ...column((known => known ? `${text(known[0])} ± ${text(known[1])}` : "")(data.walks.map(w => w.peoplePeaks[name]).find(p => p)))])));
if (!compared.length && !data.peaks.length) two.append(make("div", { class: "card" }, "None are known: see the notes below."));
title("Balance, work and events"); const more = make("div", { class: "two" }); main.append(more);
more.append(listTable(["measure", ...data.walks.map(w => `${several ? w.name + ": " : ""}left / right`)], data.measures.map(m => [make("td", {}, m.title, make("small", {}, ` ${m.unit}`)), ...data.walks.map(w => pair(w.measures[m.name] || {}))])));
more.append(listTable(["events", "pairs", "mean", "worst"], data.walks.flatMap(w => [[`${several ? w.name + ": " : ""}from ${w.eventsFrom}`, "", "", ""], ...w.differences.map(d => [`${d.second} against ${d.first}`, String(d.pairs), `${number(1000 * d.mean, 0)} ms`, `${number(1000 * d.worst, 0)} ms`])])));

const notes = data.walks.flatMap(w => w.notes.map(n => several ? `${w.name}: ${n}` : n));
if (notes.length) { title("Notes"); main.append(make("ul", { class: "card notes" }, ...notes.map(n => make("li", {}, n)))); }

function move() { for (const cursor of cursors) cursor(at); }
function draw() { cursors.length = 0; for (const one of drawings) one(); move(); }
draw();
