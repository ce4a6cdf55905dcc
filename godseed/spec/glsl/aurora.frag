// Green at the hem, violet above it, in rays that wander.
#include "_common.glsl"
#include "_relief.glsl"
#include "_output.glsl"

in vec2 v_at;
in vec3 v_position;
in float v_facing;
flat in vec2 v_look;

void main() {
  float t = u_time_s;
  // On a circle, so that the curtain has no seam.
  vec2 round = vec2(sin(v_at.x), cos(v_at.x));
  float fold = 0.5 + 0.5 * relief(vec3(round * 1.9, 0.045 * t + v_look.x * 9.0)).x;
  float rays = 0.5 + 0.5 * relief(vec3(round * 26.0, 0.16 * t + v_at.y * 0.35)).x;
  float y = v_at.y;
  float profile = smoothstep(0.0, 0.10, y) * exp(-2.4 * y) * (1.0 - smoothstep(0.75, 1.0, y));
  float strength = profile * smoothstep(0.16, 0.66, fold) * (0.22 + 1.0 * rays * rays);
  vec3 low = mix(vec3(0.10, 0.62, 0.34), vec3(0.10, 0.50, 0.52), v_look.x);
  vec3 high = vec3(0.34, 0.14, 0.60);
  vec3 color = mix(low, high, smoothstep(0.12, 0.75, y + 0.25 * v_look.x));
  float away = length(v_position - u_eye);
  // Light has no surface: where the curtain turns away, it thins out instead of ending in an edge.
  strength *= v_look.y * smoothstep(0.08, 0.35, away) * smoothstep(0.0, 0.6, abs(v_facing));
  // From space it has to carry over the lit air behind it.
  strength *= mix(1.15, 1.75, smoothstep(1.5, 2.6, length(u_eye)));
  write_surface(vec4(color * strength, 0.0), -1.0, v_position);
}
