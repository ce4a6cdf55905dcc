// A small bright heart in a wide faint disc.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_output.glsl"

in vec2 v_at;
in vec3 v_light;
in vec3 v_position;
flat in float v_feature;

void main() {
  float r2 = dot(v_at, v_at);
  float disc = max(1.0 - r2, 0.0);
  float strength = disc * disc * (0.22 + 1.5 / (1.0 + 40.0 * r2));
  float d = length(v_position - u_eye);
  vec3 color = v_light * strength / (1.0 + 0.4 * u_haze_density * d * d);
  write_surface(vec4(color, 0.0), v_feature, v_position);
}
