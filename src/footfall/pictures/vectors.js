// Vectors, matrices (column-major) and numbers that travel as base64, for footfall's pages.
const V = {
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  mul: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit: a => { const l = Math.hypot(...a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; },
};
function multiply(a, b) {
  const o = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) { let s = 0; for (let k = 0; k < 4; k++) s += a[k * 4 + r] * b[c * 4 + k]; o[c * 4 + r] = s; }
  return o;
}
function lookAt(eye, to, up) {
  const z = V.unit(V.sub(eye, to)), x = V.unit(V.cross(up, z)), y = V.cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -V.dot(x, eye), -V.dot(y, eye), -V.dot(z, eye), 1]);
}
function perspective(angle, aspect, near, far) {
  const s = 1 / Math.tan(angle / 2);
  return new Float32Array([s / aspect, 0, 0, 0, 0, s, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
}
function orthographic(w, h, near, far) {
  return new Float32Array([1 / w, 0, 0, 0, 0, 1 / h, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
}

// The rows (rotation, place) of a joint among poses, from its place and quaternion w x y z.
function putPose(poses, joint, [px, py, pz], [w, x, y, z]) {
  poses.set([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), px, 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), py, 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), pz], 12 * joint);
}
// Heights between the lines x and y, where z holds them row by row; beyond the last line as on it.
function heightOver(xs, ys, z) {
  const cell = (p, v) => {
    if (p.length < 2) return [0, 0, 0];
    v = Math.min(Math.max(v, p[0]), p[p.length - 1]); let low = 0, high = p.length - 2;
    while (low < high) { const m = (low + high + 1) >> 1; if (p[m] <= v) low = m; else high = m - 1; }
    return [low, low + 1, p[low + 1] > p[low] ? (v - p[low]) / (p[low + 1] - p[low]) : 0];
  };
  const C = Math.max(ys.length, 1);
  return (x, y) => { const [i, k, u] = cell(xs, x), [j, l, v] = cell(ys, y); return (1 - v) * ((1 - u) * z[i * C + j] + u * z[k * C + j]) + v * ((1 - u) * z[i * C + l] + u * z[k * C + l]); };
}

// numbers that travel as base64
const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const floatsOf = text => new Float32Array(bytesOf(text).buffer);
const unzipped = text => new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
const element = id => document.getElementById(id);
// words of an element, which is touched only where they are others
const write = (id, text) => { const e = element(id); if (e.textContent !== text) e.textContent = text; };
// says over the whole page what it needs, where it cannot go on
const sorry = (error, words = "This page needs a browser with WebAssembly") => { element("sorry").style.display = "grid"; element("sorry").firstChild.textContent = `${words} (${error.message}).`; throw error; };
const make = (tag, more = {}, ...children) => { const e = Object.assign(document.createElement(tag), more); e.append(...children); return e; };
