// A soft point: a bright heart in a faint halo.
#include "_common.glsl"
#include "_output.glsl"

in vec2 v_at;
in vec3 v_light;

void main() {
  float r2 = dot(v_at, v_at);
  float heart = max(1.0 - r2 * 0.55, 0.0);
  float halo = max(1.0 - r2 * 0.1736, 0.0);
  vec3 color = v_light * (heart * heart + 0.07 * halo * halo);
  write_surface(vec4(color, 0.0), -1.0, u_eye + u_forward * 50.0);
}
