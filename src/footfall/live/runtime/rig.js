// A skinned character of your own, driven by a walker through the rig.json that `footfall export x.wasm --onto character.glb` writes.
//
//   const rig = new Rig(await (await fetch("rig.json")).json(), gltf.scene);   // three.js
//   rig.update(walker);                                                      // after walker.step
//
// Without a scene, rig.pose(walker) gives numbers for any engine: each bone's rotation in its parent, and the root's position.
// footfall's axes are x forward, y left, z up; a glTF file's z forward, x left, y up.
import { PER_BODY, quaternion } from "./walker.js";

const ONE = [1, 0, 0, 0];
const inverse = ([w, x, y, z]) => [w, -x, -y, -z];
const times = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
const rotate = (q, [x, y, z]) => times(times(q, [0, x, y, z]), inverse(q)).slice(1);
const toFile = ([x, y, z]) => [y, z, x], fromFile = ([x, y, z]) => [z, x, y];
const mix = (a, b, share) => a.map((v, i) => v + share * (b[i] - v));
// The way from a to b along the shorter arc.
function slerp(a, b, share) {
  let dot = a.reduce((sum, v, i) => sum + v * b[i], 0);
  const to = dot < 0 ? b.map(v => -v) : b, angle = Math.acos(Math.min(dot = Math.abs(dot), 1)), s = Math.sin(angle);
  const [u, v] = s < 1e-6 ? [1 - share, share] : [Math.sin((1 - share) * angle) / s, Math.sin(share * angle) / s];
  const q = a.map((x, i) => u * x + v * to[i]), size = Math.hypot(...q);
  return q.map(x => x / size);
}
const turnBy = (axis, angle) => [Math.cos(angle / 2), ...axis.map(v => Math.sin(angle / 2) * v)];
const X = [1, 0, 0], Y = [0, 1, 0], Z = [0, 0, 1], clamp = (v, low, high) => Math.min(high, Math.max(low, v));
// Names of nodes as three.js' GLTFLoader writes them.
const plain = name => name.replace(/\s/g, "_").replace(/[[\].:/]/g, "");

export class Rig {
  // blend: seconds over which a walker that begins anew is brought from where it was.
  constructor(about, scene = null, { blend = 0.6 } = {}) {
    if (about?.footfall !== 1 || !about.bones) throw new Error(`this is no rig.json that rig.js knows (interface ${about?.footfall})`);
    Object.assign(this, { about, scene, blend, time: 0, shown: null, from: null });
    if (!scene) return;
    const parts = [], nodes = this.nodes = [];
    scene.traverse(part => { parts.push(part); part.frustumCulled = false; }); // the skin leaves its resting place
    for (const { name, parent, place } of about.bones) { // three.js numbers a name that a file has twice
      const among = them => { const free = them.filter(part => !nodes.includes(part)); return free.find(part => part.name === plain(name) || part.name === name) ?? free.find(part => part.name.replace(/_\d+$/, "") === plain(name)); };
      const node = among(nodes[parent]?.children ?? []) ?? among(parts.filter(part => part.isBone)) ?? among(parts);
      if (!node) throw new Error(`the character has no bone '${name}'`);
      if (place) node.position.set(...place);
      nodes.push(node);
    }
  }

