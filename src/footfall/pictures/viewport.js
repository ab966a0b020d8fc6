// The viewport of footfall's pages (the player of motions, the live page, the crowd): a camera that follows, turns, pans and zooms by
// mouse and finger, marks and words over the picture. A painter draws: WebGL, or a plain canvas where there is none.
//
//   const view = new Viewport({ canvas, labels, shaders, planar, tall, heading });
//   view.setBody({ solids, step, vertices, normals, triangles }, colours);   solids as stacks of rings or as meshes, each fixed to a joint
//   view.setGround(height, xs, ys, low, high);                          breaks of a piecewise linear height(x, y)
//   view.draw({ here, poses, contacts, push, path, moving });           see draw for all that can be drawn

const PUSH_COLOUR = [.80, .47, .65], PATH_COLOUR = [.90, .62, 0], CONTACT_COLOUR = [0, .62, .45], FORCE_COLOUR = [0, .62, .45], BALANCE_COLOUR = [.49, .33, .69];
const NEWTONS_A_METRE = 1200, LONGEST_FORCE = 2.2, LIGHT_SCALE = .7, FINE_SCALE = 1.5, FINE_AFTER = 250;

class Viewport {
  constructor({ canvas, labels, shaders, planar = false, tall = 1.7, heading = 0, lift = .11, grab = null, flat = false }) {
    Object.assign(this, { canvas, labels, lift, shift: 0, reach: 1, scale: 1, spread: 0, shadows: true });
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    // a canvas that has lent itself to WebGL has no plain picture any more, so the painter is chosen on another one
    const tried = document.createElement("canvas").getContext("webgl2");
    this.flat = flat || !tried; this.light = !this.flat && paintsInSoftware(tried); tried?.getExtension("WEBGL_lose_context")?.loseContext();
    document.documentElement.classList.toggle("light-painting", this.light); if (this.light) this.scale = LIGHT_SCALE;
    this.painter = this.flat ? new FlatPainter(canvas) : new GLPainter(canvas, shaders, this.light);
    this.centre = [0, 0, .9]; this.shapes = new Map();
    this.frame({ planar, tall, heading });
    this.setGround(() => 0, [], []);
    this.listen(grab);
  }

  // The camera stands anew, for a figure of so many metres that faces a heading.
  frame({ planar, tall, heading = 0 }) {
    Object.assign(this, { planar, tall, follow: true, aim: null, distance: (planar ? 3.4 : 3.0) * tall });
    this.face(heading); this.look(planar ? "side" : "three");
  }
  // The views are those of a figure with this heading.
  face(heading) { this.views = { side: [heading - Math.PI / 2, .1], three: [heading - .85, .24], front: [heading, .14], top: [heading - Math.PI / 2, 1.45] }; }
  look(name) { if (Object.hasOwn(this.views, name)) [this.yaw, this.pitch] = this.views[name]; }

  // ---- what is drawn
  // A body (see GLPainter.shape) under a name: "walker" is the one that is drawn without one. count: how many of it there is room for.
  setBody(solids, colours, count = 1, name = "walker") {
    this.dropBody(name);
    const paint = { ...colours, "": this.dark ? colours[""].map(v => v + .28 * (1 - v)) : colours[""] };
    this.shapes.set(name, this.painter.shape(solids, paint, count));
  }
  dropBody(name) { if (this.shapes.has(name)) { this.painter.dropShape(this.shapes.get(name)); this.shapes.delete(name); } }
  setGround(height, xs, ys, low = [-20, -20], high = [20, 20]) {
    this.height = height;
    const spread = (breaks, a, b) => [...new Set([a, b, ...breaks.filter(v => v > a && v < b)])].sort((m, n) => m - n);
    const px = spread(xs, low[0], high[0]), py = spread(ys, low[1], high[1]);
    this.painter.setGround(px, py, px.map(x => py.map(y => height(x, y))));
  }

