export { Walker } from "./walker.js";
export { Rig } from "./rig.js";
