// What a visitor can take home: the controller as edited, the motion so far.
function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type })); link.download = name.replace(/[^\w.-]+/g, "-");
  document.body.append(link); link.click(); link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const tomlNumber = v => Number.isInteger(v) ? v.toFixed(1) : String(v);
// The template is the controller's text with \u0001path\u0001 where a parameter's value is; what a controller file has no
// place for (single joints' gains) is told in comments.
function controllerText(template, parameters, get) {
  const placed = new Set();
  const text = template.replace(/\u0001(.*?)\u0001/g, (_, path) => { placed.add(path); return tomlNumber(get(path)); });
  const left = Object.entries(parameters).filter(([path, p]) => !placed.has(path) && get(path) !== p.value);
  return left.map(([path]) => `# footfall run --set ${path}=${get(path)}\n`).join("") + text;
}
// footfall's own table of a motion: time, root, a quaternion for each body against its parent, then qpos.
function motionText(walker, about, samples) {
  const bodies = about.bodies, kept = Float64Array.from(walker.qpos), keptRate = Float64Array.from(walker.qvel);
  const head = ["time", "root.x", "root.y", "root.z", ...bodies.flatMap(b => ["w", "x", "y", "z"].map(a => `${b.name}.q${a}`)), ...about.coordinates.map(c => `qpos.${c}`)];
  const quoted = head.map(name => /[",\n\r]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const lines = [`# ${about.motion}`, quoted.join(",")];
  for (const { t, q } of samples) {
    walker.qpos.set(q); const b = walker.pose(), turn = i => b.subarray(PER_BODY * i + 3, PER_BODY * i + 12);
    const row = [t, ...walker.inWorld(0, about.anchor)];
    bodies.forEach(({ parent }, i) => {
      const child = turn(i);
      if (parent < 0) { row.push(...quaternion(child)); return; }
      const up = turn(parent), m = []; for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m.push(up[r] * child[c] + up[3 + r] * child[3 + c] + up[6 + r] * child[6 + c]);
      row.push(...quaternion(m));
    });
    lines.push([...row, ...q].join(","));
  }
  walker.qpos.set(kept); walker.qvel.set(keptRate); walker.pose();
  return lines.join("\n") + "\n";
}
