// The background: one triangle at the far end of the depth range.
#include "_common.glsl"

uniform vec2 u_lens;           // tangents of half the field of view, across and up

in vec2 a_corner;
out vec3 v_ray;

void main() {
  v_ray = u_forward + u_right * (a_corner.x * u_lens.x) + u_up * (a_corner.y * u_lens.y);
  gl_Position = vec4(a_corner, 1.0, 1.0);
}
