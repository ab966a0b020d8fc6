// A footfall character in JavaScript: a WebAssembly module and the description beside it.
//
//   const walker = await Walker.open("walk.wasm");   // walk.json lies beside it
//   walker.step(16);                       // 16 steps of walker.dt seconds
//   walker.pose();                         // bodies: 18 numbers each: position 3, rotation 9 (rows), velocities 3 + 3
//
// All numbers are the module's own memory: what is written there acts from the next step on.

export const PER_BODY = 18;
const MOVING = ["qpos", "qvel", "memory", "anchor", "contact", "step_count", "status", "end_step", "state", "stance", "tally", "qacc"];
const STATUS = ["walking", "fell", "diverged", "stopped"];

// A running module. It imports nothing: its mathematics are its own, so that it computes the same in every browser.
export async function instantiate(bytes) {
  return WebAssembly.instantiate(bytes instanceof WebAssembly.Module ? bytes : await WebAssembly.compile(bytes));
}
// Whether the tables of a description have room in a module: none reaches into the next.
function fits(wasm, tables) {
  const rows = tables.map(({ type, shape }, i) => [wasm.table(i), shape.reduce((a, b) => a * b, type === "f64" ? 8 : 4)]).sort(([a], [b]) => a - b);
  return rows.every(([start, size], i) => start > 0 && start + size <= (rows[i + 1]?.[0] ?? wasm.memory.buffer.byteLength));
}
// The module's tables by name, as views of its memory.
export function tablesOf(wasm, tables) {
  return Object.fromEntries(tables.map(({ name, type, shape }, i) => {
    const size = shape.reduce((a, b) => a * b, 1), kind = type === "f64" ? Float64Array : Int32Array;
    return [name, new kind(wasm.memory.buffer, wasm.table(i), size)];
  }));
}

