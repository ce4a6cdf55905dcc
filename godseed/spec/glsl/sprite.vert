// Soft discs that face the camera: halos of lamps, lanterns, fireflies.
#include "_common.glsl"

in vec2 a_corner;
in vec4 a_dir;                 // xyz unit, lift in R
in vec4 a_tint;                // rgb, radius in R
in vec4 a_birth;               // delay_s, seed24, phase 0..1, feature
in float a_ground_before;
in float a_ground;

out vec2 v_at;
out vec3 v_light;
out vec3 v_position;
flat out float v_feature;

void main() {
  float grown = growth(feature_age(a_birth.w), a_birth.x, 1.2);
  vec3 center = on_ground(a_dir.xyz, vec2(a_ground_before, a_ground), a_dir.w * grown);
  float away = length(center - u_eye);
  // Under two pixels it keeps its light, not its size.
  float smallest = 2.0 * u_pixel * away;
  float radius = max(a_tint.a, smallest);
  float kept = a_tint.a / radius;
  float breath = 0.93 + 0.07 * sin(u_time_s * (1.3 + a_birth.z) + a_birth.z * 6.2831853);
  v_light = a_tint.rgb * grown * kept * kept * breath * smoothstep(0.006, 0.05, away);
  v_at = a_corner;
  v_position = center + (u_right * a_corner.x + u_up * a_corner.y) * radius * step(0.001, grown);
  v_feature = a_birth.w;
  gl_Position = u_view_projection * vec4(v_position, 1.0);
  // What it stands on does not cut it: look for it nearer to the eye by a part of its size.
  vec4 moved = u_view_projection * vec4(v_position + (u_eye - center) * min(0.6 * radius / away, 0.5), 1.0);
  gl_Position.z = moved.z / moved.w * gl_Position.w;
}
