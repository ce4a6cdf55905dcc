// Added to the picture: rain catches the sky's light, flakes the key's, embers have their own, mist is the haze.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_output.glsl"

uniform float u_weather_kind;

in vec2 v_at;
in vec3 v_position;
in vec4 v_look;

void main() {
  vec3 up = normalize(v_position);
  float lit = 0.35 + 0.65 * daylight(up);
  float r2 = dot(v_at, v_at);
  vec3 color;
  if (v_look.y < 0.5) {
    float side = 1.0 - v_at.x * v_at.x;
    float body = 1.0 - v_at.y * v_at.y;
    color = (vec3(0.50, 0.57, 0.70) * (0.5 + 2.0 * u_flash) + u_key * 0.20) * lit * side * body;
  } else if (v_look.y < 1.5) {
    float disc = max(1.0 - r2, 0.0);
    bool ember = abs(u_weather_kind - 3.0) < 0.5;
    float flicker = 0.72 + 0.28 * sin(u_time_s * (5.0 + 6.0 * v_look.z) + v_look.z * 50.0);
    vec3 spark = mix(vec3(1.0, 0.50, 0.16), vec3(0.85, 0.20, 0.05), v_look.w) * flicker;
    vec3 flake = (vec3(0.55, 0.60, 0.70) + u_key * 0.22) * lit;
    color = (ember ? spark : flake) * disc * disc;
  } else {
    float soft = max(1.0 - r2, 0.0);
    color = (u_haze + u_ambient_sky * 0.12 + u_key * 0.012 * lit) * soft * soft * (0.4 + 0.6 * lit);
  }
  write_surface(vec4(color * v_look.x, 0.0), -1.0, v_position);
}
