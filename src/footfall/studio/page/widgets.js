// Controls that the server describes, as real HTML controls: each has a label, a help text, a name that stays (data-name), and sends
// what is done with it. What a person is just changing is not overwritten.
const SEND_EVERY = 40;
const decimals = step => { const text = String(step); return text.includes("e-") ? +text.split("e-")[1] : (text.split(".")[1] ?? "").length; };
const written = (value, step) => Math.abs(value) >= 1e7 ? value.toExponential(2) : String(+value.toFixed(Math.max(decimals(step), 0)));

class Widgets {
  // panels: takes widgets of the kind "panel". send: sends a message. upload(id, file).
  constructor({ panels, send, upload }) { Object.assign(this, { panels, send, upload, all: new Map(), numbers: new Map() }); }
  clear() { for (const w of [...this.all.values()]) if (w.kind === "panel") this.panels.remove(w); this.all.clear(); this.numbers.clear(); }
  has(id) { return this.all.has(id); }
  add({ id, kind, parent, order, number, props }) {
    const w = { id, kind, parent: this.all.get(parent) ?? null, order, number, props: {}, children: [] };
    KINDS[kind](w, this); if (!w.body) w.body = w.element;
    w.element.dataset.name = props.name ?? ""; w.element.dataset.kind = kind;
    this.all.set(id, w); if (number) this.numbers.set(number, w);
    this.set(id, props);
    if (kind === "panel") { this.panels.add(w); return; }
    const siblings = w.parent?.children; if (!siblings) return;
    const next = siblings.findIndex(s => s.order > order);
    w.parent.body.insertBefore(w.element, next < 0 ? null : siblings[next].element); siblings.splice(next < 0 ? siblings.length : next, 0, w);
  }
  set(id, props) {
    const w = this.all.get(id); if (!w) return;
    const before = w.props; w.props = { ...before, ...props };
    if ("visible" in props) w.element.hidden = props.visible === false;
    if ("hint" in props) { w.element.title = props.hint ?? ""; for (const e of w.element.querySelectorAll?.("input, select, button") ?? []) if (props.hint && w.kind !== "folder" && w.kind !== "panel") e.setAttribute("aria-description", props.hint); }
    w.show?.(props, w.props);
    if (w.kind === "panel") this.panels.changed(w);
  }
  remove(id) {
    const w = this.all.get(id); if (!w) return;
    if (w.kind === "panel") this.panels.remove(w);
    w.element.remove(); if (w.parent) w.parent.children = w.parent.children.filter(s => s !== w);
    this.forget(w);
  }
  forget(w) { this.all.delete(w.id); if (this.numbers.get(w.number) === w) this.numbers.delete(w.number); w.children.forEach(c => this.forget(c)); }
  data(number, floats) { const w = this.numbers.get(number); w?.draw?.(floats); return !!w; }

  // A value that was changed here: sent at once, then at most every 40 ms, the last one always.
  change(w, value) {
    w.props.value = w.wanted = value;
    if (w.timer) return;
    const go = () => { w.timer = 0; if (w.wanted !== undefined) { this.send({ type: "set", id: w.id, value: w.wanted }); w.wanted = undefined; w.timer = setTimeout(go, SEND_EVERY); } };
    go();
  }
}
// A label before controls, in a row.
function row(w, ...controls) { const name = make("label", { htmlFor: `c-${w.id}` }); controls[0].id = `c-${w.id}`; w.element = make("div", { className: `row ${w.kind}` }, name, ...controls); w.label = name; }
const relabel = (w, props) => { if ("label" in props) w.label.textContent = props.label; };

