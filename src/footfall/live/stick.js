// A stick, and the keys w, a, s and d, for a walker that takes a speed and a heading: up is away from the camera.
const WALK = 1.3, RUN = 3, EDGE = .55;
const keysHeld = new Set();
const steered = () => Boolean(about?.memory.includes("gait_speed"));
// x to the right and y away from the camera; their length is the share of the highest speed.
function ask(x, y, most = RUN) {
  if (!steered()) return;
  const far = Math.min(Math.hypot(x, y), 1), { yaw } = view, wishes = { speed: far < .15 ? 0 : most * far };
  if (wishes.speed) wishes.heading = Math.atan2(-y * Math.sin(yaw) + x * Math.cos(yaw), -y * Math.cos(yaw) - x * Math.sin(yaw));
  for (const run of runs) run.walker.steer(wishes);
  if (S.look !== null) goOn();
  S.playing = true;
}
function showStick(x, y) { $("stick").firstElementChild.style.transform = `translate(${100 * EDGE * x}%, ${-100 * EDGE * y}%)`; }
function dragStick(e) {
  const box = $("stick").getBoundingClientRect(), x = 2 * (e.clientX - box.left) / box.width - 1, y = 1 - 2 * (e.clientY - box.top) / box.height, far = Math.max(Math.hypot(x, y), 1);
  showStick(x / far, y / far); ask(x / far, y / far);
}
function letGo() { showStick(0, 0); ask(0, 0); panel(); }
$("stick").onpointerdown = e => { $("stick").setPointerCapture(e.pointerId); dragStick(e); };
$("stick").onpointermove = e => { if ($("stick").hasPointerCapture(e.pointerId)) dragStick(e); };
$("stick").onpointerup = $("stick").onpointercancel = letGo;
function askByKeys(fast) {
  const on = key => Number(keysHeld.has(key)), x = on("d") - on("a"), y = on("w") - on("s"), far = Math.hypot(x, y) || 1;
  if (x || y) { showStick(x / far, y / far); ask(x / far, y / far, fast ? RUN : WALK); } else letGo();
}
for (const kind of ["keydown", "keyup"]) addEventListener(kind, e => {
  const key = e.key.toLowerCase();
  if (key === "shift" && keysHeld.size) askByKeys(kind === "keydown");
  if (!"wasd".includes(key) || key.length > 1 || ["INPUT", "SELECT", "TEXTAREA"].includes(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey || !steered()) return;
  if (kind === "keydown" ? e.repeat : !keysHeld.has(key)) return;
  keysHeld[kind === "keydown" ? "add" : "delete"](key);
  askByKeys(e.shiftKey); e.preventDefault();
});
addEventListener("blur", () => { if (keysHeld.size) { keysHeld.clear(); letGo(); } });
