"""The layers of the scene: what can be shown and hidden."""

from __future__ import annotations

from enum import StrEnum


class Layer(StrEnum):
    """What a thing in the scene is part of; the value is what people read."""

    VISUALS = "Visual shapes"
    """What is seen."""
    COLLISIONS = "Collision shapes"
    """What is touched."""
    SELF_COLLISIONS = "Self-collision shapes"
    """What bodies of the same model touch, where that is something else."""
    FRAMES = "Body frames"
    """The axes of every body, and of frames fixed to it: x red, y green, z blue."""
    JOINT_AXES = "Joint axes"
    """An arrow for each axis: with a ring where the joint turns about it, plain where it slides along it."""
    MASSES = "Centres of mass"
    """A ball at each centre of mass, its volume in proportion to the mass."""
    INERTIAS = "Inertia ellipsoids"
    """Homogeneous ellipsoids with the same mass and moments."""
    SPRINGS = "Springs and dampers"
    """Spring-dampers between their points, and bushings where they sit."""
    LOOPS = "Closed loops, constraints"
    """Joints that close loops, and massless rods."""
    MANIPULATORS = "Manipulators"
    """The frame of every manipulator, and the direction in which it works."""
    SENSORS = "Sensors"
    """The frame of every sensor."""
    IGNORED_PAIRS = "Ignored pairs"
    """Lines between bodies that never collide."""
    CONTACTS = "Contacts"
    """Where bodies touch now."""


SHOWN_AT_FIRST = frozenset({Layer.VISUALS, Layer.SPRINGS})
"""What is shown when a file is opened."""
