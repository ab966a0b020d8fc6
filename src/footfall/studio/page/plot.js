// Curves over time on a canvas, with a legend that says what the pointer points at.
const MARGIN = { left: 40, right: 8, top: 8, bottom: 18 };

function makePlot(w) {
  const title = make("figcaption"), canvas = make("canvas"), legend = make("div", { className: "legend" });
  canvas.setAttribute("role", "img"); w.element = make("figure", { className: "plot" }, title, canvas, legend);
  w.values = null; w.pointed = null;
  const paint = () => { if (w.values && canvas.clientWidth) paintPlot(w, canvas, legend); };
  w.show = (props, all) => {
    if ("title" in props) { title.textContent = props.title; canvas.setAttribute("aria-label", props.title); }
    if ("height" in props) canvas.style.height = `${props.height}px`;
    if ("series" in props) { w.values = null; legend.replaceChildren(...all.series.map(s => make("span", {}, Object.assign(make("i"), { style: `border-top: 2px ${s.dash ? "dashed" : "solid"} ${s.colour}` }), make("span", { textContent: s.label }), make("b")))); }
    paint();
  };
  w.draw = floats => { const rows = w.props.series.length + 1, n = Math.floor(floats.length / rows); w.values = Array.from({ length: rows }, (_, k) => floats.subarray(k * n, (k + 1) * n)); paint(); };
  canvas.addEventListener("pointermove", e => { w.pointed = e.offsetX; paint(); });
  canvas.addEventListener("pointerleave", () => { w.pointed = null; paint(); });
  new ResizeObserver(paint).observe(canvas);
}
// Round numbers between two, about so many.
function ticks(low, high, about) {
  const rough = (high - low) / about, size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(k => k * size).find(s => s >= rough), found = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return { found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}
function paintPlot(w, canvas, legend) {
  const ratio = Math.min(devicePixelRatio || 1, 2), W = canvas.clientWidth, H = canvas.clientHeight, pen = canvas.getContext("2d"), style = getComputedStyle(document.body);
  if (canvas.width !== Math.round(W * ratio) || canvas.height !== Math.round(H * ratio)) { canvas.width = Math.round(W * ratio); canvas.height = Math.round(H * ratio); }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, W, H); pen.font = "11px system-ui, sans-serif"; pen.lineJoin = "round";
  const [xs, ...rows] = w.values; let low = Infinity, high = -Infinity;
  for (const values of rows) for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!xs.length || low > high) return;
  const room = Math.max(.05 * (high - low), 1e-3 * Math.max(1, Math.abs(high))); low -= room; high += room;
  const from = xs[0], until = Math.max(xs[xs.length - 1], from + 1e-3), { left, right, top, bottom } = MARGIN;
  const x = t => left + (W - left - right) * (t - from) / (until - from), y = v => top + (H - top - bottom) * (high - v) / (high - low);
  pen.strokeStyle = style.getPropertyValue("--line"); pen.fillStyle = style.getPropertyValue("--soft"); pen.lineWidth = 1;
  const tall = ticks(low, high, 8), wide = ticks(from, until, 5);
  pen.textAlign = "right"; for (const v of tall.found) { pen.beginPath(); pen.moveTo(left, y(v)); pen.lineTo(W - right, y(v)); pen.stroke(); pen.fillText(v.toFixed(tall.digits), left - 5, y(v) + 4); }
  pen.textAlign = "center"; for (const t of wide.found) { pen.beginPath(); pen.moveTo(x(t), top); pen.lineTo(x(t), H - bottom); pen.stroke(); pen.fillText(`${t.toFixed(wide.digits)} s`, Math.min(Math.max(x(t), left), W - 16), H - 4); }
  rows.forEach((values, k) => {
    const s = w.props.series[k]; pen.strokeStyle = s.colour; pen.lineWidth = s.width ?? 1.6; pen.setLineDash(s.dash ? [5, 4] : []); pen.beginPath();
    let drawing = false; for (let i = 0; i < values.length; i++) { if (!Number.isFinite(values[i])) { drawing = false; continue; } if (drawing) pen.lineTo(x(xs[i]), y(values[i])); else pen.moveTo(x(xs[i]), y(values[i])); drawing = true; }
    pen.stroke();
  });
  pen.setLineDash([]);
  let i = -1; if (w.pointed !== null) { const t = from + (w.pointed - left) / (W - left - right) * (until - from); i = 0; while (i + 1 < xs.length && xs[i + 1] <= t) i++; pen.strokeStyle = style.getPropertyValue("--soft"); pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x(xs[i]), top); pen.lineTo(x(xs[i]), H - bottom); pen.stroke(); }
  rows.forEach((values, k) => { const b = legend.children[k]?.lastChild, text = i >= 0 && Number.isFinite(values[i]) ? values[i].toFixed(tall.digits + 1) : ""; if (b && b.textContent !== text) b.textContent = text; });
}
