// Does what a test asks of a walker: one JSON request a line, {wasm, json, calls: [[method, ...arguments] ...]}, one answer a line: each call's.
import fs from "node:fs";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const { Walker } = await import(pathToFileURL(`${process.argv[2]}/index.js`));
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { folder, name, calls } = JSON.parse(line);
  let walker;
  try { walker = await Walker.load(fs.readFileSync(`${folder}/${name}.wasm`), JSON.parse(fs.readFileSync(`${folder}/${name}.json`, "utf8"))); } catch (error) { console.log(JSON.stringify(`refused: ${error.message}`)); continue; }
  const plain = value => value?.subarray ? [...value] : value ?? null;
  console.log(JSON.stringify(calls.map(([what, ...rest]) => {
    try { return plain(typeof walker[what] === "function" ? walker[what](...rest) : walker[what]); } catch (error) { return `refused: ${error.message}`; }
  })));
}
