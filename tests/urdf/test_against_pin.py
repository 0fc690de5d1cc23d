"""Poses, mass matrices and bias forces of every robot of the corpus, compared with Pinocchio, which uses the parser of ROS."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from equations_of_motion import equations_of_motion
from ossature.assets import MeshStore, Resolver
from ossature.diagnostics import Report, Source
from ossature.formats.urdf import read_urdf
from ossature.kinematics import Dynamics, Kinematics, fix_bases
from ossature.model import UNBOUNDED, Model, NamedList, World
from ossature.simulation import Simulation
from urdf_corpus import urdf_files, urdf_path

pin = pytest.importorskip("pinocchio", reason="no Pinocchio: pip install pin")

TOLERANCE = 1e-9
STATES = 10

WITHOUT_MASS = (
    "oems/pioneer_adept_mobile_robots/description/urdf/pioneer-lx-devil",
    "oems/spot_boston_dynamics/spot_base_urdf/model",
    "robotics-toolbox/abb_irb140/urdf/irb140",
    "robotics-toolbox/abb_irb140/urdf/irb140QT",
    "robotics-toolbox/pxpincher/urdf/pincher_arm",
    "robotics-toolbox/pxpincher/urdf/turtlebot_arm",
)
"""Robots with massless moving links: both programs read them with 1 kg for every link."""

INERTIAL = (
    '<inertial><origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="1"/>'
    '<inertia ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="0.003" izz="0.05"/></inertial>'
)


def text_of(corpus: Path, name: str) -> str:
    text = urdf_path(corpus, name).read_text(encoding="utf-8")
    if name in WITHOUT_MASS:
        text = re.sub(r"<inertial>.*?</inertial>", "", text, flags=re.DOTALL)
        text = re.sub(r"(<link\s[^>]*)/>", r"\1></link>", text)
        text = re.sub(r"(<link\s[^>]*[^/]>)", rf"\1{INERTIAL}", text)
    return text


def for_ros(text: str) -> str:
    """Return a text that the parser of ROS accepts: with limits of prismatic joints, and the link of the world."""
    if '<parent link="world"/>' in text and '<link name="world"' not in text:
        text = re.sub(r"(<robot[^>]*>)", r'\1<link name="world"/>', text, count=1)
    return re.sub(r'(<joint name="[xy]" type="prismatic">)', r'\1<limit effort="1" velocity="1"/>', text)


def world_of(text: str) -> World:
    world = read_urdf(Source("robot.urdf", text.encode()), Report())
    assert world is not None
    return fix_bases(world)


def without_shapes_and_couplings(world: World) -> World:
    """Return the World as Pinocchio reads it by default: without couplings.

    Position limits are removed, because those of one robot are reversed; they are not relevant here.
    """
    model = world.models[0]
    joints = [
        replace(joint, coordinates=tuple(replace(each, coupling=None, position_limits=UNBOUNDED) for each in joint.coordinates))
        for joint in model.joints
    ]
    bodies = [replace(body, visuals=(), collisions=()) for body in model.bodies]
    return replace(world, models=NamedList([replace(model, joints=NamedList(joints), bodies=NamedList(bodies))]))


class Reference:
    """A robot in Pinocchio."""

    def __init__(self, text: str, *, mimic: bool = False) -> None:
        self.model = pin.buildModelFromXML(for_ros(text), mimic=mimic) if mimic else pin.buildModelFromXML(for_ros(text))
        self.data = self.model.createData()
        self.joints = [self.model.names[number] for number in range(1, self.model.njoints)]

    def positions(self, q: Any) -> Any:
        """Return Pinocchio's configuration vector, in which a continuous joint has a cosine and a sine."""
        own = np.zeros(self.model.nq)
        for joint, value in zip(list(self.model.joints)[1:], q, strict=True):
            own[joint.idx_q : joint.idx_q + joint.nq] = (value,) if joint.nq == 1 else (np.cos(value), np.sin(value))
        return own

    def poses(self, q: Any) -> dict[str, Any]:
        pin.forwardKinematics(self.model, self.data, self.positions(q))
        pin.updateFramePlacements(self.model, self.data)
        return {
            frame.name: self.data.oMf[number].homogeneous
            for number, frame in enumerate(self.model.frames)
            if frame.type == pin.FrameType.BODY
        }

    def jacobians(self, q: Any, body: str) -> tuple[Any, Any]:
        """Return the Jacobians of a body's frame in axes of the world and in its own."""
        number = self.model.getFrameId(body, pin.FrameType.BODY)
        pin.computeJointJacobians(self.model, self.data, self.positions(q))
        pin.updateFramePlacements(self.model, self.data)
        frames = (pin.ReferenceFrame.LOCAL_WORLD_ALIGNED, pin.ReferenceFrame.LOCAL)
        world, local = (np.array(pin.getFrameJacobian(self.model, self.data, number, frame)) for frame in frames)
        return world, local

    def dynamics(self, q: Any, v: Any, a: Any, order: Sequence[int]) -> dict[str, Any]:
        """Return quantities of dynamics, with the joints in another order; fixed bodies do not count."""
        own, model, data = self.positions(q), self.model, self.data
        pin.computeAllTerms(model, data, own, v)
        momentum = pin.computeCentroidalMomentum(model, data, own, v)
        center = np.array(pin.centerOfMass(model, data, own))
        mass = pin.computeTotalMass(model)
        first = mass * center
        angular = momentum.angular + np.cross(center, momentum.linear)
        return {
            "mass matrix": self.mass_matrix(q)[np.ix_(order, order)],
            "bias": self.bias(q, v)[order],
            "gravity": pin.computeGeneralizedGravity(model, data, own)[order],
            "inverse dynamics": pin.rnea(model, data, own, v, a)[order],
            "kinetic energy": pin.computeKineticEnergy(model, data, own, v),
            "potential energy": pin.computePotentialEnergy(model, data, own),
            "momentum": np.concatenate([momentum.linear, angular]),
            "momentum of the centre of mass": mass * pin.jacobianCenterOfMass(model, data, own)[:, order],
            "first moment": first,
        }

    def mass_matrix(self, q: Any) -> Any:
        upper = np.triu(pin.crba(self.model, self.data, self.positions(q)))
        return upper + np.triu(upper, 1).T

    def bias(self, q: Any, v: Any) -> Any:
        return pin.nonLinearEffects(self.model, self.data, self.positions(q), v)


