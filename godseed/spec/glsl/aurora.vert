// Curtains of light on a ring beyond the town, where both the town and the world camera see them.
#include "_common.glsl"

uniform float u_aurora;        // strength 0..1
uniform vec3 u_weather_center; // unit direction of the town

in vec2 a_corner;
in vec4 a_dir;                 // start and end along the curtain 0..1, radius of the ring (rad), height (R)
in vec4 a_wave;                // phase, waviness (rad), colour 0..1, strength

out vec2 v_at;                 // turn in radians, height 0..1
out vec3 v_position;
out float v_facing;            // 0 where the curtain is seen along itself, 1 and -1 where it is seen from its two sides
flat out vec2 v_look;          // colour, strength

// Unit direction of the curtain's foot at a turn about `middle`.
vec3 foot(float turn, vec3 middle, vec3 across, vec3 away) {
  float t = u_time_s;
  float wave = sin(3.0 * turn + 0.13 * t + a_wave.x) + 0.55 * sin(7.0 * turn - 0.19 * t + 2.0 * a_wave.x)
    + 0.10 * sin(17.0 * turn + 0.31 * t);
  float angle = a_dir.z + a_wave.y * wave;
  return middle * cos(angle) + (across * cos(turn) + away * sin(turn)) * sin(angle);
}

void main() {
  vec2 w = a_corner * 0.5 + 0.5;
  float turn = 6.2831853 * mix(a_dir.x, a_dir.y, w.x);
  vec3 up = u_weather_center;
  vec3 sideways = vec3(up.z, 0.0, -up.x);
  vec3 east = dot(sideways, sideways) > 1e-8 ? normalize(sideways) : vec3(1.0, 0.0, 0.0);
  vec3 north = cross(up, east);
  // The way the town camera looks: 25 degrees, and 46 degrees away.
  vec3 ahead = north * 0.9063 + east * 0.4226;
  vec3 middle = up * 0.7193 + ahead * 0.6947;
  vec3 across = normalize(cross(ahead, up));
  vec3 away = cross(across, middle);
  vec3 dir = foot(turn, middle, across, away);
  vec3 along = foot(turn + 0.01, middle, across, away) - foot(turn - 0.01, middle, across, away);
  float tall = a_dir.w * (0.78 + 0.22 * sin(5.0 * turn + 0.21 * u_time_s + a_wave.x));
  v_position = dir * (1.035 + tall * w.y);
  v_facing = dot(normalize(cross(along, dir)), normalize(u_eye - v_position));
  v_at = vec2(turn, w.y);
  v_look = vec2(a_wave.z, a_wave.w * u_aurora);
  gl_Position = u_view_projection * vec4(v_position, 1.0);
  if (u_aurora <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
