// Additive and soft: strength falls along the shape, and at the edge of what is round.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_output.glsl"

in vec3 v_position;
in vec3 v_normal;
in vec3 v_glow;
in vec2 v_shape;
flat in float v_feature;

void main() {
  vec3 to_eye = u_eye - v_position;
  float distance_to_eye = length(to_eye);
  float facing = abs(dot(normalize(v_normal), to_eye / distance_to_eye));
  float strength = clamp(v_shape.x, 0.0, 1.0);
  strength = strength * strength * (v_shape.y > 0.5 ? 1.0 : facing * facing * facing);
  // Nothing thin glares when the camera flies through it.
  strength *= smoothstep(0.004, 0.03, distance_to_eye);
  float haze = u_haze_density * distance_to_eye * distance_to_eye;
  vec3 color = v_glow * strength / (1.0 + 0.5 * haze);
  write_surface(vec4(color, 0.0), v_feature, v_position);
}
