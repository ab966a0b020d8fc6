// Answers, line by line, where a hand leads a limb: { hinges, place, eye, moves } gives the angles after each of the moves.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const folder = process.argv[2], { Grip, V } = new Function(`${["vectors.js", "grip.js"].map(f => readFileSync(`${folder}/${f}`, "utf8")).join("\n")}; return { Grip, V };`)();
for await (const line of createInterface({ input: process.stdin })) {
  const { hinges, place, eye, moves } = JSON.parse(line), z = V.unit(V.sub(eye, place)), x = V.unit(V.cross([0, 0, 1], z)), y = V.cross(z, x);
  const project = p => { const d = V.sub(p, eye), deep = -V.dot(d, z); return [640 + 700 * V.dot(d, x) / deep, 400 - 700 * V.dot(d, y) / deep]; };
  const grip = new Grip(hinges, place, project, ...project(place));
  console.log(JSON.stringify({ turned: moves.map(move => { const goal = move.point ? project(move.point) : V.add([...project(place), 0], [...move.by, 0]); return grip.to(goal[0], goal[1]); }) }));
}
