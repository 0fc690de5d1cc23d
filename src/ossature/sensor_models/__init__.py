"""What sensors state, and how they see: defaults, faults, directions of rays, lenses, image formats. No engine is needed."""
