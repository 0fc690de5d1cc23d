"""What the parts of the writer know about one model: its trees, and what its links and joints are called."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.formats.collada.write_context import ColladaWriteContext
from ossature.formats.collada.write_joint import WrittenAxis, axis_sid, written_axes
from ossature.formats.collada.write_link_forest import Forest, LinkTree, forest_of
from ossature.formats.unique_names import make_unique
from ossature.model import Joint, Model
from ossature.spatial import IDENTITY, Pose

WORLD_LINK = "world"
"""Name of the link that stands for the world, where joints hold bodies to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeIds:
    """What the parts of one tree are called.

    Attributes:
        model: The identifier of its kinematics model.
        instance: The sid of that model's instance.
    """

    model: str
    instance: str


@dataclass(slots=True, kw_only=True)
class ModelWriting:
    """One model being written.

    Attributes:
        writing: The document.
        model: The model, with the names that it gets there.
        number: Its number, counted from one.
        name: What it is called.
        forest: Its bodies and joints as trees.
        links: The sid of each body's link; that of the world is None's.
        tree_ids: What each tree is called, by the same bodies.
        joints: The sid of each joint that a tree says.
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
        """Where in the World it is."""
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
        """The identifier of the node in which it stands."""
        return f"visual{self.number}"

    @property
    def physics(self) -> str:
        """The identifier of its physics model."""
        return f"pmodel{self.number}"

    @property
    def world_link(self) -> str:
        """The name of the link that stands for the world."""
        return make_unique(WORLD_LINK, set(self.model.bodies.names()))

    @property
    def has_world_link(self) -> bool:
        """Whether a link stands for the world."""
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
        """Return the path of a link, as extensions name it."""
        return f"{self.tree_ids[body].model}/{self.links[body]}"

    def joint_path(self, joint: str) -> str:
        """Return the path of a joint, as extensions name it."""
        return f"{self.tree_ids[self.model.joints[joint].child].model}/{self.joints[joint]}"

    def pose(self, body: str | None) -> Pose:
        """Return a body's frame in the model's."""
        return IDENTITY if body is None else self.model.bodies[body].pose

    def written_joints(self, tree: LinkTree) -> list[Joint]:
        """Return the joints that a tree says."""
        return [*tree.joints(), *tree.closing]


def model_writing(writing: ColladaWriteContext, model: Model, number: int, name: str) -> ModelWriting:
    """Return a model about to be written, its links and joints numbered in the order of its trees."""
    whole = ModelWriting(
        writing=writing, model=model, number=number, name=name, forest=forest_of(model, _joints(writing, model))
    )
    for index, tree in enumerate(whole.forest.trees):
        suffix = f"_{index + 1}" if index else ""
        ids = TreeIds(model=f"kmodel{number}{suffix}", instance=f"kmodel{number}{suffix}_inst")
        for body in tree.bodies():
            whole.links[body] = f"link{len(whole.links)}"
            whole.tree_ids[body] = ids
        for joint in whole.written_joints(tree):
            whole.joints[joint.name] = f"joint{len(whole.joints)}"
            whole.axes[joint.name] = written_axes(joint)
    return whole


def _joints(writing: ColladaWriteContext, model: Model) -> list[Joint]:
    """Return the joints whose bodies exist; the others are dropped."""
    joints = []
    for joint in model.joints:
        missing = [body for body in (joint.parent, joint.child) if body is not None and body not in model.bodies]
        if missing:
            writing.ledger.dropped(f"{model.name}/{joint.name}", f"it names the body '{missing[0]}', which does not exist")
        else:
            joints.append(joint)
    return joints


def axis_parameter(joint_sid: str, index: int) -> str:
    """Return the part of a parameter's name that means an axis."""
    return f"{joint_sid}_{axis_sid(index)}"
