// Deep space, a breath of nebula, the planet's air along the limb, and moons.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_relief.glsl"
#include "_air.glsl"
#include "_output.glsl"

uniform vec3 u_sky_zenith;
uniform vec3 u_sky_horizon;
uniform vec3 u_sky_nebula;
uniform float u_moons;         // how many; a fraction is one that fades
uniform mat3 u_moon_dirs;      // a direction per column
uniform vec3 u_moon_sizes;     // sines of their radii

in vec3 v_ray;

const vec3 BAND_POLE = vec3(0.4208, 0.6212, 0.6613);   // as in godseed.sim.sky_objects

// Two noises serve nebula and moons alike, because software rasterisers pay for both sides of a branch.
vec3 nebula(vec3 ray, float drift, float wisp) {
  float off = dot(ray, BAND_POLE);
  float band = 1.0 / (1.0 + 26.0 * off * off);
  float thick = clamp(0.42 + 0.62 * drift + 0.40 * wisp, 0.0, 1.3);
  return u_sky_nebula * thick * thick * (0.25 + 1.6 * band);
}

// A lit ball with a soft terminator and faint seas.
vec3 moon_face(vec3 normal, vec3 key, float seas, float pits) {
  float lit = smoothstep(-0.06, 0.55, dot(normal, u_sun));
  return mix(vec3(0.62, 0.60, 0.60), key * 0.66, 0.45) * (0.80 + 0.24 * seas + 0.12 * pits) * (0.012 + 0.92 * lit);
}

void main() {
  vec3 ray = normalize(v_ray);
  vec3 nearest;
  float height = max(passing_height(ray, nearest), 0.0);
  float near = inside_air();

  // The moon nearest to the ray, how far from its middle in radii, and how much of it there is.
  vec3 normal = ray;
  vec4 found = vec4(9.0, 0.0, 0.0, 1.0);
  vec3 toward = ray;
  for (int i = 0; i < 3; i++) {
    float shown = clamp(u_moons - float(i), 0.0, 1.0);
    float ahead = dot(ray, u_moon_dirs[i]);
    vec3 off = (ray - u_moon_dirs[i] * ahead) / u_moon_sizes[i];
    float r = length(off);
    if (shown > 0.0 && ahead > 0.0 && r < found.x) {
      found = vec4(r, shown, float(i), u_moon_sizes[i]);
      toward = u_moon_dirs[i];
      normal = off - toward * sqrt(max(1.0 - r * r, 0.0));
    }
  }
  float soft = u_pixel / found.w;
  float disc = found.y * (1.0 - smoothstep(1.0 - soft, 1.0 + soft, found.x));
  bool on_moon = disc > 0.0;
  float drift = relief(on_moon ? normal * 2.4 + found.z * 7.1 : ray * 2.1).x;
  float wisp = relief(on_moon ? normal * 7.0 + found.z * 3.7 : ray * 5.4 + drift * 0.9).x;

  vec3 key = u_key / max(max(max(u_key.r, u_key.g), u_key.b), 1e-3);
  float beyond = max(found.x - 1.0, 0.0);
  float halo = found.y * 0.055 / (1.0 + 5.0 * beyond * beyond) * (1.0 - smoothstep(1.0, 5.0, beyond));
  halo *= (1.0 - disc) * smoothstep(-0.9, 0.6, dot(-toward, u_sun));
  vec3 color = u_sky_zenith + nebula(ray, drift, wisp) + key * halo;
  color = mix(color, moon_face(normal, key, drift, wisp), disc);

  // Air: a bright hem at the limb, and from within it a slow gradient up to the dark. The sun's side carries it.
  float sunward = dot(normalize(nearest), u_sun);
  float lit = smoothstep(-0.55, 0.65, sunward);
  float hem = exp(-height * 42.0);
  float veil = exp(-height * 12.0);
  color += u_rim * (hem * 0.22 + veil * 0.035) * (0.05 + 0.95 * lit) * mix(1.0, 0.42, near);
  float glow = max(dot(ray, u_sun), 0.0);
  glow *= glow;
  // Thin overhead, thick along the ground: most of it lies in a low band, and a little reaches far up.
  float upward = dot(ray, normalize(u_eye));
  upward = 0.5 * (upward + sqrt(upward * upward + 0.012));
  float rise = exp(-height * 9.0) * (0.84 * exp(-upward * 8.0) + 0.16 * exp(-upward * 2.4));
  vec3 air = u_sky_horizon * rise * (0.34 + 0.60 * lit + 1.3 * glow * glow);
  color = color * (1.0 - 0.5 * near * rise) + air * near * (1.0 - 0.6 * disc * (1.0 - rise));
  color += vec3(0.30, 0.34, 0.50) * u_flash * near * (0.15 + 0.5 * rise);
  write_surface(vec4(color, 1.0), -1.0, u_eye + ray * 50.0);
}