def states(count: int) -> list[tuple[Any, Any]]:
    random = np.random.default_rng(count)
    return [(random.uniform(-1.5, 1.5, count), random.uniform(-2.0, 2.0, count)) for _ in range(STATES)]


def by_joint(names: list[str], values: Any) -> dict[str, tuple[float, ...]]:
    return {name: (float(value),) for name, value in zip(names, values, strict=True)}


@pytest.mark.parametrize("name", urdf_files())
def test_poses(corpus: Path, name: str) -> None:
    text = text_of(corpus, name)
    reference, world = Reference(text), without_shapes_and_couplings(world_of(text))
    model: Model = world.models[0]
    for q, _ in states(len(reference.joints)):
        expected = reference.poses(q)
        found = ossature.poses(world, {model.name: by_joint(reference.joints, q)})[model.name]
        assert set(found) == set(expected) - {"universe", "world"}
        for body, pose in found.items():
            np.testing.assert_allclose(pose.matrix(), expected[body], atol=TOLERANCE, err_msg=body)


@pytest.mark.parametrize("name", urdf_files())
def test_jacobians(corpus: Path, name: str) -> None:
    text = text_of(corpus, name)
    reference, kin = Reference(text), Kinematics(without_shapes_and_couplings(world_of(text)))
    assert sorted(kin.names) == sorted(reference.joints)
    columns = [reference.joints.index(joint) for joint in kin.names]
    q = np.array([row for row, _ in states(len(reference.joints))])
    for body in [kin.bodies[0], kin.bodies[-1], kin.bodies[len(kin.bodies) // 2]]:
        world, local = kin.jacobian(q[:, columns], body), kin.jacobian(q[:, columns], body, axes="local")
        for row, J, J_local in zip(q, world, local, strict=True):
            expected = reference.jacobians(row, body)
            np.testing.assert_allclose(J, expected[0][:, columns], atol=TOLERANCE, err_msg=body)
            np.testing.assert_allclose(J_local, expected[1][:, columns], atol=TOLERANCE, err_msg=body)


@pytest.mark.parametrize("name", urdf_files())
def test_dynamics(corpus: Path, name: str) -> None:
    text = text_of(corpus, name)
    reference, dynamics = Reference(text), Dynamics(without_shapes_and_couplings(world_of(text)))
    order = [reference.joints.index(joint) for joint in dynamics.names]
    q, v = (np.array(part) for part in zip(*states(len(reference.joints)), strict=True))
    a = v[::-1] * 0.7
    mine = q[:, order], v[:, order]
    M, tau = dynamics.mass_matrix(mine[0]), dynamics.inverse_dynamics(*mine, a[:, order])
    found = {
        "mass matrix": M,
        "bias": dynamics.bias_forces(*mine),
        "gravity": dynamics.gravity_forces(mine[0]),
        "inverse dynamics": tau,
        "kinetic energy": dynamics.kinetic_energy(*mine),
        "potential energy": dynamics.potential_energy(mine[0]) - dynamics.potential_energy(mine[0][0]),
        "momentum": dynamics.momentum(*mine, about=(0.0, 0.0, 0.0)),
        "momentum of the centre of mass": dynamics.mass * dynamics.center_of_mass_jacobian(mine[0]),
        "first moment": dynamics.mass * (dynamics.center_of_mass(mine[0]) - dynamics.center_of_mass(mine[0][0])),
    }
    expected = [reference.dynamics(*row, order) for row in zip(q, v, a, strict=True)]
    for quantity, values in found.items():
        wanted = np.array([row[quantity] for row in expected])
        if quantity in ("potential energy", "first moment"):
            wanted = wanted - wanted[0]
        tolerance = TOLERANCE * max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(values, wanted, atol=tolerance, err_msg=quantity)
    if (np.linalg.eigvalsh(M)[:, 0] > 1e-6).all():
        np.testing.assert_allclose(dynamics.forward_dynamics(*mine, tau), a[:, order], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", urdf_files())
def test_equations_of_motion(corpus: Path, name: str) -> None:
    text = text_of(corpus, name)
    reference, world = Reference(text), without_shapes_and_couplings(world_of(text))
    simulation = Simulation(world)
    for q, v in states(len(reference.joints)):
        positions, velocities = by_joint(reference.joints, q), by_joint(reference.joints, v)
        M, c = equations_of_motion(simulation, world.models[0].name, reference.joints, positions, velocities)
        np.testing.assert_allclose(M, reference.mass_matrix(q), atol=TOLERANCE)
        np.testing.assert_allclose(c, reference.bias(q, v), atol=TOLERANCE)


SEVERAL_COORDINATES = f"""<robot name="r">
  <link name="base">{INERTIAL}</link><link name="puck">{INERTIAL}</link><link name="balloon">{INERTIAL}</link>
  <joint name="gliding" type="planar"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="0 0 1"/>
    <parent link="base"/><child link="puck"/></joint>
  <joint name="flying" type="floating"><origin xyz="0.3 0.2 0.1" rpy="0.6 0.5 0.4"/>
    <parent link="puck"/><child link="balloon"/></joint>
</robot>"""


def test_joints_of_several_coordinates() -> None:
    reference, world = Reference(SEVERAL_COORDINATES), world_of(SEVERAL_COORDINATES)
    random = np.random.default_rng(11)
    for _ in range(STATES):
        x, y, angle, *position = random.uniform(-1.0, 1.0, 6)
        rotation = random.uniform(-1.0, 1.0, 3)
        own = [x, y, np.cos(angle), np.sin(angle), *position, *pin.Quaternion(pin.exp3(rotation)).coeffs()]
        pin.forwardKinematics(reference.model, reference.data, np.array(own))
        pin.updateFramePlacements(reference.model, reference.data)
        found = ossature.poses(world, {"r": {"gliding": (x, y, angle), "flying": (*rotation, *position)}})["r"]
        for body, pose in found.items():
            expected = reference.data.oMf[reference.model.getFrameId(body, pin.FrameType.BODY)].homogeneous
            np.testing.assert_allclose(pose.matrix(), expected, atol=TOLERANCE, err_msg=body)


def test_the_plane_of_a_planar_joint_is_orthogonal_to_its_axis() -> None:
    for axis in ("0 0 1", "1 0 0", "0 1 0", "0 0 -1", "0.6 0 0.8", "-0.6 0.48 0.64"):
        world = world_of(SEVERAL_COORDINATES.replace("0 0 1", axis))
        plane = world.models[0].joints["gliding"].type
        normal = np.cross(plane.axis1, plane.axis2)  # type: ignore[union-attr]
        np.testing.assert_allclose(normal, np.array(axis.split(), dtype=float), atol=1e-15)


MIMIC = """<robot name="r">
  <link name="base"/>{links}
  <joint name="a" type="revolute"><origin xyz="0 0.1 0.2" rpy="0.1 0 0"/><parent link="base"/><child link="l1"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="b" type="revolute"><origin xyz="0.3 0 0.1" rpy="0 0.2 0"/><parent link="l1"/><child link="l2"/>
    <axis xyz="1 0 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
    <mimic joint="a" multiplier="-0.5" offset="0.3"/></joint>
  <joint name="c" type="prismatic"><origin xyz="0 0.3 0" rpy="0 0 0.4"/><parent link="l2"/><child link="l3"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="d" type="prismatic"><origin xyz="0 0 0.2"/><parent link="l1"/><child link="l4"/>
    <axis xyz="1 0 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
    <mimic joint="c" multiplier="2" offset="-0.1"/></joint>
</robot>""".format(links="".join(f'<link name="l{number}">{INERTIAL}</link>' for number in range(1, 5)))


@pytest.mark.parametrize(
    "name", [*(name for name in urdf_files() if name.endswith(("robotiq2F85", "schunk_lwa4p/robot"))), "following"]
)
def test_mimic_joints(corpus: Path, name: str) -> None:
    text = MIMIC if name == "following" else text_of(corpus, name)
    reference, world = Reference(text, mimic=True), world_of(text)
    model = world.models[0]
    independent = [joint for joint in reference.joints if model.joints[joint].coordinates[0].coupling is None]
    assert model.degrees_of_freedom == reference.model.nv == len(independent) < len(reference.joints)
    simulation = Simulation(world, enforce_limits=False, meshes=MeshStore(Resolver()))
    random = np.random.default_rng(3)
    for _ in range(STATES):
        q, v = random.uniform(-1.5, 1.5, len(independent)), random.uniform(-2.0, 2.0, len(independent))
        positions, velocities = by_joint(independent, q), by_joint(independent, v)
        M, c = equations_of_motion(simulation, model.name, independent, positions, velocities)
        # With new data each time: Pinocchio 4.1 adds up entries between branches that mimic each other from call to call.
        upper = np.triu(pin.crba(reference.model, reference.model.createData(), q))
        np.testing.assert_allclose(M, upper + np.triu(upper, 1).T, atol=TOLERANCE)
        np.testing.assert_allclose(c, pin.nonLinearEffects(reference.model, reference.data, q, v), atol=TOLERANCE)


@pytest.mark.parametrize(
    "inside",
    [
        '<density value="500"/>',
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>',
        '<mass/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>',
        '<mass value="2"/>',
        '<mass value="2"/><inertia ixx="1" iyy="1" izz="1"/>',
    ],
)
def test_incomplete_inertia_is_read_as_by_pinocchio(inside: str, report: Report) -> None:
    text = (
        '<robot name="r"><link name="world"/><joint name="j" type="continuous"><parent link="world"/><child link="a"/></joint>'
        f'<link name="a"><inertial><origin xyz="1 2 3"/>{inside}</inertial></link></robot>'
    )
    world = read_urdf(Source("robot.urdf", text.encode()), report)
    assert world is not None
    assert len(report.take("incomplete-inertia")) == 1
    report.take("unknown-element")
    report.take("passthrough-element")
    ours, theirs = world.models[0].bodies["a"].inertial, pin.buildModelFromXML(text).inertias[1]
    assert ours.mass == theirs.mass
    assert ours.center_of_mass == tuple(theirs.lever)
    assert np.array_equal(np.array(ours.moment), theirs.inertia)
