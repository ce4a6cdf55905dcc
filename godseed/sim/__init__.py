"""The deterministic world and its geometry: NumPy only, no GL, no model, no clock, no network."""
