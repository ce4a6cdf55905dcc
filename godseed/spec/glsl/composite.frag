// The five blurs of the bloom added up. Strength and radius are already in the factors.
uniform highp sampler2D u_blur_0;
uniform highp sampler2D u_blur_1;
uniform highp sampler2D u_blur_2;
uniform highp sampler2D u_blur_3;
uniform highp sampler2D u_blur_4;
uniform float u_factors[5];

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec3 bloom = u_factors[0] * texture(u_blur_0, v_uv).rgb + u_factors[1] * texture(u_blur_1, v_uv).rgb
    + u_factors[2] * texture(u_blur_2, v_uv).rgb + u_factors[3] * texture(u_blur_3, v_uv).rgb
    + u_factors[4] * texture(u_blur_4, v_uv).rgb;
  o_color = vec4(bloom, 1.0);
}
