// Matte stone and plaster in the one low light, with windows that are the only small bright things.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_output.glsl"

in vec3 v_position;
in vec3 v_normal;
in vec3 v_up;
in vec3 v_albedo;
in vec3 v_light;
in vec3 v_pane;
flat in float v_feature;

// Frame and cross of a window, as coverage 0..1 of dark wood; fades out where it is finer than a pixel.
float muntins(vec2 at) {
  vec2 pixel = max(fwidth(at), vec2(0.002));
  vec2 edge = min(at, 1.0 - at);
  vec2 cross_bar = abs(at - vec2(0.5, 0.56));
  vec2 bars = max(1.0 - smoothstep(vec2(0.09) - pixel, vec2(0.09) + pixel, edge),
                  (1.0 - smoothstep(vec2(0.035) - pixel, vec2(0.035) + pixel, cross_bar)) * 0.85);
  return max(bars.x, bars.y) * (1.0 - smoothstep(0.16, 0.5, max(pixel.x, pixel.y)));
}

void main() {
  vec3 n = normalize(v_normal);
  vec3 to_eye = normalize(u_eye - v_position);
  float emission = v_light.x;
  vec3 albedo = v_albedo;
  float pane = step(0.5, v_pane.z);
  float glass = v_light.z;
  albedo = mix(albedo, vec3(0.020, 0.023, 0.032), glass);
  albedo *= mix(1.0, 0.35, clamp(emission, 0.0, 1.0));

  // Walls are darker where they meet the ground, and under what looks down.
  float foot = 0.50 + 0.50 * smoothstep(-0.0012, 0.0075, v_light.y);
  float under = 0.62 + 0.38 * smoothstep(-0.9, 0.1, dot(n, v_up));
  float sunlit = sunlight(v_position, n);
  vec3 color = albedo * diffuse_light(n, v_up, sunlit) * foot * under;

  float facing = clamp(dot(n, to_eye), 0.0, 1.0);
  float rim = 1.0 - facing;
  rim *= rim * rim;
  color += u_rim * rim * (0.10 + 0.10 * dot(n, v_up)) * (1.0 - pane);
  vec3 half_way = normalize(u_sun + to_eye);
  float gloss = clamp(dot(n, half_way), 0.0, 1.0);
  gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss;
  color += u_key * gloss * daylight(v_up) * sunlit * mix(0.012, 0.16, glass);
  color += u_ambient_sky * glass * rim * 0.8;

  // Smaller than a pixel a lamp is hit or missed: dimmer, so that one pixel does not become a halo.
  float footprint = u_pixel * length(v_position - u_eye);
  float lamp = smoothstep(1.5, 2.2, emission) * smoothstep(0.0004, 0.0016, footprint);
  vec3 glow = v_albedo * emission * (1.0 - 0.5 * lamp);
  if (pane > 0.5) {
    // A lamp inside: warmest low in the middle, and the wood in front of it.
    vec2 off = v_pane.xy - vec2(0.5, 0.38);
    glow *= 1.22 - 1.5 * dot(off, off);
    vec2 pixel = fwidth(v_pane.xy);
    glow *= mix(1.0, 0.4, smoothstep(0.4, 1.6, max(pixel.x, pixel.y)));
    float wood = muntins(v_pane.xy);
    glow *= 1.0 - 0.93 * wood;
    color = mix(color, vec3(0.035, 0.025, 0.02) * diffuse_light(n, v_up), wood);
  }
  color = with_haze(color + glow, v_position);
  write_surface(vec4(color, 1.0), v_feature, v_position);
}
