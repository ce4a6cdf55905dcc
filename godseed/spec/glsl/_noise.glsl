// Clouds of noise for skies and curtains, from the integer lattice of _relief.glsl; gradients that nobody reads are dropped by
// the compiler.
#include "_relief.glsl"

// Two octaves, about -1..1.
float cloud(vec3 p) {
  return 0.68 * relief(p).x + 0.32 * relief(p * 2.7 + vec3(11.3, 5.7, 3.1)).x;
}