  // Position [x, y, z] of the root's bone in its parent and rotations [w, x, y, z] of all bones in theirs, in the file's axes.
  pose(walker) {
    if (walker.about.figure !== this.about.figure) throw new Error(`this rig follows the bodies of '${this.about.figure}', and this walker is '${walker.about.figure}'`);
    const { bones, root, lift, scale, above, anchor } = this.about, bodies = walker.pose(), stands = [], spots = [], turned = [];
    const turnOf = body => quaternion(bodies.subarray(PER_BODY * body + 3, PER_BODY * body + 12)), follow = ({ body, offset }) => times(turnOf(body), offset);
    const r = rotate(turnOf(0), root), world = walker.inWorld(0, anchor).map((v, i) => scale * v + r[i] + (i === 2 ? lift : 0));
    const rotations = bones.map(({ parent, series, frame, at, toe, clavicle }, i) => {
      if (series) {
        const from = parent < 0 ? ONE : stands[parent], to = follow(bones[series.at(-1)]);
        series.forEach((bone, k) => { stands[bone] = k + 1 < series.length ? slerp(from, to, (k + 1) / series.length) : to; });
      }
      stands[i] ??= parent < 0 ? ONE : stands[parent];
      spots[i] = parent < 0 ? world : at && rotate(stands[parent], at).map((v, k) => spots[parent][k] + v);
      if (toe) stands[i] = times(this.bend(toe, stands[toe.foot], spots[i][2] - scale * walker.height(spots[i][0] / scale, spots[i][1] / scale)), stands[i]);
      if (clavicle) stands[i] = times(this.raise(clavicle, stands[clavicle.chest], follow(bones[clavicle.arm])), stands[i]);
      turned[i] = times(stands[i], frame);
      const local = times(inverse(parent < 0 ? above.turn : turned[parent]), turned[i]);
      return [local[0], ...toFile(local.slice(1))];
    });
    const own = rotate(inverse(above.turn), world.map((v, i) => v - above.lift[i]));
    return { position: toFile(own.map(v => v / above.size)), rotations };
  }

  // How far toes bend at a ball of this height, so that their tips stay out of the ground.
  bend({ length, slope, height, most, down }, foot, ball) {
    const x = rotate(foot, X)[2], z = rotate(foot, Z)[2], share = clamp((z - down[0]) / (down[1] - down[0]), 0, 1);
    const level = (Math.sin(slope) - (ball - height) / length) / Math.max(Math.hypot(x, z), 1e-9);
    const angle = (Math.atan2(-x, z) + Math.asin(clamp(level, -1, 1)) - slope) * share * share * (3 - 2 * share);
    return turnBy(rotate(foot, Y), -clamp(angle, 0, most));
  }

  // How far a clavicle rises with the arm.
  raise({ free, share }, chest, arm) {
    const up = rotate(arm, Z), cosine = rotate(chest, Z).reduce((sum, v, i) => sum + v * up[i], 0);
    return turnBy(rotate(chest, X), share * Math.max(Math.acos(clamp(cosine, -1, 1)) - free, 0));
  }

  // The pose, brought there from the last one shown where a walker begins anew.
  blended(walker) {
    let pose = this.pose(walker);
    const size = this.about.above.size / this.about.scale, far = ({ position }) => Math.hypot(...position.map((v, i) => v - pose.position[i])) * size;
    if (walker.time < this.time) this.from = far(this.shown) < 2 ? this.shown : null; // one that begins metres away is there at once
    this.time = walker.time;
    const share = this.from && this.blend > 0 ? Math.min(1, this.time / this.blend) : 1;
    if (share < 1) pose = { position: mix(this.from.position, pose.position, share), rotations: pose.rotations.map((q, i) => slerp(this.from.rotations[i], q, share)) };
    else this.from = null;
    return this.shown = pose;
  }

  // Bring the bones of the scene to where the walker is.
  update(walker) {
    const { position, rotations } = this.blended(walker);
    this.nodes[0].position.set(...position);
    rotations.forEach(([w, x, y, z], i) => this.nodes[i].quaternion.set(x, y, z, w));
  }

  // A point of the scene's world (three.js) in the walker's, and back.
  toWalker(point) { const { x, y, z } = this.scene.worldToLocal(point.clone()); return fromFile([x, y, z]).map(v => v / this.about.scale); }
  fromWalker(place) { return this.scene.localToWorld(this.scene.position.clone().set(...toFile(place.map(v => v * this.about.scale)))); }
  // The body that is nearest to a point of the walker's world.
  bodyAt(walker, point) {
    let best = 0, least = Infinity;
    for (const { body, from, to } of walker.about.shape) for (const share of [0, 0.5, 1]) {
      const away = Math.hypot(...mix(walker.inWorld(body, from), walker.inWorld(body, to), share).map((v, i) => v - point[i]));
      if (away < least) { least = away; best = body; }
    }
    return best;
  }
}
