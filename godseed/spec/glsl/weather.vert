// What falls, rises or drifts in a dome over the town: streaks, flakes, sparks and banks of mist from one table of numbers.
#include "_common.glsl"

uniform vec2 u_viewport;
uniform float u_weather_kind;  // 0 clear 1 rain 2 snow 3 embers 4 mist 5 storm
uniform float u_weather_amount;
uniform vec3 u_weather_center; // unit direction of the town

in vec2 a_corner;
in vec4 a_random;              // turn, share of the area, place along the fall, rank; all 0..1

out vec2 v_at;
out vec3 v_position;
out vec4 v_look;               // strength, shape (0 streak, 1 dot, 2 bank), flicker, height 0..1

const float CAP = 0.135;       // 1 - cos of the dome's radius, 30 degrees
const float CEILING = 0.30;

bool weather(float kind) { return abs(u_weather_kind - kind) < 0.5; }

void main() {
  bool rain = weather(1.0), snow = weather(2.0), embers = weather(3.0), mist = weather(4.0), storm = weather(5.0);
  float share = rain ? 0.75 : snow ? 0.85 : embers ? 0.26 : mist ? 0.034 : storm ? 1.0 : 0.0;
  float t = u_time_s;
  float own = fract(a_random.w * 97.31);
  vec3 up = u_weather_center;
  vec3 sideways = vec3(up.z, 0.0, -up.x);
  vec3 east = dot(sideways, sideways) > 1e-8 ? normalize(sideways) : vec3(1.0, 0.0, 0.0);
  vec3 north = cross(up, east);
  float speed = rain ? 0.30 : storm ? 0.44 : snow ? 0.020 : embers ? -0.022 : 0.0;
  float fall = fract(a_random.z - t * speed * (0.8 + 0.4 * own) / CEILING);
  float depth = CAP * a_random.y;
  float level = sqrt(depth * (2.0 - depth));
  float turn = 6.2831853 * a_random.x + (mist ? t * 0.006 * (own - 0.5) : 0.0);
  vec3 dir = up * (1.0 - depth) + (east * cos(turn) + north * sin(turn)) * level;
  float high = mist ? 0.012 + 0.045 * own : fall * CEILING - 0.015;
  vec3 wander = vec3(0.0);
  if (snow || embers) {
    float swing = embers ? 0.010 : 0.007;
    wander = (east * sin(t * (0.35 + 0.5 * own) + own * 40.0) + north * cos(t * (0.28 + 0.4 * own) + own * 70.0)) * swing;
  }
  vec3 center = dir * (1.0 + high) + wander;
  float away = length(center - u_eye);
  float pixel = u_pixel * away;
  float far_out = smoothstep(1.5, 2.6, length(u_eye));
  vec3 across = u_right, along = u_up;
  float wide = 0.0, tall = 0.0, strength = 0.0;
  if (rain || storm) {
    // Streaks lean with the wind, and are never thinner than a pixel.
    along = normalize(dir + east * (storm ? 0.34 : 0.14));
    vec3 seen = center - u_eye;
    across = normalize(cross(seen, along));
    tall = storm ? 0.017 : 0.012;
    wide = max(0.00022, 0.55 * pixel);
    strength = (storm ? 0.19 : 0.20) * 0.00022 / wide;
    strength = clamp(strength, 0.045, 0.17) * (0.5 + 0.5 * own);
  } else if (snow || embers) {
    float size = (embers ? 0.0009 : 0.0010) * (0.6 + 0.8 * own);
    wide = tall = max(size, 0.9 * pixel);
    float kept = size / wide;
    strength = (embers ? 1.6 : 0.42) * max(kept * kept, 0.16);
  } else if (mist) {
    wide = 0.10 + 0.10 * own;
    tall = 0.018 + 0.020 * own;
    along = dir;
    across = normalize(cross(dir, u_eye - center));
    strength = 0.30;
  }
  float nearest = mist ? smoothstep(0.10, 0.35, away) : smoothstep(0.015, 0.09, away);
  float rim = 1.0 - smoothstep(0.55, 1.0, a_random.y);
  float ends = mist ? 1.0 : smoothstep(0.0, 0.12, fall) * (1.0 - smoothstep(0.8, 1.0, fall));
  strength *= nearest * rim * ends * mix(1.0, 0.30, far_out);
  float shown = share * sqrt(u_weather_amount) - a_random.w;
  strength *= clamp(shown * 40.0, 0.0, 1.0) * (0.4 + 0.6 * u_weather_amount);
  v_at = a_corner;
  v_look = vec4(strength, rain || storm ? 0.0 : mist ? 2.0 : 1.0, own, fall);
  v_position = center + across * (a_corner.x * wide) + along * (a_corner.y * tall);
  gl_Position = u_view_projection * vec4(v_position, 1.0);
  if (strength <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
