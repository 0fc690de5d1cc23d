"""What COLLADA cannot represent, stored in extensions of our own for exact round trips."""
