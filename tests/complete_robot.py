"""A World made by hand that states every field of the model that makes a mechanism a robot."""

from __future__ import annotations

import numpy as np

from ossature.model import (
    Actuator,
    Axis,
    Body,
    BodyPath,
    Channel,
    Collision,
    Compound,
    Controller,
    Coordinate,
    Coupling,
    Distortion,
    DistortionModel,
    ElectricMotor,
    Encoder,
    Extension,
    Extrapolation,
    FlashLaser,
    Force6D,
    Grasp,
    GripperJoint,
    HardLimits,
    IkFreeJoint,
    IkSolver,
    IkType,
    ImageFormat,
    Imu,
    Inertial,
    Interpolation,
    Joint,
    JointPosition,
    Laser2D,
    Laser3D,
    LazyMesh,
    Manipulator,
    MeshData,
    Model,
    NamedList,
    Number,
    Odometry,
    OpenravePlanning,
    OpenravePlugin,
    Operation,
    Operator,
    PartialDerivative,
    PinholeCamera,
    Range,
    Revolute,
    Sensor,
    SensorDescription,
    Sphere,
    StereoCamera,
    StereoView,
    TorquePoint,
    Trajectory,
    TriangleMesh,
    Visual,
    World,
)
from ossature.spatial import Pose, quaternion_from_rotation_vector

TETRAHEDRON = MeshData(
    vertices=np.array([(0.1, 0.1, 0.1), (0.1, -0.1, -0.1), (-0.1, 0.1, -0.1), (-0.1, -0.1, 0.1)]),
    faces=np.array([(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]),
)
WORD = Extension(format="other", key="word", value="yes")
TURNED = Pose((0.125, 0.25, 0.5), quaternion_from_rotation_vector((0.25, 0.0, 0.0)))
MOMENT = ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.5))


def robot() -> World:
    """Return an arm of two joints, one of which follows the other, that holds a ball in its hand."""
    return World(
        name="workshop",
        models=NamedList([_arm(), _ball()]),
        grasps=(
            Grasp(
                link=BodyPath(model="arm", body="hand"),
                body=BodyPath(model="ball", body="ball"),
                ignored_bodies=("base",),
            ),
        ),
        trajectories=NamedList([_wave()]),
        extensions=(WORD,),
    )


def _wave() -> Trajectory:
    """Return what a hand does that waves: curves of every kind."""
    turn = Channel(
        model="arm",
        joint="shoulder",
        times=(0.0, 0.5, 1.0, 2.0),
        values=(0.0, 0.5, -0.25, 0.125),
        interpolations=(Interpolation.BEZIER, Interpolation.STEP, Interpolation.HERMITE, Interpolation.LINEAR),
        in_tangents=((-0.25, 0.0), (0.25, 0.5), (0.75, 0.5), (1.0, 0.5)),
        out_tangents=((0.25, 0.0), (0.75, 0.5), (1.0, -0.5), (2.25, 0.5)),
        before=Extrapolation.CONSTANT,
        after=Extrapolation.CYCLE,
    )
    slide = Channel(model="arm", joint="shoulder", coordinate=1, times=(0.0, 1.0), values=(0.0, 0.375))
    return Trajectory(name="wave", channels=(turn, slide))


def _arm() -> Model:
    return Model(
        name="arm",
        bodies=NamedList([_body("base", 0.0), _body("upper", 0.5), _body("hand", 1.0)]),
        joints=NamedList([_shoulder(), _wrist()]),
        ignored_pairs=(("base", "hand"),),
        manipulators=NamedList([_manipulator()]),
        sensors=NamedList(
            [
                Sensor(name="other eye", body="hand", pose=TURNED, type="camera", settings=(WORD,)),
                *every_sensor("hand", "wrist"),
            ]
        ),
        actuators=NamedList([_motor()]),
        hints=(OpenravePlugin(kind="robot", name="GenericRobot", plugin="robots"),),
        extensions=(WORD,),
    )


def every_sensor(body: str, joint: str) -> list[Sensor]:
    """Return a sensor of each type that states everything, on a body."""
    return [
        Sensor(
            name=f"sensor{number}",
            body=body,
            pose=TURNED,
            type=kind,
            description=description,
            interface=OpenravePlugin(kind="sensor", name="GenericSensor", plugin="sensors"),
            hardware_id="device 7",
            settings=(Extension(format="collada", key="power", value="1"),),
        )
        for number, (kind, description) in enumerate(_descriptions(joint))
    ]


