"""Physics models: rigid bodies, masses and collision shapes."""
