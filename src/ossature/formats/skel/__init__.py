"""SKEL, DART's world format."""

from ossature.formats.skel.read import read_skel

__all__ = ["read_skel"]
