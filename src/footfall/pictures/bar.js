// What the bars of all pages share: play and pause, speed, views, and what is shown; by button and by key.
// state: { playing, speed } and what is shown; view: a function that answers the viewport; play: what the play button does.
const SHOWN = { follow: "f", contacts: "c", trail: "t", forces: "g", prints: "p", balance: "b", torques: "o", ghost: "e" };
function commandBar(state, view, rates, play) {
  const rate = d => { const i = rates.indexOf(state.speed) >= 0 ? rates.indexOf(state.speed) : rates.findIndex(r => r > state.speed) - (d > 0); state.speed = rates[Math.min(Math.max(i + d, 0), rates.length - 1)]; };
  const toggle = id => { if (id === "follow") view().follow = !view().follow; else state[id] = !state[id]; };
  const keys = { " ": play, "[": () => rate(-1), "]": () => rate(1) };
  ["side", "three", "front", "top"].forEach((name, i) => { keys[i + 1] = () => view().look(name); });
  element("play").onclick = play; element("slower").onclick = keys["["]; element("faster").onclick = keys["]"];
  const shown = Object.keys(SHOWN).filter(id => element(id));
  for (const id of shown) element(id).onclick = keys[SHOWN[id]] = () => toggle(id);
  document.querySelectorAll("[data-view]").forEach(b => { b.onclick = () => view().look(b.dataset.view); });
  return {
    // Whether the event's key was one of the bar's. The space bar presses a button that the keyboard has come to.
    key(e) {
      if (!Object.hasOwn(keys, e.key)) return false;
      if (e.key === " " && e.target.matches?.("button, summary")) { if (e.target.matches(":focus-visible")) return false; e.target.blur(); }
      keys[e.key](); return true;
    },
    show() {
      write("play", state.playing ? "❚❚" : "▶"); write("speed", `${state.speed}×`);
      for (const id of shown) { const on = String(id === "follow" ? view().follow : state[id]), e = element(id); if (e.ariaPressed !== on) e.ariaPressed = on; }
    },
  };
}
// A function that returns whether a page that stands still must be drawn again: something was touched since the last frames.
function touched() {
  let frames = 3;
  for (const kind of ["pointerdown", "pointermove", "pointerup", "wheel", "keydown", "input", "change", "click", "resize", "hashchange"]) addEventListener(kind, () => { frames = 3; }, { capture: true, passive: true });
  return () => frames-- > 0;
}
