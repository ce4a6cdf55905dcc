// Casters leave only their depth, seen from the key light. Drawn with the vertex shaders of what casts.
void main() {}