def _descriptions(joint: str) -> list[tuple[str, SensorDescription]]:
    rows = ((0.25, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.75))
    six = tuple([0.375 * (row == column) for row in range(6) for column in range(6)])
    intrinsic = ((500.0, 0.5, 310.0), (0.0, 510.0, 230.0))
    camera = PinholeCamera(
        width=620,
        height=460,
        channels=1,
        format=ImageFormat.FLOAT32,
        measurement_time=0.125,
        gain=0.5,
        intrinsic=intrinsic,
        focal_length=0.0625,
        distortion=Distortion(model=DistortionModel.PLUMB_BOB, coefficients=(0.125, -0.25, 0.0625, 0.0, 0.5)),
    )
    second = StereoView(camera=camera, pose=Pose((0.25, 0.0, 0.0)), rectification=rows)
    distances = {"min_distance": 0.125, "max_distance": 8.0, "measurement_time": 0.25, "distance_deviation": 0.0625}
    angles = {"min_angle": -1.0, "max_angle": 1.25, "angle_increment": 0.125, "time_increment": 0.0078125}
    return [
        ("base_pinhole_camera", camera),
        ("base_stereo_camera", StereoCamera(views=(StereoView(camera=camera), second), measurement_time=0.25)),
        ("base_laser2d", Laser2D(**angles, **distances)),
        ("base_laser3d", Laser3D(**angles, **distances, min_turn=-0.5, max_turn=0.5, turn_increment=0.25)),
        ("base_flash_laser", FlashLaser(width=32, height=16, intrinsic=intrinsic, **distances)),
        ("base_encoder", Encoder(joint=joint, coordinate=0, resolution=0.125, counts=64, measurement_time=0.5)),
        (
            "base_force6d",
            Force6D(
                force_range=(1.0, 2.0, 3.0),
                torque_range=(4.0, 5.0, 6.0),
                force_resolution=(0.25, 0.5, 0.75),
                torque_resolution=(0.125, 0.25, 0.5),
                force_capacity=(10.0, 20.0, 30.0),
                torque_capacity=(40.0, 50.0, 60.0),
                polarity=-1,
                correction=six,
                measurement_time=0.5,
            ),
        ),
        (
            "base_imu",
            Imu(
                measurement_time=0.5,
                rotation_covariance=rows,
                angular_velocity_covariance=rows,
                linear_acceleration_covariance=rows,
            ),
        ),
        ("base_odometry", Odometry(target="base", measurement_time=0.5, drift_covariance=six)),
    ]


def _body(name: str, height: float) -> Body:
    tetrahedron = TriangleMesh(surface=LazyMesh(TETRAHEDRON))
    return Body(
        name=name,
        pose=Pose((0.0, 0.0, height)),
        inertial=Inertial(moment=MOMENT),
        visuals=(Visual(geometry=tetrahedron, visible=False, name="shell"),),
        collisions=(Collision(geometry=tetrahedron, name="hull"),),
        self_collisions=(Collision(geometry=Sphere(radius=0.0625), name="core"),),
        self_collide=True,
        extensions=(WORD,),
    )


def _motor() -> Actuator:
    motor = ElectricMotor(
        model_type="A 100",
        power_rating=20.0,
        max_speed=300.0,
        no_load_speed=400.0,
        stall_torque=0.25,
        nominal_torque=0.0625,
        max_torque=0.25,
        nominal_voltage=24.0,
        rotor_inertia=0.000125,
        speed_constant=20.0,
        speed_torque_gradient=1600.0,
        starting_current=5.0,
        resistance=4.8,
        torque_constant=0.05,
        gear_ratio=50.0,
        nominal_points=(TorquePoint(speed=0.0, torque=0.0625), TorquePoint(speed=250.0, torque=0.03125)),
        max_points=(TorquePoint(speed=0.0, torque=0.25), TorquePoint(speed=300.0, torque=0.0625)),
        coulomb_friction=0.125,
        viscous_friction=0.25,
    )
    controller = Controller(proportional=50.0, derivative=5.0, integral=1.0)
    return Actuator(name="motor", joint="shoulder", type="electric_motor", motor=motor, controller=controller, settings=(WORD,))


def _shoulder() -> Joint:
    hard = HardLimits(
        position=Range(lower=-2.0, upper=2.0),
        velocity=Range(lower=-3.0, upper=3.0),
        acceleration=Range(lower=-4.0, upper=4.0),
        jerk=Range(lower=-5.0, upper=5.0),
    )
    turn = Coordinate(
        position_limits=Range(lower=-1.0, upper=1.0),
        jerk_limits=Range(lower=-2.5, upper=2.5),
        hard_limits=hard,
        continuous=True,
        hints=(OpenravePlanning(weight=2.0, resolution=0.125),),
    )
    axes = (Axis(direction=(0.0, 1.0, 0.0)), Axis(direction=(0.0, 0.0, 1.0), is_revolute=False))
    return Joint(
        name="shoulder",
        type=Compound(axes=axes),
        parent="base",
        child="upper",
        coordinates=(turn, Coordinate()),
        extensions=(WORD,),
    )


def _wrist() -> Joint:
    half = Operation(operator=Operator.MULTIPLY, operands=(Number(value=0.5), JointPosition(joint="shoulder", coordinate=0)))
    slope = PartialDerivative(order=1, joint="shoulder", coordinate=0, expression=Number(value=0.5))
    return Joint(
        name="wrist",
        type=Revolute(),
        parent="upper",
        child="hand",
        coordinates=(Coordinate(coupling=Coupling(position=half, partials=(slope,))),),
    )


def _manipulator() -> Manipulator:
    solver = IkSolver(
        type=IkType.TRANSLATION_3D,
        free_joints=(IkFreeJoint(joint="shoulder", step=0.25),),
        interface=OpenravePlugin(kind="iksolver", name="ikfast", plugin="solvers"),
        extensions=(WORD,),
    )
    return Manipulator(
        name="hand",
        base="base",
        tip="hand",
        chain_end="upper",
        pose=TURNED,
        gripper=(GripperJoint(joint="wrist", closing_directions=(1.0,)),),
        solvers=(solver,),
        extensions=(WORD,),
    )


def _ball() -> Model:
    shape = Sphere(radius=0.0625)
    body = Body(
        name="ball",
        inertial=Inertial(moment=MOMENT),
        visuals=(Visual(geometry=shape),),
        collisions=(Collision(geometry=shape),),
    )
    return Model(name="ball", pose=Pose((0.0, 0.0, 2.0)), bodies=NamedList([body]))
