"""Observation of a simulation: samples, forces, recordings."""
