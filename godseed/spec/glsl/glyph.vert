// Letters of the atlas in space: on rings that turn round the world, and on stones.
#include "_common.glsl"

uniform float u_near_town;
uniform highp sampler2D u_glyph_layers;  // page -> its layer in u_glyph_pages
uniform vec2 u_ring_turn;      // cosine and sine of how far rings have turned: sines of the GPU differ by a third of a pixel

in vec2 a_corner;
in vec4 a_anchor;              // xyz unit where a stone stands; the ring's speed, which u_ring_turn has
in vec4 a_offset;              // xyz from the ground at the anchor (ring: from the planet's centre), delay_s
in vec4 a_right;               // half width as a vector, feature
in vec4 a_up;                  // half height as a vector, seed24
in vec4 a_uv;                  // x0, y0 (top), x1, y1 in the atlas
in vec4 a_axis;                // xyz a ring turns about, kind: 0 ring, 1 stone; plus twice the page
in vec4 a_tint;                // rgb, intensity
in float a_ground_before;
in float a_ground;

out vec2 v_uv;
out vec3 v_position;
out vec4 v_ink;                // rgb light, coverage
flat out float v_feature;
flat out float v_layer;        // of the glyph's page, -1 for the base atlas

vec3 turned(vec3 v, vec3 axis) {
  return v * u_ring_turn.x + cross(axis, v) * u_ring_turn.y + axis * dot(axis, v) * (1.0 - u_ring_turn.x);
}

void main() {
  float grown = growth(feature_age(a_right.w), a_offset.w, 1.1);
  vec3 offset = a_offset.xyz, right = a_right.xyz, up = a_up.xyz;
  float strength = a_tint.a;
  float page = floor(a_axis.w * 0.5);
  bool ring = a_axis.w - 2.0 * page < 0.5;
  if (ring) {
    vec3 axis = a_axis.xyz;
    // Who stands in the town looks at the ring from inside: mirrored, it reads right from there, and faintly.
    if (u_near_town > 0.5) {
      vec3 mirror = normalize(cross(axis, abs(axis.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
      offset -= 2.0 * mirror * dot(mirror, offset);
      right -= 2.0 * mirror * dot(mirror, right);
    }
    offset = turned(offset, axis);
    right = turned(right, axis);
    float change = abs(2.0 * u_near_town - 1.0);
    strength *= change * change * mix(1.0, mix(0.10, 0.5, smoothstep(1.30, 1.40, length(u_eye))), smoothstep(0.5, 1.0, u_near_town));
  }
  vec3 base = ring ? vec3(0.0) : on_ground(a_anchor.xyz, vec2(a_ground_before, a_ground), 0.0);
  v_position = base + offset + right * a_corner.x + up * a_corner.y;
  vec3 to_eye = u_eye - v_position;
  float away = length(to_eye);
  float facing = dot(normalize(cross(right, up)), to_eye / away);
  // From behind a ring is a faint trace of itself; a stone's back shows nothing.
  float front = ring ? mix(0.20, 1.0, smoothstep(-0.25, 0.35, facing)) : step(0.0, facing);
  float near = ring ? smoothstep(0.15, 0.45, away) : 1.0;
  v_ink = vec4(a_tint.rgb * strength, grown * front * near);
  v_uv = mix(a_uv.xy, a_uv.zw, vec2(a_corner.x * 0.5 + 0.5, 0.5 - a_corner.y * 0.5));
  v_feature = a_right.w;
  v_layer = page > 0.0 ? texelFetch(u_glyph_layers, ivec2(int(page), 0), 0).r : -1.0;
  gl_Position = u_view_projection * vec4(v_position, 1.0);
  // Letters on stone lie a hair before it.
  vec4 moved = u_view_projection * vec4(v_position + to_eye * (0.0006 / away), 1.0);
  gl_Position.z = (ring ? gl_Position.z / gl_Position.w : moved.z / moved.w) * gl_Position.w;
}
