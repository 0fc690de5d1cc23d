"""The layers of the scene: what can be shown and hidden."""

from __future__ import annotations

from enum import StrEnum

from ossature.diagnostics import suggestion


class Layer(StrEnum):
    """What a thing in the scene is part of; the value is what people read."""

    VISUALS = "Visual shapes"
    COLLISIONS = "Collision shapes"
    SELF_COLLISIONS = "Self-collision shapes"
    FRAMES = "Body frames"
    JOINT_AXES = "Joint axes"
    MASSES = "Centres of mass"
    INERTIAS = "Inertia ellipsoids"
    SPRINGS = "Springs and dampers"
    LOOPS = "Closed loops, constraints"
    MANIPULATORS = "Manipulators"
    SENSORS = "Sensors"
    IGNORED_PAIRS = "Ignored pairs"
    CONTACTS = "Contacts"


def layer_named(name: str) -> Layer:
    """Return the layer of a name on the command line: ``joint-axes``.

    Raises:
        ValueError: There is none; the message names those that there are.
    """
    try:
        return LAYER_NAMES[name]
    except KeyError:
        raise ValueError(f"there is no layer '{name}': {suggestion(name, LAYER_NAMES)}") from None


LAYER_NAMES: dict[str, Layer] = {layer.name.lower().replace("_", "-"): layer for layer in Layer}
"""Layers by what they are called on the command line."""

HINTS: dict[Layer, str] = {
    Layer.VISUALS: "What is seen.",
    Layer.COLLISIONS: "What is touched.",
    Layer.SELF_COLLISIONS: "What bodies of the same model touch, where that is something else.",
    Layer.FRAMES: "The axes of every body, and of frames fixed to it: x red, y green, z blue.",
    Layer.JOINT_AXES: "An arrow for each axis: with a ring where the joint turns about it, plain where it slides along it.",
    Layer.MASSES: "A ball at each centre of mass, its volume in proportion to the mass.",
    Layer.INERTIAS: "Homogeneous ellipsoids with the same mass and moments.",
    Layer.SPRINGS: "Spring-dampers between their points, and bushings where they sit.",
    Layer.LOOPS: "Joints that close loops, and massless rods.",
    Layer.MANIPULATORS: "The frame of every manipulator, and the direction in which it works.",
    Layer.SENSORS: "The frame of every sensor, and what it can see.",
    Layer.IGNORED_PAIRS: "Lines between bodies that never collide.",
    Layer.CONTACTS: "Where bodies touch now.",
}
"""What people read when they point at a layer."""

INSIDE = frozenset({Layer.FRAMES, Layer.JOINT_AXES, Layer.MASSES, Layer.INERTIAS, Layer.LOOPS, Layer.SENSORS, Layer.COLLISIONS})
"""What lies within bodies, and is seen only through them."""

SHOWN_AT_FIRST = frozenset({Layer.VISUALS, Layer.SPRINGS})
"""What is shown when a file is opened."""
