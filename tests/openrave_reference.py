"""Reads what the real OpenRAVE makes of the sample files; :mod:`openrave_comparison` compares it with a World."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conftest import corpus_folder
from ossature.spatial import Pose, Vector3, quaternion_from_matrix

Matrix: TypeAlias = NDArray[np.float64]

FOLDERS = ("openrave", "openrave-elements")
NO_MASS = 1e-10
"""The mass of a link of which a file says none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceGeometry:
    """A shape of a link.

    Attributes:
        type: ``trimesh``, ``box``, ``sphere``, ``cylinder`` or ``calibrationboard``.
        pose_link: Its frame in the link's frame; of a mesh an arbitrary one.
        sizes: Of a box its edge lengths, of a sphere its radius, of a cylinder along z its radius and length [m].
        triangles: How many triangles it has.
        area: Area of its triangles [m²]; zero for none.
        volume: Signed volume of its triangles [m³]; zero for none.
        bounds: Lower and upper corner of its triangles in the link's frame [m], or None for none.
        visible: Whether it is drawn.
    """

    type: str
    pose_link: Matrix
    sizes: tuple[float, ...]
    triangles: int
    area: float
    volume: float
    bounds: Matrix | None
    visible: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceLink:
    """A link.

    Attributes:
        name: Its name.
        parents: Names of the links that carry it; none for the root.
        static: Whether it never moves.
        mass: Mass [kg].
        center_of_mass: In its own frame [m].
        moment: Inertia tensor about the centre of mass, in its own axes [kg·m²].
        pose_loaded: Its frame in the world at the start values of the file.
        pose_zero: Its frame in the world with every degree of freedom at zero and mimic joints where they follow.
        ignored: Links with which the file lets it not collide; each pair stands at one of its links.
        geometries: Its shapes.
    """

    name: str
    parents: tuple[str, ...]
    static: bool
    mass: float
    center_of_mass: Matrix
    moment: Matrix
    pose_loaded: Matrix
    pose_zero: Matrix
    ignored: tuple[str, ...]
    geometries: tuple[ReferenceGeometry, ...]

    @property
    def has_mass(self) -> bool:
        """Whether the file says something of its mass."""
        return self.mass != NO_MASS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceJoint:
    """A joint with one axis.

    Attributes:
        name: Its name.
        type: ``revolute`` or ``prismatic``.
        parent: Name of the link that carries it.
        child: Name of the link that it carries.
        anchor_parent: A point of its axis in the parent's frame at zero [m].
        axis_parent: Its axis in the parent's frame.
        left: Frame before its motion in the parent's frame: ``parent @ left @ motion(axis, q) @ right == child``.
        right: The child's frame in the frame behind its motion.
        axis: Its axis in the frame of its motion.
        circular: Whether it turns without end.
        lower: Lower limit as the program reports it [rad or m].
        upper: Upper limit as the program reports it [rad or m].
        velocity: Limit of its speed.
        acceleration: Limit of its acceleration.
        jerk: Limit of the rate of its acceleration.
        mimic: What it follows, in the program's own words, or None.
        planning_weight: Its weight for planners.
        planning_resolution: Step in which planners look along it [rad or m].
    """

    name: str
    type: str
    parent: str
    child: str
    anchor_parent: Matrix
    axis_parent: Matrix
    left: Matrix
    right: Matrix
    axis: Matrix
    circular: bool
    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float
    mimic: str | None
    planning_weight: float
    planning_resolution: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceManipulator:
    """A manipulator.

    Attributes:
        name: Its name.
        base: The link where it begins.
        tip: The link that carries its frame.
        pose_tip: Its frame in the tip's frame.
        direction: The direction in which it works, in its frame.
        gripper: Names of its gripper's joints.
        closing_directions: The sign in which each of them closes.
        arm: Numbers of the degrees of freedom that move its tip, in the order from its base to its tip.
        gripper_numbers: Numbers of the degrees of freedom that move its gripper.
        pose_zero: Its frame in the world with every degree of freedom at zero.
    """

    name: str
    base: str
    tip: str
    pose_tip: Matrix
    direction: Matrix
    gripper: tuple[str, ...]
    closing_directions: tuple[float, ...]
    arm: tuple[int, ...]
    gripper_numbers: tuple[int, ...]
    pose_zero: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSensor:
    """An attached sensor.

    Attributes:
        name: Its name.
        link: The link that carries it, empty for none.
        pose_link: Its frame in that link's frame.
        type: What the file calls it, empty for nothing.
    """

    name: str
    link: str
    pose_link: Matrix
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSample:
    """A configuration.

    Attributes:
        values: Positions of the joints in the order of the degrees of freedom [rad or m].
        passive_values: Positions of the passive joints, by name.
        poses: Frames of the links in the world, in their order.
        tips: Frames of the manipulators in the world, by name.
    """

    values: tuple[float, ...]
    passive_values: dict[str, float]
    poses: tuple[Matrix, ...]
    tips: dict[str, Matrix]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceBody:
    """A robot or a thing.

    Attributes:
        name: Its name.
        is_robot: Whether it is a robot.
        links: Its links.
        joints: Its joints in the order of the degrees of freedom.
        passive_joints: Its joints without a degree of freedom: mimic ones and those that nothing drives.
        values_loaded: Positions of the joints as the file starts them.
        passive_values_loaded: Positions of the passive joints then, by name.
        manipulators: Its manipulators.
        sensors: Its sensors.
        grabbed: Pairs of the names of a body that it holds and of the link that holds it.
        samples: Twenty configurations.
    """

    name: str
    is_robot: bool
    links: tuple[ReferenceLink, ...]
    joints: tuple[ReferenceJoint, ...]
    passive_joints: tuple[ReferenceJoint, ...]
    values_loaded: tuple[float, ...]
    passive_values_loaded: dict[str, float]
    manipulators: tuple[ReferenceManipulator, ...]
    sensors: tuple[ReferenceSensor, ...]
    grabbed: tuple[tuple[str, str], ...]
    samples: tuple[ReferenceSample, ...]

    @property
    def root(self) -> ReferenceLink:
        """The link that nothing carries."""
        return next(link for link in self.links if not link.parents)

    @property
    def ignored_pairs(self) -> set[frozenset[str]]:
        """Pairs of links that the file lets not collide."""
        return {frozenset((link.name, other)) for link in self.links for other in link.ignored}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What the program made of a file.

    Attributes:
        name: The file's name, ``openrave/pumaarm``.
        loaded: Whether it could be loaded at all.
        gravity: Gravitational acceleration [m/s²].
        bodies: Its bodies in the order of the file.
    """

    name: str
    loaded: bool
    gravity: Vector3
    bodies: tuple[ReferenceBody, ...]


def referenced_files() -> list[str]:
    """Return the names of the files for which there is a reference, ``openrave/pumaarm``; none without a corpus."""
    folder = corpus_folder()
    if folder is None:
        return []
    return sorted(f"{name}/{path.stem}" for name in FOLDERS for path in (folder / "reference" / name).glob("*.json"))


def corpus_file(corpus: Path, name: str) -> Path:
    """Return the file of which a reference speaks."""
    folder, _, stem = name.partition("/")
    return next(path for path in sorted((corpus / "corpus" / folder).iterdir()) if path.stem == stem)


@cache
def reference(corpus: Path, name: str) -> Reference:
    """Return what the program made of a file."""
    data = json.loads((corpus / "reference" / f"{name}.json").read_text())
    return Reference(
        name=name,
        loaded=data["load_ok"],
        gravity=tuple(data["gravity"]),
        bodies=tuple([_body(body) for body in data["bodies"]]),
    )


def _body(data: dict[str, Any]) -> ReferenceBody:
    return ReferenceBody(
        name=data["name"],
        is_robot=data["is_robot"],
        links=tuple([_link(link) for link in data["links"]]),
        joints=tuple([_joint(joint) for joint in data["joints"]]),
        passive_joints=tuple([_joint(joint) for joint in data["passive_joints"]]),
        values_loaded=tuple(data["dof_values_loaded"]),
        passive_values_loaded=_single(data["passive_values_loaded"]),
        manipulators=tuple([_manipulator(manipulator) for manipulator in data.get("manipulators", [])]),
        sensors=tuple([_sensor(sensor) for sensor in data.get("attached_sensors", [])]),
        grabbed=tuple([(held["body"], held["link"]) for held in data["grabbed"]]),
        samples=tuple([_sample(sample) for sample in data["samples"]]),
    )


def _link(data: dict[str, Any]) -> ReferenceLink:
    return ReferenceLink(
        name=data["name"],
        parents=tuple(data["parent_links"]),
        static=data["static"],
        mass=data["mass"],
        center_of_mass=np.array(data["com_local"]),
        moment=np.array(data["inertia_local_about_com"]),
        pose_loaded=np.array(data["transform_loaded"]),
        pose_zero=np.array(data["transform_zero"]),
        ignored=tuple(data["forced_adjacent_links"]),
        geometries=tuple([_geometry(geometry) for geometry in data["geometries"]]),
    )


def _geometry(data: dict[str, Any]) -> ReferenceGeometry:
    sizes: dict[str, Callable[[], tuple[float, ...]]] = {
        "box": lambda: tuple([2.0 * half for half in data["box_half_extents"]]),
        "sphere": lambda: (data["sphere_radius"],),
        "cylinder": lambda: (data["cylinder_radius"], data["cylinder_height"]),
    }
    return ReferenceGeometry(
        type=data["type"],
        pose_link=np.array(data["transform"]),
        sizes=sizes.get(data["type"], tuple)(),
        triangles=data["mesh_num_triangles"],
        area=data.get("mesh_area", 0.0),
        volume=data.get("mesh_signed_volume", 0.0),
        bounds=np.array(data["mesh_aabb_link"]) if "mesh_aabb_link" in data else None,
        visible=data["visible"],
    )


def _joint(data: dict[str, Any]) -> ReferenceJoint:
    equations = data["mimic_equations"][0]
    return ReferenceJoint(
        name=data["name"],
        type=data["type"],
        parent=data["parent_link"],
        child=data["child_link"],
        anchor_parent=np.array(data["anchor_in_parent_link"]),
        axis_parent=np.array(data["axis_in_parent_link"][0]),
        left=np.array(data["left_transform"]),
        right=np.array(data["right_transform"]),
        axis=np.array(data["internal_axis"][0]),
        circular=data["circular"][0],
        lower=data["lower"][0],
        upper=data["upper"][0],
        velocity=data["max_velocity"][0],
        acceleration=data["max_acceleration"][0],
        jerk=data["max_jerk"][0],
        mimic=equations["position"] if equations is not None else None,
        planning_weight=data["weight"][0],
        planning_resolution=data["resolution"][0],
    )


def _manipulator(data: dict[str, Any]) -> ReferenceManipulator:
    return ReferenceManipulator(
        name=data["name"],
        base=data["base_link"],
        tip=data["end_effector_link"],
        pose_tip=np.array(data["local_tool_transform"]),
        direction=np.array(data["direction"]),
        gripper=tuple(data["gripper_joint_names"]),
        closing_directions=tuple(data["chucking_direction"]),
        arm=tuple(data["arm_indices"]),
        gripper_numbers=tuple(data["gripper_indices"]),
        pose_zero=np.array(data["transform_zero"]),
    )


def _sensor(data: dict[str, Any]) -> ReferenceSensor:
    return ReferenceSensor(
        name=data["name"],
        link=data["link"] or "",
        pose_link=np.array(data["relative_transform"]),
        type=data["sensor_name_info"],
    )


def _sample(data: dict[str, Any]) -> ReferenceSample:
    return ReferenceSample(
        values=tuple(data["dof_values"]),
        passive_values=_single(data["passive_values"]),
        poses=tuple([np.array(pose) for pose in data["link_transforms"]]),
        tips={name: np.array(pose) for name, pose in data.get("end_effectors", {}).items()},
    )


def _single(values: dict[str, list[float]]) -> dict[str, float]:
    return {name: value[0] for name, value in values.items()}


def pose_from_matrix(matrix: Matrix) -> Pose:
    """Return a pose from its 4×4 matrix."""
    a, b, c = matrix[:3, :3].tolist()
    x, y, z = matrix[:3, 3].tolist()
    return Pose((x, y, z), quaternion_from_matrix((tuple(a), tuple(b), tuple(c))))
