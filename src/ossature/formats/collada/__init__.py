"""COLLADA 1.5 robots with OpenRAVE's extensions."""

from ossature.formats.collada.read import read_collada, read_openrave

__all__ = ["read_collada", "read_openrave"]
