// Where three.js' BVHLoader puts every joint of a BVH file in some of its frames.
// node bvh_in_three.mjs THREE_FOLDER FILE FRAME_TIME FRAME ... → {"Hips": [[x, y, z], ...], ...}
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, file, frameTime, ...frames] = process.argv.slice(2);
const THREE = await import(pathToFileURL(`${folder}/build/three.module.js`));
const { BVHLoader } = await import(pathToFileURL(`${folder}/examples/jsm/loaders/BVHLoader.js`));

const { skeleton, clip } = new BVHLoader().parse(readFileSync(file, "utf8"));
const root = skeleton.bones[0];
const mixer = new THREE.AnimationMixer(root);
mixer.clipAction(clip).play();
const places = {};
for (const frame of frames) {
  mixer.setTime(Number(frame) * Number(frameTime));
  root.updateMatrixWorld(true);
  for (const bone of skeleton.bones) {
    if (bone.name === "ENDSITE") continue;
    const place = new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld);
    (places[bone.name] ??= []).push([place.x, place.y, place.z]);
  }
}
console.log(JSON.stringify(places));
