// The ground: an icosphere displaced along its directions, mixed between the state before and after the rising feature.
#include "_common.glsl"
#include "_relief.glsl"

in vec4 a_place;          // direction, height
in vec4 a_normal_before;  // normal, height before
in vec4 a_normal;         // normal, wetness
in vec4 a_light_before;   // rgb, wetness before
in vec4 a_light;          // rgb
in vec4 a_tint_before;    // rgb times amount, amount
in vec4 a_tint;

out vec3 v_position;
out vec3 v_normal;
out vec3 v_up;
out float v_height;
out float v_wet;
out vec3 v_light;
out vec4 v_tint;
out vec4 v_province;      // provinces of glass and stone: noise and its gradient, too wide to need a look at every pixel

void main() {
  float height = mix(a_normal_before.w, a_place.w, u_rise);
  v_up = a_place.xyz;
  v_height = height;
  v_position = a_place.xyz * (1.0 + height);
  v_normal = mix(a_normal_before.xyz, a_normal.xyz, u_rise);
  v_wet = mix(a_light_before.w, a_normal.w, u_rise);
  v_light = mix(a_light_before.xyz, a_light.xyz, u_rise);
  v_tint = mix(a_tint_before, a_tint, u_rise);
  v_province = relief(v_position * 5.0);
  gl_Position = u_view_projection * vec4(v_position, 1.0);
}