// A rotation matrix (rows) as a quaternion w x y z.
export function quaternion(m) {
  const t = m[0] + m[4] + m[8];
  if (t > 0) { const s = 2 * Math.sqrt(1 + t); return [s / 4, (m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s]; }
  const i = m[0] > m[4] && m[0] > m[8] ? 0 : m[4] > m[8] ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
  const s = 2 * Math.sqrt(1 + m[4 * i] - m[4 * j] - m[4 * k]), q = [0, 0, 0, 0];
  q[0] = (m[3 * k + j] - m[3 * j + k]) / s; q[1 + i] = s / 4; q[1 + j] = (m[3 * j + i] + m[3 * i + j]) / s; q[1 + k] = (m[3 * k + i] + m[3 * i + k]) / s;
  return q;
}
const finite = (values, count) => values?.length === count && Array.from(values).every(Number.isFinite);
const turnedBy = (angle, x, y) => [Math.cos(angle) * x - Math.sin(angle) * y, Math.sin(angle) * x + Math.cos(angle) * y];

export class Walker {
  static async load(bytes, about) { return new Walker(await instantiate(bytes), about); }
  // A module by its address, with the description of the same name beside it.
  static async open(address) {
    const fetched = async file => { const answer = await fetch(file); if (!answer.ok) throw new Error(`${file}: ${answer.status}`); return answer; };
    const [wasm, json] = await Promise.all([fetched(address), fetched(String(address).replace(/\.wasm$/, ".json"))]);
    return Walker.load(await wasm.arrayBuffer(), await json.json());
  }

  constructor(instance, about) {
    if (about?.footfall !== 1 || !about.tables) throw new Error(`this is no description of a module that walker.js knows (interface ${about?.footfall}); it lies beside the .wasm`);
    if (!instance.exports?.table || !fits(instance.exports, about.tables)) throw new Error(`this module is not that of the description '${about.name}'`);
    this.about = about;
    this.wasm = instance.exports;
    this.dt = about.dt;
    this.wasm.start();
    Object.assign(this, tablesOf(this.wasm, about.tables));
    this.gait = about.gaits[0];
    this.settings = { gravity: about.body.at(-1), friction: about.ground[2], load: 0, terrain: Object.keys(about.terrains)[0] };
    this.row = Float64Array.from(about.parameters);
    this.samples = 0;
    this.every = 10;
    this.reset();
  }

  // Back to the start of a gait, at a position [x, y] and facing a heading (radians from x to the left); settings and changed parameters stay.
  reset(name = this.gait.name, { position = null, heading = null } = {}) {
    this.gait = this.gaitNamed(name);
    this.wasm.start();
    this.options[0] = this.dt;
    this.options[1] = this.every;
    this.parameters.set(this.row);
    this.applySettings();
    const { qpos, qvel, memory } = this.gait.start;
    this.qpos.set(qpos);
    this.qvel.set(qvel);
    this.memory.set(memory);
    if (this.about.root !== "fixed") {
      const up = this.about.root === "planar" ? 1 : 2;
      this.qpos[up] += this.height(this.qpos[0], this.about.root === "planar" ? 0 : this.qpos[1]);
    }
    this.pushes = [];
    this.pulls = new Map();
    this.samples = 0;
    this.pose();
    if (position || heading !== null) this.place(position ?? this.position, heading ?? this.heading);
  }

  // Put it at a position [x, y], facing a heading, as it moves: what it does next is what it would have done, there.
  place(position, heading = this.heading) {
    if (!finite(position, position?.length || NaN) || !Number.isFinite(heading)) throw new Error("a place is a position [x, y] of finite numbers and a heading");
    const { root, memory } = this.about, [x, y = 0] = position, turn = root === "planar" ? 0 : heading - this.heading;
    if (root === "fixed") throw new Error("this figure's root is fixed");
    if (root === "planar" && (Math.abs(heading) > 1e-9 || y)) throw new Error("this figure walks in the plane: it has neither y nor heading");
    const turned = memory.indexOf("turned");
    if (Math.abs(turn) > 1e-9 && turned < 0) throw new Error("this law faces x: it takes no heading");
    const [x0, y0] = this.position, up = root === "planar" ? 1 : 2, rise = this.height(x, y) - this.height(x0, y0);
    const moved = (table, at, from, to) => { const [u, v] = turnedBy(turn, table[at] - from[0], table[at + 1] - from[1]); table[at] = to[0] + u; table[at + 1] = to[1] + v; };
    if (root === "planar") { this.qpos[0] = x; if (this.anchor) for (let i = 0; i < this.anchor.length; i += 3) { this.anchor[i] += x - x0; this.anchor[i + 2] += rise; } }
    else {
      moved(this.qpos, 0, [x0, y0], [x, y]);
      for (const table of [this.qvel, this.qacc]) if (table) moved(table, 0, [0, 0], [0, 0]);
      const c = Math.cos(turn / 2), s = Math.sin(turn / 2), [a, b, d, e] = this.qpos.slice(3, 7);
      this.qpos.set([c * a - s * e, c * b - s * d, c * d + s * b, c * e + s * a], 3);
      if (this.anchor) for (let i = 0; i < this.anchor.length; i += 3) { moved(this.anchor, i, [x0, y0], [x, y]); this.anchor[i + 2] += rise; }
      if (turned >= 0) this.memory[turned] += turn;
    }
    this.qpos[up] += rise;
    this.pose();
  }
  // Where the root is above the ground's plane, and where it faces; one that lies faces where its head or its feet point.
  get position() { return this.about.root === "planar" ? [this.qpos[0], 0] : [this.qpos[0], this.qpos[1]]; }
  get heading() {
    if (this.about.root === "planar") return 0;
    const [w, x, y, z] = this.qpos.subarray(3, 7), ahead = [w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)], top = [2 * (x * z + w * y), 2 * (y * z - w * x)];
    if (Math.hypot(ahead[0], ahead[1]) > 0.5) return Math.atan2(ahead[1], ahead[0]);
    return ahead[2] < 0 ? Math.atan2(top[1], top[0]) : Math.atan2(-top[1], -top[0]);
  }

  // Where it is, to come back to: everything that a step changes. Settings and parameters are not part of it.
  snapshot() { return { gait: this.gait, pushes: this.pushes.map(p => ({ ...p })), tables: Object.fromEntries(MOVING.filter(name => this[name]).map(name => [name, this[name].slice()])) }; }
  restore({ gait, pushes, tables }) {
    if (Object.entries(tables).some(([name, values]) => this[name]?.length !== values.length)) throw new Error("this snapshot is of another module");
    for (const [name, values] of Object.entries(tables)) this[name].set(values);
    this.gait = gait;
    this.pushes = pushes.filter(p => p.start <= this.time).map(p => ({ ...p }));
    this.pulls = new Map();
    this.pose();
  }

  // Go on for n steps; this.samples samples of the way lie in sample_qpos, sample_events, …
  step(n) {
    if (!(n >= 0 && n < 2 ** 31)) throw new Error(`a number of steps is 0 or more, not ${n}`);
    this.writePushes();
    this.samples = this.wasm.step(n);
    return this.samples;
  }

  pose() { this.wasm.pose(); return this.bodies; }

  get time() { return this.step_count[0] * this.dt; }
  get outcome() { return STATUS[this.status[0]]; }
  get fell() { return this.outcome === "fell"; }
  get fallTime() { return this.status[0] ? this.end_step[0] * this.dt : null; }

  gaitNamed(name) {
    const found = this.about.gaits.find(g => g.name === name);
    if (!found) throw new Error(`no gait '${name}' here; choose one of: ${this.about.gaits.map(g => g.name).join(", ")}`);
    return found;
  }

  // Ask for another gait; it begins when a state ends and the other gait has a matching one. One that fell, or that cannot
  // switch, begins the gait anew: where it is, or at a place of your own.
  request(name, { position = this.position, heading = this.about.memory.includes("turned") ? this.heading : null } = {}) {
    this.gaitNamed(name);
    if (!this.about.switches || this.outcome !== "walking") return this.reset(name, { position, heading });
    this.memory[this.about.memory.indexOf("request")] = this.about.gaits.findIndex(g => g.name === name);
    this.memory[this.about.memory.indexOf("request_time")] = this.time;
  }
  // Where to go from now on: speed and side_speed (m/s), heading (radians from x to the left), heading_rate (rad/s), as far as the law has them.
  steer(wishes) {
    const having = path => this.about.gaits.filter(g => Object.hasOwn(g.parameters, path));
    for (const [path, value] of Object.entries(wishes)) {
      if (!having(path).length) throw new Error(`this law has no '${path}' to steer by`);
      if (!Number.isFinite(value)) throw new Error(`${path} must be a finite number`);
    }
    for (const [path, value] of Object.entries(wishes)) {
      const turned = path === "heading" ? this.memory[this.about.memory.indexOf("turned")] : 0;
      for (const gait of having(path)) this.set(path, value - turned, gait.name);
    }
  }

  // The gait and state that run now; a controller without states has none.
  where(number = this.memory[this.about.memory.indexOf("state")]) {
    for (const gait of this.about.gaits) for (const state of gait.states) if (state.number === number) return { gait, state };
    return { gait: this.gait, state: this.gait.states[0] };
  }

  parameter(path, gait = this.gait.name) {
    const found = this.gaitNamed(gait).parameters[path];
    if (!found || !Object.hasOwn(this.gaitNamed(gait).parameters, path)) throw new Error(`no parameter '${path}' in '${gait}'`);
    return found;
  }
  get(path, gait = this.gait.name) { const [index, sign] = this.parameter(path, gait).cells[0]; return sign * this.row[index]; }
  set(path, value, gait = this.gait.name) {
    if (!Number.isFinite(value)) throw new Error(`parameter '${path}' must be a finite number`);
    for (const [index, sign] of this.parameter(path, gait).cells) this.row[index] = this.parameters[index] = sign * value;
  }

  // A push at the figure's usual place, newtons in world axes, for a time from now on.
  push(force, seconds) {
    if (!finite(force, 3) || !(seconds > 0 && seconds < Infinity)) throw new Error("a push is a force [x, y, z] of finite numbers and a time in seconds");
    this.pushes = this.pushes.filter(p => p.end > this.time);
    this.pushAt(0, force, this.time, seconds);
  }
  // A push at one of the places of the description, from a time on.
  pushAt(place, force, start, seconds) { this.pushes.push({ place, force, start, end: start + seconds }); }

  // A force at a body's centre of mass until it is replaced; null to let go.
  pull(body, force) {
    if (!this.about.bodies[body]) throw new Error(`no body ${body}; bodies are 0 to ${this.about.bodies.length - 1}`);
    if (force && !finite(force, 3)) throw new Error("a force is [x, y, z] of finite numbers");
    if (force) this.pulls.set(body, force); else this.pulls.delete(body);
  }

  writePushes() {
    const all = [...[...this.pulls].map(([body, force]) => ({ place: body + 1, force, start: -1e9, end: 1e9 })), ...this.pushes];
    const count = Math.min(all.length, this.push_place.length);
    for (let i = 0; i < count; i++) {
      const { place, force, start, end } = all[i];
      this.push_place[i] = place;
      this.push_window[2 * i] = start - 0.5 * this.dt;
      this.push_window[2 * i + 1] = end - 0.5 * this.dt;
      for (let k = 0; k < 3; k++) this.push_force[3 * i + k] = force[k] || 0;
    }
    this.options[2] = count;
  }

  // Each body: name, position [x, y, z], quaternion [w, x, y, z], linear and angular velocity; world axes, z up.
  transforms() {
    this.pose();
    return this.about.bodies.map(({ name }, i) => {
      const b = [...this.bodies.subarray(PER_BODY * i, PER_BODY * (i + 1))];
      return { name, position: b.slice(0, 3), quaternion: quaternion(b.slice(3, 12)), velocity: b.slice(15, 18), angularVelocity: b.slice(12, 15) };
    });
  }
  // Each point that may touch the ground: name, foot ("left", "right" or null), whether it touches, and where it is.
  contacts() {
    return this.about.points.map(({ name, foot, body, position }, i) => ({ name, foot, touches: (this.contact[0] >> i & 1) === 1, position: this.inWorld(body, position) }));
  }

  // The sum of the forces that act now, and where the first acts.
  force() {
    const sum = [0, 0, 0];
    let place = -1;
    for (const p of this.pushes) if (this.time >= p.start && this.time < p.end) { place = p.place; for (let k = 0; k < 3; k++) sum[k] += p.force[k] || 0; }
    return place < 0 ? null : { force: sum, at: this.point(place) };
  }

  point(place) { const { body, position } = this.about.places[place]; return this.inWorld(body, position); }
  inWorld(body, p) {
    const b = this.bodies, o = PER_BODY * body;
    return [0, 1, 2].map(i => b[o + i] + b[o + 3 + 3 * i] * p[0] + b[o + 4 + 3 * i] * p[1] + b[o + 5 + 3 * i] * p[2]);
  }

  // gravity (m/s², negative is down), friction, load (kg on the torso), terrain (a name of the description)
  change(settings) {
    for (const [name, value] of Object.entries(settings)) {
      if (!Object.hasOwn(this.settings, name)) throw new Error(`no setting '${name}'`);
      if (name === "terrain" ? !Object.hasOwn(this.about.terrains, value) : !Number.isFinite(value)) throw new Error(`${name} cannot be ${value}`);
    }
    Object.assign(this.settings, settings);
    this.applySettings();
  }
  applySettings() {
    const { gravity, friction, load, terrain } = this.settings;
    this.body.set(this.about.body);
    this.body[this.body.length - 1] = gravity;
    this.body[13 * this.about.torso + 3] += load;
    this.ground.set(this.about.ground);
    this.ground[2] = friction;
    this.terrain.set(this.about.terrains[terrain]);
  }

  // Height of the ground, from the terrain's table: a profile along x, or a grid.
  height(x, y = 0) {
    const t = this.terrain;
    if (this.about.terrain_kind === "grid") {
      const [x0, y0, sx, sy, nx, ny] = t, u = Math.min(Math.max((x - x0) / sx, 0), nx - 1), v = Math.min(Math.max((y - y0) / sy, 0), ny - 1);
      const i = Math.min(Math.floor(u), nx - 2), j = Math.min(Math.floor(v), ny - 2), k = 6 + i * ny + j, s = u - i, w = v - j;
      return (1 - s) * (t[k] + w * (t[k + 1] - t[k])) + s * (t[k + ny] + w * (t[k + ny + 1] - t[k + ny]));
    }
    const n = t[0];
    if (x <= t[1]) return t[1 + n];
    if (x >= t[n]) return t[2 * n];
    let low = 0, high = n - 1;
    while (high - low > 1) { const m = (low + high) >> 1; if (t[1 + m] <= x) low = m; else high = m; }
    return t[1 + n + low] + (x - t[1 + low]) / (t[2 + low] - t[1 + low]) * (t[2 + n + low] - t[1 + n + low]);
  }
}
