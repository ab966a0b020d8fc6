// Curves over time and phase portraits on a canvas, as the live page and the studio draw them.
const MARGIN = { left: 40, right: 8, top: 8, bottom: 18 };

// What draws on a canvas, in the page's own pixels, cleared; colour() resolves names of the page's colours.
function plotPen(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2), w = canvas.clientWidth, h = canvas.clientHeight, W = Math.round(w * ratio), H = Math.round(h * ratio), pen = canvas.getContext("2d"), style = getComputedStyle(document.body);
  if (canvas.width !== W || canvas.height !== H) { canvas.width = W; canvas.height = H; }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, w, h); pen.font = "11px system-ui, sans-serif"; pen.lineJoin = "round"; pen.lineWidth = 1.4;
  return { pen, w, h, colour: name => name.startsWith("--") ? style.getPropertyValue(name) : name };
}
// The least and the greatest of lists of numbers, with some room, at least so far apart.
function extent(lists, least) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (const v of list) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (low > high) [low, high] = [-1, 1];
  const room = Math.max(least - (high - low), .1 * (high - low)) / 2;
  return [low - room, high + room];
}
// Round numbers between two, about so many.
function ticks(low, high, about) {
  const rough = (high - low) / about, size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(k => k * size).find(s => s >= rough), found = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return { found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}
// curves: [{ values, colour, width, dash }], one value for each time. bands: a number for each time, or none. least: how far apart
// the ends of the axis are. pointed: a place on the canvas, or null. Answers the digits of its numbers and which time is pointed at, or -1.
function plotCurves(canvas, times, [from, until], curves, { bands = [], least = 1e-3, pointed = null } = {}) {
  if (!canvas.clientWidth) return null;
  const { pen, w, h, colour } = plotPen(canvas), { left, right, top, bottom } = MARGIN, [low, high] = extent(curves.map(c => c.values), least);
  const x = t => left + (w - left - right) * (t - from) / (until - from), y = v => top + (h - top - bottom) * (high - v) / (high - low), tall = ticks(low, high, Math.min(8, h / 28)), wide = ticks(from, until, 5);
  const line = (x1, y1, x2, y2, ink) => { pen.strokeStyle = colour(ink); pen.beginPath(); pen.moveTo(x1, y1); pen.lineTo(x2, y2); pen.stroke(); };
  pen.globalAlpha = .3;
  for (let i = 0, start = 0; i <= bands.length; i++) if (i === bands.length || bands[i] !== bands[start]) {
    if (i > start) { pen.fillStyle = STATE_BANDS[((bands[start] % 8) + 8) % 8]; pen.fillRect(x(times[start]), top, x(times[Math.min(i, times.length - 1)]) - x(times[start]), h - top - bottom); }
    start = i;
  }
  pen.globalAlpha = 1; pen.lineWidth = 1; pen.fillStyle = colour("--soft");
  pen.textAlign = "right"; for (const v of tall.found) { line(left, y(v), w - right, y(v), "--line"); pen.fillText(v.toFixed(tall.digits), left - 5, y(v) + 4); }
  pen.textAlign = "center"; for (const t of wide.found) { line(x(t), top, x(t), h - bottom, "--line"); pen.fillText(`${t.toFixed(wide.digits)} s`, Math.min(Math.max(x(t), left), w - 16), h - 4); }
  for (const { values, colour: ink, width = 1.4, dash } of curves) {
    pen.strokeStyle = colour(ink); pen.lineWidth = width; pen.setLineDash(dash ? [5, 4] : []); pen.beginPath();
    let drawing = false; for (let i = 0; i < values.length; i++) { if (!Number.isFinite(values[i])) { drawing = false; continue; } if (drawing) pen.lineTo(x(times[i]), y(values[i])); else pen.moveTo(x(times[i]), y(values[i])); drawing = true; }
    pen.stroke();
  }
  pen.setLineDash([]); pen.lineWidth = 1;
  let at = -1; if (pointed !== null) { const t = from + (pointed - left) / (w - left - right) * (until - from); at = 0; while (at + 1 < times.length && times[at + 1] <= t) at++; line(x(times[at]), top, x(times[at]), h - bottom, "--soft"); }
  return { at, digits: tall.digits };
}
// curves: [{ xs, ys, colour }]; the last one ends in a dot. names: of both axes.
function plotPhase(canvas, curves, name_x = "", name_y = "") {
  if (!canvas.clientWidth) return;
  const { pen, w, h, colour: ink } = plotPen(canvas), [a, b] = extent(curves.map(o => o.xs), .1), [c, d] = extent(curves.map(o => o.ys), .5);
  const x = v => (v - a) / (b - a) * w, y = v => h - (v - c) / (d - c) * h;
  pen.strokeStyle = ink("--line"); pen.beginPath(); pen.moveTo(0, y(0)); pen.lineTo(w, y(0)); pen.moveTo(x(0), 0); pen.lineTo(x(0), h); pen.stroke();
  for (const { xs, ys, colour } of curves) {
    const n = xs.length; pen.strokeStyle = ink(colour);
    for (let i = 1; i < n; i++) { pen.globalAlpha = .12 + .88 * (i / n) ** 2; pen.beginPath(); pen.moveTo(x(xs[i - 1]), y(ys[i - 1])); pen.lineTo(x(xs[i]), y(ys[i])); pen.stroke(); }
    pen.globalAlpha = 1;
    if (n) { pen.fillStyle = ink(colour === "--left" ? "--right" : colour); pen.beginPath(); pen.arc(x(xs[n - 1]), y(ys[n - 1]), 3.5, 0, 7); pen.fill(); }
  }
  pen.fillStyle = ink("--soft"); pen.fillText(`${a.toFixed(2)}`, 2, h - 3); pen.textAlign = "right"; pen.fillText(`${b.toFixed(2)} ${name_x}`, w - 2, h - 3); pen.fillText(`${d.toFixed(2)} ${name_y}`, w - 2, 10); pen.textAlign = "left";
}
