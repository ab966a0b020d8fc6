// Things to try: each begins anew under other conditions that get harder while the walker stands, and counts until it falls.
// now(k): what holds at level k, in words and as settings; every: seconds between levels; pass: the level that counts as done.
const CHALLENGES = [
  { name: "half the friction", text: "20 s on ground with half its usual grip.", every: 20, pass: 1, now: (k, about) => [`friction ${(about.ground[2] / 2).toFixed(2)}`, { friction: about.ground[2] / 2 }] },
  { name: "thinner ice", text: "Every 5 s the ground loses a tenth of its grip.", every: 5, pass: 8, now: (k, about) => { const friction = about.ground[2] * (1 - k / 10 > .05 ? 1 - k / 10 : .05); return [`friction ${friction.toFixed(2)}`, { friction }]; } },
  { name: "the bully", text: "Every 3 s a push from behind, then from the front, each 25 N harder than the one before.", every: 3, pass: 10, now: k => [`${25 * k} N`, {}], push: k => 25 * k * (k % 2 ? 1 : -1) },
  { name: "the porter", text: "Every 5 s the load on the torso grows by a twentieth of its weight.", every: 5, pass: 6, now: (k, about) => [`${(.05 * k * about.mass).toFixed(1)} kg`, { load: .05 * k * about.mass }] },
  { name: "to the Moon", text: "Every 5 s gravity gets a tenth weaker, down to the Moon's.", every: 5, pass: 8, now: (k, about) => { const gravity = Math.min(-1.62, about.body.at(-1) * (1 - k / 10)); return [`${(-gravity).toFixed(2)} m/s²`, { gravity }]; } },
];
let challenge = null;
const best = new Map();
function listChallenges() {
  $("challenges").replaceChildren(...CHALLENGES.map((c, i) => make("p", {}, make("button", { textContent: c.name, title: c.text, onclick: () => startChallenge(i) }), make("span", { className: "soft", textContent: ` ${c.text} ${best.has(c.name) ? `Best: ${best.get(c.name)}.` : ""}` }))));
}
function startChallenge(i) {
  standardWorld(); challenge = { ...CHALLENGES[i], level: -1, ended: false };
  restart(); S.playing = true; S.look = null; sayChallenge();
}
// Called as time passes: the next level, or the end.
function tryOn() {
  if (!challenge || challenge.ended) return;
  const { walker } = runs[0], level = Math.floor(walker.time / challenge.every + 1e-9);
  if (walker.outcome !== "walking") { challenge.ended = true; score(); return; }
  while (challenge.level < level) {
    challenge.level++;
    const [, settings] = challenge.now(challenge.level, about);
    for (const run of runs) { run.walker.change(settings); if (challenge.push && challenge.level) run.walker.push([challenge.push(challenge.level), 0, 0], .1); }
    world();
    if (challenge.level >= challenge.pass && !challenge.done) { challenge.done = true; score(); }
  }
  sayChallenge();
}
function score() {
  const [words] = challenge.now(Math.max(challenge.level, 0), about), seconds = runs[0].walker.time, line = `${words}, ${seconds.toFixed(1)} s`;
  const before = challenge.before ??= best.get(challenge.name);
  if (!before || seconds >= parseFloat(before.split(", ").at(-1))) best.set(challenge.name, line);
  listChallenges(); sayChallenge();
}
function sayChallenge() {
  const [words] = challenge.now(Math.max(challenge.level, 0), about), t = runs[0].walker.time, next = challenge.every - t % challenge.every;
  const text = challenge.ended ? `${challenge.name}: fell at ${runs[0].walker.fallTime?.toFixed(1)} s, at ${words}.${challenge.done ? " That was enough: done." : " Change something and try again."}` : `${challenge.name}: ${t.toFixed(1)} s, now ${words}${challenge.done ? ". Done, and still up" : challenge.pass === 1 ? "" : `, harder in ${next.toFixed(0)} s`}.`;
  if ($("challenge").textContent !== text) $("challenge").textContent = text;
}
function endChallenge() { if (challenge) { challenge = null; $("challenge").textContent = ""; } }
