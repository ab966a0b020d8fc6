// Runs modules for tests: one JSON request a line on standard input, one JSON answer a line on standard output.
import fs from "node:fs";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const { Walker } = await import(pathToFileURL(`${process.argv[2]}/walker.js`));
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { folder, name, gait, steps, every, pushes = [], set = {}, settings = {}, request = null } = JSON.parse(line);
  const about = JSON.parse(fs.readFileSync(`${folder}/${name}.json`, "utf8"));
  const walker = await Walker.load(fs.readFileSync(`${folder}/${name}.wasm`), about);
  walker.every = every;
  walker.change(settings);
  walker.reset(gait);
  for (const [path, value] of Object.entries(set)) walker.set(path, value, gait);
  for (const p of pushes) walker.pushAt(p.place, p.force, p.start, p.seconds);
  const qpos = [], began = performance.now(), nq = walker.qpos.length;
  for (let done = 0; done < steps; done += 1000) {
    if (request && done === request.at) walker.request(request.gait);
    const count = walker.step(Math.min(1000, steps - done));
    for (let k = 0; k < count; k++) qpos.push([...walker.sample_qpos.subarray(nq * k, nq * (k + 1))]);
  }
  const wall = performance.now() - began;
  walker.pose();
  console.log(JSON.stringify({
    qpos, last: [...walker.qpos], qvel: [...walker.qvel], bodies: [...walker.bodies], outcome: walker.outcome,
    fall: walker.fallTime, steps: walker.step_count[0], gait: walker.where().gait.name, wall,
    imports: WebAssembly.Module.imports(await WebAssembly.compile(fs.readFileSync(`${folder}/${name}.wasm`))).map(i => i.name),
  }));
}
