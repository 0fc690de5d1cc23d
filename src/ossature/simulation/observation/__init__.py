"""What is observed of a simulation: samples, forces, recordings."""
