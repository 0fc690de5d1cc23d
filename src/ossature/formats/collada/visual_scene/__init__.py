"""Visual scenes: nodes, their transforms and instances."""
