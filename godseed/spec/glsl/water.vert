// Streams and pools: quads whose corners lie on the ground.
#include "_common.glsl"

in vec2 a_corner;
in vec3 a_corner_00;           // first index along, second across
in vec3 a_corner_10;
in vec3 a_corner_01;
in vec3 a_corner_11;
in vec4 a_span;                // s0, s1 along: R, or radians round a pool; v0, v1 across: 1 at the shore
in vec4 a_tint;                // rgb, length of the stream or radius of the pool in R
in vec4 a_birth;               // half width in R, seed24, kind (0 stream, 1 pool), feature
in vec4 a_ground_before;
in vec4 a_ground;

out vec2 v_at;
out vec3 v_position;
out vec3 v_up;
out vec3 v_tint;
flat out vec4 v_water;         // length, half width, seed24, kind
out float v_drawn;
flat out float v_feature;

void main() {
  vec2 w = a_corner * 0.5 + 0.5;
  vec3 dir = mix(mix(a_corner_00, a_corner_10, w.x), mix(a_corner_01, a_corner_11, w.x), w.y);
  vec2 before = mix(a_ground_before.xz, a_ground_before.yw, w.x);
  vec2 after = mix(a_ground.xz, a_ground.yw, w.x);
  v_up = normalize(dir);
  float lift = a_birth.z > 0.5 ? 0.0012 : 0.0004;
  v_position = on_ground(v_up, vec2(mix(before.x, before.y, w.y), mix(after.x, after.y, w.y)), lift);
  v_at = vec2(mix(a_span.x, a_span.y, w.x), mix(a_span.z, a_span.w, w.y));
  v_tint = a_tint.rgb;
  v_water = vec4(a_tint.w, a_birth.xyz);
  v_drawn = growth(feature_age(a_birth.w), 0.0, 2.0) * 1.02;
  v_feature = a_birth.w;
  gl_Position = u_view_projection * vec4(v_position, 1.0);
  // The ground's triangles may pass a little above the water: look for it nearer to the eye.
  vec3 to_eye = u_eye - v_position;
  float away = length(to_eye);
  float nearer = min(0.0014 + 0.0018 * away, 0.4 * away);
  vec4 moved = u_view_projection * vec4(v_position + to_eye * (nearer / away), 1.0);
  gl_Position.z = moved.z / moved.w * gl_Position.w;
}
