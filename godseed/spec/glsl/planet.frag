// Obsidian and stone: dark glassy plains, paler rock with height and slope, a soft terminator and a violet limb.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_noise.glsl"
#include "_output.glsl"

in vec3 v_position;
in vec3 v_normal;
in vec3 v_up;
in float v_height;
in float v_wet;
in vec3 v_light;
in vec4 v_tint;

// Relief finer than the mesh, in two scales; fades where a pixel is larger than it.
vec3 detailed_normal(vec3 n, vec3 up, float rock, float pixel, out float grain) {
  float near = 1.0 - smoothstep(0.0012, 0.006, pixel);
  float fine = noise3(v_position * 310.0);
  float coarse = noise3(v_position * 74.0);
  grain = 0.5 + 0.5 * mix(coarse, fine * 0.6 + coarse * 0.4, near);
  const float e = 0.004;
  float cx = noise3((v_position + vec3(e, 0.0, 0.0)) * 74.0) - coarse;
  float cy = noise3((v_position + vec3(0.0, e, 0.0)) * 74.0) - coarse;
  float cz = noise3((v_position + vec3(0.0, 0.0, e)) * 74.0) - coarse;
  vec3 slope = vec3(cx, cy, cz);
  slope -= up * dot(slope, up);
  float strength = mix(0.22, 0.62, rock) * (1.0 - smoothstep(0.004, 0.014, pixel));
  return normalize(n - slope * strength);
}

void main() {
  vec3 up = normalize(v_up);
  vec3 to_eye = u_eye - v_position;
  float distance_to_eye = length(to_eye);
  vec3 view = to_eye / distance_to_eye;
  float pixel = distance_to_eye * u_pixel;
  vec3 n = normalize(v_normal);
  float slope = 1.0 - clamp(dot(n, up), 0.0, 1.0);
  float rock = clamp(smoothstep(0.006, 0.055, v_height) * 0.65 + smoothstep(0.02, 0.22, slope) * 0.8, 0.0, 1.0);
  float grain;
  n = detailed_normal(n, up, rock, pixel, grain);

  vec3 obsidian = mix(vec3(0.016, 0.016, 0.023), vec3(0.046, 0.043, 0.054), grain);
  vec3 stone = mix(vec3(0.075, 0.066, 0.070), vec3(0.150, 0.128, 0.120), grain);
  vec3 crest = mix(vec3(0.20, 0.17, 0.15), vec3(0.30, 0.26, 0.23), grain);
  vec3 albedo = mix(obsidian, stone, rock);
  albedo = mix(albedo, crest, smoothstep(0.045, 0.10, v_height + 0.02 * (grain - 0.5)) * (1.0 - smoothstep(0.30, 0.55, slope)));
  float grown = clamp(v_tint.a, 0.0, 1.0);
  vec3 moss = v_tint.rgb / max(v_tint.a, 1e-4);
  albedo = mix(albedo, moss * (0.55 + 0.7 * grain), grown * (0.92 - 0.45 * smoothstep(0.10, 0.45, slope)));
  float wet = clamp(v_wet, 0.0, 1.0);
  albedo *= 1.0 - 0.45 * wet;

  vec3 color = albedo * diffuse_light(n, up);
  float gloss = (1.0 - rock) * (1.0 - grown) * 0.8 + wet * 0.7;
  vec3 half_way = normalize(u_sun + view);
  float facing = clamp(dot(n, half_way), 0.0, 1.0);
  float f2 = facing * facing;
  float f8 = f2 * f2; f8 *= f8;
  float shine = f8 * f8 * f8 * f8;
  color += u_key * shine * gloss * 0.10 * daylight(up);
  color += (albedo * 2.2 + 0.010) * v_light * clamp(0.45 + 0.55 * dot(n, up), 0.0, 1.0);

  float edge = 1.0 - clamp(dot(up, view), 0.0, 1.0);
  float edge2 = edge * edge;
  float limb = edge2 * edge2 * edge;
  float far_out = smoothstep(1.25, 2.2, length(u_eye));
  color += u_rim * limb * (0.20 + 0.80 * smoothstep(-0.6, 0.4, dot(up, u_sun))) * mix(0.35, 1.0, far_out);
  write_surface(vec4(with_haze(color, v_position), 1.0), -1.0, v_position);
}
