// Hands on a slider without a page: answers what it asked for and shows after what was done, one list for each line of deeds.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
class Element extends EventTarget { set value(v) { this._value = String(this.type === "range" ? Math.min(Math.max(+v, this.min), this.max) : v); } get value() { return this._value; } blur() { document.activeElement = null; this.dispatchEvent(new Event("blur")); } }
const document = { activeElement: null }, Slide = new Function("document", `${readFileSync(process.argv[2], "utf8")}; return Slide;`)(document);
const event = (kind, more) => Object.assign(new Event(kind, { cancelable: true }), more);
for await (const line of createInterface({ input: process.stdin })) {
  const bar = new Element(), box = new Element(), asked = [], [first, ...deeds] = JSON.parse(line), slide = new Slide(bar, box, v => String(+v.toFixed(3)), v => asked.push(v)); slide.put(first);
  for (const { drag, shift = false, key, type } of deeds) {
    if (drag) { bar.dispatchEvent(event("pointerdown", {})); for (const to of drag) { bar.dispatchEvent(event("pointermove", { shiftKey: shift })); bar.value = to; bar.dispatchEvent(event("input")); } bar.dispatchEvent(event("pointerup")); }
    if (key) bar.dispatchEvent(event("keydown", { key, shiftKey: shift }));
    if (type !== undefined) { box.value = type; box.dispatchEvent(event("change")); }
  }
  console.log(JSON.stringify({ asked, bar: [+bar.min, +bar.value, +bar.max], box: box.value }));
}
