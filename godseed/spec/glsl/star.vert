// Stars: discs of a few pixels on a sphere that is always behind everything.
#include "_common.glsl"
#include "_air.glsl"

uniform vec2 u_viewport;
uniform float u_star_density;
uniform float u_star_twinkle;
uniform float u_moons;
uniform mat3 u_moon_dirs;
uniform vec3 u_moon_sizes;

in vec2 a_corner;
in vec4 a_dir;                 // xyz, size in pixels at 720 rows
in vec4 a_tint;                // rgb, rank 0..1

out vec2 v_at;
out vec3 v_light;

const float REACH = 2.4;       // of the quad, in star sizes

void main() {
  float rank = a_tint.a;
  float shown = smoothstep(0.0, 0.012, u_star_density - rank);
  for (int i = 0; i < 3; i++) {
    // None shines through a moon.
    float apart = length(cross(a_dir.xyz, u_moon_dirs[i]));
    if (u_moons > float(i) && dot(a_dir.xyz, u_moon_dirs[i]) > 0.0 && apart < u_moon_sizes[i] * 1.05) shown = 0.0;
  }
  vec3 nearest;
  float height = passing_height(a_dir.xyz, nearest);
  shown *= mix(1.0, smoothstep(0.0, 0.16, height), inside_air());
  float wave = sin(u_time_s * (0.6 + 1.5 * rank) + rank * 700.0);
  float pixels = max(a_dir.w * u_viewport.y / 720.0, 0.55);
  v_light = a_tint.rgb * shown * (1.0 - u_star_twinkle * (0.5 + 0.5 * wave));
  v_at = a_corner * REACH;
  gl_Position = u_view_projection * vec4(u_eye + a_dir.xyz * 20.0, 1.0);
  gl_Position.xy += a_corner * (REACH * pixels * 2.0 * step(0.001, shown)) / u_viewport * gl_Position.w;
  gl_Position.z = gl_Position.w;
}
