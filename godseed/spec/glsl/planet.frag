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
in vec4 v_province;

uniform float u_weather_kind;    // as in weather.vert
uniform float u_weather_amount;
uniform vec3 u_weather_center;

// Sign of x that turns smoothly: creases in rock, but none that a rasteriser could place otherwise.
float soft_sign(float x) { return x * inversesqrt(x * x + 0.012); }

void main() {
  vec3 up = normalize(v_up);
  vec3 to_eye = u_eye - v_position;
  float distance_to_eye = length(to_eye);
  vec3 view = to_eye / distance_to_eye;
  float pixel = distance_to_eye * u_pixel;
  float far_out = smoothstep(1.25, 2.2, length(u_eye));
  // Seen from space the relief is drawn steeper than it is, or it would not be seen at all.
  vec3 tilt = normalize(v_normal) - up;
  vec3 mesh_normal = normalize(up + tilt * (1.0 + 1.7 * far_out));
  float slope = 1.0 - clamp(dot(normalize(up + tilt * (1.0 + 0.7 * far_out)), up), 0.0, 1.0);

  // Three scales: folds, broken rock and grain. Each fades where a pixel is larger than it.
  float wide = 1.0 - smoothstep(0.0014, 0.0070, pixel);
  vec4 fold = relief(v_position * 38.0 + v_province.yzw * 0.8) * wide;
  float near = 1.0 - smoothstep(0.0004, 0.0022, pixel);
  vec4 broken = near > 0.0 ? relief(v_position * 170.0 + fold.yzw * 0.8) * near : vec4(0.0);
  float nearest = 1.0 - smoothstep(0.00012, 0.0007, pixel);
  vec4 grain = nearest > 0.0 ? relief(v_position * 780.0 + broken.yzw * 0.7) * nearest : vec4(0.0);

  float rock = smoothstep(0.016, 0.105, v_height + 0.016 * v_province.x + 0.008 * fold.x + 0.004 * broken.x) * 0.8;
  rock = clamp(rock + smoothstep(0.03, 0.26, slope + 0.03 * fold.x) * 0.75, 0.0, 1.0);
  // Seas of glass lie between the provinces of stone; hills stand out of them.
  float glass = (1.0 - smoothstep(-0.28, 0.22, v_province.x + 0.10 * fold.x)) * (1.0 - smoothstep(0.02, 0.07, v_height));
  rock *= 1.0 - 0.75 * glass;
  // Rock breaks along creases, glass only swells.
  float crease = soft_sign(broken.x);
  vec3 bump = fold.yzw * 0.10 - broken.yzw * (0.042 * crease * rock + 0.014) + grain.yzw * (0.06 + 0.10 * rock);
  bump -= up * dot(bump, up);
  vec3 n = normalize(mesh_normal - bump * mix(0.45, 1.0, rock));

  float tone = clamp(0.48 + 0.26 * v_province.x + 0.10 * fold.x + 0.19 * broken.x + 0.36 * grain.x, 0.0, 1.0);
  vec3 obsidian = mix(vec3(0.013, 0.013, 0.019), vec3(0.050, 0.047, 0.060), tone);
  vec3 stone = mix(vec3(0.034, 0.031, 0.036), vec3(0.112, 0.096, 0.090), tone);
  vec3 crest = mix(vec3(0.084, 0.075, 0.073), vec3(0.205, 0.178, 0.162), tone);
  vec3 albedo = mix(obsidian, stone, rock);
  float high = smoothstep(0.050, 0.120, v_height + 0.010 * fold.x + 0.012 * broken.x);
  albedo *= 1.0 - 0.35 * glass;
  albedo = mix(albedo, crest, high * (1.0 - smoothstep(0.22, 0.5, slope)));

  // Lichen, not paint: it grows in patches, and thins out into specks.
  float grown = clamp(v_tint.a, 0.0, 1.0);
  vec3 moss = v_tint.rgb / max(v_tint.a, 1e-4);
  moss = mix(vec3(dot(moss, vec3(0.2126, 0.7152, 0.0722))), moss, 0.55) * 0.62;
  float patchy = smoothstep(0.30, 0.62, grown + 0.30 * fold.x + 0.34 * broken.x + 0.26 * grain.x) * grown;
  albedo = mix(albedo, moss * (0.42 + 1.0 * tone), clamp(patchy * 1.1, 0.0, 0.85) * (1.0 - 0.5 * smoothstep(0.12, 0.45, slope)));

  // Under the weather the ground is wet, or white where snow stays: on what is level, thicker in the hollows.
  float under = u_weather_amount * smoothstep(0.82, 0.93, dot(up, u_weather_center));
  float rained = abs(u_weather_kind - 3.0) > 1.5 ? under * step(0.5, u_weather_kind) : 0.0;
  float wet = clamp(v_wet + 0.5 * rained, 0.0, 1.0);
  albedo *= 1.0 - 0.45 * wet;
  float snowed = abs(u_weather_kind - 2.0) < 0.5 ? under : 0.0;
  float level = 1.0 - slope * 5.0 + 0.22 * fold.x + 0.40 * broken.x + 0.30 * grain.x;
  albedo = mix(albedo, vec3(0.215, 0.232, 0.268), snowed * 0.85 * smoothstep(0.45, 1.05, level));

  float sunlit = sunlight(v_position, mesh_normal);
  vec3 color = albedo * diffuse_light(n, up, sunlit);
  float gloss = (1.0 - rock) * (1.0 - grown) * 0.9 + wet * 0.6;
  float facing = clamp(dot(n, normalize(u_sun + view)), 0.0, 1.0);
  float f2 = facing * facing, f4 = f2 * f2, f16 = f4 * f4 * f4 * f4;
  color += u_key * (f16 * f16 * 0.055 + f4 * f4 * 0.012) * gloss * daylight(up) * sunlit;
  // Many lamps at one place do not burn it out.
  vec3 lamps = v_light / (1.0 + 0.30 * max(max(v_light.r, v_light.g), v_light.b));
  color += (albedo * 0.85 + 0.0016) * lamps * clamp(0.40 + 0.60 * dot(n, up), 0.0, 1.0);

  // Hollows are a little darker and crests a little lighter: cheap shape that survives flat light.
  color *= 0.92 + 0.14 * smoothstep(-0.7, 0.7, fold.x) + 0.14 * broken.x;

  float edge = 1.0 - clamp(dot(mix(up, mesh_normal, 0.3), view), 0.0, 1.0);
  float edge2 = edge * edge;
  float sunward = smoothstep(-0.55, 0.45, dot(up, u_sun));
  color += u_rim * edge2 * edge2 * edge * (0.05 + 0.95 * sunward * sunward) * mix(0.22, 1.0, far_out);
  write_surface(vec4(with_haze(color, v_position), 1.0), -1.0, v_position);
}
