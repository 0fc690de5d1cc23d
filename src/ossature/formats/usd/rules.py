"""Rules for OpenUSD files."""

from __future__ import annotations

from ossature.assets import rules as asset_rules
from ossature.diagnostics import Rule, shared_rules
from ossature.diagnostics.rule import rules_in
from ossature.syntax import rules as syntax_rules

MISSING_FILE = shared_rules.MISSING_FILE
SELF_CONNECTION = shared_rules.SELF_CONNECTION
DEFAULT_USED = syntax_rules.DEFAULT_USED
MISSING_LIBRARY = Rule.error(
    "missing-usd-library",
    "USD001",
    "The library that reads OpenUSD files is not installed.",
    "OpenUSD files are composed by Pixar's own library, usd-core, which the extra `usd` installs: pip install 'ossature[usd]'.",
)
UNREADABLE_LAYER = Rule.error(
    "unreadable-layer",
    "USD002",
    "The library for OpenUSD cannot read a layer.",
    "The message is that of the library. A layer is opened in a process of its own with limited time and memory; if that "
    "process ends, the file is damaged or made to attack programs that read it. A layer that cannot be read is left out.",
)
COMPOSITION_PROBLEM = Rule.warning(
    "usd-composition-problem",
    "USD003",
    "A reference, payload or inheritance of a prim cannot be composed.",
    "The message is that of the library for OpenUSD. The prim lacks what the reference would bring: a prim of the "
    "referenced layer that does not exist, or a cycle of references.",
)
NO_BODIES = Rule.error(
    "no-usd-bodies",
    "USD004",
    "A stage has no bodies and no shapes.",
    "A model needs rigid bodies, prims with PhysicsRigidBodyAPI, or at least shapes. Parts of other files, such as "
    "libraries of meshes or materials, contain none that are active and defined.",
)
UNSTATED_UNITS = Rule.warning(
    "unstated-usd-units",
    "USD005",
    "A stage does not state the length of its unit.",
    "Without `metersPerUnit` the unit of a stage is the centimetre, as OpenUSD specifies, and all lengths are converted. "
    "Many files without it are meant in metres. State `metersPerUnit` in the metadata of the root layer.",
)
DIFFERENT_UNITS = Rule.warning(
    "different-usd-units",
    "USD006",
    "A layer states other units than the stage.",
    "OpenUSD does not convert between layers: the units of the root layer apply to the values of all of them. Convert the "
    "layer, or scale the prim that refers to it.",
)
UNREAD_PRIM = Rule.warning(
    "unread-usd-prim",
    "USD007",
    "Prims of some types are not read.",
    "The message counts them. Their content is not in the model: lights, cameras, curves, points, deformable bodies, and "
    "what other programs define.",
)
UNREAD_ATTRIBUTE = Rule.warning(
    "unread-usd-attribute",
    "USD008",
    "Attributes of physics are not read.",
    "They are parameters of one engine, or properties that the model does not represent. The message names them with one of"
    " the prims that state them.",
)
UNREAD_SCHEMA = Rule.warning(
    "unread-usd-schema",
    "USD009",
    "Schemas that are applied to prims are not read.",
    "Their content is not in the model. The message names them with one of the prims to which they are applied.",
)
ANIMATED_VALUE = Rule.warning(
    "animated-usd-value",
    "USD010",
    "Values vary with time.",
    "A model has one value: the default value, or the first time sample if there is no default value.",
)
VARIANT_SELECTION = Rule.note(
    "usd-variant-selection",
    "USD011",
    "A prim has variants, of which one is read.",
    "The selected variant is read. To read another one, select it in a layer that refers to this file.",
)
INVALID_BODY = Rule.error(
    "invalid-usd-joint",
    "USD012",
    "A joint does not connect two bodies, or a body and the world.",
    "Its relationships `physics:body0` and `physics:body1` name no prim, the same body, or only things that do not move. "
    "The joint is ignored.",
)
IGNORED_JOINT = Rule.warning(
    "ignored-usd-joint",
    "USD013",
    "A joint, or a part of one, is not read.",
    "A disabled joint connects nothing. Cone limits of spherical joints, breaking forces, and drives that prescribe "
    "accelerations have no equal in the model.",
)
UNFIT_JOINT = Rule.warning(
    "unfit-usd-joint",
    "USD014",
    "The bodies of a joint are not where its frames allow them to be.",
    "The frames of the joint on its two bodies differ by a motion that the joint does not permit. The frames apply: the "
    "body is moved to where the joint holds it, as a simulation would do. Correct `physics:localPos0`, `physics:localRot0` "
    "or the pose of the body.",
)
REFERENCE_POSE = Rule.note(
    "shifted-usd-positions",
    "USD015",
    "Positions of the joints of a closed loop are counted from the pose of the stage.",
    "The loop is not closed with all joints at zero. Therefore the pose of the stage has the positions zero, and the limits"
    " and targets of the joints are shifted.",
)
ROTATION_ORDER = Rule.note(
    "usd-rotation-order",
    "USD016",
    "A joint has two or three free rotations, whose order OpenUSD does not specify.",
    "They are read as rotations about x, then y, then z, each in the frame that was rotated by those before it.",
)
COMPUTED_MASS = Rule.note(
    "computed-usd-mass",
    "USD017",
    "The mass properties of bodies are computed from their shapes.",
    "OpenUSD specifies that a mass, centre of mass or inertia that is not stated follows from the colliders, with the "
    "density of the collider, the body or the material, or 1000 kg/m³. The volume of meshes depends on their approximation.",
)
UNSUPPORTED_SHAPE = Rule.warning(
    "unsupported-usd-shape",
    "USD018",
    "A shape cannot be represented as it is.",
    "The message states what is read instead. Shapes that are sheared or scaled so that they are no shape of the model, "
    "meshes that a program divides into convex parts or simplifies, and shapes without faces are examples.",
)
UNREPRESENTED_COLLISION_FILTER = Rule.warning(
    "unrepresented-usd-collision-filter",
    "USD019",
    "A collision filter cannot be represented.",
    "The model excludes pairs of bodies of one model from collisions. Filters between single shapes of bodies, and joints "
    "that let only some of the connected bodies collide, are not represented.",
)
UNREPRESENTED_APPEARANCE = Rule.note(
    "unrepresented-usd-appearance",
    "USD020",
    "An appearance is read in part.",
    "Textures, colours of single faces or vertices, and materials other than preview surfaces are not read.",
)
SUBDIVISION = Rule.note(
    "usd-subdivision",
    "USD021",
    "Subdivision surfaces are read as the polygons of their control meshes.",
    'A renderer would refine the mesh. To state that the polygons are meant, author `subdivisionScheme = "none"`.',
)
VELOCITY_SPACE = Rule.note(
    "usd-velocity-space",
    "USD022",
    "A body has an initial velocity.",
    "It is read in the axes of the parent of the body's prim, in which the pose of the prim is stated too; some programs "
    "take the axes of the body itself.",
)
STATIC_BODY = Rule.note(
    "disabled-usd-body",
    "USD023",
    "A rigid body is disabled.",
    "Its shapes belong to the body above it, or do not move.",
)
KINEMATIC_BODY = Rule.note(
    "kinematic-usd-body",
    "USD024",
    "A body is kinematic.",
    "Its motion is prescribed by its animation or by another program. It is read as fixed to the world.",
)
SECOND_SCENE = Rule.warning(
    "second-usd-scene",
    "USD025",
    "A stage has several physics scenes.",
    "The gravity of the first one applies to all bodies.",
)
INVALID_VALUE = Rule.error(
    "invalid-usd-value",
    "USD026",
    "A value of a prim is invalid.",
    "It is not finite, has a wrong type or a wrong number of components, or is negative where a length or a mass is meant. "
    "The message states what is read instead.",
)

RULES = (*rules_in(globals()), *asset_rules.RULES)
