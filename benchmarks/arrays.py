"""Kinematics and dynamics on arrays, beside Pinocchio: the same robot, the same states, called in turn."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.table import Table

from ossature.kinematics import Dynamics
from ossature.model import Inertial, Model, NamedList, World, make_body, make_joint
from ossature.model.geometry import Box

TITLE = "kinematics and dynamics on arrays"
COUNT = 10_000
ROUNDS = 5
SINGLES = 200
LONGEST_BATCH_MS = 20.0
AXES = "zyzyzyz"
TOLERANCE = 1e-9


def run() -> Iterator[Table]:
    """Evaluate a 7-axis arm at many states at once and one by one, and the same with Pinocchio in a loop."""
    dynamics = Dynamics(seven_axis_arm())
    reference = _Pinocchio(dynamics) if importlib.util.find_spec("pinocchio") else None
    generator = np.random.default_rng(1)
    q, v = generator.uniform(-3.0, 3.0, (COUNT, 7)), generator.uniform(-1.0, 1.0, (COUNT, 7))
    tip = dynamics.bodies[-1]
    ours: dict[str, Callable[[Any, Any], Any]] = {
        "forward kinematics": lambda q, v: dynamics.pose(q, tip),
        "Jacobian": lambda q, v: dynamics.jacobian(q, tip),
        "mass matrix": lambda q, v: dynamics.mass_matrix(q),
        "bias forces": dynamics.bias_forces,
        "forward dynamics": lambda q, v: dynamics.forward_dynamics(q, v, 0.1 * v),
    }
    table = Table(
        "quantity",
        f"{COUNT:,} at once",
        "each",
        "one alone",
        "Pinocchio, loop",
        "ratio of each",
        "largest difference",
        box=None,
    )
    too_slow = []
    for name, function in ours.items():
        together = _cpu_ms(lambda function=function: function(q, v))
        alone = _cpu_ms(lambda function=function: [function(q[n], v[n]) for n in range(SINGLES)]) / SINGLES
        row = [name, f"{together:.1f} ms", f"{1000.0 * together / COUNT:.2f} µs", f"{1000.0 * alone:.0f} µs"]
        if reference is not None:
            theirs = getattr(reference, name.replace(" ", "_").lower())
            each = _cpu_ms(lambda theirs=theirs: [theirs(q[n], v[n]) for n in range(SINGLES)]) / SINGLES
            difference = max(float(np.abs(function(q[n], v[n]) - theirs(q[n], v[n])).max()) for n in range(10))
            row += [f"{1000.0 * each:.2f} µs", f"{each / (together / COUNT):.2f}", f"{difference:.0e}"]
            if difference > TOLERANCE:
                raise AssertionError(f"{name} differs from Pinocchio by {difference:.1e}")
        table.add_row(*row)
        if name == "forward kinematics" and together > LONGEST_BATCH_MS:
            too_slow.append(f"{COUNT:,} configurations take {together:.1f} ms, more than {LONGEST_BATCH_MS:g} ms")
    explanation = "CPU times; the ratio is above 1 if a batch takes less for each state than Pinocchio in a loop"
    table.caption = "; ".join(too_slow) or explanation
    yield table


def seven_axis_arm() -> World:
    """Return an arm with seven hinges, about z and y in turn."""
    bodies, joints, parent = [], [], None
    for number, axis in enumerate(AXES):
        name = f"link{number}"
        body = make_body(name, Box(size=(0.08, 0.1, 0.2)), mass=2.0 - 0.2 * number, pose=(0.0, 0.02 * number, 0.2 * number))
        bodies.append(body)
        joints.append(make_joint(f"joint{number}", "revolute", parent, name, axis=axis))
        parent = name
    return World(models=NamedList([Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints))]))


class _Pinocchio:
    """The same arm in Pinocchio, whose functions take one state at a time."""

    def __init__(self, dynamics: Dynamics) -> None:
        import pinocchio

        self.pin, model = pinocchio, pinocchio.Model()
        parent = 0
        for name, axis in zip(dynamics.bodies, AXES, strict=True):
            body, joint = dynamics.model.bodies[name], dynamics.model.joints[f"joint{name.removeprefix('link')}"]
            before = dynamics.model.bodies[joint.parent].pose.inverse() @ body.pose if joint.parent else body.pose
            kind = pinocchio.JointModelRZ() if axis == "z" else pinocchio.JointModelRY()
            parent = model.addJoint(parent, kind, pinocchio.SE3(before.matrix()), joint.name)
            inertial: Inertial = body.inertial
            moment = np.array(inertial.moment)
            inertia = pinocchio.Inertia(inertial.mass, np.array(inertial.center_of_mass), moment)
            model.appendBodyToJoint(parent, inertia, pinocchio.SE3.Identity())
        self.model, self.data, self.last = model, model.createData(), parent

    def forward_kinematics(self, q: Any, v: Any) -> Any:
        self.pin.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[self.last].homogeneous

    def jacobian(self, q: Any, v: Any) -> Any:
        self.pin.computeJointJacobians(self.model, self.data, q)
        return self.pin.getJointJacobian(self.model, self.data, self.last, self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)

    def mass_matrix(self, q: Any, v: Any) -> Any:
        upper = np.triu(self.pin.crba(self.model, self.data, q))
        return upper + np.triu(upper, 1).T

    def bias_forces(self, q: Any, v: Any) -> Any:
        return self.pin.nonLinearEffects(self.model, self.data, q, v).copy()

    def forward_dynamics(self, q: Any, v: Any) -> Any:
        return self.pin.aba(self.model, self.data, q, v, 0.1 * v).copy()


def _cpu_ms(function: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    return 1000.0 * min(times)
