// Darkest where the walls meet the ground, gone at one and a half footprints.
#include "_common.glsl"
#include "_output.glsl"

in vec2 v_at;
in vec3 v_position;
in float v_strength;
flat in float v_feature;

void main() {
  float r = length(v_at);
  float shade = 1.0 - smoothstep(0.30, 1.0, r);
  write_surface(vec4(0.0, 0.0, 0.0, 0.62 * shade * shade * v_strength), v_feature, v_position);
}
