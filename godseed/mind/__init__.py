"""The mind: a small model reads a wish, plans aloud, and calls the tools of the world."""
