// What each number of a controller is, for people who meet it for the first time: its unit and one sentence, from one table (D.numbers).
const PARTS = [["torso", "The torso is held at this angle against the vertical."], ["limit", "A bound that the law keeps to."], ["low", "The least value that the law lets this reach."], ["high", "The largest value that the law lets this reach."]];
// [unit, sentence] for a parameter's path.
function helpFor(path) {
  const parts = path.split("."), last = parts.at(-1);
  if (Object.hasOwn(D.numbers, last)) { const { unit, about: text } = D.numbers[last], joint = parts.at(-2)?.replaceAll("_", " "); return [unit, parts.length > 1 && last !== "hold" ? `${text} Here: ${joint}.` : text]; }
  const [, text] = PARTS.find(([word]) => last.includes(word)) ?? ["", "A number of this controller's law; a double click puts it back."];
  return [last.startsWith("hip_") || last.includes("torso") ? "rad" : "", text];
}
