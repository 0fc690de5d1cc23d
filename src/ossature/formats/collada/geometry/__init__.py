"""Geometries of COLLADA: meshes and primitive shapes."""
