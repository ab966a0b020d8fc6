// Keys. They go to the walker unless something that takes letters has the focus, or a dialog is open.
const VIEW_KEYS = { z: "side", x: "three", c: "front", v: "top" }, TURN = .12;
const OWN_KEYS = [["←, →", "back, forward by 2 s; with Shift by 0.1 s"], ["Home, End", "to the oldest moment, to the present"], ["Z X C V", "view from the side, three-quarter, from the front, from the top"], ["W A S D, Q E", "turn the view; nearer, farther"], ["F", "keep the walker in view, or not"], ["H", "hide or show the panels"], ["?", "this list"], ["Escape", "closes what is open, or cancels what is being computed"]];
const KEY_WORDS = { " ": "space", pageup: "Page up", pagedown: "Page down" };

// page: { commands(), send, ask, look, view, panels, tasks(): whether slow work is shown, which Escape then cancels }
function listenToKeys(page) {
  addEventListener("keydown", e => {
    const target = e.target, open = document.querySelector("dialog[open]"), key = e.key.toLowerCase();
    if (open || e.isComposing) return;
    if (e.key === "Escape") { if (target.matches?.("input, select, textarea")) target.blur(); else if (element("shows").open) element("shows").open = false; else if (page.tasks()) page.ask("cancel"); else page.panels.close(); return; }
    if (takes(target, e)) return;
    const command = page.commands().find(c => c.key === key && !!c.ctrl === (e.ctrlKey || e.metaKey) && !!c.shift === (e.shiftKey && (!!c.ctrl || !!c.shift)));
    if (command && (command.ctrl || !e.altKey)) { page.send({ type: "command", name: command.name }); e.preventDefault(); return; }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const by = { ArrowLeft: -2, ArrowRight: 2 }[e.key], { view } = page;
    const own = {
      Home: () => page.ask("seek", { time: 0 }), End: () => page.ask("seek", { time: 1e12 }), "?": showKeyHelp, f: () => { view.follow = !view.follow; }, h: () => document.body.classList.toggle("bare") || true,
      a: () => { view.yaw -= TURN; }, d: () => { view.yaw += TURN; }, w: () => tilt(view, TURN), s: () => tilt(view, -TURN), ArrowUp: () => tilt(view, TURN), ArrowDown: () => tilt(view, -TURN), q: () => view.zoom(.9), e: () => view.zoom(1.1),
    };
    if (by) page.ask("skip", { seconds: e.shiftKey ? by / 20 : by });
    else if (Object.hasOwn(VIEW_KEYS, key)) page.look(VIEW_KEYS[key]);
    else if (Object.hasOwn(own, e.key)) own[e.key](); else if (Object.hasOwn(own, key)) own[key](); else return;
    e.preventDefault();
  });
  // what was clicked gives the keyboard back to the walker
  addEventListener("click", e => { const hit = e.detail > 0 && e.target.closest?.("button, summary, input[type=range], input[type=checkbox]"); if (hit && !hit.closest("dialog")) hit.blur(); });
  addEventListener("pointerup", e => { if (e.target.matches?.("input[type=range]")) e.target.blur(); });

  function showKeyHelp() {
    const row = (keys, words) => make("div", {}, make("dt", { textContent: keys }), make("dd", { textContent: words })), name = c => `${c.ctrl ? "Ctrl+" : ""}${c.shift ? "Shift+" : ""}${KEY_WORDS[c.key] ?? c.key.toUpperCase()}`;
    const box = element("dialog"), close = make("button", { type: "button", textContent: "close", onclick: () => box.close() }), letters = page.commands().filter(c => c.key && !/^[0-9]$/.test(c.key)), digits = page.commands().some(c => /^[0-9]$/.test(c.key));
    box.onclose = null; box.replaceChildren(make("h2", { id: "dialog-title", textContent: "Keys and hands" }), make("p", { textContent: "Drag the walker to pull it. Drag beside it to turn the view, with Shift to move it; the wheel zooms." }), make("dl", {}, ...letters.map(c => row(name(c), c.label)), ...(digits ? [row("1 … 9", "switch to a gait")] : []), ...OWN_KEYS.map(([keys, words]) => row(keys, words))), make("h2", { textContent: "Gamepad" }), make("dl", {}, ...GAMEPAD_KEYS.map(([keys, words]) => row(keys, words))), make("div", { className: "choices" }, close));
    if (!box.open) box.showModal(); close.focus({ preventScroll: true }); box.scrollTop = 0;
  }
  element("keys").onclick = showKeyHelp;
  // a click beside a dialog closes it, as Escape does
  element("dialog").addEventListener("click", e => { if (e.target === element("dialog")) element("dialog").close(); });
}
function tilt(view, by) { view.pitch = Math.min(Math.max(view.pitch + by, -.05), 1.5); }
// Whether a focused element takes this key for itself.
function takes(target, e) {
  if (!target.matches) return false;
  if (target.matches("input[type=text], input[type=number], textarea, select, [contenteditable]")) return true;
  if (target.matches("input[type=range]")) return /^(Arrow|Home|End|Page)/.test(e.key);
  if (target.matches("button, summary, a")) return [" ", "Enter"].includes(e.key) && target.matches(":focus-visible");
  return target.matches("input[type=checkbox]") && e.key === " ";
}
