"""Materials and effects (COLLADA FX)."""
