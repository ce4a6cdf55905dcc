// The thin air round the planet, from how near a ray passes to it.

// Height above radius 1 of the nearest point of a ray from the eye; where the ray leads away, the eye's own.
float passing_height(vec3 ray, out vec3 nearest) {
  float along = dot(u_eye, ray);
  nearest = u_eye - ray * min(along, 0.0);
  return length(nearest) - 1.0;
}

// 1 close to the ground, 0 far out, where the sky is bare space.
float inside_air() { return 1.0 - smoothstep(1.45, 2.5, length(u_eye)); }
