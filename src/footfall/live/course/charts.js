// What a lesson plots under its sliders.
const CELL_YES = "#0072b2", CELL_NO = "#f0c9a8";
function makeChart() {
  const { plot } = L, canvas = element("plot"); element("plot-figure").hidden = !plot.kind; element("plot-caption").innerHTML = plot.caption ?? ""; canvas.setAttribute("aria-label", plot.words ?? "");
  return { curves: () => new CurveChart(canvas, plot), return: () => new ReturnChart(canvas), map: () => new MapChart(canvas, plot) }[plot.kind]?.() ?? { draw() {} };
}
// Signals of the law over the last seconds, or the pendulum's numbers.
class CurveChart {
  constructor(canvas, plot) { Object.assign(this, { canvas, plot }); }
  draw() {
    const history = (world.run?.history ?? world.history).slice(-400), picked = this.plot.signals.map(name => world.about ? world.about.signals.indexOf(name) : ["speed", "offset"].indexOf(name));
    const times = history.map(h => h.t), now = times.at(-1) ?? 0; plotCurves(this.canvas, times, [now - 4, now], picked.map((k, i) => ({ values: history.map(h => h.s[k]), colour: ["--left", "--right"][i], dash: i > 0 })), { bands: history.map(h => h.state), least: .05 });
  }
}
// The speed at a strike of the left foot over the speed at the one before, and the diagonal.
class ReturnChart {
  constructor(canvas) { this.canvas = canvas; }
  draw() {
    if (!this.canvas.clientWidth) return;
    const { pen, w, h, colour } = plotPen(this.canvas), list = world.strikes, [low, high] = extent([list.length ? list : [.6, 1.4]], .3), edge = 30, place = v => (v - low) / (high - low), x = v => edge + place(v) * (w - 1.3 * edge), y = v => h - edge / 1.5 - place(v) * (h - edge);
    pen.strokeStyle = colour("--line"); pen.beginPath(); pen.moveTo(x(low), y(low)); pen.lineTo(x(high), y(high)); pen.stroke();
    pen.fillStyle = colour("--soft"); pen.fillText(`${low.toFixed(2)} m/s`, edge, h - 2); pen.textAlign = "right"; pen.fillText(`${high.toFixed(2)} m/s at this strike`, w - 2, h - 2); pen.textAlign = "left"; pen.fillText("at the next strike", 2, 10);
    list.slice(0, -1).forEach((v, i) => {
      const newest = i === list.length - 2; pen.fillStyle = colour(newest ? "--right" : "--left"); pen.globalAlpha = Math.max(.25, 1 - (list.length - i) / 30);
      pen.beginPath(); pen.arc(x(v), y(list[i + 1]), (newest ? 5 : 3.5), 0, 7); pen.fill();
    });
    pen.globalAlpha = 1;
  }
}
// Which settings survive: one trial a frame, cells near the student's first; what the other sliders hold is kept.
class MapChart {
  constructor(canvas, plot) {
    const axis = name => L.sliders.find(s => s.name === name); Object.assign(this, { canvas, plot, x: axis(plot.x), y: axis(plot.y), cells: new Map(), said: "" }); this.forget();
    canvas.style.cursor = "crosshair"; canvas.addEventListener("click", e => { const r = canvas.getBoundingClientRect(), to = (s, share) => { const v = Math.round((s.least + Math.min(Math.max(share, 0), 1) * (s.most - s.least)) / s.step) * s.step; values[s.name] = +v.toFixed(6); rows.get(s.name).put({ value: values[s.name] }); }; to(this.x, (e.clientX - r.left - 34) / (r.width - 34)); to(this.y, 1 - (e.clientY - r.top - 15) / (r.height - 31)); changed(); });
  }
  at(i, j) { const { nx, ny } = this.plot, v = (s, k, n) => s.least + (k + .5) / n * (s.most - s.least); return { ...values, [this.x.name]: v(this.x, i, nx), [this.y.name]: v(this.y, j, ny) }; }
  forget() { const others = JSON.stringify(L.sliders.filter(s => ![this.x.name, this.y.name].includes(s.name)).map(s => values[s.name])); if (others !== this.others) { this.others = others; this.cells.clear(); } this.job = null; }
  next() {
    const { nx, ny } = this.plot, share = s => (values[s.name] - s.least) / (s.most - s.least), a = share(this.x) * nx - .5, b = share(this.y) * ny - .5; let best = null, near = Infinity;
    for (let i = 0; i < nx; i++) for (let j = 0; j < ny; j++) { const far = (i - a) ** 2 + (j - b) ** 2; if (!this.cells.has(i * ny + j) && far < near) { near = far; best = [i, j]; } }
    return best && { cell: best[0] * ny + best[1], v: this.at(...best), left: L.exercise.trials.slice(0, this.plot.ends ? 1 : undefined), asks: [] };
  }
  // Goes on by one trial; whether there was one.
  work() {
    if (!world || document.hidden) return false;
    this.job ??= this.next(); if (!this.job) return false;
    const { job } = this, trial = job.left.shift(), done = judgedTrial(this.plot.ends ? { ...trial, ends: this.plot.ends } : trial, job.v); job.asks.push(done);
    if (!done.good || !job.left.length) { this.cells.set(job.cell, done.good && (this.plot.ends || judgedAsks(job.asks, job.v).filter((_, i) => L.exercise.asks[i].in_map !== false).every(a => a.good))); this.job = null; }
    return true;
  }
  draw() {
    if (!this.canvas.clientWidth) return;
    const { pen, w, h, colour } = plotPen(this.canvas), { nx, ny } = this.plot, left = 34, low = 16, top = 15, cw = (w - left) / nx, ch = (h - low - top) / ny;
    for (const [cell, good] of this.cells) {
      const i = Math.floor(cell / ny), j = cell % ny, x = left + i * cw, y = top + (ny - 1 - j) * ch; pen.fillStyle = good ? CELL_YES : CELL_NO; pen.fillRect(x + .5, y + .5, cw - 1, ch - 1);
      if (!good) { pen.strokeStyle = "#7a4a22"; pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x + .35 * cw, y + .35 * ch); pen.lineTo(x + .65 * cw, y + .65 * ch); pen.stroke(); }
    }
    const share = s => (values[s.name] - s.least) / (s.most - s.least), x = left + share(this.x) * (w - left), y = top + (1 - share(this.y)) * (h - low - top);
    pen.lineWidth = 3; pen.strokeStyle = colour("--ink"); pen.beginPath(); pen.arc(x, y, 6, 0, 7); pen.stroke(); pen.lineWidth = 1.5; pen.strokeStyle = colour("--solid"); pen.beginPath(); pen.arc(x, y, 6, 0, 7); pen.stroke();
    pen.fillStyle = colour("--soft"); const f = v => String(+v.toFixed(2)).replace("-", "−"), titled = s => `${s.label.split(",")[0]}, ${s.unit}`; pen.fillText(f(this.y.most), 0, top + 9); pen.fillText(f(this.y.least), 0, h - low - 2); pen.fillText(`↑ ${titled(this.y)}`, 0, 10); pen.fillText(f(this.x.least), left, h - 3); pen.textAlign = "center"; pen.fillText(`${titled(this.x)} →`, (left + w) / 2, h - 3); pen.textAlign = "right"; pen.fillText(f(this.x.most), w - 2, h - 3); pen.textAlign = "left";
    const good = [...this.cells.values()].filter(Boolean).length, words = `${this.plot.words} ${good} of ${this.cells.size} tried settings are good.`; if (words !== this.said && this.cells.size % 20 === 0) { this.said = words; this.canvas.setAttribute("aria-label", words); }
  }
}
