// Obsidian and stone: dark glassy plains, paler rock with height and slope, a soft terminator and a violet limb.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_relief.glsl"
#include "_output.glsl"

in vec3 v_position;
in vec3 v_normal;
in vec3 v_up;
in float v_height;
in float v_wet;
in vec3 v_light;
in vec4 v_tint;

void main() {
  vec3 up = normalize(v_up);
  vec3 to_eye = u_eye - v_position;
  float distance_to_eye = length(to_eye);
  vec3 view = to_eye / distance_to_eye;
  float pixel = distance_to_eye * u_pixel;
  float far_out = smoothstep(1.25, 2.2, length(u_eye));
  // Seen from space the relief is drawn steeper than it is, or it would not be seen at all.
  vec3 mesh_normal = normalize(up + (normalize(v_normal) - up) * (1.0 + 1.5 * far_out));
  float slope = 1.0 - clamp(dot(mesh_normal, up), 0.0, 1.0);

  // Three scales: provinces of glass and stone, folds, and grain. Each fades where a pixel is larger than it.
  vec4 province = relief(v_position * 5.0);
  vec4 fold = relief(v_position * 46.0 + province.yzw * 0.8);
  float fold_fade = 1.0 - smoothstep(0.0012, 0.006, pixel);
  fold *= fold_fade;
  float near = 1.0 - smoothstep(0.0006, 0.0045, pixel);
  vec4 grit = near > 0.0 ? relief(v_position * 260.0) : vec4(0.0);
  float rock = smoothstep(0.016, 0.105, v_height + 0.016 * province.x + 0.009 * fold.x + 0.003 * grit.x) * 0.8;
  rock = clamp(rock + smoothstep(0.03, 0.26, slope + 0.03 * fold.x) * 0.75, 0.0, 1.0);
  vec3 bump = fold.yzw * (0.0042 * 46.0) + grit.yzw * (0.00042 * 260.0 * near);
  bump -= up * dot(bump, up);
  vec3 n = normalize(mesh_normal - bump * mix(0.35, 1.0, rock));

  float grain = clamp(0.5 + 0.22 * fold.x + 0.30 * province.x + 0.22 * grit.x * near, 0.0, 1.0);
  vec3 obsidian = mix(vec3(0.012, 0.012, 0.017), vec3(0.050, 0.046, 0.058), grain);
  vec3 stone = mix(vec3(0.044, 0.039, 0.044), vec3(0.112, 0.095, 0.088), grain);
  vec3 crest = mix(vec3(0.15, 0.13, 0.12), vec3(0.27, 0.235, 0.21), grain);
  vec3 albedo = mix(obsidian, stone, rock);
  float high = smoothstep(0.048, 0.105, v_height + 0.016 * fold.x);
  albedo = mix(albedo, crest, high * (1.0 - smoothstep(0.22, 0.5, slope)));

  float grown = clamp(v_tint.a, 0.0, 1.0);
  vec3 moss = v_tint.rgb / max(v_tint.a, 1e-4);
  moss = mix(vec3(dot(moss, vec3(0.2126, 0.7152, 0.0722))), moss, 0.55) * 0.62;  // lichen, not paint
  float patchy = smoothstep(0.25, 0.75, grown + 0.35 * (grain - 0.5) + 0.1 * grit.x) * grown;
  albedo = mix(albedo, moss * (0.50 + 0.9 * grain), clamp(patchy * 1.1, 0.0, 0.85) * (1.0 - 0.5 * smoothstep(0.12, 0.45, slope)));
  float wet = clamp(v_wet, 0.0, 1.0);
  albedo *= 1.0 - 0.45 * wet;

  vec3 color = albedo * diffuse_light(n, up);
  float gloss = (1.0 - rock) * (1.0 - grown) * 0.9 + wet * 0.6;
  float facing = clamp(dot(n, normalize(u_sun + view)), 0.0, 1.0);
  float f2 = facing * facing, f4 = f2 * f2, f16 = f4 * f4 * f4 * f4;
  color += u_key * (f16 * f16 * 0.055 + f4 * f4 * 0.012) * gloss * daylight(up);
  color += (albedo * 0.85 + 0.0016) * v_light * clamp(0.40 + 0.60 * dot(n, up), 0.0, 1.0);

  // Hollows are a little darker and crests a little lighter: cheap shape that survives flat light.
  color *= 0.86 + 0.28 * smoothstep(-0.7, 0.7, fold.x + 0.4 * grit.x * near);

  float edge = 1.0 - clamp(dot(mix(up, mesh_normal, 0.3), view), 0.0, 1.0);
  float edge2 = edge * edge;
  color += u_rim * edge2 * edge2 * edge * (0.16 + 0.84 * smoothstep(-0.7, 0.4, dot(up, u_sun))) * mix(0.22, 1.0, far_out);
  write_surface(vec4(with_haze(color, v_position), 1.0), -1.0, v_position);
}
