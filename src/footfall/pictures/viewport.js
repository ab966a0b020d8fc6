// The viewport of footfall's pages (the player of motions and the live page): a body of solids, a ground with a metre grid, one sun
// with a soft shadow, and a camera that follows, turns, pans and zooms by mouse and finger. Plain WebGL 2.
//
//   const view = new Viewport({ canvas, labels, shaders, planar, tall, heading });
//   view.setBody({ solids, step, vertices, normals, triangles }, colours);   solids as stacks of rings or as meshes, each fixed to a joint
//   view.setGround(height, xs, ys, low, high);                          breaks of a piecewise linear height(x, y)
//   view.draw({ here, poses, contacts, push, path, moving });

const V = {
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  mul: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit: a => { const l = Math.hypot(...a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; },
};
// matrices are column-major
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

// numbers that travel as base64
const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const floatsOf = text => new Float32Array(bytesOf(text).buffer);
const element = id => document.getElementById(id);

const LIGHT = V.unit([-.35, -.55, 1]), SHADOW = 1536, STRIDE = 11, VERTEX = 10;
const PUSH_COLOUR = [.80, .47, .65], PATH_COLOUR = [.90, .62, 0], CONTACT_COLOUR = [0, .62, .45];

class Viewport {
  constructor({ canvas, labels, shaders, planar = false, tall = 1.7, heading = 0, lift = .11, grab = null }) {
    this.canvas = canvas; this.labels = labels; this.planar = planar; this.tall = tall; this.lift = lift; this.shift = 0; this.reach = 1; this.scale = 1; this.spread = 0;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!this.gl) throw new Error("WebGL 2 is not available");
    this.views = { side: [heading - Math.PI / 2, .1], three: [heading - .85, .24], front: [heading, .14], top: [heading - Math.PI / 2, 1.45] };
    this.follow = true; this.centre = [0, 0, .9]; this.aim = null;
    this.distance = (planar ? 3.4 : 3.0) * tall;
    this.look(planar ? "side" : "three");
    this.prepare(shaders);
    this.setGround(() => 0, [], []);
    this.listen(grab);
  }

  look(name) { if (Object.hasOwn(this.views, name)) [this.yaw, this.pitch] = this.views[name]; }

  // ---- what is drawn
  // solids: [rings, points in a ring, joint, side] each, or [0, vertices, joint, side, triangles] for a mesh; vertices (whole
  // numbers of step metres), normals and the meshes' triangles (numbers of their own vertices): base64.
  // colours: of "left", "right" and "", from 0 to 1. count: how many bodies of this shape there are room for.
  setBody({ solids, step, vertices, normals, triangles: meshed = "" }, colours, count = 1) {
    const gl = this.gl, places = new Int16Array(bytesOf(vertices).buffer), outward = new Int8Array(bytesOf(normals).buffer);
    const data = new Float32Array(places.length / 3 * VERTEX), index = [];
    const paint = { ...colours, "": this.dark ? colours[""].map(v => v + .28 * (1 - v)) : colours[""] };
    const corners = new Uint32Array(bytesOf(meshed).buffer);
    let v = 0, c = 0, joints = 1;
    for (const [R, K, joint, side, T = 0] of solids) {
      joints = Math.max(joints, joint + 1);
      for (const end = c + 3 * T; c < end; c++) index.push(v + corners[c]);
      for (let r = 0; r + 1 < R; r++) for (let k = 0; k < K; k++) { const i = v + r * K + k, j = v + r * K + (k + 1) % K; if (r) index.push(i, j, i + K); if (r + 2 < R) index.push(j, j + K, i + K); }
      for (const last = v + (R || 1) * K; v < last; v++) for (let k = 0; k < 3; k++) { data[v * VERTEX + k] = places[v * 3 + k] * step; data[v * VERTEX + 3 + k] = outward[v * 3 + k] / 127; data[v * VERTEX + 6] = joint; data[v * VERTEX + 7 + k] = paint[side][k]; }
    }
    if (this.solids) { gl.deleteBuffer(this.solids.vertices); gl.deleteBuffer(this.solids.triangles); gl.deleteVertexArray(this.solids.array); gl.deleteTexture(this.solids.poses); }
    const array = gl.createVertexArray(); gl.bindVertexArray(array);
    const own = this.buffer(gl.ARRAY_BUFFER, data);
    for (const [at, n, offset] of [[0, 3, 0], [1, 3, 12], [2, 1, 24], [3, 3, 28]]) { gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, n, gl.FLOAT, false, 4 * VERTEX, offset); }
    const triangles = this.buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(index)), poses = gl.createTexture();
    gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, poses); gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 3 * joints, count);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST); gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    this.solids = { array, vertices: own, triangles, poses, count: index.length, joints, bodies: 1 };
  }
  setGround(height, xs, ys, low = [-20, -20], high = [20, 20]) {
    const gl = this.gl; this.height = height;
    const spread = (breaks, a, b) => [...new Set([a, b, ...breaks.filter(v => v > a && v < b)])].sort((m, n) => m - n);
    const px = spread(xs, low[0], high[0]), py = spread(ys, low[1], high[1]), data = [];
    const z = px.map(x => py.map(y => height(x, y)));
    for (let i = 0; i + 1 < px.length; i++) for (let j = 0; j + 1 < py.length; j++) {
      const q = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([r, c]) => [px[r], py[c], z[r][c]]);
      const n = V.unit(V.cross(V.sub(q[2], q[0]), V.sub(q[3], q[1])));
      for (const k of [0, 1, 2, 0, 2, 3]) data.push(...q[k], ...n);
    }
    if (!this.floorArray) { this.floorArray = gl.createVertexArray(); this.floorBuffer = gl.createBuffer(); }
    gl.bindVertexArray(this.floorArray); gl.bindBuffer(gl.ARRAY_BUFFER, this.floorBuffer); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0); gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    this.floorCount = data.length / 6;
  }

  // ---- WebGL
  buffer(kind, data, use = this.gl.STATIC_DRAW) { const gl = this.gl, b = gl.createBuffer(); gl.bindBuffer(kind, b); gl.bufferData(kind, data, use); return b; }
  program([vertex, fragment]) {
    const gl = this.gl, p = gl.createProgram(), u = {};
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const s = gl.createShader(kind);
      gl.shaderSource(s, "#version 300 es\nprecision highp float;\n" + text); gl.compileShader(s);
      if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
      gl.attachShader(p, s);
    }
    gl.linkProgram(p);
    if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
    for (let i = 0, n = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS); i < n; i++) { const name = gl.getActiveUniform(p, i).name; u[name] = gl.getUniformLocation(p, name); }
    return { p, u };
  }
  prepare(shaders) {
    const gl = this.gl;
    this.body = this.program(shaders.body); this.bodyDepth = this.program(shaders.bodyDepth); this.marks = this.program(shaders.marks); this.floor = this.program(shaders.floor);
    this.solids = null;
    // marks (contacts, pushes, paths): a unit capsule, two hemispheres joined
    const shape = [], triangles = [], N = 24, M = 8;
    for (let r = 0; r <= 2 * M + 1; r++) { const e = r > M ? 1 : 0, t = Math.PI * (e ? r - 1 : r) / (2 * M); for (let k = 0; k <= N; k++) { const f = 2 * Math.PI * k / N; shape.push(Math.sin(t) * Math.cos(f), Math.sin(t) * Math.sin(f), -Math.cos(t), e); } }
    for (let r = 0; r <= 2 * M; r++) for (let k = 0; k < N; k++) { const i = r * (N + 1) + k; triangles.push(i, i + 1, i + N + 1, i + 1, i + N + 2, i + N + 1); }
    this.markTriangles = triangles.length; this.room = 512; this.instances = new Float32Array(this.room * STRIDE);
    this.marksArray = gl.createVertexArray(); gl.bindVertexArray(this.marksArray);
    this.buffer(gl.ARRAY_BUFFER, new Float32Array(shape)); gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    this.buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(triangles));
    this.instanceBuffer = this.buffer(gl.ARRAY_BUFFER, this.instances.byteLength, gl.DYNAMIC_DRAW);
    for (const [at, n, offset] of [[1, 3, 0], [2, 3, 12], [3, 2, 24], [4, 3, 32]]) { gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, n, gl.FLOAT, false, STRIDE * 4, offset); gl.vertexAttribDivisor(at, 1); }
    this.shadowMap = gl.createTexture(); this.shadowFrame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap); gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW, SHADOW);
    for (const [k, v] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, k, v);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame); gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0); gl.drawBuffers([gl.NONE]); gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
  put(n, a, b, ra, rb, colour) { if (n < this.room) this.instances.set([a[0], a[1], a[2], b[0], b[1], b[2], ra, rb, colour[0], colour[1], colour[2]], n * STRIDE); return Math.min(n + 1, this.room); }

  // here: the root. poses: [12 J] three rows (rotation, place) for each joint, of one body or several. contacts: points that touch.
  // push: { at, force } or null. path: points. moving: whether the camera glides after the root.
  draw({ here, poses, contacts = [], push = null, path = [], moving = true }) {
    const gl = this.gl, small = this.tall / 1.7, ratio = Math.min(devicePixelRatio || 1, 2);
    this.resize(this.labels, ratio); this.resize(this.canvas, ratio * this.scale);
    const { width: w, height: h } = this.canvas;
    this.aimAt(here, moving);
    const cp = Math.cos(this.pitch), eye = V.add(this.centre, V.mul([Math.cos(this.yaw) * cp, Math.sin(this.yaw) * cp, Math.sin(this.pitch)], this.distance * this.reach));
    eye[2] = Math.max(eye[2], this.height(eye[0], eye[1]) + .06);
    const camera = multiply(perspective(this.planar ? .55 : .62, w / h, .05, 120), lookAt(eye, this.centre, [0, 0, 1]));
    for (let k = 0; k < 4; k++) { camera[k * 4 + 1] += this.lift * camera[k * 4 + 3]; camera[k * 4] += this.shift * camera[k * 4 + 3]; }
    this.camera = camera; this.eye = eye;
    let n = 0;
    for (const p of contacts) n = this.put(n, p, p, .022 * small, .022 * small, CONTACT_COLOUR);
    const tail = push && Math.hypot(...push.force) > 1e-6 ? this.arrow(push) : null;
    if (tail) { n = this.put(n, tail.from, V.sub(tail.tip, V.mul(tail.d, .12)), .018, .018, PUSH_COLOUR); n = this.put(n, V.sub(tail.tip, V.mul(tail.d, .13)), tail.tip, .055, .006, PUSH_COLOUR); }
    for (let k = 0; k + 1 < path.length; k++) n = this.put(n, path[k], path[k + 1], .008, .008, PATH_COLOUR);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instanceBuffer); gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.instances.subarray(0, n * STRIDE));
    const wide = Math.max(1.9 * small, this.spread), sun = multiply(orthographic(wide, wide, .5, 12 + 2 * this.spread), lookAt(V.add(here, V.mul(LIGHT, 6 + this.spread)), here, [0, 1, 0]));
    gl.enable(gl.DEPTH_TEST); gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame); gl.viewport(0, 0, SHADOW, SHADOW); gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(2.5, 6);
    if (this.solids) {
      this.solids.bodies = poses.length / 12 / this.solids.joints;
      gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, this.solids.poses); gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 3 * this.solids.joints, this.solids.bodies, gl.RGBA, gl.FLOAT, poses);
    }
    gl.useProgram(this.bodyDepth.p); gl.uniformMatrix4fv(this.bodyDepth.u.camera, false, sun); this.drawBody(this.bodyDepth);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.viewport(0, 0, w, h); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE0); gl.bindTexture(gl.TEXTURE_2D, this.shadowMap); gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const q of [this.floor, this.body, this.marks]) {
      gl.useProgram(q.p); gl.uniformMatrix4fv(q.u.camera, false, camera); gl.uniformMatrix4fv(q.u.sun, false, sun); gl.uniform1i(q.u.shadow, 0); gl.uniform3fv(q.u.eye, eye); gl.uniform3fv(q.u.light, LIGHT);
      if (q === this.floor) { gl.uniform3fv(q.u.centre, this.centre); gl.uniform3fv(q.u.tint, this.dark ? [.20, .235, .27] : [.955, .965, .975]); gl.uniform1f(q.u.dark, this.dark ? 1 : 0); gl.bindVertexArray(this.floorArray); gl.drawArrays(gl.TRIANGLES, 0, this.floorCount); }
      else if (q === this.body) this.drawBody(q);
      else if (n) { gl.bindVertexArray(this.marksArray); gl.drawElementsInstanced(gl.TRIANGLES, this.markTriangles, gl.UNSIGNED_SHORT, 0, n); }
    }
    this.write(ratio, tail);
  }
  drawBody(q) { const gl = this.gl; if (!this.solids) return; gl.uniform1i(q.u.joints, 1); gl.bindVertexArray(this.solids.array); gl.drawElementsInstanced(gl.TRIANGLES, this.solids.count, gl.UNSIGNED_INT, 0, this.solids.bodies); }
  arrow({ at, force }) { const size = Math.hypot(...force), d = V.unit(force), l = Math.min(.25 + size / 600, 1.1); return { d, size, from: V.sub(at, V.mul(d, l + .1)), tip: V.sub(at, V.mul(d, .1)) }; }
  aimAt(here, moving) {
    if (!this.follow) return;
    const goal = [here[0], this.planar ? 0 : here[1], this.height(here[0], here[1]) + .47 * this.tall];
    if (!this.aim || Math.hypot(...V.sub(goal, this.aim)) > 3) this.aim = goal;
    this.aim = [goal[0], goal[1], this.aim[2] + (goal[2] - this.aim[2]) * (moving ? .12 : 1)];
    this.centre = this.aim;
  }

  // ---- places on the screen
  project(p) {
    const c = this.camera, k = c[3] * p[0] + c[7] * p[1] + c[11] * p[2] + c[15];
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
  write(ratio, tail) {
    const c = this.labels.getContext("2d"); c.clearRect(0, 0, this.labels.width, this.labels.height); c.textAlign = "center"; c.font = `${11.5 * ratio}px system-ui, sans-serif`;
    const place = (p, text, colour) => { const at = this.project(p); if (!at) return; c.fillStyle = colour; c.fillText(text, at[0] * ratio, at[1] * ratio); };
    const y = (this.planar ? 0 : this.centre[1]) + (Math.sin(this.yaw) < 0 ? -1 : 1) * .62, soft = getComputedStyle(document.body).getPropertyValue("--soft");
    for (let x = Math.round(this.centre[0]) - 5; x <= this.centre[0] + 5; x++) { c.globalAlpha = Math.max(0, 1 - Math.abs(x - this.centre[0]) / 5.2); place([x, y, this.height(x, y)], `${x} m`, soft); }
    c.globalAlpha = 1;
    if (tail) place(V.add(tail.from, [0, 0, .09]), `${tail.size.toFixed(0)} N`, this.dark ? "#e3a6c6" : "#a8487f");
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
    canvas.addEventListener("wheel", e => { e.preventDefault(); this.zoom(Math.exp(e.deltaY * .001)); }, { passive: false });
  }
  // Fewer pixels where frames (milliseconds each) come slowly, more again where they come fast; all where it stands still.
  adapt(frame, moving = true) {
    if (!moving) { this.scale = 1; this.pace = 17; return; }
    this.pace = .8 * (this.pace ?? 17) + .2 * Math.min(frame, 400);
    if (this.pace > 45) this.scale = Math.max(.5, this.scale * .93); else if (this.pace < 21) this.scale = Math.min(1, this.scale * 1.02);
  }
  zoom(by) { this.distance = Math.min(Math.max(this.distance * by, .8), 60); }
}
