// What the lamps of a kit throw: beams through the air and light on the ground, added to the picture.
#include "_common.glsl"
#include "_kit.glsl"

out vec3 v_position;
out vec3 v_normal;
out vec3 v_glow;
out vec2 v_shape;             // strength 0..1, 1 if it lies flat
flat out float v_feature;

void main() {
  vec3 normal = a_normal.xyz;
  vec3 posed = kit_posed(normal);
  float grown = growth(feature_age(a_birth.w), a_birth.x, 1.9);
  vec3 x_axis;
  v_position = kit_placed(posed, grown, x_axis);
  v_normal = x_axis * normal.x + a_dir.xyz * normal.y + a_front.xyz * normal.z;
  float flat_lying = step(1.5, a_part.w);
  v_shape = vec2(a_part.w - 2.0 * flat_lying, flat_lying);
  v_glow = mix(a_albedo.rgb, a_tint.rgb, a_normal.w) * a_position.w * kit_glimmer() * smoothstep(0.75, 1.0, grown);
  v_feature = a_birth.w;
  gl_Position = u_view_projection * vec4(v_position, 1.0);
  // Light lies on the ground, whose triangles may pass a little above it: look for it nearer to the eye.
  vec3 to_eye = u_eye - v_position;
  float nearer = flat_lying * (0.002 + 0.0012 * length(to_eye));
  vec4 moved = u_view_projection * vec4(v_position + normalize(to_eye) * nearer, 1.0);
  gl_Position.z = moved.z / moved.w * gl_Position.w;
}
