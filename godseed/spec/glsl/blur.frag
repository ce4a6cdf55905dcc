// One direction of a Gaussian blur. Each pair of neighbouring taps is one linear fetch between them. The loaders define
// TAPS, the number of pairs: a loop of known length runs twice as fast on a rasteriser in software.
uniform highp sampler2D u_scene;
uniform vec2 u_step;           // one texel of the target along the direction
uniform float u_center;        // weight of the middle tap
uniform vec2 u_taps[TAPS];     // offset in texels, weight

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec3 sum = texture(u_scene, v_uv).rgb * u_center;
  for (int i = 0; i < TAPS; i++) {
    vec2 offset = u_step * u_taps[i].x;
    sum += (texture(u_scene, v_uv + offset).rgb + texture(u_scene, v_uv - offset).rgb) * u_taps[i].y;
  }
  o_color = vec4(sum, 1.0);
}
