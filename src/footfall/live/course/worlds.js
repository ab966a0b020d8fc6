// What lessons simulate: footfall's compiled walkers, an inverted pendulum, 3LP. Each begins, advances, can be drawn, and runs trials
// by itself: trial(values, trial) answers { up, words, … measures }.
const D = JSON.parse(element("data").textContent), L = D.lesson;
const RATIO = Math.PI / 180, PUSHED = .1, NUDGES = [-.2, -.1, .1, .2];

// ---- a compiled walker; its falls, footsteps and distances are counted in the module, as in every run of footfall
class CompiledWorld {
  static async make() {
    const about = JSON.parse(new TextDecoder().decode(await unzipped(D.about))), code = await WebAssembly.compile(await unzipped(D.module));
    return new CompiledWorld(await Walker.load(code, about), await Walker.load(code, about));
  }
  constructor(walker, tested) {
    this.about = walker.about; this.walker = walker; this.tested = tested; this.run = new Run(walker); this.planar = this.about.root === "planar";
    this.tall = this.about.tall; this.solids = this.about.solids; this.floorAt = Infinity; this.strikes = [];
    if (!L.sliders.some(s => ["push", "side_push"].includes(s.name)) && !L.exercise.trials.some(t => t.push || t.side_push)) this.push = null;
  }
  get time() { return this.walker.time; }
  set(v, walker = this.walker) {
    const paths = walker.gait.parameters;
    for (const s of L.sliders) {
      const value = v[s.name] * (s.unit === "°" ? RATIO : 1);
      for (const one of s.sets) { const [path, times = 1] = one.split("*"); walker.set(path, times * value); }
      for (const end of s.scales) for (const [path, p] of Object.entries(paths)) if (path === end || path.endsWith(`.${end}`)) walker.set(path, p.value * value);
    }
  }
  begin() { this.set(values); this.walker.reset(); this.run.begin(); this.strikes = []; this.floorAt = Infinity; this.said = ""; }
  plan(trial, v) { const f = [given(trial.push, v), given(trial.side_push, v), 0]; if (f[0] || f[1]) this.walker.pushAt(0, f, given(trial.at, v), PUSHED); }
  push() { this.walker.push([values.push ?? given(L.exercise.trials[0].push, values), values.side_push ?? given(L.exercise.trials[0].side_push, values), 0], PUSHED); }
  advance(seconds) {
    this.owed = (this.owed ?? 0) + seconds; let steps = Math.floor(this.owed / this.walker.dt + 1e-9); this.owed -= steps * this.walker.dt;
    const began = performance.now(), some = L.plot.kind === "return" ? 1 : this.walker.every;
    while (steps > 0 && performance.now() - began < 60) {
      const now = Math.min(steps, some), before = this.walker.stance[0]; this.run.step(now); steps -= now;
      if (some === 1 && this.walker.stance[0] !== before && this.walker.stance[0] === 0 && !this.walker.fell) this.strikes.push(this.walker.qvel[0]);
    }
    if (this.walker.outcome !== "walking" && this.time > this.walker.fallTime + 4) { S.playing = false; }
  }
  facts() { const o = this.outcome(this.walker), { state } = this.walker.where(); return `${this.time.toFixed(1)} s · ${shown(o.distance)} m · ${shown(o.speed)} m/s${state && this.planar ? ` · state ${state.label}` : ""}`; }
  status() { return this.walker.outcome === "walking" ? "" : `fell at ${this.walker.fallTime.toFixed(2)} s`; }
  scene() {
    const { run, walker } = this, latest = run.history.at(-1); run.pose();
    const here = walker.inWorld(0, [0, 0, 0]); if (Math.abs(here[0] - this.floorAt) > 8) { this.floorAt = here[0]; view.setGround(() => 0, [], [], [here[0] - 28, here[1] - 20], [here[0] + 28, here[1] + 20]); }
    const stance = latest && walker.where(latest.state).state?.stance, points = this.about.points.filter(p => p.foot === stance), foot = points.length ? V.mul(points.map(p => walker.inWorld(p.body, p.position)).reduce(V.add), 1 / points.length) : null;
    return {
      here, poses: run.poses, push: walker.force(), prints: run.prints.slice(-16), contacts: this.about.points.filter((_, i) => walker.contact[0] >> i & 1).map(p => walker.inWorld(p.body, p.position)),
      balance: L.balance && latest && walker.outcome === "walking" ? { com: run.centre(), foot, along: run.heading(), d: latest.s[0], v: latest.s[1] } : null,
    };
  }
  // What footfall's Outcome says of a world, from the module's own tally.
  outcome(w) {
    const t = Object.fromEntries(D.tally.map((name, i) => [name, w.tally[i]])), up = w.outcome === "walking", lived = up ? w.time : Math.min(w.fallTime, w.time), steps = t.footsteps;
    const distance = (w.fell ? t.fall_x : w.qpos[0]) - w.gait.start.qpos[0], span = t.last_footstep_time - t.first_footstep_time;
    return {
      up, time: lived, distance, footsteps: steps, speed: steps > 1 ? (t.last_footstep_x - t.first_footstep_x) / span : lived ? distance / lived : 0, step_time: steps > 1 ? span / (steps - 1) : NaN,
    };
  }
  prepare(v) { const w = this.tested; this.set(v, w); w.reset(); return w; }
  trial(v, trial) {
    const w = this.prepare(v), force = [given(trial.push, v), given(trial.side_push, v), 0]; if (force[0] || force[1]) w.pushAt(0, force, given(trial.at, v), PUSHED);
    let slope = NaN; const until = Math.round(L.exercise.seconds / w.dt);
    if (L.plot.kind === "return") slope = this.slope(w, until);
    const torso = [Infinity, -Infinity], some = L.exercise.asks.some(a => a.measure.startsWith("torso")) ? 1 : 500;
    while (w.step_count[0] < until && w.outcome === "walking") { if (w.tally[0] > 4) { torso[0] = Math.min(torso[0], w.qpos[2] / RATIO); torso[1] = Math.max(torso[1], w.qpos[2] / RATIO); } w.step(Math.min(some, until - w.step_count[0])); }
    const o = this.outcome(w); return { ...o, slope, torso_low: torso[0], torso_high: torso[1], words: o.up ? `walks ${shown(o.distance)} m in ${shown(o.time)} s` : `falls after ${o.time.toFixed(1)} s` };
  }
  // The next strike of the left foot: the speed there, or NaN.
  strike(w, patience = 3000) { for (let k = 0; k < patience && w.outcome === "walking"; k++) { const before = w.stance[0]; w.step(1); if (w.stance[0] !== before && w.stance[0] === 0) return w.qvel[0]; } return NaN; }
  // The slope of the return map of the speed, from strike to strike of the left foot, by small changes of the speed of a settled walk.
  slope(w, until) {
    while (w.step_count[0] < .6 * until && w.outcome === "walking") w.step(1);
    this.strike(w); const then = w.snapshot(), plain = this.strike(w); let up = 0, down = 0;
    for (const change of NUDGES) { w.restore(then); w.qvel[0] += change; up += change * (this.strike(w) - plain); down += change * change; }
    w.restore(then); return up / down;
  }
}

