// Bones of a character that a walker drives, as three.js places them, and the walker's coordinates, at moments of its way.
// One JSON request a line: {three, folder, name, glb, steps: [n ...], push, again: place}; one answer a line.
import fs from "node:fs";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

globalThis.self = globalThis;
const { Walker, Rig } = await import(pathToFileURL(`${process.argv[2]}/index.js`));
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { three, folder, name, glb, steps, push, again = {} } = JSON.parse(line), read = file => fs.readFileSync(`${folder}/${file}`);
  const THREE = await import(pathToFileURL(`${three}/build/three.module.js`));
  const { GLTFLoader } = await import(pathToFileURL(`${three}/examples/jsm/loaders/GLTFLoader.js`));
  const walker = await Walker.load(read(`${name}.wasm`), JSON.parse(read(`${name}.json`)));
  const loader = new GLTFLoader(), bytes = read(glb);
  loader.register(() => ({ name: "blank", loadTexture: async () => new THREE.Texture() }));
  const { scene } = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
  const rig = new Rig(JSON.parse(read("rig.json")), scene), moments = [];
  if (push) walker.push(push, 0.5);
  for (const n of steps) {
    walker.step(n);
    rig.update(walker);
    scene.updateMatrixWorld(true);
    const bones = Object.fromEntries(rig.about.bones.map(({ name }, i) => [name, new THREE.Vector3().setFromMatrixPosition(rig.nodes[i].matrixWorld).toArray()]));
    const hit = rig.fromWalker(walker.inWorld(0, [0, 0, 0]));
    moments.push({ bones, qpos: [...walker.qpos], outcome: walker.outcome, body: rig.bodyAt(walker, rig.toWalker(hit)) });
  }
  walker.request(walker.gait.name, again);
  rig.update(walker);
  scene.updateMatrixWorld(true);
  const blended = new THREE.Vector3().setFromMatrixPosition(rig.nodes[0].matrixWorld).toArray();
  console.log(JSON.stringify({ moments, blended, scale: rig.about.scale }));
}
