"""Compilation of a World to the engine's model."""