// ---- an inverted pendulum that steps: x'' = (g / h) (x - foot) in closed form
const { height: HEIGHT, reach: REACH, counted: COUNTED } = D.pendulum ?? {}, RATE = Math.sqrt(9.81 / HEIGHT);
class PendulumWorld {
  constructor() { this.planar = true; this.tall = 1.25; this.history = []; this.v = { ...values }; }
  set(v) { this.v = { ...v }; }
  begin(v = this.v, push = v.push) { this.v = { ...v }; Object.assign(this, { time: 0, x: 0, speed: push, foot: 0, next: v.T, steps: 0, fell: null, left: null, feet: [], history: [] }); }
  push() { this.speed += this.v.push; }
  advance(seconds) {
    for (let left = seconds; left > 1e-12 && this.fell === null;) {
      const part = Math.min(left, this.next - this.time, .01), c = Math.cosh(RATE * part), s = Math.sinh(RATE * part), x = this.x - this.foot;
      [this.x, this.speed] = [this.foot + x * c + this.speed / RATE * s, RATE * x * s + this.speed * c]; this.time += part; left -= part;
      if (Math.abs(this.x - this.foot) > REACH) this.fell = this.time;
      if (this.next - this.time < 1e-9) this.place();
      this.history.push({ t: this.time, s: [this.speed, this.x - this.foot], state: this.steps % 2 }); if (this.history.length > 1500) this.history.shift();
    }
  }
  place() { this.steps++; if (this.steps === COUNTED) this.left = Math.abs(this.speed); this.feet.push(this.foot); this.foot = this.x + this.v.k * this.speed; this.next = this.time + this.v.T; if (Math.abs(this.x - this.foot) > REACH) this.fell = this.time; }
  facts() { return `${this.time.toFixed(1)} s · ${shown(this.speed)} m/s · ${this.steps} steps`; }
  status() { return this.fell === null ? "" : `fell at ${this.fell.toFixed(2)} s: the foot is more than ${REACH} m away`; }
  scene() {
    const mass = [this.x, 0, this.fell === null ? HEIGHT : .1], foot = [this.foot, 0, .03], capture = [this.x + this.speed / RATE, 0, .02], dark = view.dark;
    const ink = dark ? [.85, .88, .92] : [.25, .3, .36];
    return { here: [this.x, 0, 0], marks: [[foot, mass, .02, .02, ink], [mass, mass, .09, .09, [0, .45, .70]], [foot, foot, .035, .035, ink], [capture, capture, .045, .045, [.84, .37, 0]], ...this.feet.slice(-6).map(x => [[x - .05, 0, .01], [x + .05, 0, .01], .01, .01, [.5, .56, .62]])], notes: [{ at: V.add(capture, [0, 0, .09]), text: "capture point", colour: "--ink" }] };
  }
  trial(v, trial) {
    const w = new PendulumWorld(); w.begin({ ...v }, given(trial.push, v)); w.advance((COUNTED + .5) * v.T);
    const up = w.fell === null; return { up, speed_left: up ? w.left : Infinity, words: up ? `${shown(w.left)} m/s are left after three steps` : `falls after ${w.fell.toFixed(2)} s` };
  }
}

