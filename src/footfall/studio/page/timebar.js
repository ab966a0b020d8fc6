// The bar of time: play, single steps, the line of what was simulated, rates, views; and what is said over the picture.
const RATES = [.05, .1, .25, .5, 1, 2], SEEK_EVERY = 60, NO_STATE = { time: 0, begin: 0, end: 0, playing: false, past: false, rate: 1, fell: null, note: "", runs: [], tasks: [], clicks: false, controller: "", status: null };

class TimeBar {
  constructor(state, send, look) {
    Object.assign(this, { state, send, sought: 0, coloured: 0, dragging: null });
    this.line = timeline(time => this.seek(time));
    const ask = (what, more = {}) => send({ type: "do", do: what, ...more });
    this.ask = ask;
    element("play").onclick = () => ask("play", { on: !state.playing });
    element("step").onclick = () => ask("step"); element("reset").onclick = () => ask("reset"); element("now").onclick = () => ask("seek", { time: 1e12 });
    element("rate").append(...RATES.map(r => make("option", { value: r, textContent: `${r}×` }))); element("rate").onchange = e => { ask("rate", { rate: +e.target.value }); e.target.blur(); };
    element("views").onchange = e => { look(e.target.value); e.target.value = ""; e.target.blur(); };
    element("cancel").onclick = () => ask("cancel");
    for (const kind of ["pointerup", "pointercancel"]) element("scrub").addEventListener(kind, () => { if (this.dragging !== null) { ask("seek", { time: this.dragging }); this.dragging = null; } });
  }
  seek(time) {
    const now = performance.now(), { begin, end } = this.state; this.dragging = time; this.line.show(time, begin, Math.max(end, begin + .01));
    if (now - this.sought > SEEK_EVERY) { this.sought = now; this.ask("seek", { time }); }
  }
  // time: of the picture, which may be newer than the state's.
  show(time = this.state.time) {
    const s = this.state, play = element("play"), label = s.playing ? "pause" : s.past ? "play on from here" : "play", end = Math.max(s.end, time);
    write("play", s.playing ? "❚❚" : "▶"); if (play.ariaLabel !== label) { play.title = `${label} (space)`; play.ariaLabel = label; }
    if (this.dragging === null) this.line.show(s.past ? time : end, s.begin, Math.max(end, s.begin + .01));
    write("clock", s.past ? `${time.toFixed(2)} / ${s.end.toFixed(1)} s` : `${time.toFixed(2)} s`);
    const head = document.querySelector("#head [data-testid=time]"); if (head) head.textContent = `${time.toFixed(2)} s`;
    element("now").disabled = !s.past;
    if (document.activeElement !== element("rate")) element("rate").value = RATES.reduce((a, b) => Math.abs(b - s.rate) < Math.abs(a - s.rate) ? b : a);
    const now = performance.now(); if (now - this.coloured > 400 || !s.playing) { this.coloured = now; this.line.colour(s.runs, s.begin, Math.max(end, s.begin + .01), s.fell); }
    write("note", s.note); element("note").hidden = !s.note;
    this.work();
  }
  // Slow work, in words with its seconds; what is done within a second is not mentioned.
  work() {
    const [task] = this.state.tasks, seconds = task ? Math.max(0, Date.now() / 1000 - task.began) : 0, on = !!task && (seconds > 1 || task.share !== null), bar = element("task-share");
    element("tasks").hidden = !on; if (!on) return;
    if (task.share === null) bar.removeAttribute("value"); else bar.value = task.share;
    write("task-words", `${task.words} · ${task.share === null ? "" : `${Math.round(100 * task.share)} %, `}${seconds.toFixed(0)} s`);
  }
}

// ---- messages and questions
function toast({ title, text, tone, seconds }) {
  const close = make("button", { type: "button", className: "close", textContent: "×" }), box = make("div", { className: `card toast ${tone}` }, make("b", { textContent: title }), make("span", { textContent: text }), close);
  box.setAttribute("role", tone === "bad" ? "alert" : "status"); close.setAttribute("aria-label", "close the message"); close.onclick = () => box.remove();
  const same = [...element("toasts").children].find(e => e.textContent === box.textContent); if (same) same.remove();
  element("toasts").append(box); while (element("toasts").childElementCount > 4) element("toasts").firstChild.remove();
  setTimeout(() => box.remove(), 1000 * (seconds ?? 6));
}
// A question of the server; Escape chooses the last button, the safe one.
function ask(op, answer) {
  const box = element("dialog"), done = button => { box.onclose = null; box.close(); answer(button); };
  box.replaceChildren(make("h2", { id: "dialog-title", textContent: op.title }), make("p", { textContent: op.text }), make("div", { className: "choices" }, ...op.buttons.map((text, i) => make("button", { type: "button", textContent: text, onclick: () => done(i) }))));
  box.onclose = () => answer(op.buttons.length - 1); if (box.open) box.close(); box.showModal(); box.querySelector(".choices").lastChild.focus();
}
