"""Random models with elements of all classes, built in code."""

from __future__ import annotations

import numpy as np

from ossature.model import (
    Actuator,
    BodyPath,
    Box,
    Bushing,
    Channel,
    Constraint,
    Coordinate,
    Coupling,
    DriveMode,
    Encoder,
    Fixed,
    Grasp,
    GripperJoint,
    Imu,
    Joint,
    JointPosition,
    Load,
    Manipulator,
    Model,
    Motor,
    MotorKinematics,
    Number,
    Operation,
    Operator,
    Prismatic,
    Revolute,
    RevoluteSpherical,
    RotationalSpringDamper,
    Sensor,
    SpringDamper,
    Trajectory,
    World,
    make_body,
)
from ossature.spatial import Pose, normalized, unit

Random = np.random.Generator


def random_pose(random: Random) -> Pose:
    return Pose(tuple(random.normal(size=3).tolist()), normalized(tuple(random.normal(size=4).tolist())))


def random_axis(random: Random) -> tuple[float, float, float]:
    return unit(tuple(random.normal(size=3).tolist()))


def random_tree(seed: int, name: str = "robot", fixed: float = 0.4) -> Model:
    """Return a tree of bodies with joints, a share of which is fixed, without other elements."""
    random = np.random.default_rng(seed)
    count = int(random.integers(3, 8))
    sizes = random.uniform(0.1, 1.0, size=(count, 3)).tolist()
    bodies = [
        make_body(
            f"b{i}", Box(size=sizes[i]), mass=random.uniform(0.1, 3), pose=random_pose(random), shape_pose=random_pose(random)
        )
        for i in range(count)
    ]
    joints = []
    for i in range(count):
        parent = None if i == 0 else f"b{random.integers(0, i)}"
        kind = (
            Fixed()
            if random.random() < fixed or i == 0
            else [Revolute, Prismatic][random.integers(0, 2)](axis=random_axis(random))
        )
        joints.append(Joint(name=f"j{i}", type=kind, parent=parent, child=f"b{i}", pose=random_pose(random)))
    return Model(name=name, pose=random_pose(random), bodies=bodies, joints=joints)


def random_robot(seed: int) -> World:
    """Return a robot with elements of all classes, a thing that it grasps, and a trajectory."""
    random = np.random.default_rng(seed)
    tree = random_tree(seed, fixed=0.0)
    a, b, c = (f"b{i}" for i in random.permutation(len(tree.bodies))[:3])
    j, k = (f"j{i}" for i in random.permutation(range(1, len(tree.joints)))[:2])
    follower = tree.joints[j]
    formula = Operation(operator=Operator.MULTIPLY, operands=[Number(value=0.5), JointPosition(joint=k)])
    joint = Joint(
        name=j,
        type=follower.type,
        parent=follower.parent,
        child=follower.child,
        pose=follower.pose,
        coordinates=[Coordinate(coupling=Coupling(position=formula))],
    )
    rod = RevoluteSpherical(axis=random_axis(random))
    torsion = RotationalSpringDamper(name="torsion", body1=a, body2=c, axis=random_axis(random), stiffness=3)
    model = Model(
        name="robot",
        pose=tree.pose,
        bodies=tree.bodies,
        joints=tree.joints.replaced(joint),
        bushings=[Bushing(name="bushing", body1=a, body2=b, pose=random_pose(random), stiffness=[1e3] * 6)],
        constraints=[Constraint(name="rod", type=rod, body1=a, body2=None, point1=(1, 2, 3))],
        spring_dampers=[SpringDamper(name="spring", body1=b, body2=c, point1=(0, 0, 1), point2=(1, 0, 0), stiffness=10)],
        rotational_spring_dampers=[torsion],
        motors=[Motor(name="motor", body1=a, body2=b, guide=MotorKinematics.ROTATION_FREE, drive=DriveMode.FORCE)],
        loads=[Load(name="push", body=c, value=(1, 2, 3), point=(0, 1, 0))],
        ignored_pairs=[(a, b), (b, c)],
        manipulators=[Manipulator(name="arm", base="b0", tip=a, chain_end=b, gripper=[GripperJoint(joint=k)])],
        sensors=[Sensor(name="imu", body=a, description=Imu()), Sensor(name="encoder", body=b, description=Encoder(joint=k))],
        actuators=[Actuator(name="drive", joint=k)],
    )
    thing = Model(name="thing", bodies=[make_body("cube", Box(size=(0.1, 0.1, 0.1)), mass=0.2)])
    grasp = Grasp(link=BodyPath(model="robot", body=a), body=BodyPath(model="thing", body="cube"), ignored_bodies=[b])
    channel = Channel(model="robot", joint=k, times=(0.0, 1.0), values=(0.0, 0.5))
    return World(models=[model, thing], grasps=[grasp], trajectories=[Trajectory(name="wave", channels=[channel])])
