// footfall's part of the studio's page: the bar under the viewport, what is said over it, and what viser's page lacks.
(() => {
  "use strict";
  const phone = matchMedia("(max-width: 36em)"), VIEWS = [["Side", "z"], ["Three-quarter", "x"], ["Front", "c"], ["Top", "v"]];
  const BANDS = ["#7fb2d9", "#eda67a", "#7fc5a9", "#dfa6c5", "#ecc56f", "#9fd3ee", "#b9b9b9", "#b7a6d9"];
  const RATES = [0.05, 0.1, 0.25, 0.5, 1, 2];
  // ---- light or dark: as chosen here, else as the system has it
  const url = new URL(location.href), chosen = localStorage.getItem("footfall-theme");
  const dark = url.searchParams.has("darkMode") || (chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  if (dark && !url.searchParams.has("darkMode")) { url.searchParams.set("darkMode", ""); history.replaceState(null, "", url); }
  const changeTheme = () => { localStorage.setItem("footfall-theme", dark ? "light" : "dark"); url.searchParams.delete("darkMode"); location.replace(url); };
  // ---- viser reconnects only while its window has the focus; a studio's page always does
  Document.prototype.hasFocus = () => true;

  // ---- a picture of the viewport is downloaded like every other file; viser leaves a dialog that is cancelled as an error
  delete window.showSaveFilePicker;

  const S = { time: 0, begin: 0, end: 0, playing: false, past: false, rate: 1, runs: [], limits: [] };
  let socket = null, dragging = false, bar = null, connected = true, wasConnected = false, lastSeek = 0;
  const ask = (what, more) => { if (socket && socket.readyState === 1) socket.send(JSON.stringify({ do: what, ...more })); };
  const $ = id => document.getElementById(id);
  const make = (tag, attributes, text) => { const e = document.createElement(tag); for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v); if (text) e.textContent = text; return e; };

  function connect() {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/footfall`;
    socket = new WebSocket(address);
    socket.onopen = () => { connected = wasConnected = true; $("ff-gone").style.display = "none"; };
    socket.onmessage = event => { const told = JSON.parse(event.data); if (told.state) Object.assign(S, told.state); if (told.runs) S.runs = told.runs; if (told.page) Object.assign(S, told.page); if (told.tasks) S.tasks = told.tasks; show(); requestAnimationFrame(() => ask("seen")); };
    socket.onclose = () => { connected = false; if (wasConnected) $("ff-gone").style.display = "block"; setTimeout(connect, 1000); };
  }

  // ---- the bar
  const press = (key, event) => document.documentElement.dispatchEvent(new KeyboardEvent("keydown", { key, code: `Key${key.toUpperCase()}`, bubbles: true }));
  function build() {
    bar = make("div", { id: "ff-bar", role: "toolbar", "aria-label": "Time and view" });
    const add = (id, text, title, act, wide) => { const b = make("button", { id, title, "aria-label": title, type: "button" }, text); if (wide) b.className = "ff-wide"; b.onclick = () => { act(); b.blur(); }; bar.append(b); return b; };
    add("ff-play", "▶", "Play (space)", () => ask("play", { on: !S.playing })).className = "ff-main";
    add("ff-step", "▸|", "One frame forward (N)", () => ask("step"));
    add("ff-reset", "↺", "Reset: back to the start (R)", () => ask("reset"));
    const scrub = make("div", { id: "ff-scrub", role: "slider", tabindex: "0", "aria-label": "Time: what was simulated, coloured by the controller's state", title: "Drag through what was simulated; colours are the controller's states" });
    scrub.append(make("canvas"), make("div", { id: "ff-knob" })); bar.append(scrub);
    bar.append(make("span", { id: "ff-clock" }));
    add("ff-now", "⇥", "Back to the present (End)", () => ask("seek", { time: 1e12 }));
    const rate = make("select", { id: "ff-rate", title: "Playback rate: slow motion to double speed", "aria-label": "Playback rate" });
    for (const r of RATES) rate.append(make("option", { value: r }, `${r}×`));
    rate.onchange = () => { ask("rate", { rate: +rate.value }); rate.blur(); }; bar.append(rate);
    const view = make("select", { id: "ff-view", title: "Views (Z, X, C, V)", "aria-label": "View" });
    view.append(make("option", { value: "" }, "View")); for (const [name, key] of VIEWS) view.append(make("option", { value: key }, `${name} (${key.toUpperCase()})`));
    view.onchange = () => { if (view.value) press(view.value); view.value = ""; view.blur(); }; bar.append(view);
    add("ff-theme", dark ? "☀" : "☾", dark ? "Light" : "Dark", changeTheme);
    const to = event => { const r = scrub.getBoundingClientRect(), now = performance.now(); S.time = S.begin + (S.end - S.begin) * Math.min(Math.max((event.clientX - r.left) / r.width, 0), 1); if (event.type !== "pointermove" || now - lastSeek > 60) { lastSeek = now; ask("seek", { time: S.time }); } show(); };
    scrub.onpointerdown = event => { scrub.setPointerCapture(event.pointerId); dragging = true; to(event); };
    scrub.onpointermove = event => { if (dragging) to(event); };
    scrub.onpointerup = scrub.onpointercancel = event => { if (dragging) to(event); dragging = false; };
    const tasks = make("div", { id: "ff-tasks", role: "status" }), cancel = make("button", { type: "button", title: "Cancel (Escape)" }, "cancel");
    cancel.onclick = () => ask("cancel"); tasks.append(make("progress"), make("span"), cancel); document.body.append(tasks);
    const note = make("div", { id: "ff-note", role: "status" }), gone = make("div", { id: "ff-gone", role: "alert" }, "The studio's server is gone. This page reconnects as soon as it is back.");
    document.body.append(bar, note, gone, make("div", { id: "ff-tabs", role: "tablist", "aria-label": "Panels" }));
    if (wasConnected && !connected) gone.style.display = "block";
  }

  function show() {
    if (!bar) return;
    const play = $("ff-play"), label = S.playing ? "Pause" : S.past ? "Play on from here" : "Play";
    play.textContent = S.playing ? "❚❚" : "▶"; play.title = `${label} (space)`; play.setAttribute("aria-label", play.title);
    const span = Math.max(S.end - S.begin, 1e-6), share = S.past || dragging ? (S.time - S.begin) / span : 1;
    $("ff-knob").style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    $("ff-scrub").setAttribute("aria-valuenow", S.time.toFixed(2)); $("ff-scrub").setAttribute("aria-valuemin", S.begin.toFixed(2)); $("ff-scrub").setAttribute("aria-valuemax", S.end.toFixed(2));
    $("ff-clock").textContent = S.past ? `${S.time.toFixed(2)} / ${S.end.toFixed(1)} s` : `${S.time.toFixed(2)} s`;
    $("ff-now").disabled = !S.past; if (document.activeElement !== $("ff-rate")) $("ff-rate").value = RATES.reduce((a, b) => Math.abs(b - S.rate) < Math.abs(a - S.rate) ? b : a);
    const note = $("ff-note"), words = S.note || "";
    if (note.dataset.words !== words) { note.dataset.words = words; note.replaceChildren(); const [first, ...rest] = words.split(": "); if (words) note.append(make("b", {}, rest.length ? first : ""), document.createTextNode(rest.length ? `: ${rest.join(": ")}` : first)); }
    note.style.display = words ? "block" : "none";
    paint(); work();
  }
  // ---- slow work, in words with its seconds; what is done within a second is not mentioned
  function work() {
    const box = $("ff-tasks"), task = (S.tasks || [])[0], seconds = task ? Math.max(0, Date.now() / 1000 - task.began) : 0, on = task && (seconds > 1 || task.share !== null);
    box.style.display = on ? "flex" : "none"; if (!on) return;
    const [bar, text] = box.children; if (task.share === null) bar.removeAttribute("value"); else bar.value = task.share;
    text.textContent = `${task.words} · ${task.share === null ? "" : `${Math.round(100 * task.share)} %, `}${seconds.toFixed(0)} s`;
    const r = document.querySelector("canvas[data-engine]").getBoundingClientRect(); box.style.maxWidth = `${r.width - 24}px`; box.style.left = `${r.left + (r.width - box.offsetWidth) / 2}px`; box.style.top = `${r.top + 12}px`;
  }
  let painted = "";
  function paint() {
    const c = $("ff-scrub").firstChild, w = Math.max(1, Math.round(c.clientWidth * devicePixelRatio)), key = `${w} ${S.begin.toFixed(2)} ${S.end.toFixed(2)} ${S.runs.length}`;
    if (key === painted) return; painted = key;
    if (c.width !== w) { c.width = w; c.height = 12; }
    const g = c.getContext("2d"); g.clearRect(0, 0, w, 12); g.fillStyle = "#8884"; g.fillRect(0, 0, w, 12);
    const span = Math.max(S.end - S.begin, 1e-6), x = t => (t - S.begin) / span * w;
    S.runs.forEach(([t, n], i) => { const end = i + 1 < S.runs.length ? S.runs[i + 1][0] : S.end; if (end < S.begin) return; g.fillStyle = BANDS[((n % 8) + 8) % 8]; const a = Math.max(0, x(t)); g.fillRect(a, 0, x(end) - a + .5, 12); });
    if (S.fell != null) { g.fillStyle = "#c0480a"; g.fillRect(Math.max(0, x(S.fell)), 0, w, 12); }
  }

  // ---- where things stand: over the canvas; on a phone the canvas ends where the panel begins
  function place() {
    if (!bar) { if (!document.querySelector("canvas[data-engine]")) return; build(); connect(); }
    const canvas = document.querySelector("canvas[data-engine]"); if (!canvas) return;
    const sheet = phone.matches ? [...document.querySelectorAll(".mantine-Paper-root")].find(e => getComputedStyle(e).position === "fixed") : null;
    const holder = canvas.closest("div[style*='overflow: hidden'][style*='flex-grow: 1'][style*='background-color']") || canvas.parentElement;
    if (sheet) {
      Object.assign(sheet.style, { width: "100%", maxHeight: "44%", bottom: "46px" }); for (const e of sheet.querySelectorAll("[style*='width: 20em']")) e.style.width = "100%";
      const height = `${innerHeight - sheet.offsetHeight - 46}px`; if (holder.style.height !== height) { holder.style.height = height; holder.style.flexGrow = 1; }
      tabs();
    } else if (holder.style.height !== "100%") holder.style.height = "100%";
    const r = canvas.getBoundingClientRect(), wide = Math.min(r.width - 20, 900);
    Object.assign(bar.style, { width: `${wide}px`, left: `${r.left + (r.width - wide) / 2}px`, top: `${r.bottom - bar.offsetHeight - 10}px` });
    const note = $("ff-note"); note.style.maxWidth = `${r.width - 24}px`; note.style.left = `${r.left + (r.width - note.offsetWidth) / 2}px`; note.style.top = `${r.top + Math.min(90, r.height * .14)}px`;
    paint(); work();
  }
  // ---- on a phone: one row with every panel
  function tabs() {
    const row = $("ff-tabs"), names = S.tabs || []; if (row.childElementCount !== names.length) { row.replaceChildren(...names.map(name => { const b = make("button", { type: "button" }, name); b.onclick = () => go(name); return b; })); }
    const shown = new Set([...document.querySelectorAll("[role=tab][aria-selected=true]")].map(e => e.innerText.trim()));
    for (const b of row.children) b.classList.toggle("ff-on", b.textContent === S.tab || (!S.tab && shown.has(b.textContent)));
  }
  function go(name, again = 60) {
    if (again < 60 && S.tab !== name) return;
    const section = [...document.querySelectorAll("[role=button][aria-expanded]")].find(e => e.innerText.includes(" · "));
    const tab = [...document.querySelectorAll("[role=tab]")].find(e => e.innerText.trim() === name && e.getClientRects().length);
    S.tab = name; [...$("ff-tabs").children].find(b => b.textContent === name)?.scrollIntoView({ inline: "center", block: "nearest" });
    if (!tab) { if (section && section.getAttribute("aria-expanded") === "false") section.click(); if (again) setTimeout(() => go(name, again - 1), 150); return; }
    tab.click(); for (const wait of [60, 400]) setTimeout(() => tab.scrollIntoView({ block: "start" }), wait);
  }
  setInterval(place, 250); addEventListener("resize", place);

  // ---- keys: what was clicked gives the keyboard back to the walker; an open dialog has it for itself, and Escape closes it
  addEventListener("pointerup", () => setTimeout(() => { const e = document.activeElement; if (e && e.matches("button, [role=tab]") && !e.closest("[role=dialog]") && !e.getAttribute("aria-haspopup")) e.blur(); }, 0), true);
  const dialog = () => [...document.querySelectorAll("[role=dialog]")].find(e => e.getClientRects().length);
  addEventListener("keydown", event => {
    const open = dialog();
    if (event.key === "Escape") { if (open) [...open.querySelectorAll("button")].at(-1)?.click(); else if ((S.tasks || []).length) ask("cancel"); return; }
    if (open && !typing(event.target) && !["Tab", "Enter", " "].includes(event.key)) event.stopImmediatePropagation();
    if (open && event.key === " " && !open.contains(event.target)) event.stopImmediatePropagation();
  }, true);
  // ---- keys: time with the left and right arrow
  const typing = target => target && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.getAttribute && target.getAttribute("role") === "slider" && target.id !== "ff-scrub");
  addEventListener("keydown", event => {
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (by) ask("skip", { seconds: event.shiftKey ? by / 20 : by }); else if (event.key === "Home") ask("seek", { time: 0 }); else if (event.key === "End") ask("seek", { time: 1e12 }); else return;
    event.preventDefault(); event.stopImmediatePropagation();
  }, true);

  // ---- a field that is left with something that is not a number gets its number back
  const before = new WeakMap(), put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const number = text => text.trim() !== "" && Number.isFinite(Number(text));
  addEventListener("focusin", event => { const e = event.target; if (e instanceof HTMLInputElement && e.inputMode === "decimal" && number(e.value)) before.set(e, e.value); }, true);
  addEventListener("focusout", event => { const e = event.target; if (e instanceof HTMLInputElement && before.has(e) && !number(e.value)) { put.call(e, before.get(e)); e.dispatchEvent(new Event("input", { bubbles: true })); } }, true);

  // ---- before the scene is there, viser's own buttons would act on nothing
  addEventListener("click", event => { if (!bar) { event.stopImmediatePropagation(); event.preventDefault(); } }, true);

  // ---- files that are too large are not read at all; viser's note about an upload calls the file "undefined"
  let chosenFile = "";
  new MutationObserver(() => { for (const e of document.querySelectorAll(".mantine-Notification-title")) if (chosenFile && e.textContent.includes("undefined")) e.textContent = e.textContent.replace("undefined", chosenFile); }).observe(document.documentElement, { childList: true, subtree: true });
  addEventListener("change", event => {
    const e = event.target; if (!(e instanceof HTMLInputElement) || e.type !== "file" || !e.files.length) return;
    chosenFile = e.files[0].name.slice(0, 60);
    const most = (S.uploads || {})[e.files[0].name.toLowerCase().endsWith(".toml") ? "controller" : "clip"];
    if (most && e.files[0].size > most) { event.stopImmediatePropagation(); ask("too large", { name: e.files[0].name.slice(0, 60), size: e.files[0].size, most }); e.value = ""; }
  }, true);
})();
