//== solid.vert: a vertex of a solid, moved by the joint that it is fixed to; a row of joints for each body
layout(location=0) in vec3 place; layout(location=1) in vec3 outward; layout(location=2) in float joint; layout(location=3) in vec3 paint;
uniform mat4 camera; uniform sampler2D joints; uniform int first; uniform vec4 tint; uniform float heat[64]; out vec3 at; out vec3 normal; out vec3 colour;
void main() {
  ivec2 j = ivec2(3 * int(joint + .5), first + gl_InstanceID);
  vec4 x = texelFetch(joints, j, 0), y = texelFetch(joints, j + ivec2(1, 0), 0), z = texelFetch(joints, j + ivec2(2, 0), 0), p = vec4(place, 1.);
  at = vec3(dot(x, p), dot(y, p), dot(z, p)); normal = vec3(dot(x.xyz, outward), dot(y.xyz, outward), dot(z.xyz, outward));
  colour = mix(mix(paint, vec3(.86, .08, .10), heat[min(int(joint + .5), 63)]), tint.rgb, tint.a); gl_Position = camera * vec4(at, 1.);
}
//== capsule.vert: a vertex of a tapered capsule, one for each mark (contacts, pushes, paths)
layout(location=0) in vec4 shape; layout(location=1) in vec3 a; layout(location=2) in vec3 b; layout(location=3) in vec2 radii; layout(location=4) in vec3 paint;
uniform mat4 camera; out vec3 at; out vec3 normal; out vec3 colour;
void main() {
  vec3 d = b - a; float l = length(d); vec3 w = l > 1e-6 ? d / l : vec3(0., 0., 1.);
  vec3 u = normalize(abs(w.z) < .9 ? cross(vec3(0., 0., 1.), w) : cross(vec3(1., 0., 0.), w)), v = cross(w, u);
  normal = u * shape.x + v * shape.y + w * shape.z; at = mix(a, b, shape.w) + normal * mix(radii.x, radii.y, shape.w);
  colour = paint; gl_Position = camera * vec4(at, 1.);
}
//== floor.vert
layout(location=0) in vec3 place; layout(location=1) in vec3 up;
uniform mat4 camera; out vec3 at; out vec3 n;
void main() { at = place; n = up; gl_Position = camera * vec4(place, 1.); }
//== shade: how much of the sun reaches a place, softly
uniform mat4 sun; uniform highp sampler2DShadow shadow; uniform vec3 eye; uniform vec3 light; uniform int soft;
float lit(vec3 at) {
  if (soft < 0) return 1.;
  vec3 c = (sun * vec4(at, 1.)).xyz * .5 + .5;
  if (c.x < 0. || c.x > 1. || c.y < 0. || c.y > 1.) return 1.;
  float sum = 0.;
  for (int i = -soft; i <= soft; i++) for (int j = -soft; j <= soft; j++) sum += texture(shadow, vec3(c.xy + vec2(i, j) * 1.3 / 1536., c.z - .002));
  return sum / float((2 * soft + 1) * (2 * soft + 1));
}
//== sunlit: where nothing lies in shadow
uniform vec3 light;
float lit(vec3 at) { return 1.; }
//== body.frag: a matt surface under sun and sky; needs shade
in vec3 at; in vec3 normal; in vec3 colour; uniform float alpha; out vec4 o;
void main() {
  vec3 n = normalize(normal), e = normalize(eye - at), h = normalize(light + e);
  float k = max(dot(n, light), 0.) * mix(.35, 1., lit(at + n * .03)), sky = .5 + .5 * n.z;
  o = alpha * vec4(colour * (.42 + .33 * sky + .46 * k) + .10 * pow(max(dot(n, h), 0.), 40.) * k + .10 * pow(1. - max(dot(n, e), 0.), 3.), 1.);
}
//== depth.frag: what the sun sees
in vec3 at; in vec3 normal; in vec3 colour; out vec4 o;
void main() { o = vec4(1.); }
//== floor.frag: ground with lines at each metre and quarter, fading into the sky: lighter where it faces the sun and where it is higher; needs shade or sunlit
in vec3 at; in vec3 n; uniform vec3 centre; uniform vec3 tint; uniform float dark; uniform float level; out vec4 o;
float lines(vec2 p, vec2 w, float every) {
  vec2 q = abs(fract(p / every - .5) - .5) * every, g = smoothstep(w * 1.3, w * .3, q) * clamp(every / (w * 6.) - .3, 0., 1.);
  return max(g.x, g.y);
}
void main() {
  vec2 w = fwidth(at.xy); float far = length(at.xy - centre.xy);
  if (far > 16.) discard;
  float flatness = smoothstep(.5, .8, abs(n.z)), g = flatness * max(.34 * lines(at.xy, w, 1.), .13 * lines(at.xy, w, .25));
  float relief = (1. + 1.6 * dot(n.xy, light.xy)) * (1. + .09 * clamp(at.z - level, -.6, .6)), riser = (dark > .5 ? 1.5 : .60) + .6 * dot(n, light);
  vec3 c = mix(tint * mix(riser, relief, flatness) * mix(.62, 1., lit(at + n * .01)), dark > .5 ? vec3(.62, .70, .78) : vec3(.36, .43, .50), g * .75);
  o = vec4(c, 1.) * (1. - smoothstep(7., 16., far));
}
//== edge.frag: where the ground bends
in vec3 at; in vec3 n; uniform vec3 centre; uniform float dark; out vec4 o;
void main() {
  float far = length(at.xy - centre.xy);
  o = vec4(dark > .5 ? vec3(.66, .74, .82) : vec3(.34, .41, .48), 1.) * (1. - smoothstep(5., 14., far));
}
