// A walker with its past: what it did every hundredth of a second, and states to go on from.
const LONGEST = 12000, KEPT_EVERY = 5;

class Run {
  constructor(walker) {
    this.walker = walker; this.about = walker.about;
    this.poses = new Float32Array(12 * this.about.bodies.length);
    this.feet = ["left", "right"].map(side => ({ side, points: this.about.points.map((p, i) => ({ ...p, bit: 1 << i })).filter(p => p.foot === side) }));
    this.begin();
  }
  begin() { this.history = []; this.prints = []; this.down = {}; this.peak = 20; }

  // Go on for n steps. A sample is taken where its hundredth of a second begins, so that it holds all that there is at that moment.
  step(n) {
    const w = this.walker, { every } = w;
    for (let left = n; left > 0;) {
      const done = w.step_count[0], part = Math.min(left, every - done % every);
      const push = w.force(), sample = done % every ? null : { t: w.time, q: w.qpos.slice(), v: w.qvel.slice(), anchor: w.anchor?.slice(), push, kept: this.history.length % KEPT_EVERY ? null : w.snapshot() };
      const count = w.step(part);
      if (w.step_count[0] === done) return false;
      if (sample && count) this.remember(Object.assign(sample, { s: w.sample_signals.slice(0, Math.max(1, this.about.signals.length)), torque: w.sample_torque?.slice(0, w.qvel.length), state: w.sample_events[0], contact: w.sample_events[1] }));
      left -= part;
    }
    return true;
  }
  remember(sample) {
    this.history.push(sample);
    if (this.history.length > LONGEST) this.history.splice(0, LONGEST / 10);
    for (const { side, points } of this.feet) {
      const down = points.filter(p => sample.contact & p.bit).length;
      if (!down || !points.length) this.down[side] = false;
      else if (!this.down[side] && down === points.length) { this.down[side] = true; this.print(sample, side, points); }
    }
  }
  print({ t }, side, points) {
    this.walker.pose();
    const middle = word => { const some = points.filter(p => p.name.includes(word)), of = some.length ? some : word === "heel" ? points.slice(0, 1) : points.slice(-1); return V.mul(of.map(p => this.walker.inWorld(p.body, p.position)).reduce(V.add), 1 / of.length); };
    const lifted = p => [p[0], p[1], this.walker.height(p[0], p[1]) + .012];
    this.prints.push({ t, from: lifted(middle("heel")), to: lifted(middle("toe")), left: side === "left" });
    if (this.prints.length > 60) this.prints.shift();
  }

  // ---- the past
  get start() { return this.history[0]?.t ?? 0; }
  get end() { return this.walker.time; }
  // The sample at a time or before it; none before the first.
  at(t) {
    const h = this.history; let low = 0, high = h.length - 1;
    if (high < 0 || h[0].t > t + 1e-9) return h[0] ?? null;
    while (low < high) { const m = (low + high + 1) >> 1; if (h[m].t <= t + 1e-9) low = m; else high = m - 1; }
    return h[low];
  }
  // Forget what came after a time, and go on from there: from the last kept state before it, at most 0.05 s earlier.
  rewind(t) {
    let k = this.history.length - 1;
    while (k >= 0 && !(this.history[k].kept && this.history[k].t <= t + 1e-9)) k--;
    if (k < 0) return false;
    this.walker.restore(this.history[k].kept); this.history.length = k; this.prints = this.prints.filter(p => p.t < this.walker.time); this.down = {};
    return true;
  }
  // The bodies' poses at a sample of the past, or now; what shows them is walker.bodies until the walker steps again.
  pose(sample = null) {
    const w = this.walker, kept = sample && { q: w.qpos.slice(), v: w.qvel.slice() };
    if (sample) { w.qpos.set(sample.q); w.qvel.set(sample.v); }
    w.pose();
    if (kept) { w.qpos.set(kept.q); w.qvel.set(kept.v); }
    return this.packed();
  }
  packed(into = this.poses, aside = 0) {
    const b = this.walker.bodies;
    for (let i = 0; i < this.about.bodies.length; i++) for (let r = 0; r < 3; r++) {
      const o = PER_BODY * i, to = 12 * i + 4 * r;
      for (let c = 0; c < 3; c++) into[to + c] = b[o + 3 + 3 * r + c];
      into[to + 3] = b[o + r] + (r === 1 ? aside : 0);
    }
    return into;
  }

  // ---- what can be said of a moment; call pose() with its sample before
  centre() {
    let mass = 0, sum = [0, 0, 0];
    this.about.bodies.forEach((b, i) => { mass += b.mass; sum = V.add(sum, V.mul(this.walker.inWorld(i, b.com), b.mass)); });
    return V.mul(sum, 1 / mass);
  }
  heading() { const b = this.walker.bodies, x = [b[3], b[6], 0]; return this.about.root === "planar" ? [1, 0, 0] : V.unit(x); }
  // The ground's springs and dampers at the points that touch, where the ground has such.
  forces({ contact, anchor }) {
    if (this.about.ground_law === "sampled" || !anchor) return [];
    const w = this.walker, [stiffness, damping, friction] = w.ground, found = [];
    this.about.points.forEach((p, i) => {
      if (!(contact >> i & 1)) return;
      const at = w.inWorld(p.body, p.position), o = PER_BODY * p.body, b = w.bodies;
      const speed = V.add([...b.subarray(o + 15, o + 18)], V.cross([...b.subarray(o + 12, o + 15)], V.sub(at, [...b.subarray(o, o + 3)])));
      const force = V.sub(V.mul(V.sub([...anchor.subarray(3 * i, 3 * i + 3)], at), stiffness), V.mul(speed, damping)), slip = Math.hypot(force[0], force[1]);
      if (force[2] <= 0) return;
      if (slip > friction * force[2]) { force[0] *= friction * force[2] / slip; force[1] *= friction * force[2] / slip; }
      found.push({ at, force });
    });
    return found;
  }
  // [bodies] 0 to 1: the torque at the joint that carries each, of the largest lately.
  heat({ torque }) {
    const heat = new Float32Array(this.about.bodies.length); if (!torque) return heat;
    let most = 20;
    for (const j of this.about.joints) if (j.actuated) { const t = Math.abs(torque[j.dof]); most = Math.max(most, t); heat[j.body] = Math.max(heat[j.body], t); }
    this.peak = Math.max(most, .995 * this.peak);
    return heat.map(t => Math.min(1, t / this.peak));
  }
  // What the state of a sample asks of a joint: its angle with balance feedback; a hip against the world is shown against the torso.
  target({ q, s, state }, joint) {
    const found = this.walker.where(state).state, cells = found?.targets[joint];
    if (!cells) return NaN;
    const [angle, d, v] = cells.map(i => this.walker.parameters[i]);
    return angle + (d ?? 0) * s[0] + (v ?? 0) * s[1] - (found.world.includes(joint) ? q[2] : 0);
  }
  // The pose that the state of a sample asks for, packed; null where the law has none that a page knows.
  asked(sample) {
    const state = this.walker.where(sample.state).state;
    if (!state || this.about.root !== "planar") return null;
    const q = sample.q.slice(), torso = this.target(sample, "torso");
    for (const j of this.about.joints) { const angle = this.target(sample, j.name); if (Number.isFinite(angle)) q[j.qpos] = angle + (state.world.includes(j.name) && Number.isFinite(torso) ? sample.q[2] - torso : 0); }
    if (Number.isFinite(torso)) q[2] = torso;
    this.pose({ q, v: sample.v }); this.asking ??= new Float32Array(this.poses.length);
    return this.packed(this.asking);
  }
}
