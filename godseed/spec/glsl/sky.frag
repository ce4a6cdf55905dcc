// Deep space, a breath of nebula, the planet's air along the limb, and moons.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_noise.glsl"
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

vec3 nebula(vec3 ray) {
  float drift = cloud(ray * 2.1);
  float wisp = relief(ray * 5.2 + drift * 0.9).x;
  float off = dot(ray, BAND_POLE);
  float band = 1.0 / (1.0 + 26.0 * off * off);
  float thick = clamp(0.42 + 0.75 * drift + 0.30 * wisp, 0.0, 1.3);
  return u_sky_nebula * thick * thick * (0.25 + 1.6 * band);
}

// A lit ball with a soft terminator and faint seas; rgb and how much of the sky it hides.
vec4 moon(vec3 ray, vec3 dir, float size, float number) {
  float ahead = dot(ray, dir);
  vec3 off = (ray - dir * ahead) / size;
  float r = length(off);
  if (ahead < 0.0 || r > 6.0) return vec4(0.0);
  vec3 normal = off - dir * sqrt(max(1.0 - r * r, 0.0));
  float soft = u_pixel / size;
  float disc = 1.0 - smoothstep(1.0 - soft, 1.0 + soft, r);
  float lit = smoothstep(-0.06, 0.55, dot(normal, u_sun));
  float seas = cloud(normal * 2.3 + number * 7.1);
  float pits = relief(normal * 8.0 + number * 3.7).x;
  float tone = 0.80 + 0.26 * seas + 0.10 * pits;
  vec3 key = u_key / max(max(u_key.r, u_key.g), u_key.b);
  vec3 face = mix(vec3(0.62, 0.60, 0.60), key * 0.66, 0.45) * tone * (0.012 + 0.92 * lit);
  float facing = smoothstep(-0.9, 0.6, dot(-dir, u_sun));
  float halo = (1.0 - disc) * 0.055 * facing / (1.0 + 5.0 * (r - 1.0) * (r - 1.0)) * (1.0 - smoothstep(2.0, 6.0, r));
  return vec4(face * disc + key * halo, disc);
}

void main() {
  vec3 ray = normalize(v_ray);
  vec3 nearest;
  float height = max(passing_height(ray, nearest), 0.0);
  float near = inside_air();

  vec3 color = u_sky_zenith + nebula(ray);
  float hidden = 0.0;
  for (int i = 0; i < 3; i++) {
    float shown = clamp(u_moons - float(i), 0.0, 1.0);
    if (shown > 0.0) {
      vec4 found = moon(ray, u_moon_dirs[i], u_moon_sizes[i], float(i)) * shown;
      color = color * (1.0 - found.a) + found.rgb;
      hidden = max(hidden, found.a);
    }
  }

  // Air: a bright hem at the limb, and from within it a slow gradient up to the dark. The sun's side carries it.
  float sunward = dot(normalize(nearest), u_sun);
  float lit = smoothstep(-0.55, 0.65, sunward);
  float hem = exp(-height * 42.0);
  float veil = exp(-height * 12.0);
  color += u_rim * (hem * 0.22 + veil * 0.035) * (0.05 + 0.95 * lit) * mix(1.0, 0.42, near);
  float glow = max(dot(ray, u_sun), 0.0);
  glow *= glow;
  float rise = exp(-height * 9.0);
  vec3 air = u_sky_horizon * rise * (0.30 + 0.55 * lit + 1.1 * glow * glow);
  color = color * (1.0 - 0.5 * near * rise) + air * near * (1.0 - 0.6 * hidden * (1.0 - rise));
  color += vec3(0.30, 0.34, 0.50) * u_flash * near * (0.15 + 0.5 * rise);
  write_surface(vec4(color, 1.0), -1.0, u_eye + ray * 50.0);
}
