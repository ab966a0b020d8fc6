// Curves over time with a legend that says what the pointer points at, and phase portraits.

function makePlot(w) {
  const title = make("figcaption"), canvas = make("canvas"), legend = make("div", { className: "legend" });
  canvas.setAttribute("role", "img"); w.element = make("figure", { className: "plot" }, title, canvas, legend);
  w.values = null; w.pointed = null;
  const paint = () => { if (w.values?.[0].length) paintPlot(w, canvas, legend); };
  w.show = (props, all) => {
    if ("title" in props) { title.textContent = props.title; canvas.setAttribute("aria-label", props.title); }
    if ("height" in props) canvas.style.height = `${props.height}px`;
    if ("series" in props) { w.values = null; legend.hidden = !!all.phase; legend.replaceChildren(...all.series.map(s => make("span", {}, Object.assign(make("i"), { style: `border-top: 2px ${s.dash ? "dashed" : "solid"} ${s.colour}` }), make("span", { textContent: s.label }), make("b")))); }
    paint();
  };
  w.draw = floats => { const rows = w.props.series.length + 1, n = Math.floor(floats.length / rows); w.values = Array.from({ length: rows }, (_, k) => floats.subarray(k * n, (k + 1) * n)); paint(); };
  canvas.addEventListener("pointermove", e => { w.pointed = e.offsetX; paint(); });
  canvas.addEventListener("pointerleave", () => { w.pointed = null; paint(); });
  new ResizeObserver(paint).observe(canvas);
}
function paintPlot(w, canvas, legend) {
  if (w.props.phase) { plotPhase(canvas, [{ xs: w.values[0], ys: w.values[1], colour: w.props.series[0].colour }], "°", "°/s"); return; }
  const [times, ...rows] = w.values, from = times[0], shown = plotCurves(canvas, times, [from, Math.max(times[times.length - 1], from + 1e-3)], rows.map((values, k) => ({ ...w.props.series[k], values })), { pointed: w.pointed });
  rows.forEach((values, k) => { const b = legend.children[k]?.lastChild, v = shown && values[shown.at], text = Number.isFinite(v) ? v.toFixed(shown.digits + 1) : ""; if (b && b.textContent !== text) b.textContent = text; });
}
