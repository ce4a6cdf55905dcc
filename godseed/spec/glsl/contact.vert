// Dark, soft contact with the ground under everything that stands.
#include "_common.glsl"

uniform float u_footprint;    // radius in R at scale 1

in vec2 a_corner;
in vec4 a_dir;
in vec4 a_front;
in vec4 a_tint;
in vec4 a_birth;
in float a_ground_before;
in float a_ground;

out vec2 v_at;
out vec3 v_position;
out float v_strength;
flat out float v_feature;

void main() {
  float grown = growth(feature_age(a_birth.w), a_birth.x, 1.9);
  float radius = u_footprint * a_dir.w * 1.5 * grown;
  vec3 right = cross(a_dir.xyz, a_front.xyz);
  v_at = a_corner;
  v_position = on_ground(a_dir.xyz, vec2(a_ground_before, a_ground), 0.0003)
    + (right * a_corner.x + a_front.xyz * a_corner.y) * radius;
  // What flies casts none.
  v_strength = grown * (1.0 - smoothstep(0.004, 0.02, a_birth.y));
  v_feature = a_birth.w;
  gl_Position = u_view_projection * vec4(v_position, 1.0);
  // The ground is not flat under it: look for it nearer to the eye by a share of its size.
  vec3 to_eye = u_eye - v_position;
  float nearer = 0.0008 + 0.1 * radius + 0.0008 * length(to_eye);
  vec4 moved = u_view_projection * vec4(v_position + normalize(to_eye) * nearer, 1.0);
  gl_Position.z = moved.z / moved.w * gl_Position.w;
}
