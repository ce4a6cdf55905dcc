// One direction of a Gaussian blur. Each pair of neighbouring taps is one linear fetch between them.
const int MAX_TAPS = 11;

uniform highp sampler2D u_scene;
uniform vec2 u_step;           // one texel of the target along the direction
uniform float u_center;        // weight of the middle tap
uniform vec2 u_taps[MAX_TAPS]; // offset in texels, weight
uniform int u_tap_count;

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec3 sum = texture(u_scene, v_uv).rgb * u_center;
  for (int i = 0; i < u_tap_count; i++) {
    vec2 offset = u_step * u_taps[i].x;
    sum += (texture(u_scene, v_uv + offset).rgb + texture(u_scene, v_uv - offset).rgb) * u_taps[i].y;
  }
  o_color = vec4(sum, 1.0);
}
