// Scene plus bloom, through the ACES filmic curve (Stephen Hill's fit) to sRGB. Constants are those of three.js r187,
// 0.41666 included, so that the picture is that of its OutputPass.
uniform highp sampler2D u_scene;
uniform highp sampler2D u_bloom;
uniform float u_exposure;

in vec2 v_uv;
out vec4 o_color;

const mat3 ACES_IN = mat3(
  0.59719, 0.07600, 0.02840,
  0.35458, 0.90834, 0.13383,
  0.04823, 0.01566, 0.83777);
const mat3 ACES_OUT = mat3(
  1.60475, -0.10208, -0.00327,
  -0.53108, 1.10813, -0.07276,
  -0.07367, -0.00605, 1.07602);

vec3 filmic(vec3 color) {
  vec3 v = ACES_IN * (color * (u_exposure / 0.6));
  vec3 a = v * (v + 0.0245786) - 0.000090537;
  vec3 b = v * (0.983729 * v + 0.4329510) + 0.238081;
  return clamp(ACES_OUT * (a / b), 0.0, 1.0);
}

vec3 srgb(vec3 linear) {
  return mix(1.055 * pow(linear, vec3(0.41666)) - 0.055, linear * 12.92, vec3(lessThanEqual(linear, vec3(0.0031308))));
}

void main() {
  vec3 color = texture(u_scene, v_uv).rgb + texture(u_bloom, v_uv).rgb;
  o_color = vec4(srgb(filmic(color)), 1.0);
}
