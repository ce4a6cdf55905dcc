// Uniforms and functions that every program shares. Both loaders add the #version line and `precision highp`.
// Feature ages: one float per feature, seconds since it landed, 60 when it has long been there, negative before.
uniform mat4 u_view_projection;
uniform vec3 u_eye;
uniform vec3 u_right;          // camera axes, unit
uniform vec3 u_up;
uniform vec3 u_forward;
uniform float u_time_s;
uniform float u_rise;          // 0..1: mix between the ground before and after the feature that is rising
uniform float u_pixel;         // world size of one pixel at distance 1
uniform highp sampler2D u_ages;

float feature_age(float feature) {
  int i = int(feature + 0.5);
  return texelFetch(u_ages, ivec2(i & 255, i >> 8), 0).r;
}

// Ease-out growth 0..1 of something that starts `delay` seconds after its feature landed.
float growth(float age, float delay, float duration) {
  float x = clamp((age - delay) / duration, 0.0, 1.0);
  float y = 1.0 - x;
  return age < 0.0 ? 0.0 : 1.0 - y * y * y;
}

// Integer hash to [0, 1): the same bits as godseed.sim.rng.hash_u32 for small whole numbers.
float hash01(float seed, float item) {
  uint h = uint(seed) * 0x9E3779B9u + uint(item) * 0x85EBCA6Bu;
  h ^= h >> 16; h *= 0x85EBCA6Bu; h ^= h >> 13; h *= 0xC2B2AE35u; h ^= h >> 16;
  return float(h >> 8) * (1.0 / 16777216.0);
}

// Point on the ground in direction `dir`, where `ground` holds the heights before and after.
vec3 on_ground(vec3 dir, vec2 ground, float lift) {
  return dir * (1.0 + mix(ground.x, ground.y, u_rise) + lift);
}
