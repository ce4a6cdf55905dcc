// The one light of the world: a low warm key, a cold sky from above, a little from below, and the mist of distance.
#include "_shadow.glsl"

uniform vec3 u_key;            // linear rgb radiance
uniform vec3 u_ambient_sky;
uniform vec3 u_ambient_ground;
uniform vec3 u_rim;
uniform vec3 u_haze;           // colour that distance and the limb fade to
uniform float u_haze_density;  // per planet radius
uniform float u_flash;         // lightning, 0..1

// Soft terminator: how much of the key reaches a place whose local up is `up`.
float daylight(vec3 up) { return smoothstep(-0.16, 0.22, dot(up, u_sun)); }

// Diffuse light on a surface with unit normal `n` at a place with local up `up`, which `sunlit` of the key reaches.
vec3 diffuse_light(vec3 n, vec3 up, float sunlit) {
  float wrapped = clamp((dot(n, u_sun) + 0.10) / 1.10, 0.0, 1.0);
  float above = 0.5 + 0.5 * dot(n, up);
  vec3 ambient = mix(u_ambient_ground, u_ambient_sky, above);
  // Lit ground lights the walls that the key does not reach.
  float bounced = 0.17 * clamp(1.0 - dot(n, up), 0.0, 1.0);
  return u_key * (wrapped * sunlit + bounced * (0.4 + 0.6 * sunlit)) * daylight(up)
    + ambient * (0.30 + 0.70 * smoothstep(-0.55, 0.35, dot(up, u_sun)))
    + vec3(0.55, 0.60, 0.80) * u_flash * (0.35 + 0.65 * above);
}

vec3 diffuse_light(vec3 n, vec3 up) { return diffuse_light(n, up, 1.0); }

// Aerial perspective: thickest in the valleys, so that towers and hills stand out of it.
vec3 with_haze(vec3 color, vec3 position) {
  float d = length(position - u_eye);
  float low = exp(-14.0 * max(length(position) - 1.0, 0.0));
  float amount = 1.0 - 1.0 / (1.0 + u_haze_density * (0.40 + 0.85 * low) * d * d);
  return mix(color, u_haze, amount * clamp(1.6 - length(u_eye) * 0.5, 0.0, 1.0));
}
