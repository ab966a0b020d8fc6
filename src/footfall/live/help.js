// What each number of a controller is, for people who meet it for the first time: its unit and one sentence.
const HELP = {
  hold: ["s", "How long this state lasts; with a state that ends on foot contact, the least time in it."],
  angle: ["rad", "The angle that the joint is driven to in this state; a hip or torso is measured against the vertical."],
  c_d: ["rad/m", "Balance: how far the target turns for each metre that the body is ahead of the stance foot."],
  c_v: ["rad s/m", "Balance: how far the target turns for each metre a second that the body moves forward."],
  c_h: ["rad/m", "How far the target turns for each metre that the ground ahead rises."],
  c_hip: ["", "How much this joint swings along with the hip of the other side, as arms do."],
  kp: ["N m/rad", "Stiffness: the torque for each radian between the joint and its target."],
  kd: ["N m s/rad", "Damping: the torque against each radian a second that the joint moves."],
  torque_limit: ["N m", "The largest torque that the joint can give."],
  speed: ["m/s", "The speed that the balance feedback asks for; it is subtracted from v."],
  side_speed: ["m/s", "The speed to the left that the balance feedback asks for."],
  heading: ["rad", "The direction that the walker turns to."],
  gravity: ["m/s²", "How hard everything is pulled down: 9.8 on Earth, 1.6 on the Moon."],
  friction: ["", "The ground's grip: a foot slides when it is pushed sideways harder than this times the load on it. Ice has 0.1."],
  load: ["kg", "A weight at the centre of the torso."],
};
const PARTS = [["torso", "The torso is held at this angle against the vertical."], ["limit", "A bound that the law keeps to."], ["low", "The least value that the law lets this reach."], ["high", "The largest value that the law lets this reach."]];
// [unit, sentence] for a parameter's path.
function helpFor(path) {
  const parts = path.split("."), last = parts.at(-1);
  if (Object.hasOwn(HELP, last)) { const [unit, text] = HELP[last], joint = parts.at(-2)?.replaceAll("_", " "); return [unit, parts.length > 1 && last !== "hold" ? `${text} Here: ${joint}.` : text]; }
  const [, text] = PARTS.find(([word]) => last.includes(word)) ?? ["", "A number of this controller's law; a double click puts it back."];
  return [last.startsWith("hip_") || last.includes("torso") ? "rad" : "", text];
}
