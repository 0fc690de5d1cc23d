"""Context for writing one model: its kinematic trees, and the identifiers of its links and joints."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.formats.collada.kinematics.link_forest import Forest, LinkTree, forest_of
from ossature.formats.collada.kinematics.write_joint import WrittenAxis, axis_sid, written_axes
from ossature.formats.collada.write_context import ColladaWriteContext
from ossature.model import Joint, Model
from ossature.model.unique_names import unique_name
from ossature.spatial import IDENTITY, Pose

WORLD_LINK = "world"
"""Name of the link that represents the world, if joints attach bodies to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeIds:
    """Identifiers of one kinematic tree.

    Attributes:
        model: The identifier of its kinematics model.
        instance: The sid of that model's instance.
    """

    model: str
    instance: str


@dataclass(slots=True, kw_only=True)
class ModelWriteContext:
    """One model being written.

    Attributes:
        model: The model, with the names that are written.
        number: Its number, from 1.
        forest: Its bodies and joints as trees.
        links: The sid of the link of each body; None is the key of the world.
        tree_ids: The identifiers of the tree of each body, with the same keys.
        joints: The sid of each joint of the trees.
        axes: The axes of the same joints.
    """

    writing: ColladaWriteContext
    model: Model
    number: int
    name: str
    forest: Forest
    links: dict[str | None, str] = field(default_factory=dict)
    tree_ids: dict[str | None, TreeIds] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    axes: dict[str, list[WrittenAxis]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Its path in the World."""
        return self.model.name

    @property
    def kinematics(self) -> str:
        """The identifier of its kinematics system."""
        return f"body{self.number}_kinematics"

    @property
    def motion(self) -> str:
        """The identifier of its motion system."""
        return f"body{self.number}_motion"

    @property
    def visual(self) -> str:
        """The identifier of its root node."""
        return f"visual{self.number}"

    @property
    def physics(self) -> str:
        """The identifier of its physics model."""
        return f"pmodel{self.number}"

    @property
    def world_link(self) -> str:
        """The name of the link that represents the world."""
        return unique_name(WORLD_LINK, set(self.model.bodies.names()))

    @property
    def has_world_link(self) -> bool:
        """Whether a link represents the world."""
        return None in self.links

    def node(self, body: str | None) -> str:
        """Return the sid of a body's node; that of the world for None."""
        return self.links[body].replace("link", "node")

    def node_id(self, body: str | None) -> str:
        """Return the identifier of a body's node."""
        return f"v{self.number}.{self.node(body)}"

    def rigid(self, body: str | None) -> str:
        """Return the sid of a rigid body."""
        return self.links[body].replace("link", "rigid")

    def link_path(self, body: str) -> str:
        """Return the path of a link, as extensions refer to it."""
        return f"{self.tree_ids[body].model}/{self.links[body]}"

    def joint_path(self, joint: str) -> str:
        """Return the path of a joint, as extensions refer to it."""
        return f"{self.tree_ids[self.model.joints[joint].child].model}/{self.joints[joint]}"

    def pose(self, body: str | None) -> Pose:
        """Return a body's frame in the model's."""
        return IDENTITY if body is None else self.model.bodies[body].pose

    def written_joints(self, tree: LinkTree) -> list[Joint]:
        """Return the joints of a tree, with its loop joints."""
        return [*tree.joints(), *tree.loop_joints]


def make_model_write_context(writing: ColladaWriteContext, model: Model, number: int, name: str) -> ModelWriteContext:
    """Return the context for writing a model, with links and joints numbered in the order of its trees."""
    result = ModelWriteContext(
        writing=writing, model=model, number=number, name=name, forest=forest_of(model, _joints_with_bodies(writing, model))
    )
    for index, tree in enumerate(result.forest.trees):
        suffix = f"_{index + 1}" if index else ""
        ids = TreeIds(model=f"kmodel{number}{suffix}", instance=f"kmodel{number}{suffix}_inst")
        for body in tree.bodies():
            result.links[body] = f"link{len(result.links)}"
            result.tree_ids[body] = ids
        for joint in result.written_joints(tree):
            result.joints[joint.name] = f"joint{len(result.joints)}"
            result.axes[joint.name] = written_axes(joint)
    return result


def _joints_with_bodies(writing: ColladaWriteContext, model: Model) -> list[Joint]:
    joints = []
    for joint in model.joints:
        missing = [body for body in (joint.parent, joint.child) if body is not None and body not in model.bodies]
        if missing:
            writing.ledger.dropped(f"{model.name}/{joint.name}", f"its body '{missing[0]}' does not exist")
        else:
            joints.append(joint)
    return joints


def axis_parameter(joint_sid: str, index: int) -> str:
    """Return the part of a parameter's name that identifies an axis."""
    return f"{joint_sid}_{axis_sid(index)}"
