// Paints a scene on a plain canvas, for browsers without WebGL: each solid as its outline, farther ones first, over lines on the
// ground. It has the same interface as GLPainter.
const HOT = [.86, .08, .10];

class FlatPainter {
  constructor(canvas) { this.canvas = canvas; this.pen = canvas.getContext("2d"); if (!this.pen) throw new Error("this browser draws no pictures"); this.px = []; }

  shape(body, paint) {
    const parts = solidPoints(body).map(part => ({ ...part, colour: paint[part.side] }));
    return { parts, joints: 1 + Math.max(0, ...parts.map(part => part.joint)) };
  }
  dropShape() {}
  setGround(px, py, z) { Object.assign(this, { px, at: heightOver(px, py, z.flat()) }); }

  paint({ camera, eye, centre, bodies, marks, dark }) {
    const { pen } = this, { width: w, height: h } = this.canvas, c = camera;
    const seen = p => { const k = c[3] * p[0] + c[7] * p[1] + c[11] * p[2] + c[15]; return k < .1 ? null : [((c[0] * p[0] + c[4] * p[1] + c[8] * p[2] + c[12]) / k * .5 + .5) * w, (.5 - (c[1] * p[0] + c[5] * p[1] + c[9] * p[2] + c[13]) / k * .5) * h, k]; };
    const line = (a, b) => { const p = seen(a), q = seen(b); if (p && q) { pen.beginPath(); pen.moveTo(p[0], p[1]); pen.lineTo(q[0], q[1]); pen.stroke(); } };
    const css = (rgb, a = 1) => `rgba(${rgb.map(x => Math.round(255 * Math.min(Math.max(x, 0), 1)))},${a})`;
    pen.clearRect(0, 0, w, h); pen.lineWidth = Math.max(1, h / 700); pen.lineCap = "round"; pen.lineJoin = "round";
    pen.strokeStyle = dark ? "#4b5763" : "#c3cbd3";
    const near = this.px.filter(x => Math.abs(x - centre[0]) < 9), height = this.at;
    for (let x = Math.ceil(centre[0]) - 8; x <= centre[0] + 8; x++) near.push(x);
    near.sort((a, b) => a - b);
    for (const x of near) line([x, centre[1] - 2, height(x, centre[1] - 2)], [x, centre[1] + 2, height(x, centre[1] + 2)]);
    for (const y of [-2, -1, 0, 1, 2]) for (let i = 0; i + 1 < near.length; i++) line([near[i], centre[1] + y, height(near[i], centre[1] + y)], [near[i + 1], centre[1] + y, height(near[i + 1], centre[1] + y)]);
    const things = [];
    for (const { shape, poses, tint = [0, 0, 0, 0], alpha = 1, heat = null } of bodies) for (let b = 0; b + 12 * shape.joints <= poses.length; b += 12 * shape.joints) for (const part of shape.parts) {
      const o = b + 12 * part.joint, points = [];
      let deep = 0;
      for (const p of part.points) { const q = seen([0, 1, 2].map(r => poses[o + 4 * r] * p[0] + poses[o + 4 * r + 1] * p[1] + poses[o + 4 * r + 2] * p[2] + poses[o + 4 * r + 3])); if (q) { points.push(q); deep += q[2]; } }
      if (points.length > 2) things.push({ deep: deep / points.length, points: outline(points), colour: part.colour.map((v, k) => v + (heat?.[part.joint] ?? 0) * (HOT[k] - v)).map((v, k) => v + tint[3] * (tint[k] - v)), alpha });
    }
    things.sort((a, b) => b.deep - a.deep);
    for (const { points, colour, alpha } of things) {
      pen.beginPath(); points.forEach((p, i) => { if (i) pen.lineTo(p[0], p[1]); else pen.moveTo(p[0], p[1]); }); pen.closePath();
      pen.fillStyle = css(colour, alpha); pen.fill(); pen.strokeStyle = css(colour.map(v => .7 * v), alpha); pen.stroke();
    }
    for (const [a, b, ra, rb, colour] of marks) { const p = seen(a), q = seen(b); if (!p || !q) continue; pen.strokeStyle = css(colour); pen.lineWidth = Math.max(1.5, (ra + rb) * h / q[2] * 1.5); pen.beginPath(); pen.moveTo(p[0], p[1]); pen.lineTo(q[0] + .01, q[1]); pen.stroke(); }
  }
}
// Each solid of a body with some of its points, in its joint's frame.
function solidPoints({ solids, step, vertices }) {
  const places = new Int16Array(bytesOf(vertices).buffer);
  let v = 0;
  return solids.map(([R, K, joint, side]) => {
    const points = [];
    for (const last = v + (R || 1) * K, every = Math.ceil((last - v) / 160); v < last; v++) if (v % every === 0) points.push([places[3 * v] * step, places[3 * v + 1] * step, places[3 * v + 2] * step]);
    return { joint, side, points };
  });
}
// The convex outline of points on the screen.
function outline(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = list => { const kept = []; for (const p of list) { while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), p) <= 0) kept.pop(); kept.push(p); } kept.pop(); return kept; };
  return [...half(sorted), ...half(sorted.reverse())];
}
