// What is bright enough to glow; half the size of the picture, so each fetch averages the pixels around it.
uniform highp sampler2D u_scene;
uniform float u_bloom_threshold;
uniform float u_bloom_smooth;  // width of the ramp above the threshold

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec4 texel = texture(u_scene, v_uv);
  float luminance = dot(texel.rgb, vec3(0.2126, 0.7152, 0.0722));
  o_color = texel * smoothstep(u_bloom_threshold, u_bloom_threshold + u_bloom_smooth, luminance);
}
