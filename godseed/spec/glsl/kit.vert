// Buildings, plants and small things: one instanced draw per kit.
#include "_common.glsl"
#include "_kit.glsl"

out vec3 v_position;
out vec3 v_normal;
out vec3 v_up;
out vec3 v_albedo;
out vec3 v_light;             // emission, height above the base in R, dark glass 0..1
out vec3 v_pane;              // u, v on a window pane, 1 if this is a pane
flat out float v_feature;

void main() {
  vec3 normal = a_normal.xyz;
  vec3 posed = kit_posed(normal);
  float grown = growth(feature_age(a_birth.w), a_birth.x, 1.9);
  vec3 x_axis;
  v_position = kit_placed(posed, grown, x_axis);
  v_up = a_dir.xyz;
  v_normal = normalize(x_axis * normal.x + v_up * normal.y / max(a_front.w, 0.1) + a_front.xyz * normal.z);
  float corner = a_part.w > 7.5 ? a_part.w - 8.0 : a_part.w;
  v_pane = vec3(mod(corner - 1.0, 2.0), floor((corner - 1.0) * 0.5), step(0.5, corner));

  bool window = kit_mode(MODE_WINDOW);
  bool lit = !window || hash01(a_tint.w, a_part.x) < a_part.y;
  // Each lit room has a lamp of its own; lights come on when the walls stand.
  float room = window ? 0.72 + 0.5 * hash01(a_tint.w, a_part.x + 500.0) : 1.0;
  float on = (lit ? 1.0 : 0.0) * smoothstep(0.72, 0.99, grown);
  v_light = vec3(a_position.w * room * kit_glimmer() * on, posed.y * a_dir.w, window ? 1.0 - on : 0.0);
  // Neighbours differ a little in stone and plaster.
  float shade = a_position.w > 0.0 ? 1.0 : 0.82 + 0.36 * hash01(a_tint.w, 900.0);
  v_albedo = mix(a_albedo.rgb, a_tint.rgb, a_normal.w) * shade;
  v_feature = a_birth.w;
  gl_Position = u_view_projection * vec4(v_position, 1.0);
}
