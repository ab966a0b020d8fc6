// Paints a scene with plain WebGL 2: bodies of solids, a ground with a metre grid, marks, one sun with a soft shadow.
const LIGHT = V.unit([-.35, -.55, 1]), SHADOW = 1536, LIGHT_SHADOW = 768, STRIDE = 11, VERTEX = 10, MOST_HEATED = 64, LIMB = .4, STEEP = 2, MOST_MARKS = 1024;

class GLPainter {
  // light: whether painting takes long here; shadows are then coarser, and so are bodies in pictures that are not fine.
  constructor(canvas, shaders, light = false) {
    Object.assign(this, { canvas, light, shadowSize: light ? LIGHT_SHADOW : SHADOW });
    this.gl = canvas.getContext("webgl2", { antialias: !light, alpha: true, premultipliedAlpha: true });
    if (!this.gl) throw new Error("WebGL 2 is not available");
    this.prepare(shaders);
  }

  // ---- what is drawn
  // A body's solids: [rings, points in a ring, joint, side] each, or [0, vertices, joint, side, triangles] for a mesh; vertices
  // (whole numbers of step metres), normals and the meshes' triangles (numbers of their own vertices): base64.
  // paint: colours of "left", "right" and "", from 0 to 1. count: how many bodies of this shape there are room for.
  shape({ solids, step, vertices, normals, triangles: meshed = "" }, paint, count = 1) {
    const gl = this.gl, places = new Int16Array(bytesOf(vertices).buffer), outward = new Int8Array(bytesOf(normals).buffer);
    const data = new Float32Array(places.length / 3 * VERTEX), index = [], rough = [];
    const corners = new Uint32Array(bytesOf(meshed).buffer);
    let v = 0, c = 0, joints = 1;
    for (const [R, K, joint, side, T = 0] of solids) {
      joints = Math.max(joints, joint + 1);
      for (const end = c + 3 * T; c < end; c++) { index.push(v + corners[c]); rough.push(v + corners[c]); }
      stack(index, v, R, K, 1); stack(rough, v, R, K, K % 2 || K < 8 || R < 5 ? 1 : 2);
      for (const last = v + (R || 1) * K; v < last; v++) for (let k = 0; k < 3; k++) { data[v * VERTEX + k] = places[v * 3 + k] * step; data[v * VERTEX + 3 + k] = outward[v * 3 + k] / 127; data[v * VERTEX + 6] = joint; data[v * VERTEX + 7 + k] = paint[side][k]; }
    }
    const array = gl.createVertexArray(); gl.bindVertexArray(array);
    const own = this.buffer(gl.ARRAY_BUFFER, data);
    for (const [at, n, offset] of [[0, 3, 0], [1, 3, 12], [2, 1, 24], [3, 3, 28]]) { gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, n, gl.FLOAT, false, 4 * VERTEX, offset); }
    const triangles = this.buffer(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(index.concat(rough))), poses = gl.createTexture();
    gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, poses); gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 3 * joints, count);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST); gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return { array, vertices: own, triangles, poses, count: index.length, rough: rough.length, joints, room: count, closed: solids.every(([, , , , T = 0]) => !T) };
  }
  dropShape(shape) { const gl = this.gl; gl.deleteBuffer(shape.vertices); gl.deleteBuffer(shape.triangles); gl.deleteVertexArray(shape.array); gl.deleteTexture(shape.poses); }
  // The ground over px and py, the lines along which it may bend, with heights z[x][y]; where it does, an edge is drawn.
  setGround(px, py, z) {
    const gl = this.gl, data = [], edges = [], faces = new Map(), most = Math.cos(py.length > 2 ? .3 : .015);
    // in pieces: where a long line passes behind the eye, what is in front of it may be lost
    const edge = (a, b, n) => { const pieces = Math.ceil(Math.hypot(...V.sub(b, a)) / 2), part = V.mul(V.sub(b, a), 1 / pieces); for (let k = 0; k < pieces; k++) edges.push(...V.add(a, V.mul(part, k)), ...n, ...V.add(a, V.mul(part, k + 1)), ...n); };
    const bends = (a, b) => a && b && a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < most;
    for (let i = 0; i + 1 < px.length; i++) for (let j = 0; j + 1 < py.length; j++) {
      const q = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([r, c]) => [px[r], py[c], z[r][c]]);
      const n = V.unit(V.cross(V.sub(q[2], q[0]), V.sub(q[3], q[1]))); faces.set(i * py.length + j, n);
      for (const k of [0, 1, 2, 0, 2, 3]) data.push(...q[k], ...n);
      if (bends(n, faces.get((i - 1) * py.length + j))) edge(q[0], q[3], n);
      if (j && bends(n, faces.get(i * py.length + j - 1))) edge(q[0], q[1], n);
    }
    if (!this.floorArray) { this.floorArray = gl.createVertexArray(); this.floorBuffer = gl.createBuffer(); }
    gl.bindVertexArray(this.floorArray); gl.bindBuffer(gl.ARRAY_BUFFER, this.floorBuffer); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data.concat(edges)), gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0); gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    this.floorCount = data.length / 6; this.edgeCount = edges.length / 6; [this.lowest, this.highest] = [Math.min, Math.max].map(f => f(...z.map(row => f(...row))));
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
    this.body = this.program(shaders.body); this.bodyDepth = this.program(shaders.bodyDepth); this.marks = this.program(shaders.marks); this.floor = this.program(shaders.floor); this.shadedFloor = this.program(shaders.shadedFloor); this.edge = this.program(shaders.edge);
    // marks: a unit capsule, two hemispheres joined
    const shape = [], [N, M] = this.light ? [8, 2] : [12, 4];
    for (let r = 0; r <= 2 * M + 1; r++) { const e = r > M ? 1 : 0, t = Math.PI * (e ? r - 1 : r) / (2 * M); for (let k = 0; k <= N; k++) { const f = 2 * Math.PI * k / N; shape.push(Math.sin(t) * Math.cos(f), Math.sin(t) * Math.sin(f), -Math.cos(t), e); } }
    const between = (rings, by) => rings.slice(1).flatMap((r, n) => Array.from({ length: N / by }, (_, k) => { const i = rings[n] * (N + 1) + by * k, j = r * (N + 1) + by * k; return [i, i + by, j, i + by, j + by, j]; })).flat();
    const triangles = between(Array.from({ length: 2 * M + 2 }, (_, r) => r), 1), rough = between([0, M, M + 1, 2 * M + 1], 2);
    // a processor draws instances one by one, which takes longer than all else: there every vertex has its mark's numbers, and all are one mesh
    const own = shape.length / 4, meshes = this.light ? MOST_MARKS : 1, repeated = (list, shift) => Array.from({ length: meshes }, (_, n) => list.map(v => v + shift * n)).flat();
    this.markTriangles = triangles.length; this.roughTriangles = rough.length; this.copies = this.light ? own : 1; this.instances = new Float32Array(MOST_MARKS * STRIDE * this.copies);
    this.marksArray = gl.createVertexArray(); gl.bindVertexArray(this.marksArray);
    this.buffer(gl.ARRAY_BUFFER, new Float32Array(repeated(shape, 0))); gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    this.buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(repeated(triangles, own).concat(repeated(rough, own))));
    this.instanceBuffer = this.buffer(gl.ARRAY_BUFFER, this.instances.byteLength, gl.DYNAMIC_DRAW);
    for (const [at, n, offset] of [[1, 3, 0], [2, 3, 12], [3, 2, 24], [4, 3, 32]]) { gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, n, gl.FLOAT, false, STRIDE * 4, offset); gl.vertexAttribDivisor(at, this.light ? 0 : 1); }
    this.shadowMap = gl.createTexture(); this.shadowFrame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap); gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.shadowSize, this.shadowSize);
    for (const [k, v] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, k, v);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame); gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0); gl.drawBuffers([gl.NONE]); gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // camera: a matrix; eye, centre, here: where it is, where it looks, what the sun follows; level: of the ground there. bodies: { shape, poses, tint, alpha,
  // heat } each, those that can be seen through last. marks: [from, to, radius, radius, colour] each. wide: metres in the sun's view, spread: of the bodies.
  // shadows: whether bodies cast them. soft: how many texels around each they are smoothed over; -1 without shadows. fine: a picture
  // that may take long.
  paint({ camera, eye, centre, here, level = 0, bodies, marks, wide, spread, dark, shadows = true, soft, fine = false }) {
    const rough = this.light && !fine, gl = this.gl, { width: w, height: h } = this.canvas, count = Math.min(marks.length, MOST_MARKS), row = STRIDE * this.copies;
    for (let n = 0; n < count; n++) { const [a, b, ra, rb, c] = marks[n]; this.instances.set([a[0], a[1], a[2], b[0], b[1], b[2], ra, rb, c[0], c[1], c[2]], n * row); for (let done = STRIDE; done < row; done *= 2) this.instances.copyWithin(n * row + done, n * row, n * row + Math.min(done, row - done)); }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instanceBuffer); gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.instances.subarray(0, count * row));
    const sun = multiply(orthographic(wide, wide, .5, 12 + 2 * spread), lookAt(V.add(here, V.mul(LIGHT, 6 + spread)), here, [0, 1, 0]));
    const used = new Map();
    gl.activeTexture(gl.TEXTURE1);
    for (const body of bodies) {
      const { shape, poses } = body, first = used.get(shape) ?? 0, rows = Math.min(poses.length / 12 / shape.joints, shape.room - first);
      Object.assign(body, { first, rows }); used.set(shape, first + rows);
      if (rows > 0) { gl.bindTexture(gl.TEXTURE_2D, shape.poses); gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, first, 3 * shape.joints, rows, gl.RGBA, gl.FLOAT, poses); }
    }
    gl.enable(gl.DEPTH_TEST);
    if (shadows || this.shaded !== false) { gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame); gl.viewport(0, 0, this.shadowSize, this.shadowSize); gl.clear(gl.DEPTH_BUFFER_BIT); }
    if (shadows) {
      gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(2.5, 6);
      gl.useProgram(this.bodyDepth.p); gl.uniformMatrix4fv(this.bodyDepth.u.camera, false, sun);
      for (const body of bodies) if (!(body.alpha < 1)) this.paintBody(this.bodyDepth, body, rough);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }
    this.shaded = shadows;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.viewport(0, 0, w, h); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE0); gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    const begin = q => { gl.useProgram(q.p); gl.uniformMatrix4fv(q.u.camera, false, camera); gl.uniformMatrix4fv(q.u.sun ?? null, false, sun); gl.uniform1i(q.u.shadow ?? null, 0); gl.uniform3fv(q.u.eye ?? null, eye); gl.uniform3fv(q.u.light ?? null, LIGHT); gl.uniform1i(q.u.soft ?? null, soft); };
    const ground = q => { begin(q); gl.uniform3fv(q.u.centre, centre); gl.uniform1f(q.u.dark, dark ? 1 : 0); gl.uniform3fv(q.u.tint ?? null, dark ? [.20, .235, .27] : [.925, .935, .945]); gl.uniform1f(q.u.level ?? null, level); };
    gl.bindVertexArray(this.floorArray); gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(2, 40); ground(this.floor); gl.drawArrays(gl.TRIANGLES, 0, this.floorCount);
    // once more where shadows may fall: to look for them costs more than all else
    if (shadows) { ground(this.shadedFloor); gl.enable(gl.SCISSOR_TEST); gl.scissor(...this.shadowed(bodies, level, camera)); gl.depthFunc(gl.LEQUAL); gl.drawArrays(gl.TRIANGLES, 0, this.floorCount); gl.depthFunc(gl.LESS); gl.disable(gl.SCISSOR_TEST); }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (this.edgeCount) { ground(this.edge); gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA); gl.drawArrays(gl.LINES, this.floorCount, this.edgeCount); gl.disable(gl.BLEND); }
    begin(this.body); for (const body of bodies) if (!(body.alpha < 1)) this.paintBody(this.body, body, rough);
    if (count) { begin(this.marks); gl.uniform1f(this.marks.u.alpha, 1); gl.bindVertexArray(this.marksArray); gl.enable(gl.CULL_FACE); if (rough) gl.drawElements(gl.TRIANGLES, count * this.roughTriangles, gl.UNSIGNED_SHORT, 2 * MOST_MARKS * this.markTriangles); else if (this.light) gl.drawElements(gl.TRIANGLES, count * this.markTriangles, gl.UNSIGNED_SHORT, 0); else gl.drawElementsInstanced(gl.TRIANGLES, this.markTriangles, gl.UNSIGNED_SHORT, 0, count); gl.disable(gl.CULL_FACE); }
    // what can be seen through lies a little behind what it agrees with, so that the two do not flicker
    begin(this.body); gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA); gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(2, 8); for (const body of bodies) if (body.alpha < 1) this.paintBody(this.body, body, rough);
    gl.disable(gl.POLYGON_OFFSET_FILL); gl.disable(gl.BLEND);
  }
  // The rectangle of the picture in which shadows of bodies may fall on the ground: [left, bottom, width, height].
  shadowed(bodies, level, c) {
    const low = Math.max(Math.min(level, this.lowest), level - STEEP), high = Math.min(Math.max(level, this.highest), level + STEEP), [dx, dy] = [LIGHT[0] / LIGHT[2], LIGHT[1] / LIGHT[2]];
    let box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { poses, alpha, rows } of bodies) if (rows > 0 && !(alpha < 1)) for (let o = 3; o < poses.length; o += 12) {
      const x = poses[o], y = poses[o + 4], fall = Math.max(poses[o + 8] + LIMB - low, 0), xs = x - dx * fall, ys = y - dy * fall;
      box = [Math.min(box[0], x, xs), Math.min(box[1], y, ys), Math.max(box[2], x, xs), Math.max(box[3], y, ys)];
    }
    const { width: w, height: h } = this.canvas, spots = [];
    if (box[0] > box[2]) return [0, 0, 0, 0];
    for (const x of [box[0] - LIMB, box[2] + LIMB]) for (const y of [box[1] - LIMB, box[3] + LIMB]) for (const z of [low, high]) {
      const k = c[3] * x + c[7] * y + c[11] * z + c[15]; if (k < .1) return [0, 0, w, h];
      spots.push([((c[0] * x + c[4] * y + c[8] * z + c[12]) / k * .5 + .5) * w, ((c[1] * x + c[5] * y + c[9] * z + c[13]) / k * .5 + .5) * h]);
    }
    const [left, right, bottom, top] = [0, 1].flatMap(k => [Math.min, Math.max].map(f => Math.round(Math.min(Math.max(f(...spots.map(p => p[k])), 0), [w, h][k]))));
    return [left, bottom, right - left, top - bottom];
  }
  // rough: with a quarter of the triangles.
  paintBody(q, { shape, first, rows, tint = [0, 0, 0, 0], alpha = 1, heat = null }, rough = false) {
    const gl = this.gl;
    if (!(rows > 0)) return;
    gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, shape.poses); gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(q.u.joints, 1); gl.uniform1i(q.u.first, first); gl.uniform4fv(q.u.tint ?? null, tint); gl.uniform1f(q.u.alpha ?? null, alpha);
    const warmth = new Float32Array(MOST_HEATED); if (heat) warmth.set(heat.slice(0, MOST_HEATED)); gl.uniform1fv(q.u["heat[0]"] ?? null, warmth);
    gl.bindVertexArray(shape.array);
    if (shape.closed) gl.enable(gl.CULL_FACE);  // a mesh of a stranger's file may be open
    const draw = () => gl.drawElementsInstanced(gl.TRIANGLES, rough ? shape.rough : shape.count, gl.UNSIGNED_INT, rough ? 4 * shape.count : 0, rows);
    // of a body that can be seen through, the nearest surface alone shows, whatever the order of its triangles
    if (alpha < 1) { gl.colorMask(false, false, false, false); draw(); gl.colorMask(true, true, true, true); gl.depthFunc(gl.LEQUAL); }
    draw(); gl.depthFunc(gl.LESS); gl.disable(gl.CULL_FACE);
  }
}
// The triangles of a solid whose vertices begin at v, R rings of K points; with every = 2 every other ring and point alone.
function stack(into, v, R, K, every) {
  for (let r = 0; r + 1 < R; r += every) for (let k = 0; k < K; k += every) {
    const below = Math.min(r + every, R - 1), i = v + r * K + k, j = v + r * K + (k + every) % K, i1 = v + below * K + k, j1 = v + below * K + (k + every) % K;
    if (r) into.push(i, j, i1);
    if (below + 1 < R) into.push(j, j1, i1);
  }
}