// ---- 3LP: the compiled closed form
class LinearWorld {
  static async make() { return new LinearWorld((await instantiate(bytesOf(D.crowd.module))).exports); }
  constructor(wasm) {
    const about = D.crowd; this.wasm = wasm; wasm.start(); this.T = tablesOf(wasm, about.tables); this.T.strides.set(new Float64Array(bytesOf(about.strides).buffer));
    this.about = about; this.planar = false; this.tall = about.tall; this.solids = about.body; this.poses = new Float32Array(12 * about.names.length); this.begin();
  }
  row(v) { const nearest = (list, x) => list.reduce((best, y, i) => Math.abs(y - x) < Math.abs(list[best] - x) ? i : best, 0); return nearest(D.speeds, v.speed) * D.frequencies.length + nearest(D.frequencies, v.frequency); }
  set(v) { this.T.wanted[0] = this.row(v); }
  begin(v = values) {
    const { state, room } = { state: this.about.state, room: this.about.room }, all = D.speeds.length * D.frequencies.length, row = this.row(v), rows = state.length / all;
    this.T.row[0] = this.T.wanted[0] = row; for (let r = 0; r < rows; r++) this.T.state[r * room] = state[row * rows + r];
    this.time = 0; this.steps = 0; this.pushed = 0; this.T.command.fill(0); this.begun = 0; this.wasm.walk(1, 1e-9); this.begun = this.at();
  }
  at() { return this.T.poses[0] - (this.begun || 0); }
  push() { this.pushed = this.time + .3; }
  // A step ends where the swinging side changes.
  advance(seconds) {
    const { room } = this.about, side = this.about.pose.indexOf("swing_side") * room;
    for (let left = seconds; left > 1e-9;) {
      const part = Math.min(left, 1 / 30), before = this.T.poses[side]; this.T.command[0] = this.time < this.pushed ? values.push ?? 0 : 0;
      this.wasm.walk(1, part); this.time += part; left -= part; if (this.T.poses[side] !== before) this.steps++;
    }
  }
  facts() { return `${this.time.toFixed(1)} s · ${shown(this.at())} m · ${this.steps} footsteps`; }
  status() { return ""; }
  scene() {
    const { about, T } = this, pose = about.pose.map((_, r) => T.poses[r * about.room]); placeJoints(about, pose, about.tilts[T.row[0]], 1, this.poses, 0);
    const mark = this.begun + L.exercise.mark, here = pose.slice(0, 3); if (!this.floor || Math.abs(this.floor - here[0]) > 8) { this.floor = here[0]; view.setGround(() => 0, [], [], [here[0] - 28, -20], [here[0] + 28, 20]); }
    return { here: [here[0], here[1], 0], poses: this.poses, push: this.time < this.pushed ? { at: [here[0], here[1], 1.3], force: [values.push, 0, 0] } : null, marks: [[[mark, -.8, .012], [mark, .8, .012], .02, .02, [.84, .37, 0]]], notes: [{ at: [mark, 0, .15], text: `mark, ${L.exercise.mark} m`, colour: "--ink" }] };
  }
  // One evaluation for each step, whatever time passes.
  trial(v) {
    const kept = [this.time, this.steps, this.pushed, this.begun, this.T.state.slice(), this.T.row[0], this.T.wanted[0]], seconds = L.exercise.footsteps / D.frequencies[this.row(v) % D.frequencies.length];
    this.begin(v); this.wasm.walk(1, seconds - 1e-6); const distance = this.at();
    [this.time, this.steps, this.pushed, this.begun] = kept; this.T.state.set(kept[4]); [this.T.row[0], this.T.wanted[0]] = kept.slice(5); this.wasm.walk(1, 1e-9);
    return { up: true, distance, seconds, words: `after ${L.exercise.footsteps} footsteps, at ${shown(seconds)} s, it is at ${shown(distance)} m` };
  }
}
const WORLDS = { walker: CompiledWorld.make, pendulum: async () => new PendulumWorld(), "3lp": LinearWorld.make };
