// Small plots on canvases: curves over time with bands for states, and phase portraits.
const BANDS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a", "#8a7fc0"];

function plotPen(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, w, h); pen.font = `${10 * ratio}px system-ui, sans-serif`; pen.lineWidth = 1.4 * ratio; pen.lineJoin = "round";
  return { pen, w, h, ratio, style: getComputedStyle(document.body) };
}
function extent(lists, least) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (const v of list) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (low > high) [low, high] = [-1, 1];
  const room = Math.max(least - (high - low), .1 * (high - low)) / 2;
  return [low - room, high + room];
}
// curves: [{ values, colour, dash }], one value for each time; bands: a number for each time
function plotCurves(canvas, times, span, curves, bands) {
  if (!canvas.clientWidth) return;
  const { pen, w, h, ratio, style } = plotPen(canvas), end = times.at(-1) ?? 0, left = 34 * ratio;
  const [low, high] = extent(curves.map(c => c.values), .05);
  const x = t => left + (w - left) * (1 - (end - t) / span), y = v => h - (v - low) / (high - low) * h;
  for (let i = 0, start = 0; i <= times.length; i++) if (i === times.length || bands[i] !== bands[start]) {
    if (i > start) { pen.globalAlpha = .13; pen.fillStyle = BANDS[((bands[start] % 8) + 8) % 8]; pen.fillRect(x(times[start]), 0, x(times[Math.min(i, times.length - 1)]) - x(times[start]), h); }
    start = i;
  }
  pen.globalAlpha = 1; pen.fillStyle = style.getPropertyValue("--soft");
  for (const v of [low, (low + high) / 2, high]) pen.fillText(v.toFixed(2), 0, Math.min(Math.max(y(v) + 3 * ratio, 9 * ratio), h - 2));
  for (const { values, colour, dash } of curves) {
    pen.strokeStyle = style.getPropertyValue(colour); pen.setLineDash(dash ? [4 * ratio, 3 * ratio] : []); pen.beginPath();
    let drawing = false;
    values.forEach((v, i) => { if (!Number.isFinite(v)) { drawing = false; return; } if (drawing) pen.lineTo(x(times[i]), y(v)); else pen.moveTo(x(times[i]), y(v)); drawing = true; });
    pen.stroke();
  }
}
// curves: [{ xs, ys, colour }]; the last one ends in a dot. names: of both axes.
function plotPhase(canvas, curves, name_x = "", name_y = "") {
  if (!canvas.clientWidth) return;
  const { pen, w, h, ratio, style } = plotPen(canvas), [a, b] = extent(curves.map(o => o.xs), .1), [c, d] = extent(curves.map(o => o.ys), .5);
  const x = v => (v - a) / (b - a) * w, y = v => h - (v - c) / (d - c) * h;
  pen.strokeStyle = style.getPropertyValue("--line"); pen.beginPath(); pen.moveTo(0, y(0)); pen.lineTo(w, y(0)); pen.moveTo(x(0), 0); pen.lineTo(x(0), h); pen.stroke();
  for (const { xs, ys, colour } of curves) {
    const n = xs.length; pen.strokeStyle = style.getPropertyValue(colour);
    for (let i = 1; i < n; i++) { pen.globalAlpha = .12 + .88 * (i / n) ** 2; pen.beginPath(); pen.moveTo(x(xs[i - 1]), y(ys[i - 1])); pen.lineTo(x(xs[i]), y(ys[i])); pen.stroke(); }
    pen.globalAlpha = 1;
    if (n) { pen.fillStyle = style.getPropertyValue(colour === "--left" ? "--right" : colour); pen.beginPath(); pen.arc(x(xs[n - 1]), y(ys[n - 1]), 3.5 * ratio, 0, 7); pen.fill(); }
  }
  pen.fillStyle = style.getPropertyValue("--soft"); pen.fillText(`${a.toFixed(2)}`, 2, h - 3 * ratio); pen.textAlign = "right"; pen.fillText(`${b.toFixed(2)} ${name_x}`, w - 2, h - 3 * ratio); pen.fillText(`${d.toFixed(2)} ${name_y}`, w - 2, 10 * ratio); pen.textAlign = "left";
}