  // here: the root. poses: [12 J] three rows (rotation, place) for each joint, of one body or several; heat: [J] 0 to 1, how hard
  // each works. others: more bodies, { name, poses, tint, alpha }. contacts: points that touch. forces: { at, force } of the ground
  // each. push: { at, force } or null. path, prints: points of a line; { from, to, left } of footprints. balance: { com, foot,
  // along, d, v } or null. handles: { at, name } each. notes: { at, text, colour } each. marks: more of them, as the painter takes them. moving: whether
  // the camera glides. Without a graphics card what stands still is painted quickly at first, then finely.
  draw(scene) {
    clearTimeout(this.later); this.paint(scene, false);
    if (this.light && scene.moving === false) this.later = setTimeout(() => this.paint(scene, true), FINE_AFTER);
  }
  paint({ here, poses = null, heat = null, others = [], contacts = [], forces = [], push = null, path = [], prints = [], balance = null, handles = [], notes = [], marks: more = [], moving = true }, fine) {
    const small = this.tall / 1.7, ratio = Math.min(devicePixelRatio || 1, 2), words = [...notes], marks = [...more];
    this.resize(this.labels, ratio); this.resize(this.canvas, fine ? Math.max(ratio, FINE_SCALE) : ratio * this.scale);
    this.aimAt(here, moving && !this.still);
    const cp = Math.cos(this.pitch), eye = V.add(this.centre, V.mul([Math.cos(this.yaw) * cp, Math.sin(this.yaw) * cp, Math.sin(this.pitch)], this.distance * this.reach));
    eye[2] = Math.max(eye[2], this.height(eye[0], eye[1]) + .06);
    const camera = multiply(perspective(this.planar ? .55 : .62, this.canvas.width / this.canvas.height, .05, 120), lookAt(eye, this.centre, [0, 0, 1]));
    for (let k = 0; k < 4; k++) { camera[k * 4 + 1] += this.lift * camera[k * 4 + 3]; camera[k * 4] += this.shift * camera[k * 4 + 3]; }
    this.camera = camera; this.eye = eye;
    const put = (a, b, ra, rb, colour) => marks.push([a, b, ra * small, rb * small, colour]);
    for (const p of contacts) put(p, p, .022, .022, CONTACT_COLOUR);
    if (push && Math.hypot(...push.force) > 1e-6) {
      const size = Math.hypot(...push.force), d = V.unit(push.force), tip = V.sub(push.at, V.mul(d, .1)), from = V.sub(tip, V.mul(d, Math.min(.25 + size / 600, 1.1)));
      this.putArrow(put, from, tip, .018, PUSH_COLOUR);
      words.push({ at: V.add(from, [0, 0, .09]), text: `${size.toFixed(0)} N`, colour: this.dark ? "#e3a6c6" : "#a8487f" });
    }
    for (const { at, force } of forces) {
      const size = Math.hypot(...force), l = Math.min(size / NEWTONS_A_METRE, LONGEST_FORCE);
      if (l > .02) this.putArrow(put, at, V.add(at, V.mul(V.unit(force), l)), .011, FORCE_COLOUR);
    }
    for (const { from, to, left } of prints) put(from, to, .016, .012, left ? [0, .45, .70] : [.84, .37, 0]);
    for (let k = 0; k + 1 < path.length; k++) put(path[k], path[k + 1], .008, .008, PATH_COLOUR);
    if (balance) this.putBalance(put, words, balance);
    for (const { at, name } of handles) { put(at, at, .035, .035, PATH_COLOUR); if (name) words.push({ at: V.add(at, [0, 0, .07]), text: name, colour: "--ink" }); }
    const bodies = [...(poses ? [{ shape: this.shapes.get("walker"), poses, heat }] : []), ...others.map(o => ({ ...o, shape: this.shapes.get(o.name ?? "walker") }))];
    this.painter.paint({ camera, eye, centre: this.centre, here, level: this.height(here[0], here[1]), bodies: bodies.filter(b => b.shape), marks, wide: Math.max(1.9 * small, this.spread), spread: this.spread, dark: this.dark, shadows: this.shadows, soft: this.softness(fine), fine });
    this.write(ratio, words); this.canvas.dataset.painted = fine || !this.light ? "finely" : "lightly";
  }
  // Texels around each that a shadow is smoothed over; fewer where that takes long. -1: there are no shadows.
  softness(fine) { return !this.shadows ? -1 : fine || (!this.light && this.scale > .55) ? 2 : 0; }
  putArrow(put, from, tip, radius, colour) { const d = V.unit(V.sub(tip, from)), neck = V.sub(tip, V.mul(d, 6.5 * radius)); put(from, neck, radius, radius, colour); put(neck, tip, 3 * radius, .3 * radius, colour); }
  // d: from the stance foot to the point under the centre of mass, along the way it faces. v: how fast that moves.
  putBalance(put, words, { com, foot, along, d, v }) {
    const ground = this.height(com[0], com[1]), under = [com[0], com[1], ground + .012], start = V.sub(under, V.mul(along, d)), shaft = V.add(com, V.mul(along, .35 * v));
    start[2] = this.height(start[0], start[1]) + .012;
    put(com, com, .03, .03, BALANCE_COLOUR); put(com, under, .004, .004, BALANCE_COLOUR); put(start, under, .012, .012, BALANCE_COLOUR); if (foot) put(start, foot, .004, .004, BALANCE_COLOUR);
    if (Math.abs(v) > .05) this.putArrow(put, com, shaft, .013, BALANCE_COLOUR);
    const colour = this.dark ? "#c9b3e6" : "#5d3b8c";
    words.push({ at: V.add(V.mul(V.add(start, under), .5), [0, 0, -.09]), text: `d ${d.toFixed(2)} m`, colour }, { at: V.add(shaft, [0, 0, .07]), text: `v ${v.toFixed(2)} m/s`, colour });
  }
  aimAt(here, moving) {
    if (!this.follow) return;
    const goal = [here[0], this.planar ? 0 : here[1], this.height(here[0], here[1]) + .47 * this.tall];
    if (!this.aim || Math.hypot(...V.sub(goal, this.aim)) > 3) this.aim = goal;
    this.aim = [goal[0], goal[1], this.aim[2] + (goal[2] - this.aim[2]) * (moving ? .12 : 1)];
    this.centre = this.aim;
  }

