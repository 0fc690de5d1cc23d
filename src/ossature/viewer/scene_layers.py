"""The layers of the scene, which can be shown and hidden."""

from __future__ import annotations

from enum import StrEnum

from ossature.diagnostics import suggestion


class Layer(StrEnum):
    """A layer of the scene; the value is its label."""

    VISUALS = "Visual shapes"
    COLLISIONS = "Collision shapes"
    SELF_COLLISIONS = "Self-collision shapes"
    SKELETON = "Skeleton"
    FRAMES = "Body frames"
    JOINT_AXES = "Joint axes"
    MASSES = "Centres of mass"
    INERTIAS = "Inertia ellipsoids"
    SPRINGS = "Springs and dampers"
    TENDONS = "Tendons"
    LOOPS = "Closed loops, constraints"
    MANIPULATORS = "Manipulators"
    SENSORS = "Sensors"
    IGNORED_PAIRS = "Ignored pairs"
    CONTACTS = "Contacts"


def layer_named(name: str) -> Layer:
    """Return the layer with a name on the command line, such as ``joint-axes``.

    Raises:
        ValueError: There is none; the message lists the layers.
    """
    try:
        return LAYER_NAMES[name]
    except KeyError:
        raise ValueError(f"there is no layer '{name}': {suggestion(name, LAYER_NAMES)}") from None


LAYER_NAMES: dict[str, Layer] = {layer.name.lower().replace("_", "-"): layer for layer in Layer}
"""Layers by their names on the command line."""

HINTS: dict[Layer, str] = {
    Layer.VISUALS: "Shapes that are shown.",
    Layer.COLLISIONS: "Shapes that make contact.",
    Layer.SELF_COLLISIONS: "Shapes for contact between bodies of the same model, if they differ.",
    Layer.SKELETON: "Stick figure of the joints, with boxes of equal inertia for bodies without shapes or with missing meshes.",
    Layer.FRAMES: "Axes of bodies, and of frames fixed to them: x red, y green, z blue.",
    Layer.JOINT_AXES: "An arrow for each axis: with a ring if revolute, plain if prismatic.",
    Layer.MASSES: "A sphere at each centre of mass, with a volume in proportion to the mass.",
    Layer.INERTIAS: "Homogeneous ellipsoids of equal mass and moments of inertia.",
    Layer.SPRINGS: "Spring-dampers between their points, and bushings.",
    Layer.TENDONS: "Paths of tendons, around the shapes that they wrap.",
    Layer.LOOPS: "Loop joints, and distance constraints.",
    Layer.MANIPULATORS: "Tip frame and direction of each manipulator.",
    Layer.SENSORS: "Frame and field of view of each sensor.",
    Layer.IGNORED_PAIRS: "Lines between bodies that never collide.",
    Layer.CONTACTS: "Contact points and normals; while a simulation runs, the forces on bodies that move, in N.",
}
"""Tooltips of the layers."""

INNER_LAYERS = frozenset(
    {
        Layer.SKELETON,
        Layer.FRAMES,
        Layer.JOINT_AXES,
        Layer.MASSES,
        Layer.INERTIAS,
        Layer.LOOPS,
        Layer.SENSORS,
        Layer.COLLISIONS,
    }
)
"""Layers inside bodies, which visual shapes occlude unless they are transparent."""

DEFAULT_LAYERS = frozenset({Layer.VISUALS, Layer.SPRINGS, Layer.TENDONS})
"""Layers that are shown when a file is opened."""
