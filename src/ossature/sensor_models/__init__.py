"""Sensor models that do not need the engine: defaults, validation, scan patterns, lenses and image formats."""
