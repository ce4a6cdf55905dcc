// Value noise with its gradient, from integer hashes: no sine, no large products, the same on every driver that does exact
// integer arithmetic. One call gives what four calls of plain noise would.
float lattice(ivec3 p) {
  uint h = uint(p.x) * 0x9E3779B9u ^ uint(p.y) * 0x85EBCA6Bu ^ uint(p.z) * 0xC2B2AE35u;
  h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 12; h *= 0x297A2D39u; h ^= h >> 15;
  return float(h >> 8) * (2.0 / 16777216.0) - 1.0;
}

// x: noise in [-1, 1]; yzw: its gradient.
vec4 relief(vec3 p) {
  vec3 cell = floor(p);
  ivec3 i = ivec3(cell);
  vec3 f = p - cell;
  vec3 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  vec3 du = 30.0 * f * f * (f * (f - 2.0) + 1.0);
  float a = lattice(i), b = lattice(i + ivec3(1, 0, 0));
  float c = lattice(i + ivec3(0, 1, 0)), d = lattice(i + ivec3(1, 1, 0));
  float e = lattice(i + ivec3(0, 0, 1)), g = lattice(i + ivec3(1, 0, 1));
  float h = lattice(i + ivec3(0, 1, 1)), k = lattice(i + ivec3(1, 1, 1));
  float x00 = mix(a, b, u.x), x10 = mix(c, d, u.x), x01 = mix(e, g, u.x), x11 = mix(h, k, u.x);
  float y0 = mix(x00, x10, u.y), y1 = mix(x01, x11, u.y);
  vec3 gradient = du * vec3(
    mix(mix(b - a, d - c, u.y), mix(g - e, k - h, u.y), u.z),
    mix(x10 - x00, x11 - x01, u.z),
    y1 - y0);
  return vec4(mix(y0, y1, u.z), gradient);
}
