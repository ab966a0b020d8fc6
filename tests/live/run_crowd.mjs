// Walks a crowd's module for tests: a JSON request on standard input, a JSON answer on standard output.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { instantiate, tablesOf } = await import(pathToFileURL(process.argv[2]));
const { wasm, tables, strides, row, state, command, frames, dt } = JSON.parse(fs.readFileSync(0, "utf8"));
const { exports } = await instantiate(Buffer.from(wasm, "base64"));
exports.start();
const T = tablesOf(exports, tables), n = row.length, room = T.row.length;
T.strides.set(strides); T.row.set(row); T.wanted.set(row);
for (const [table, rows] of [[T.state, state], [T.command, command]]) rows.forEach((values, r) => table.set(values, r * room));
const answer = [];
for (let f = 0; f < frames; f++) {
  exports.walk(n, dt);
  answer.push(Array.from({ length: T.poses.length / room }, (_, r) => [...T.poses.subarray(r * room, r * room + n)]));
}
console.log(JSON.stringify(answer));