  // ---- places on the screen
  project(p, c = this.camera) {
    const k = c[3] * p[0] + c[7] * p[1] + c[11] * p[2] + c[15];
    if (k <= .1) return null;
    return [((c[0] * p[0] + c[4] * p[1] + c[8] * p[2] + c[12]) / k * .5 + .5) * this.canvas.clientWidth, (.5 - (c[1] * p[0] + c[5] * p[1] + c[9] * p[2] + c[13]) / k * .5) * this.canvas.clientHeight];
  }
  // The point under the screen's place (x, y) on the plane through p that faces the camera.
  unproject(x, y, p) {
    const at = this.project(p); if (!at) return p;
    const z = V.unit(V.sub(this.eye, this.centre)), right = V.unit(V.cross([0, 0, 1], z)), up = V.cross(z, right), step = .01;
    const r = this.project(V.add(p, V.mul(right, step))), u = this.project(V.add(p, V.mul(up, step)));
    const a = [(r[0] - at[0]) / step, (r[1] - at[1]) / step], b = [(u[0] - at[0]) / step, (u[1] - at[1]) / step], det = a[0] * b[1] - a[1] * b[0];
    const dx = x - at[0], dy = y - at[1];
    return V.add(p, V.add(V.mul(right, (dx * b[1] - dy * b[0]) / det), V.mul(up, (a[0] * dy - a[1] * dx) / det)));
  }
  resize(canvas, ratio) {
    const w = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), h = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  }
  write(ratio, words) {
    const c = this.labels.getContext("2d"), style = getComputedStyle(document.body); c.clearRect(0, 0, this.labels.width, this.labels.height); c.textAlign = "center"; c.font = `${11.5 * ratio}px system-ui, sans-serif`;
    const place = (p, text, colour) => { const at = this.project(p); if (!at) return; c.fillStyle = colour.startsWith("--") ? style.getPropertyValue(colour) : colour; c.fillText(text, at[0] * ratio, at[1] * ratio); };
    const y = (this.planar ? 0 : this.centre[1]) + (Math.sin(this.yaw) < 0 ? -1 : 1) * .62;
    for (let x = Math.round(this.centre[0]) - 5; x <= this.centre[0] + 5; x++) { c.globalAlpha = Math.max(0, 1 - Math.abs(x - this.centre[0]) / 5.2); place([x, y, this.height(x, y)], `${x} m`, "--soft"); }
    c.globalAlpha = 1;
    for (const { at, text, colour } of words) place(at, text, colour);
  }

  // ---- hands: grab(event) may take a pointer for itself and answer { move(event), end() }
  listen(grab) {
    const canvas = this.canvas, held = new Map(), taken = new Map(); let pinch = 0;
    canvas.addEventListener("pointerdown", e => {
      try { canvas.setPointerCapture(e.pointerId); } catch { /* a pointer that is gone already */ }
      const mine = grab && e.button === 0 && !e.shiftKey && held.size === 0 ? grab(e) : null;
      if (mine) taken.set(e.pointerId, mine); else held.set(e.pointerId, e);
    });
    const end = e => { taken.get(e.pointerId)?.end(); taken.delete(e.pointerId); held.delete(e.pointerId); pinch = 0; };
    canvas.addEventListener("pointerup", end); canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointermove", e => {
      if (taken.has(e.pointerId)) { taken.get(e.pointerId).move(e); return; }
      const old = held.get(e.pointerId); if (!old) return;
      const dx = e.clientX - old.clientX, dy = e.clientY - old.clientY; held.set(e.pointerId, e);
      if (held.size === 2) { const [a, b] = [...held.values()], l = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY); if (pinch) this.zoom(pinch / l); pinch = l; }
      else if (e.shiftKey || e.buttons === 2) { this.follow = false; const k = this.distance / canvas.clientHeight * .65, right = [-Math.sin(this.yaw), Math.cos(this.yaw), 0]; this.centre = V.add(this.centre, [-right[0] * dx * k, -right[1] * dx * k, dy * k]); }
      else { this.yaw -= dx * .007; this.pitch = Math.min(Math.max(this.pitch + dy * .006, -.05), 1.5); }
    });
    canvas.addEventListener("contextmenu", e => e.preventDefault());
    // inside another page the wheel scrolls that page; with Ctrl it zooms
    canvas.addEventListener("wheel", e => { if (document.body.classList.contains("embedded") && !e.ctrlKey) return; e.preventDefault(); this.zoom(Math.exp(e.deltaY * .001)); }, { passive: false });
  }
  // Fewer pixels where frames (milliseconds each) come slowly, more again where they come fast; all where it stands still.
  adapt(frame, moving = true) {
    if (!moving) { if (!this.light) this.scale = 1; this.pace = 17; return; }
    this.pace = .8 * (this.pace ?? 17) + .2 * Math.min(frame, 400);
    if (this.pace > 45) this.scale = Math.max(.5, this.scale * .93); else if (this.pace < 21) this.scale = Math.min(1, this.scale * 1.02);
  }
  zoom(by) { this.distance = Math.min(Math.max(this.distance * by, .8), 60); }
}
// Whether the processor paints what a graphics card would. Then moving pictures have fewer pixels and hard shadows, and cards no blur.
function paintsInSoftware(gl) {
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}
