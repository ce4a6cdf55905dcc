// Letters from the signed distance field, sharp at every size, with a little light of their own round them.
#include "_common.glsl"
#include "_output.glsl"

uniform highp sampler2D u_glyphs;
uniform highp sampler2DArray u_glyph_pages;
uniform vec2 u_glyph_spread;   // texels from the outline to the end of the field: base atlas, pages

in vec2 v_uv;
in vec3 v_position;
in vec4 v_ink;
flat in float v_feature;
flat in float v_layer;

void main() {
  bool base = v_layer < 0.0;
  float spread = base ? u_glyph_spread.x : u_glyph_spread.y;
  vec2 texel = v_uv * vec2(base ? textureSize(u_glyphs, 0) : textureSize(u_glyph_pages, 0).xy);
  float per_pixel = max(0.5 * (length(dFdx(texel)) + length(dFdy(texel))), 1e-3);
  float field = base ? textureLod(u_glyphs, v_uv, 0.0).r : textureLod(u_glyph_pages, vec3(v_uv, max(v_layer, 0.0)), 0.0).r;
  float outside = (0.5 - field) * 2.0 * spread;
  // Letters smaller than a few pixels get thinner than the field can tell: thicken them a little.
  float thick = clamp(0.35 * (per_pixel - 2.0), 0.0, 1.2);
  float ink = clamp((thick - outside) / per_pixel + 0.5, 0.0, 1.0);
  float glow = max(1.0 - max(outside, 0.0) / spread, 0.0);
  float cover = ink * v_ink.a;
  vec3 light = v_ink.rgb * v_ink.a * (ink + 0.09 * glow * glow * (1.0 - ink));
  write_surface(vec4(light, cover), v_feature, v_position);
}
