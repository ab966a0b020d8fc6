// What the server draws, as nodes: bodies, lines, arrows, balls, labels, handles, the ground; and the numbers that move them.
const HANDLE_COLOUR = [.90, .62, 0], LEFT_OVER = [.55, .59, .64], RELAY = 8, AROUND = 28, ALIKE = 6;

class Scene {
  constructor(canvas, labels, shaders, colours, grab) {
    this.colours = colours; this.nodes = new Map(); this.numbers = new Map(); this.laid = null;
    this.view = new Viewport({ canvas, labels, shaders, grab, flat: new URLSearchParams(location.search).has("flat") });
  }
  clear() { for (const id of [...this.nodes.keys()]) this.remove(id); this.laid = null; }
  has(id) { return this.nodes.has(id); }
  add({ id, kind, number, props }) {
    this.remove(id);
    const node = { id, kind, number, props: {}, data: null }; this.nodes.set(id, node); if (number) this.numbers.set(number, node);
    this.set(id, props);
  }
  set(id, props) {
    const node = this.nodes.get(id), { view } = this, before = node.props; node.props = { ...before, ...props };
    if (node.kind === "body") { if (props.body) { view.setBody(props.body, this.colours, ALIKE, id); node.parts = null; } if (node.props.drag && node.props.body) node.parts ??= solidPoints(node.props.body); }
    else if (node.kind === "ground") this.setGround(node.props);
    else if (node.kind === "focus") { const { planar, tall, heading = 0, figure, shadows = true } = node.props; view.shadows = shadows; if (figure !== before.figure || planar !== before.planar || tall !== before.tall) view.frame({ planar, tall, heading }); }
  }
  remove(id) {
    const node = this.nodes.get(id); if (!node) return;
    this.nodes.delete(id); if (this.numbers.get(node.number) === node) this.numbers.delete(node.number);
    if (node.kind === "body") this.view.dropBody(id); else if (node.kind === "ground") this.setGround({ flat: true });
  }
  // Numbers for a node; true where there is one of that number.
  data(number, floats) {
    const node = this.numbers.get(number); if (!node) return false;
    node.data = floats; if (node.kind === "body") posed(node, floats);
    return true;
  }
  // Light or dark: bodies are painted anew.
  repaint(dark) { this.view.dark = dark; for (const { id, kind, props } of this.nodes.values()) if (kind === "body" && props.body) this.view.setBody(props.body, this.colours, ALIKE, id); }

  setGround({ flat, x, y, z, packed }) {
    this.height = flat || !x?.length ? () => z?.[0]?.[0] ?? 0 : heightOver(x, y, packed ? floatsOf(packed) : Float32Array.from(z.flat()));
    this.breaks = flat ? [[], []] : [x ?? [], y ?? []]; this.laid = null;
  }
  layGround([x, y]) {
    if (!this.height || (this.laid && Math.hypot(x - this.laid[0], y - this.laid[1]) < RELAY)) return;
    this.laid = [x, y]; this.view.setGround(this.height, ...this.breaks, [x - AROUND, y - 20], [x + AROUND, y + 20]);
  }

  // How hard each of the walker's bodies is worked, 0 to 1; null where that is not shown.
  get heat() { const node = this.nodes.get("torques"); return node?.data && node.props.visible !== false ? node.data : null; }
  get focus() { return this.nodes.get("focus")?.data ?? null; }
  // Draws everything; false where there is nothing to look at yet.
  draw(moving) {
    const { focus, view } = this; if (!focus) return false;
    const others = [], marks = [], notes = [], handles = [];
    this.layGround(focus);
    for (const { kind, id, props, data, poses } of this.nodes.values()) {
      if (!data || props.visible === false) continue;
      if (kind === "body") others.push({ name: props.same_as ?? id, poses, alpha: props.alpha ?? 1, tint: props.colour ? [...props.colour, 1] : [0, 0, 0, 0], heat: id === "walker" ? this.heat : null });
      else if (kind === "lines") for (let k = 0, n = 0; k + 6 <= data.length; k += 6, n++) marks.push([at(data, k), at(data, k + 3), props.radius, props.radius, props.colours?.[n] ?? props.colour ?? LEFT_OVER]);
      else if (kind === "arrows") for (let k = 0; k + 6 <= data.length; k += 6) view.putArrow((...mark) => marks.push(mark), at(data, k), at(data, k + 3), props.radius, props.colour);
      else if (kind === "balls") for (let k = 0; k + 3 <= data.length; k += 3) marks.push([at(data, k), at(data, k), props.radius, props.radius, props.colour]);
      else if (kind === "labels") for (let k = 0, n = 0; k + 3 <= data.length; k += 3, n++) notes.push({ at: at(data, k), text: props.texts[n] ?? "", colour: props.colour ?? "--ink" });
      else if (kind === "handles") for (const h of this.handles()) { marks.push([h.at, h.at, props.radius, props.radius, props.colour ?? HANDLE_COLOUR]); handles.push(h); }
    }
    for (const { at: place, name } of handles) notes.push({ at: V.add(place, [0, 0, .06]), text: name, colour: "--ink" });
    view.draw({ here: at(focus, 0), others, marks, notes, moving });
    return true;
  }
  // The handles that are shown: { number, at, name }.
  handles() {
    const node = this.nodes.get("handles"), found = []; if (!node?.data || node.props.visible === false) return found;
    for (const [n, name] of node.props.names.entries()) if (node.data[4 * n + 3] > .5) found.push({ number: n, at: at(node.data, 4 * n), name });
    return found;
  }
  // The hinges that carry a handle, as a Grip takes them, each with its joint.
  hinges(number) {
    const { props: { joints }, data } = this.nodes.get("handles"), first = 4 * joints.length + 9 * joints.slice(0, number).flat().length;
    return joints[number].map((joint, k) => { const o = first + 9 * k, [angle, low, high] = at(data, o + 6); return { joint, axis: at(data, o), anchor: at(data, o + 3), angle, low, high }; }).filter(h => h.low <= h.high);
  }
  // Where the walker faces, radians.
  get heading() { const node = this.nodes.get("walker"); return node?.poses ? Math.atan2(node.poses[4], node.poses[0]) : 0; }
}
const at = (data, k) => [data[k], data[k + 1], data[k + 2]];
// [J][7] places and quaternions as three rows (rotation, place) for each joint.
function posed(node, data) {
  const J = data.length / 7; if (node.poses?.length !== 12 * J) node.poses = new Float32Array(12 * J);
  for (let j = 0; j < J; j++) putPose(node.poses, j, at(data, 7 * j), data.subarray(7 * j + 3, 7 * j + 7));
}
