/** A footfall character in JavaScript. World axes: x forward, y left, z up; metres, seconds, newtons, radians. */

export type Vector = [number, number, number];
/** w, x, y, z */
export type Quaternion = [number, number, number, number];

export interface Place {
  /** On the ground; by default where it is. */
  position?: [number, number];
  /** From x to the left; by default where it faces. */
  heading?: number;
}

/** The `.json` beside a module. */
export interface Description {
  footfall: 1;
  name: string;
  figure: string;
  root: "free" | "planar" | "fixed";
  dt: number;
  bodies: { name: string; parent: number; mass: number; com: Vector }[];
  gaits: { name: string; parameters: Record<string, { value: number }> }[];
  terrains: Record<string, number[]>;
  [more: string]: unknown;
}

export interface Settings {
  /** m/s², negative is down */
  gravity?: number;
  friction?: number;
  /** kg on the torso */
  load?: number;
  /** a name of the description */
  terrain?: string;
}

export class Walker {
  /** A module by its address, with its description beside it (`walk.wasm`, `walk.json`). */
  static open(address: string | URL): Promise<Walker>;
  static load(bytes: BufferSource | WebAssembly.Module, about: Description): Promise<Walker>;

  readonly about: Description;
  readonly dt: number;
  /** Seconds that it has walked since it began. */
  readonly time: number;
  readonly outcome: "walking" | "fell" | "diverged" | "stopped";
  readonly fell: boolean;
  readonly fallTime: number | null;
  readonly position: [number, number];
  readonly heading: number;
  /** Coordinates and velocities, as MuJoCo lays them out; what is written here acts from the next step on. */
  readonly qpos: Float64Array;
  readonly qvel: Float64Array;
  /** 18 numbers a body, as `pose()` left them: position 3, rotation 9 (rows), angular and linear velocity 3 + 3. */
  readonly bodies: Float64Array;

  /** Go on for so many steps of `dt`; after a fall as a ragdoll. */
  step(steps: number): number;
  /** Fill `bodies`. */
  pose(): Float64Array;
  transforms(): { name: string; position: Vector; quaternion: Quaternion; velocity: Vector; angularVelocity: Vector }[];
  contacts(): { name: string; foot: "left" | "right" | null; touches: boolean; position: Vector }[];
  /** A point of a body's frame in the world. */
  inWorld(body: number, point: Vector): Vector;
  /** Height of the ground. */
  height(x: number, y?: number): number;

  /** Begin a gait anew. */
  reset(gait?: string, place?: Place): void;
  /** Another gait when a state ends; after a fall it begins anew, by default where it lies. */
  request(gait: string, place?: Place): void;
  /** Move it as it is. */
  place(position: [number, number], heading?: number): void;
  /** As far as the law has them. */
  steer(wishes: { speed?: number; side_speed?: number; heading?: number; heading_rate?: number }): void;
  get(parameter: string, gait?: string): number;
  set(parameter: string, value: number, gait?: string): void;
  change(settings: Settings): void;

  /** Newtons in world axes at the figure's usual place, for a time from now on. */
  push(force: Vector, seconds: number): void;
  /** A force at a body's centre of mass until it is replaced; null lets go. */
  pull(body: number, force: Vector | null): void;
  snapshot(): object;
  restore(snapshot: object): void;
}

/** The `rig.json` that `footfall export x.wasm --onto character.glb` writes. */
export interface RigDescription {
  footfall: 1;
  scale: number;
  bones: { name: string; parent: number }[];
  [more: string]: unknown;
}

/** What a rig needs of a three.js scene, whose `position` is a Vector3. */
export interface RigScene {
  position: object;
  traverse(visit: (part: any) => void): void;
}

export class Rig<Scene extends RigScene = RigScene> {
  readonly about: RigDescription;
  /** The scene's bones, in the order of `about.bones`. */
  readonly nodes: any[] | null;
  /** `blend`: seconds over which a walker that begins anew is brought from where it was. */
  constructor(about: RigDescription, scene?: Scene | null, options?: { blend?: number });
  /** Numbers for any engine, in the file's axes: the root's position in its parent, all bones' rotations in theirs. */
  pose(walker: Walker): { position: Vector; rotations: Quaternion[] };
  /** The same, brought there from the last one within `blend` seconds where a walker begins anew. */
  blended(walker: Walker): { position: Vector; rotations: Quaternion[] };
  /** Bring the bones of the scene to where the walker is. */
  update(walker: Walker): void;
  /** A three.js Vector3 of the scene's world in the walker's, and back. */
  toWalker(point: Scene["position"]): Vector;
  fromWalker(place: Vector): Scene["position"];
  /** The body nearest to a point of the walker's world. */
  bodyAt(walker: Walker, point: Vector): number;
}
