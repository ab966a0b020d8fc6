// The studio's page: what the server tells goes to the scene, the panels and the bar; what hands do goes to the server.
const D = JSON.parse(element("data").textContent), QUERY = new URLSearchParams(location.search);
const state = { ...NO_STATE }, READ_EVERY = 100, READ_LATE = 300;
let commands = [], wire = null, scene = null, hands = null, asked = false, lastDrawn = 0, lastRead = 0;
const send = message => wire?.send(message);

// ---- light or dark: as chosen here, else as the system has it
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => { const chosen = QUERY.get("theme") ?? localStorage.getItem("footfall-theme"); return chosen ? chosen === "dark" : system.matches; };
function dress() {
  const dark = isDark(), button = element("theme"); document.documentElement.dataset.theme = dark ? "dark" : "light";
  button.textContent = dark ? "☀" : "☾"; button.title = dark ? "light" : "dark"; button.setAttribute("aria-label", button.title);
  scene?.repaint(dark); draw();
}
element("theme").onclick = () => { localStorage.setItem("footfall-theme", isDark() ? "light" : "dark"); QUERY.delete("theme"); dress(); };
system.addEventListener("change", dress);

// ---- pictures: one for each frame that came, and where something was touched
function draw() { if (!asked) { asked = true; requestAnimationFrame(paint); } }
function paint(now) {
  asked = false; wire?.settle(scene?.view.light ? 1 : 0);
  if (scene?.has("focus")) { scene.view.adapt(now - lastDrawn, state.playing); lastDrawn = now; if (scene.draw(state.playing)) document.documentElement.dataset.ready = "yes"; hands.follow(); element("follow").checked = scene.view.follow; }
  // what is read need not change with every picture: without a graphics card that costs pictures
  if (!state.playing || now - lastRead > (scene?.view.light ? READ_LATE : READ_EVERY)) { lastRead = now; bar.show(scene?.focus?.[4]); }
}
for (const kind of ["pointermove", "pointerdown", "wheel", "keydown", "resize", "change"]) addEventListener(kind, draw, { capture: true, passive: true });
document.addEventListener("visibilitychange", () => { if (document.hidden) wire?.settle(); draw(); });

// ---- where the picture is free of panels, the walker stands in its middle
function place() {
  if (!scene) return;
  // a phone's bar has no room for all buttons: the last ones go where one chooses what is shown
  const home = isPhone() ? element("shown") : document.querySelector(".bar"); if (element("extras").parentElement !== home) home.append(element("extras"));
  document.documentElement.style.setProperty("--top", `${Math.round(element("head").getBoundingClientRect().bottom) + 8}px`);
  const box = id => { const e = element(id); return e.hidden ? null : e.getBoundingClientRect(); }, { view } = scene, phone = isPhone(), W = innerWidth, H = innerHeight;
  const left = phone ? 0 : Math.max(box("dock").right, box("side-left")?.right ?? 0), right = phone ? W : box("side-right")?.left ?? W, foot = document.querySelector("footer").getBoundingClientRect().top, top = element("head").getBoundingClientRect().bottom;
  const bottom = Math.min(foot, phone ? Math.min(box("side-left")?.top ?? H, box("side-right")?.top ?? H) : H), free = Math.max(bottom - (phone ? top : 0), 120);
  view.shift = (left + right - W) / W; view.lift = phone ? (H - top - bottom) / H : .09; view.reach = Math.max(1.06, (phone ? .82 : .72) * H / free, .45 * H / Math.max(right - left, 80));
  draw();
}
addEventListener("resize", place);
function look(name) { if (!name) return; scene.view.face(scene.heading); scene.view.look(name); draw(); }
function hint(text) { element("hint").textContent = text; element("hint").hidden = !text; }

// ---- what the server tells
const panels = new Panels(send, place);
const widgets = new Widgets({ panels, send, upload: (w, file) => { if (file.size > w.props.most) toast({ title: "Too large", text: `'${file.name.slice(0, 60)}': ${(file.size / 1e6).toFixed(1)} MB are too much here (at most ${(w.props.most / 1e6).toFixed(0)} MB)`, tone: "bad", seconds: 8 }); else wire.upload(w.id, file); } });
const bar = new TimeBar(state, send, look);
const ops = {
  hello(op) { commands = op.commands; widgets.clear(); scene.clear(); hands.held = null; Object.assign(state, NO_STATE); document.documentElement.dataset.client = op.client; panels.tell(); },
  add: op => widgets.add(op), node: op => scene.add(op), state({ op, ...changed }) { Object.assign(state, changed); scene.view.canvas.classList.toggle("pointing", state.clicks); },
  set({ id, props }) { if (widgets.has(id)) widgets.set(id, props); else if (scene.has(id)) scene.set(id, props); },
  remove({ id }) { if (widgets.has(id)) widgets.remove(id); else scene.remove(id); },
  toast, ask: op => ask(op, button => send({ type: "answer", id: op.id, button })),
  download({ url, name }) { const a = make("a", { href: url, download: name }); document.body.append(a); a.click(); a.remove(); },
};
function begin() {
  scene = new Scene(element("view"), element("labels"), D.shaders, D.colours, e => { hint(""); return hands.grab(e); });
  hands = new Hands(() => scene, send, () => state.clicks);
  listenToKeys({ commands: () => commands, send, ask: bar.ask, look, view: scene.view, panels, tasks: () => { bar.work(); return !element("tasks").hidden; } });
  listenToGamepad({ send, view: scene.view, draw });
  element("follow").onchange = e => { scene.view.follow = e.target.checked; };
  addEventListener("pointerdown", e => { if (!element("shows").contains(e.target)) element("shows").open = false; });
  addEventListener("blur", () => hands.letGo());
  wire = new Wire({ ops, data: (number, floats) => scene.data(number, floats) || widgets.data(number, floats), draw, gone: words => { write("gone", words); element("gone").hidden = !words; } });
  setInterval(() => { bar.work(); wire.settle(); }, 500);
  new ResizeObserver(place).observe(element("head")); dress(); place();
  hint(matchMedia("(pointer: coarse)").matches ? "Touch the walker and pull it." : "Drag the walker to pull it."); setTimeout(() => hint(""), 9000);
}
// for scripts and tests: what is drawn, and a picture at once
window.footfall = { paint: () => paint(performance.now()), state, panels, widgets, bar, get scene() { return scene; }, get view() { return scene.view; }, get wire() { return wire; }, get hands() { return hands; } };
try { begin(); } catch (error) { sorry(error, "This page cannot be drawn here"); }
