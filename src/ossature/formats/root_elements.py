"""The format of an XML document by its root element, for hints of readers that expect another one."""

from __future__ import annotations

_FORMATS_BY_ROOT = {
    "skel": ("SKEL", "skel"),
    "robot": ("URDF", "urdf"),
    "sdf": ("SDFormat", "sdf"),
    "mujoco": ("MJCF", "mjcf"),
    "COLLADA": ("COLLADA", "collada"),
}
"""Title and name of the formats of models by their root elements."""


def hint_for_root(root: str, expected: str) -> str:
    """Return the hint of a reader for a document with a wrong root element.

    Args:
        root: Name of the root element, with or without a prefix.
        expected: The hint if no format of models has this root element.
    """
    title, name = _FORMATS_BY_ROOT.get(root.rpartition(":")[2], ("", ""))
    if not title:
        return expected
    return (
        f"this is a file of {title}: change its suffix, or state the format (--input-format {name}, in Python format='{name}')"
    )
