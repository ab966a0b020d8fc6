// Where three.js' GLTFLoader puts every joint and some points of the skin of a glTF file while an animation plays.
// node glb_in_three.mjs THREE_FOLDER FILE CLIP TIME ... → {"joints": {"Hips": [[x, y, z], ...]}, "skin": [[[x, y, z], ...]], …}
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

globalThis.self = globalThis;
const [folder, file, name, ...times] = process.argv.slice(2);
const THREE = await import(pathToFileURL(`${folder}/build/three.module.js`));
const { GLTFLoader } = await import(pathToFileURL(`${folder}/examples/jsm/loaders/GLTFLoader.js`));

const bytes = readFileSync(file), loader = new GLTFLoader();
loader.register(() => ({ name: "blank", loadTexture: async () => new THREE.Texture() })); // node has no images
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const { scene, animations, parser } = await loader.parseAsync(data, "");
const names = parser.json.nodes.map(node => node.name);
const mixer = new THREE.AnimationMixer(scene), clip = animations.find(row => row.name === name);
mixer.clipAction(clip).play();
const joints = {}, skin = [], nodes = await Promise.all(names.map((_, i) => parser.getDependency("node", i)));
for (const time of times) {
  mixer.setTime(Number(time));
  scene.updateMatrixWorld(true);
  nodes.forEach((node, i) => { (joints[names[i]] ??= []).push(new THREE.Vector3().setFromMatrixPosition(node.matrixWorld).toArray()); });
  const points = [];
  scene.traverse(mesh => {
    if (!mesh.isSkinnedMesh) return;
    mesh.skeleton.update();
    const count = mesh.geometry.attributes.position.count;
    for (let k = 0; k < 50; k++) {
      const point = new THREE.Vector3();
      mesh.getVertexPosition(Math.floor(k * count / 50), point);
      points.push(mesh.localToWorld(point).toArray());
    }
  });
  skin.push(points);
}
console.log(JSON.stringify({ joints, skin, clips: animations.map(row => row.name), start: Math.min(...clip.tracks.map(t => t.times[0])) }));