const KINDS = {
  panel(w) { w.element = make("section", { className: "panel" }); w.body = make("div", { className: "inside" }); w.element.append(w.body); },
  folder(w) {
    const title = make("summary"), inside = make("div", { className: "inside" }), box = make("details", {}, title, inside);
    w.element = make("div", { className: "folder" }, box); w.body = inside;
    w.show = (props, all) => {
      if ("label" in props) { title.textContent = props.label; w.element.classList.toggle("plain", !props.label); title.hidden = !props.label; }
      if ("open" in props || "label" in props) box.open = !all.label || all.open !== false;
    };
  },
  slider(w, widgets) {
    const bar = make("input"), box = make("input"); row(w, bar, box);
    const slide = w.slide = new Slide(bar, box, value => written(value, w.props.step / 10), value => widgets.change(w, value));
    w.show = (props, all) => {
      relabel(w, props);
      if ("label" in props) box.setAttribute("aria-label", `${props.label}, number`);
      if ("disabled" in props) bar.disabled = box.disabled = !!props.disabled;
      if (["value", "max", "min", "step", "near"].some(name => name in props)) slide.put({ least: all.min, most: all.max, near: all.near ?? Infinity, step: all.step, value: all.value });
    };
  },
  checkbox(w, widgets) {
    const box = make("input", { type: "checkbox", id: `c-${w.id}` }); w.label = make("label", { htmlFor: box.id }); w.element = make("div", { className: "row checkbox" }, box, w.label);
    box.addEventListener("change", () => widgets.change(w, box.checked));
    w.show = props => { relabel(w, props); if ("value" in props) box.checked = props.value; if ("disabled" in props) box.disabled = !!props.disabled; };
  },
  button(w, widgets) {
    const b = make("button", { type: "button", onclick: () => widgets.send({ type: "press", id: w.id }) }); w.element = make("div", { className: "row button" }, b);
    w.show = props => { if ("label" in props) b.textContent = props.label; if ("disabled" in props) b.disabled = !!props.disabled; if ("on" in props) { if (props.on) b.setAttribute("aria-pressed", true); else b.removeAttribute("aria-pressed"); } };
  },
  buttons(w, widgets) {
    const name = make("span", { className: "name", id: `c-${w.id}` }), group = make("div", { className: "group" }); group.setAttribute("role", "group"); group.setAttribute("aria-labelledby", name.id);
    w.element = make("div", { className: "row buttons" }, name, group);
    w.show = (props, all) => {
      if ("label" in props) { name.textContent = props.label; name.hidden = !props.label; if (!props.label) { group.removeAttribute("aria-labelledby"); group.setAttribute("aria-label", all.name ?? "choose"); } }
      if ("options" in props) group.replaceChildren(...props.options.map(value => make("button", { type: "button", textContent: value, onclick: () => widgets.send({ type: "press", id: w.id, value }) })));
      if ("options" in props || "disabled" in props) for (const b of group.children) b.disabled = !!all.disabled;
    };
  },
  dropdown(w, widgets) {
    const list = make("select"); row(w, list);
    list.addEventListener("change", () => { widgets.change(w, list.value); list.blur(); });
    w.show = (props, all) => {
      relabel(w, props);
      if ("options" in props || "groups" in props) list.replaceChildren(...grouped(all.options, all.groups ?? []));
      if ("options" in props || "value" in props) list.value = all.value;
      if ("disabled" in props) list.disabled = !!props.disabled;
    };
  },
  gallery(w, widgets) {
    w.element = make("div", { className: "gallery" }); w.element.setAttribute("role", "group");
    const card = option => { const b = make("button", { type: "button", onclick: () => widgets.change(w, option) }); b.innerHTML = w.props.pictures?.[option] ?? ""; b.append(make("span", { textContent: option })); b.dataset.option = option; return b; };
    w.show = (props, all) => {
      if ("label" in props) w.element.setAttribute("aria-label", props.label);
      if ("options" in props || "groups" in props || "pictures" in props) {
        const groups = new Map(); all.options.forEach((option, i) => { const g = all.groups[i] ?? ""; groups.set(g, [...(groups.get(g) ?? []), option]); });
        w.element.replaceChildren(...[...groups].flatMap(([name, options]) => [make("h3", { textContent: name }), make("div", { className: "cards" }, ...options.map(card))]));
      }
      for (const b of w.element.querySelectorAll("button")) b.setAttribute("aria-pressed", b.dataset.option === all.value);
    };
  },
  text(w, widgets) {
    const field = make("input", { type: "text", spellcheck: false, autocomplete: "off" }); row(w, field);
    field.addEventListener("change", () => widgets.change(w, field.value));
    field.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === "Escape") field.blur(); });
    w.show = props => { relabel(w, props); if ("value" in props && document.activeElement !== field) field.value = props.value; if ("disabled" in props) field.disabled = !!props.disabled; };
  },
  html(w) { w.element = make("div", { className: "html" }); w.show = props => { if ("html" in props && w.shown !== props.html) { w.shown = props.html; w.element.innerHTML = props.html; } }; },
  upload(w, widgets) {
    const file = make("input", { type: "file", tabIndex: -1 }), b = make("button", { type: "button", onclick: () => file.click() }); file.hidden = true;
    file.addEventListener("change", () => { const [chosen] = file.files; if (chosen) widgets.upload(w, chosen); file.value = ""; });
    w.element = make("div", { className: "row button" }, b, file);
    w.show = (props, all) => { if ("label" in props) { b.textContent = props.label; file.setAttribute("aria-label", props.label); } file.accept = all.accept ?? ""; if ("disabled" in props) b.disabled = !!props.disabled; };
  },
  progress(w) {
    const bar = make("progress", { max: 1 }); w.element = make("div", { className: "row progress" }, bar);
    w.show = (props, all) => { if ("value" in props) { if (props.value === null) bar.removeAttribute("value"); else bar.value = props.value; } bar.setAttribute("aria-label", all.label || "how far it is"); };
  },
  plot(w) { makePlot(w); },
};
// Options of a list, those of one group together under its name.
function grouped(options, groups) {
  const option = value => make("option", { value, textContent: value });
  if (!groups.some(g => g)) return options.map(option);
  const boxes = new Map();
  options.forEach((value, i) => { const g = groups[i] || "other"; if (!boxes.has(g)) boxes.set(g, make("optgroup", { label: g })); boxes.get(g).append(option(value)); });
  return [...boxes.values()];
}
