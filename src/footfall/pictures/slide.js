// A slider and the field beside it, which takes typed numbers.
// written: how a number is shown. change: called with the number that a hand asks for; what comes of it is told by put().
class Slide {
  constructor(bar, box, written, change) {
    Object.assign(this, { bar, box, written, change, busy: false, fine: null, asked: { least: 0, most: 1, near: Infinity, step: .01, value: 0 } });
    bar.step = "any"; Object.assign(box, { type: "number", step: "any", inputMode: "decimal" }); bar.type = "range";
    // with Shift a hand moves it a tenth as far, from where Shift was pressed
    bar.addEventListener("pointermove", e => { this.fine = e.shiftKey ? this.fine ?? +bar.value : null; });
    bar.addEventListener("input", () => { const raw = +bar.value, { fine } = this; this.ask(fine === null ? raw : fine + .1 * (raw - fine), fine === null ? 1 : 10); });
    bar.addEventListener("keydown", e => { const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[e.key]; if (by && !e.ctrlKey && !e.metaKey) { e.preventDefault(); this.ask(this.asked.value + by * this.asked.step * (e.shiftKey ? .1 : 1), e.shiftKey ? 10 : 1); this.put({}); } });
    bar.addEventListener("pointerdown", () => { this.busy = true; this.fine = null; });
    for (const kind of ["pointerup", "pointercancel", "change", "blur"]) bar.addEventListener(kind, () => { this.busy = false; this.put({}); });
    box.addEventListener("change", () => { const value = Number(box.value); if (box.value.trim() !== "" && Number.isFinite(value)) this.ask(value, 1e6); this.put({}); box.value = this.written(this.asked.value); });
    box.addEventListener("blur", () => this.put({})); box.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === "Escape") box.blur(); });
  }
  // A number on the slider's grid, or on one so many times finer, within its bounds.
  ask(value, finer) {
    const { least, most, step } = this.asked, grid = step / finer, to = Math.min(Math.max(+(Math.round(value / grid) * grid).toPrecision(12), least), most);
    this.asked.value = to; if (document.activeElement !== this.box) this.box.value = this.written(to); this.change(to);
  }
  // Other bounds, steps or another value. near: how far the slider reaches from its value either way, so that a pixel is a small step.
  put(more) {
    Object.assign(this.asked, more); if (this.busy) return;
    const { least, most, near, value } = this.asked; Object.assign(this.bar, { min: Math.max(least, Math.min(value, most) - near), max: Math.min(most, Math.max(value, least) + near) }); this.bar.value = value;
    if (document.activeElement !== this.box) this.box.value = this.written(value);
  }
}
// A slider in a row with its name, unit and field: { row, slide }. about: a sentence on it.
function slideRow(name, unit, written, change, about = "") {
  const bar = make("input"), box = make("input"), slide = new Slide(bar, box, written, change), title = unit ? `${name}, ${unit}` : name;
  bar.setAttribute("aria-label", title); box.setAttribute("aria-label", `${title}, number`); if (about) for (const e of [bar, box]) e.setAttribute("aria-description", about);
  return { slide, row: make("div", { className: "row", title: about }, make("span", {}, name, unit ? make("small", { textContent: ` ${unit}` }) : ""), bar, box) };
}
