// A gamepad: its left stick walks the way it points in the picture, its right one turns the view, its buttons do what keys do.
const DEAD_ZONE = .2, STICK_EVERY = 100, OTHER_WAY = Math.PI / 36, OTHER_TILT = .05, LOOK_RATE = 2, LONGEST_LOOK = 100;
const GAMEPAD_KEYS = [["Left stick", "walk that way in the picture; the further, the faster"], ["Right stick", "turn the view"], ["A, B", "play or pause; reset"], ["LB, RB", "view nearer, farther"], ["D-pad", "push"]];
const [A, B, LB, RB, UP, DOWN, LEFT, RIGHT] = [0, 1, 4, 5, 12, 13, 14, 15];
const PUSHES = { planar: { [RIGHT]: "push-forward", [LEFT]: "push-backward", [UP]: "push-up-or-left", [DOWN]: "push-down-or-right" }, spatial: { [UP]: "push-forward", [DOWN]: "push-backward", [LEFT]: "push-up-or-left", [RIGHT]: "push-down-or-right" } };

// page: { send, view, draw }
function listenToGamepad({ send, view, draw }) {
  const all = () => [...(navigator.getGamepads?.() ?? [])].filter(pad => pad?.connected), find = () => all().find(pad => pad.mapping === "standard"), command = name => send({ type: "command", name });
  // sent: where the walker was sent last, null where the stick is released. pressed: the buttons that were down at the last look.
  let polling = false, pressed = null, sent = null, sentAt = 0, last = 0;
  const acts = { [A]: () => command("play-or-pause"), [B]: () => { command("reset"); sent &&= [0, 0]; }, [LB]: () => { view.zoom(.9); draw(); }, [RB]: () => { view.zoom(1.1); draw(); } };

  function begin() {
    if (find()) { if (!polling) { polling = true; pressed = null; requestAnimationFrame(poll); toast({ title: "Gamepad", text: "Left stick walks, right stick looks, A plays or pauses, B resets, LB and RB zoom, the d-pad pushes.", tone: "good", seconds: 8 }); } }
    else if (all().length) toast({ title: "Gamepad", text: "This browser does not know its buttons (no standard mapping), so it cannot be used here.", tone: "warn", seconds: 8 });
  }
  function poll(now) {
    const pad = find(), seconds = Math.min(now - last, LONGEST_LOOK) / 1000; last = now;
    if (!pad) { polling = false; release(); return; }
    requestAnimationFrame(poll);
    const down = pad.buttons.map(button => button.pressed), before = pressed ?? down; pressed = down;
    if (document.hidden || document.querySelector("dialog[open]")) { release(); return; }
    down.forEach((on, number) => { if (on && !before[number]) press(number); });
    look(tilted(pad.axes[2], pad.axes[3]), seconds); walk(tilted(pad.axes[0], pad.axes[1]), now);
  }
  function press(number) { const push = PUSHES[view.planar ? "planar" : "spatial"][number]; if (push) command(push); else acts[number]?.(); }
  function look([x, y], seconds) { if (!x && !y) return; view.yaw -= LOOK_RATE * seconds * x; tilt(view, LOOK_RATE * seconds * y); draw(); }
  // Up on the stick is away from the camera.
  function walk([x, y], now) {
    const cos = Math.cos(view.yaw), sin = Math.sin(view.yaw), way = [y * cos - x * sin, y * sin + x * cos];
    if (!x && !y) release(); else if (now - sentAt >= STICK_EVERY && (!sent || differ(way, sent))) { sent = way; sentAt = now; send({ type: "stick", x: way[0], y: way[1] }); }
  }
  function release() { if (sent) { sent = null; send({ type: "stick", x: 0, y: 0 }); } }

  addEventListener("gamepadconnected", begin); addEventListener("gamepaddisconnected", () => { if (!find()) release(); });
  // a hidden page draws no pictures, so it is not polled
  document.addEventListener("visibilitychange", () => { if (document.hidden) release(); });
  begin();
}
// A stick outside its dead zone, of length 0 to 1.
function tilted(x = 0, y = 0) { const far = Math.hypot(x, y), length = Math.min(Math.max((far - DEAD_ZONE) / (1 - DEAD_ZONE), 0), 1); return length ? [x / far * length, y / far * length] : [0, 0]; }
// Whether two places of a stick differ noticeably.
function differ(a, b) { return Math.abs(Math.hypot(...a) - Math.hypot(...b)) >= OTHER_TILT || Math.abs(Math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])) >= OTHER_WAY; }
