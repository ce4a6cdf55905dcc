// The shadow map: how much of the key light reaches a place. Casters are drawn by the faces that look away from the light,
// so that no lit face shades itself.
uniform highp sampler2DShadow u_shadow_map;
uniform vec3 u_sun;            // unit, towards the key light
uniform mat4 u_shadow;         // world -> clip space of the map
uniform float u_shadow_texel;  // its width in R

// 1 in the light, 0 in the shadow of something, soft over two texels; everything is lit outside the map. What the light only
// grazes is dark by itself: shadows fade out there, before they become scratches.
float sunlight(vec3 position, vec3 normal) {
  vec3 at = (u_shadow * vec4(position + normal * u_shadow_texel, 1.0)).xyz;
  vec3 place = at * 0.5 + vec3(0.5, 0.5, 0.4998);
  vec2 texel = 1.0 / vec2(textureSize(u_shadow_map, 0));
  float lit = texture(u_shadow_map, place + vec3(texel * vec2(0.0, 1.0), 0.0))
    + texture(u_shadow_map, place + vec3(texel * vec2(-0.9, -0.5), 0.0))
    + texture(u_shadow_map, place + vec3(texel * vec2(0.9, -0.5), 0.0));
  float edge = max(max(abs(at.x), abs(at.y)), abs(at.z));
  return mix(1.0, lit / 3.0, (1.0 - smoothstep(0.80, 0.98, edge)) * smoothstep(0.0, 0.16, dot(normal, u_sun)));
}
