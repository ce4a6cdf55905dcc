// Text, rules and veils over the finished picture, in pixels from its top left corner.
uniform vec2 u_viewport;

in vec2 a_corner;
in vec4 a_rect;                // left, top, right, bottom, px
in vec4 a_uv;                  // left, top, right, bottom
in vec4 a_color;               // sRGB, opacity
in vec4 a_kind;                // GLYPH, RULE, VEIL or LOZENGE; then its parameters, a glyph's page the last

uniform highp sampler2D u_glyph_layers;  // page -> its layer in u_glyph_pages

out vec2 v_uv;
flat out vec4 v_color;
flat out vec4 v_kind;
flat out float v_layer;        // of a glyph's page, -1 for the base atlas

void main() {
  vec2 share = vec2(a_corner.x, -a_corner.y) * 0.5 + 0.5;
  vec2 at = mix(a_rect.xy, a_rect.zw, share) / u_viewport;
  v_uv = mix(a_uv.xy, a_uv.zw, share);
  v_color = a_color;
  v_kind = a_kind;
  v_layer = a_kind.x < 0.5 && a_kind.w > 0.0 ? texelFetch(u_glyph_layers, ivec2(int(a_kind.w), 0), 0).r : -1.0;
  gl_Position = vec4(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, 0.0, 1.0);
}
