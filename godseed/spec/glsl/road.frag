// Matte warm stone in courses, pale kerbs, a shoulder that fades into the ground, and a dashed amber line.
#include "_common.glsl"
#include "_lighting.glsl"
#include "_output.glsl"

in vec2 v_at;
in vec3 v_position;
in vec3 v_up;
in vec3 v_tint;
flat in vec4 v_road;
in float v_drawn;
flat in float v_feature;

// Tone of one paving stone -1..1; courses run across, every other one shifted by half a stone.
float paving(vec2 at, float seed) {
  float course = floor(at.x);
  float stone = floor(at.y + 0.5 * mod(course, 2.0));
  return hash01(seed, mod(course, 4096.0) * 16.0 + stone + 8.0) * 2.0 - 1.0;
}

void main() {
  float total = v_road.x, half_width = v_road.y, seed = v_road.z;
  bool path = v_road.w > 0.5;
  // Where a road meets an earlier one its kerb and line stop, and the paving of both is one.
  float plain = step(0.25, v_road.w) * (path ? 0.0 : 1.0);
  float s = v_at.x, across = abs(v_at.y);
  if (s > total * v_drawn) discard;
  float pixel = u_pixel * length(v_position - u_eye);

  // Stones 1.8 thousandths long; they melt into one tone where they are finer than two pixels.
  float stone_length = path ? 0.0012 : 0.0018;
  float rows = path ? 1.6 : 2.5;
  float near = 1.0 - smoothstep(0.3, 0.9, pixel / stone_length);
  float tone = paving(vec2(s / stone_length, v_at.y * rows), seed) * near;
  vec2 in_stone = abs(fract(vec2(s / stone_length, v_at.y * rows + 0.5 * mod(floor(s / stone_length), 2.0))) - 0.5);
  float joint = smoothstep(0.40, 0.5, max(in_stone.x, in_stone.y)) * near;

  float soft = clamp(pixel / half_width, 0.02, 0.6);
  float paved = 1.0 - smoothstep(1.0 - soft * 0.5, 1.0 + soft * 0.5, across);
  float kerb = smoothstep(0.80 - soft, 0.86, across) * paved * (path ? 0.25 : 1.0 - plain);
  vec3 albedo = v_tint * (1.0 + 0.16 * tone - 0.34 * joint + 0.42 * kerb);
  // Worn pale where wheels and feet go.
  albedo *= 1.0 + (path ? 0.12 * (1.0 - across) : 0.14 * (1.0 - smoothstep(0.0, 0.22, abs(across - 0.45))));
  albedo = mix(v_tint * 0.42, albedo, paved);
  vec3 color = albedo * diffuse_light(v_up, v_up, sunlight(v_position, v_up));

  if (!path) {
    float dash = abs(fract(s / 0.014) - 0.5);
    float line = (1.0 - smoothstep(0.055, 0.075 + soft * 0.4, across)) * (1.0 - smoothstep(0.25, 0.29, dash));
    float ends = smoothstep(0.004, 0.008, min(s, total - s));
    // A line thinner than a pixel keeps its light, not its width.
    line *= ends * clamp(0.13 * half_width / pixel, 0.12, 1.0);
    color = mix(color, vec3(0.62, 0.33, 0.085), line * 0.85 * (1.0 - plain));
  }
  float shoulder = 1.0 - smoothstep(0.94, 1.32, across);
  float tip = smoothstep(0.0, 0.0015, min(s, total * v_drawn - s));
  float alpha = mix(shoulder * shoulder * 0.55 * (1.0 - plain), 0.84, paved) * (path ? 0.9 : 1.0) * (path ? 1.0 : tip);
  color = with_haze(color, v_position);
  write_surface(vec4(color * alpha, alpha), v_feature, v_position);
}
