// Dark water lit from within: a deep body, threads of light that flow, a pale hem of foam, and a wet bank.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_relief.glsl"
#include "_output.glsl"

in vec2 v_at;
in vec3 v_position;
in vec3 v_up;
in vec3 v_tint;
flat in vec4 v_water;
in float v_drawn;
flat in float v_feature;

// x: threads of light 0..1, y: height of the small waves -1..1.
vec2 stream(float s, float across, float seed, float pixel) {
  float t = u_time_s;
  // Faster in the middle; the threads bend with the current.
  float fast = 1.0 - 0.35 * across * across;
  float slow = relief(vec3(s * 52.0 - t * 0.42 * fast, across * 1.5, seed)).x;
  float near = 1.0 - smoothstep(0.0005, 0.0035, pixel);
  float fine = near > 0.0 ? relief(vec3(s * 190.0 - t * 1.5 * fast, across * 4.0 + 1.2 * slow, seed + 9.0)).x * near : 0.0;
  float thread = 1.0 - abs(fine + 0.55 * slow);
  thread *= thread; thread *= thread;
  return vec2(mix(0.30 + 0.22 * slow, thread * (0.55 + 0.45 * slow), near), slow + 0.6 * fine);
}

vec2 pool(float v, float seed, float pixel, float radius) {
  float t = u_time_s;
  float slow = relief(v_position * 34.0 + vec3(0.0, 0.10 * t, seed)).x;
  float near = 1.0 - smoothstep(0.0004, 0.0024, pixel);
  // Rings from the middle die away outwards; threads of light lie in the shallows.
  float rings = sin(v * radius * 620.0 - 1.5 * t + 1.6 * slow) * (1.0 - 0.85 * v) * near;
  float fine = relief(v_position * 150.0 + vec3(0.22 * t, -0.12 * t, seed)).x * near;
  float thread = 1.0 - abs(fine + 0.5 * slow);
  thread *= thread; thread *= thread; thread *= thread;
  float crest = max(rings, 0.0);
  crest *= crest;
  float shallow = v * v;
  return vec2(mix(0.07 + 0.17 * shallow + 0.05 * slow, thread * (0.16 + 0.30 * shallow) + 0.42 * crest * crest, near),
    0.5 * slow + 0.5 * rings);
}

void main() {
  bool is_pool = v_water.w > 0.5;
  float across = abs(v_at.y);
  float reach = is_pool ? across / max(v_drawn, 0.001) : across;
  float s = v_at.x;
  if (is_pool ? v_drawn < 0.01 : s > v_water.x * v_drawn) discard;
  float pixel = u_pixel * length(v_position - u_eye);
  float seed = mod(v_water.z, 61.0);
  vec2 lively = is_pool ? pool(across, seed, pixel, v_water.x) : stream(s, v_at.y, seed, pixel);

  // The shore wanders a little.
  float hem = is_pool ? 0.018 / max(v_water.x * 12.0, 0.2) : 0.10;
  float shore = 1.0 - hem * (0.6 + 0.6 * relief(v_position * 210.0 + seed).x);
  float soft = clamp(pixel / v_water.y, 0.012, 0.5);
  float wet = 1.0 - smoothstep(shore - soft, shore + soft, reach);
  float depth = is_pool ? 1.0 - reach * reach * 0.75 : 1.0 - 0.6 * across * across;

  vec3 view = normalize(u_eye - v_position);
  float facing = clamp(dot(v_up, view), 0.0, 1.0);
  float slant = 1.0 - facing;
  vec3 color = v_tint * mix(0.075, 0.030, depth) + v_tint * lively.x * mix(0.50, 0.34, depth);
  // Threads go pale where they are strongest.
  color += (v_tint * 0.4 + 0.14) * smoothstep(0.55, 1.0, lively.x) * 0.42;
  vec3 bumped = normalize(v_up + 0.05 * lively.y * (u_right + u_up * 0.4));
  float gloss = clamp(dot(bumped, normalize(u_sun + view)), 0.0, 1.0);
  gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss;
  color += u_key * gloss * 0.06 * daylight(v_up) * sunlight(v_position, v_up);
  color += (u_ambient_sky * 0.30 + u_rim * 0.04) * slant * slant * slant;

  float inner = shore - (is_pool ? 0.9 * hem : 0.20);
  float foam = smoothstep(inner, shore - 0.25 * (shore - inner), reach) * wet;
  foam *= 0.45 + 0.55 * smoothstep(-0.25, 0.5, lively.y);
  color += (v_tint * 0.35 + 0.22) * foam * 0.46;

  float bank = 1.0 - smoothstep(shore, shore + (is_pool ? 1.2 * hem : 0.26), reach);
  float tip = is_pool ? 1.0 : smoothstep(0.0, 0.004, s) * smoothstep(0.0, 0.003, min(v_water.x, v_water.x * v_drawn) - s);
  float alpha = mix(bank * 0.5, 0.97, wet) * tip;
  color = with_haze(color * wet, v_position);
  write_surface(vec4(color * alpha, alpha), v_feature, v_position);
}
