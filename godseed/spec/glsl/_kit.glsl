// How an instance of a kit stands, grows and moves: the same for its solid mesh and its glow.
in vec4 a_position;   // xyz in the kit frame, emission
in vec4 a_normal;     // xyz, share of the instance's tint
in vec4 a_albedo;     // rgb linear, sway 0..1
in vec4 a_part;       // part id, chance, mode, corner (see godseed.sim.kits)
in vec4 a_dir;        // xyz unit, scale
in vec4 a_front;      // xyz unit tangent, stretch along y
in vec4 a_tint;       // rgb linear, seed24
in vec4 a_birth;      // delay_s, lift, phase 0..1, feature
in float a_ground_before;
in float a_ground;

const float MODE_WINDOW = 1.0;
const float MODE_OPTIONAL = 2.0;
const float MODE_PULSE = 3.0;
const float MODE_ROTATE = 4.0;
const float MODE_FLAP = 5.0;
const float MODE_FLICKER = 6.0;

bool kit_mode(float mode) { return abs(a_part.z - mode) < 0.5; }

// Brightness of light that lives: a slow breath, or a fire.
float kit_glimmer() {
  float t = u_time_s + a_birth.z * 40.0;
  if (kit_mode(MODE_PULSE)) {
    float breath = 0.5 + 0.5 * sin(t * 1.4);
    return 0.22 + 0.78 * breath * breath;
  }
  if (kit_mode(MODE_FLICKER)) return 0.86 + 0.09 * sin(t * 7.3) * sin(t * 3.1 + 1.7) + 0.05 * sin(t * 17.0);
  return 1.0;
}

// Where the vertex is in the kit frame at this moment; also turns the normal of what turns.
vec3 kit_posed(inout vec3 normal) {
  vec3 p = a_position.xyz;
  if (kit_mode(MODE_OPTIONAL) && hash01(a_tint.w, a_part.x) >= a_part.y) return vec3(0.0);
  if (kit_mode(MODE_ROTATE)) {
    float angle = u_time_s * 0.42 + a_birth.z * 6.2831853;
    mat2 turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    p.xz = turn * p.xz;
    normal.xz = turn * normal.xz;
  } else if (kit_mode(MODE_FLAP)) {
    float angle = 0.75 * sin(u_time_s * 8.5 + a_birth.z * 6.2831853) + 0.12;
    p = vec3(p.x * cos(angle), p.y + abs(p.x) * sin(angle), p.z);
  }
  return p;
}

// World position; `grown` is 0..1. Plants scale in, buildings rise out of the ground.
vec3 kit_placed(vec3 p, float grown, out vec3 x_axis) {
  bool whole = a_part.w > 7.5;
  x_axis = cross(a_dir.xyz, a_front.xyz);
  vec2 wind = vec2(sin(u_time_s * 1.25 + a_birth.z * 6.2831853), sin(u_time_s * 0.83 + a_birth.z * 17.0 + 1.3));
  p.xz += a_albedo.w * p.y * (0.055 * wind + vec2(0.02, 0.0));
  float wide = whole ? grown : step(0.001, grown) * (0.9 + 0.1 * grown);
  p *= a_dir.w * vec3(wide, a_front.w * grown, wide);
  float sink = whole ? 0.0 : (1.0 - grown) * 0.004;
  vec3 base = on_ground(a_dir.xyz, vec2(a_ground_before, a_ground), a_birth.y - sink);
  return base + x_axis * p.x + a_dir.xyz * p.y + a_front.xyz * p.z;
}
