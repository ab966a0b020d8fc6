// A hand on a limb: at which angles its hinges bring the point that was taken hold of to the pointer.
const GRIP_DAMPING = 12, GRIP_STEPS = 30, GRIP_ASIDE = .3, NEAR_HANDLE = 24;

class Grip {
  // hinges: [{ axis, anchor, angle, low, high }] from the trunk outwards, and the place that they carry, in the world as they are when
  // the hand closes at (x, y); project: to the screen, as it is then. All that follows is measured from there.
  constructor(hinges, place, project, x, y) {
    const at = project(place) ?? [x, y];
    Object.assign(this, { hinges, place, project, slip: [at[0] - x, at[1] - y], turns: hinges.map(() => 0) });
  }
  // The angles of the hinges for a hand at (x, y).
  to(x, y) {
    const goal = [x + this.slip[0], y + this.slip[1]]; let best = this.settled(this.turns, goal);
    for (const k of this.hinges.keys()) for (const aside of [-GRIP_ASIDE, GRIP_ASIDE]) {
      const other = this.settled(moved(this.turns, k, aside), goal); if (other.cost < .8 * best.cost - 4) best = other;
    }
    this.turns = best.turns;
    return this.hinges.map(({ angle }, k) => angle + this.turns[k]);
  }
  // The joints share the way in the least squares' sense; a turn that hardly moves the point on the screen is not worth much.
  settled(turns, goal) {
    let now = this.held(turns), cost = this.cost(now, goal);
    for (let step = 0; step < GRIP_STEPS; step++) {
      const here = this.seen(now), columns = now.map((_, k) => { const there = this.seen(moved(now, k, 1e-4)); return [(there[0] - here[0]) / 1e-4, (there[1] - here[1]) / 1e-4]; });
      const off = [0, 1].map(i => goal[i] - here[i] + columns.reduce((sum, c, k) => sum + c[i] * now[k], 0));
      let a = GRIP_DAMPING ** 2, b = 0, c = a; for (const [u, v] of columns) { a += u * u; b += u * v; c += v * v; }
      const det = a * c - b * b, p = (c * off[0] - b * off[1]) / det, q = (a * off[1] - b * off[0]) / det, wanted = columns.map(([u, v]) => u * p + v * q);
      let share = 1, next, then;
      do { next = this.held(now.map((t, k) => t + share * (wanted[k] - t))); then = this.cost(next, goal); share /= 2; } while (then > cost && share > .01);
      const settled = then >= cost - 1e-9; if (then < cost) { now = next; cost = then; } if (settled) break;
    }
    return { turns: now, cost };
  }
  held(turns) { return turns.map((t, k) => Math.min(Math.max(t, this.hinges[k].low - this.hinges[k].angle), this.hinges[k].high - this.hinges[k].angle)); }
  cost(turns, goal) { const at = this.seen(turns); return (at[0] - goal[0]) ** 2 + (at[1] - goal[1]) ** 2 + GRIP_DAMPING ** 2 * turns.reduce((sum, t) => sum + t * t, 0); }
  // Where the place is seen when the hinges have turned so far: the outermost turns first.
  seen(turns) {
    const at = this.hinges.reduceRight((p, { axis, anchor }, k) => V.add(anchor, rotated(V.sub(p, anchor), axis, turns[k])), this.place);
    return this.project(at) ?? [1e4, 1e4];
  }
}
const moved = (turns, k, by) => turns.map((t, i) => i === k ? t + by : t);
// A vector turned about an axis of length 1.
function rotated(v, axis, angle) {
  const cos = Math.cos(angle), along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
  return V.add(V.add(V.mul(v, cos), V.mul(V.cross(axis, v), Math.sin(angle))), V.mul(axis, along * (1 - cos)));
}
// The handle { at } that a view shows nearest to (x, y); null where none is near.
function handleNear(view, handles, x, y) {
  const off = ({ at }) => { const p = view.project(at); return p ? Math.hypot(p[0] - x, p[1] - y) : Infinity; };
  const found = handles.map(h => [off(h), h]).sort((a, b) => a[0] - b[0])[0]; return found && found[0] < NEAR_HANDLE ? found[1] : null;
}
