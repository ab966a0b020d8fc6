// Hands on the scene: pull a body, turn a pose by its handles, point at the ground.
const NEAR_BODY = 12, EVERY = 33, STILL_PIXELS = 5;

class Hands {
  // clicks: whether a click on the ground is sent, as a function.
  constructor(scene, send, clicks) {
    Object.assign(this, { scene, send, held: null, gesture: 0 });
    const { canvas } = scene().view; let down = null;
    canvas.addEventListener("pointerdown", e => { down = e.button === 0 && !e.shiftKey ? [e.clientX, e.clientY] : null; }, true);
    canvas.addEventListener("pointerup", e => { if (down && clicks() && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < STILL_PIXELS && !this.justHeld) this.click(...this.place(e)); down = null; this.justHeld = false; }, true);
  }
  place(e) { const r = this.scene().view.canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; }
  click(x, y) { const { view } = this.scene(); if (view.camera) this.send({ type: "click", start: view.eye, along: V.unit(V.sub(view.unproject(x, y, view.centre), view.eye)) }); }

  // For the viewport: takes a pointer that comes down on a handle or on a body.
  grab(e) {
    const { view } = this.scene(), [x, y] = this.place(e); if (!view.camera) return null;
    const handle = handleNear(view, this.scene().handles(), x, y), body = handle ? null : this.bodyAt(x, y); if (!handle && !body) return null;
    this.held = handle ? this.poseBy(handle, x, y) : { id: body.id, part: body.joint, at: () => fromJoint(this.scene().nodes.get(body.id), body.joint, body.local) };
    this.held.pointer = [x, y]; this.justHeld = true; view.canvas.classList.add("pulling"); if (body) this.tell("start");
    return { move: m => { if (this.held) { this.held.pointer = this.place(m); this.tell("move", true); } }, end: () => this.letGo() };
  }
  // A handle's joints get the angles at which they bring it to the pointer, as everything was at the grab.
  poseBy({ number, at }, x, y) {
    const { camera } = this.scene().view, { of } = this.scene().nodes.get("handles").props, hinges = this.scene().hinges(number), grip = new Grip(hinges, at, p => this.scene().view.project(p, camera), x, y);
    const gesture = this.gesture++, joints = hinges.map(h => h.joint); let n = 0;
    return { id: "handles", pose: (place, held) => n || Math.hypot(place[0] - x, place[1] - y) ? { type: "pose", of, gesture, n: n++, held, joints, angles: grip.to(...place) } : null };
  }
  letGo() { if (!this.held) return; clearTimeout(this.held.later); this.tell("move"); this.tell("end"); this.held = null; this.scene().view.canvas.classList.remove("pulling"); }
  // What is held moves on while the pointer stands still: called with every picture.
  follow() { if (this.held?.at) this.tell("move", true); }
  tell(phase, seldom = false) {
    const { view } = this.scene(), { held } = this, now = performance.now();
    if (seldom && now - held.told < EVERY) { held.later ??= setTimeout(() => { held.later = null; if (this.held === held) this.tell("move"); }, EVERY); return; }
    held.told = now; if (held.pose) { const turned = held.pose(held.pointer, phase !== "end"); if (turned) this.send(turned); return; }
    const from = held.from = held.at() ?? held.from; if (!from) return;
    this.send({ type: "drag", id: held.id, phase, part: held.part, start: from, to: view.unproject(...held.pointer, from), eye: view.eye });
  }
  // The nearest solid of a body that may be dragged, under the pointer or next to it: { id, joint, local: the place in the joint's frame }.
  bodyAt(x, y) {
    const { view } = this.scene(); let best = null;
    for (const node of this.scene().nodes.values()) {
      if (!node.parts || !node.poses || node.props.visible === false || !node.props.drag) continue;
      for (const { joint, points } of node.parts) {
        const seen = points.map(p => view.project(fromJoint(node, joint, p))).filter(p => p); if (seen.length < 3) continue;
        const off = offOutline(outline(seen), x, y), middle = fromJoint(node, joint, V.mul(points.reduce(V.add), 1 / points.length)), deep = Math.hypot(...V.sub(middle, view.eye));
        if (off < NEAR_BODY && (!best || off < best.off - 1 || (off < best.off + 1 && deep < best.deep))) best = { id: node.id, joint, off, deep, local: toJoint(node, joint, view.unproject(x, y, middle)) };
      }
    }
    return best;
  }
}
const fromJoint = (node, joint, p) => { const o = 12 * joint, m = node?.poses; return m ? [0, 1, 2].map(r => m[o + 4 * r] * p[0] + m[o + 4 * r + 1] * p[1] + m[o + 4 * r + 2] * p[2] + m[o + 4 * r + 3]) : null; };
const toJoint = (node, joint, p) => { const o = 12 * joint, m = node.poses, d = [0, 1, 2].map(r => p[r] - m[o + 4 * r + 3]); return [0, 1, 2].map(c => m[o + c] * d[0] + m[o + 4 + c] * d[1] + m[o + 8 + c] * d[2]); };
// Pixels from a place to an outline; 0 inside.
function offOutline(points, x, y) {
  let inside = true, least = Infinity;
  points.forEach((a, i) => {
    const b = points[(i + 1) % points.length], dx = b[0] - a[0], dy = b[1] - a[1], l = dx * dx + dy * dy || 1;
    if (dx * (y - a[1]) - dy * (x - a[0]) < 0) inside = false;
    const u = Math.min(Math.max(((x - a[0]) * dx + (y - a[1]) * dy) / l, 0), 1); least = Math.min(least, Math.hypot(x - a[0] - u * dx, y - a[1] - u * dy));
  });
  return inside ? 0 : least;
}
