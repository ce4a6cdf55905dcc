// The only way a fragment leaves a scene program. The loaders define OUTPUT_COLOR, OUTPUT_IDS or OUTPUT_DEPTH.
// Ids: feature index + 1 in 24 bits, 0 = nothing; the id pass never blends, thin coverage is dropped.
layout(location = 0) out vec4 o_color;

void write_surface(vec4 color, float feature, vec3 position) {
#if defined(OUTPUT_IDS)
  if (color.a < 0.25) discard;
  uint id = uint(feature + 1.5);
  o_color = vec4(float(id & 255u), float((id >> 8) & 255u), float((id >> 16) & 255u), 255.0) / 255.0;
#elif defined(OUTPUT_DEPTH)
  if (color.a < 0.25) discard;
  o_color = vec4(dot(position - u_eye, u_forward), 0.0, 0.0, 1.0);
#else
  // Bright enough to be read as a lamp; more would only harden its edges and flood the bloom from a single pixel.
  float peak = max(max(color.r, color.g), color.b);
  o_color = vec4(color.rgb * min(1.0, 1.6 / max(peak, 1.0)), color.a);
#endif
}
