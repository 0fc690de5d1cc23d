"""A World → the engine's model."""
