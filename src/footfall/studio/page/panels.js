// Where panels stand: three verbs first, the rest under "More". Panels that explain open at the right edge, the others at the left; on a
// phone one at a time, as a sheet.
const EXPLAINING = ["plots", "cycle", "stress", "balance"];
const ICONS = {
  push: "M3 12h12M11 7l5 5-5 5M20 5v14", gait: "M13 4a1.5 1.5 0 1 0 .01 0M12 8l-2 6 4 3v5M10 14l-3 7M12 8l4 3 3-1M12 8L8 9l-1 4", edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  steer: "M12 3a9 9 0 1 0 .01 0M12 10a2 2 0 1 0 .01 0M3.5 10l6.5 1.5M20.5 10l-6.5 1.5M12 14v7", terrain: "M2 19h5v-4h5v-4h5V7h5", body: "M12 3a2 2 0 1 0 .01 0M12 8v6M7 10h10M12 14l-4 7M12 14l4 7", balance: "M12 4v16M5 20h14M4 8h16M4 8l-2 6h5zM20 8l-3 6h5z", stress: "M12 2l8 4v6c0 5-4 8-8 10-4-2-8-5-8-10V6z",
  "3lp": "M12 3a2 2 0 1 0 .01 0M12 7L6 20M12 7l6 13M3 20h18", motion: "M4 4h16v16H4zM10 9l5 3-5 3z", export: "M12 3v12M7 10l5 5 5-5M4 20h16", plots: "M4 4v16h16M7 15l4-5 3 3 5-7", cycle: "M2 12c3-8 6-8 9 0s6 8 10-2", more: "M5 12h.01M12 12h.01M19 12h.01",
};
const icon = name => { const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS(svg.namespaceURI, "path"); svg.setAttribute("viewBox", "0 0 24 24"); svg.setAttribute("aria-hidden", "true"); path.setAttribute("d", ICONS[name] ?? ICONS.more); svg.append(path); return svg; };
const shortName = w => (w.props.name ?? "").split("/").at(-1);
const isPhone = () => innerWidth <= 760;

class Panels {
  // send: sends a message. moved: called when the free part of the picture changes.
  constructor(send, moved) {
    Object.assign(this, { send, moved, list: [], open: new Set(), more: false });
    this.unfold = element("more"); this.unfold.prepend(icon("more")); this.unfold.onclick = () => { this.more = !this.more; this.show(); };
    addEventListener("resize", () => this.show());
  }
  add(w) {
    const { place, icon: sign } = w.props;
    if (place === "head" || place === "show") { element(place === "head" ? "head" : "shown").append(w.element); return; }
    w.name = shortName(w); w.side = EXPLAINING.includes(sign) ? "right" : "left";
    w.button = make("button", { type: "button", onclick: () => this.toggle(w.name) }, icon(sign), make("span", { textContent: w.props.label }));
    w.button.dataset.panel = w.name; w.element.id = `panel-${w.name}`; w.button.setAttribute("aria-controls", w.element.id); w.element.setAttribute("aria-label", w.props.label);
    const close = make("button", { type: "button", className: "close", textContent: "×", onclick: () => this.toggle(w.name, false) }); close.setAttribute("aria-label", `close ${w.props.label}`);
    w.element.prepend(make("h2", {}, make("span", { textContent: w.props.label }), close));
    element(place === "verb" ? "verbs" : "rest").append(w.button); element(`side-${w.side}`).append(w.element); this.list.push(w);
    this.list.sort((a, b) => a.order - b.order); for (const p of this.list) p.button.parentElement.append(p.button);
    this.show();
  }
  changed(w) { if (w.button) { w.button.lastChild.textContent = w.props.label; w.button.hidden = w.props.visible === false; } }
  remove(w) { w.button?.remove(); w.element.remove(); this.list = this.list.filter(p => p !== w); }
  // Opens a panel, or closes it; another one in its place closes.
  toggle(name, on = !this.open.has(name)) {
    const w = this.list.find(p => p.name === name); if (!w) return;
    if (on) for (const p of this.list) if (p !== w && this.open.has(p.name) && (isPhone() || innerWidth < 1000 || p.side === w.side)) this.open.delete(p.name);
    if (on) this.open.add(name); else this.open.delete(name);
    if (isPhone()) this.more = false;
    this.show(); this.tell();
    if (on) w.element.scrollTop = 0;
  }
  // Closes the panel that has the focus, else the last one; false where none is open.
  close() {
    if (this.more && isPhone()) { this.more = false; this.show(); return true; }
    const within = this.list.find(p => this.open.has(p.name) && p.element.contains(document.activeElement)), name = within?.name ?? [...this.open].at(-1); if (!name) return false;
    this.toggle(name, false); this.list.find(p => p.name === name)?.button.focus({ preventScroll: true }); document.activeElement.blur(); return true;
  }
  tell() { this.send({ type: "open", panels: [...this.open] }); }
  show() {
    for (const w of this.list) { const on = this.open.has(w.name) && w.props.visible !== false; w.element.hidden = !on; w.button.setAttribute("aria-expanded", on); }
    for (const side of ["left", "right"]) element(`side-${side}`).hidden = !this.list.some(w => w.side === side && !w.element.hidden);
    element("rest").hidden = !this.more; this.unfold.setAttribute("aria-expanded", this.more); this.unfold.classList.toggle("within", !this.more && this.list.some(w => w.props.place === "more" && !w.element.hidden)); document.body.classList.toggle("open", this.open.size > 0);
    this.moved();
  }
}
