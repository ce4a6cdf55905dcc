// Coverage comes from known slopes, not from derivatives, so that an edge is one pixel wide at every size.
uniform highp sampler2D u_glyphs;
uniform highp sampler2DArray u_glyph_pages;

in vec2 v_uv;
flat in vec4 v_color;
flat in vec4 v_kind;           // kind, then: GLYPH change of the field per px, shadow; RULE share that fades at each
                               // end; LOZENGE change of |x| + |y| per px; VEIL shares of x and y before it fades
flat in float v_layer;
out vec4 o_color;

const float RULE = 1.0;
const float VEIL = 2.0;
const float LOZENGE = 3.0;

bool is(float kind) { return abs(v_kind.x - kind) < 0.5; }

// Letters with a dark halo, as wide as the field reaches: legible on a lit window too.
vec4 glyph() {
  float field = (v_layer < 0.0 ? textureLod(u_glyphs, v_uv, 0.0).r : textureLod(u_glyph_pages, vec3(v_uv, max(v_layer, 0.0)), 0.0).r) - 0.5;
  float ink = clamp(field / v_kind.y + 0.5, 0.0, 1.0) * v_color.a;
  float halo = smoothstep(-0.5, 0.05, field) * v_kind.z * v_color.a;
  return vec4(v_color.rgb * ink, ink + halo * (1.0 - ink));
}

void main() {
  float cover = v_color.a;
  if (is(RULE)) {
    float end = min(v_uv.x, 1.0 - v_uv.x);
    cover *= v_kind.y > 0.0 ? smoothstep(0.0, v_kind.y, end) : 1.0;
  } else if (is(VEIL)) {
    vec2 at = abs(v_uv);
    cover *= (1.0 - smoothstep(v_kind.y, 1.0, at.x)) * (1.0 - smoothstep(v_kind.z, 1.0, at.y));
  } else if (is(LOZENGE)) {
    cover *= clamp((1.0 - abs(v_uv.x) - abs(v_uv.y)) / v_kind.y + 0.5, 0.0, 1.0);
  } else {
    o_color = glyph();
    return;
  }
  o_color = vec4(v_color.rgb * cover, cover);
}
