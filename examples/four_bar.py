"""A four-bar linkage is built in code, and the path of a point of its coupler is computed from closed configurations."""

import numpy as np

import ossature
from ossature.model import Box, Joint, Model, NamedList, World, make_body, make_joint

A, B, C, D = (0.0, 0.0, 0.0), (0.0, 0.0, 0.2), (0.6, 0.0, 0.4), (0.5, 0.0, 0.0)  # hinges [m]


def hinge(name: str, parent: str | None, child: str, position: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Joint:
    return make_joint(name, "revolute", parent, child, axis="y", pose=position)


cube, at_c = Box(size=(0.05, 0.05, 0.05)), (C[0] - D[0], 0.0, C[2] - D[2])  # the last in the frame of the rocker
bodies = [make_body(name, cube, mass=1.0, pose=at) for name, at in (("crank", A), ("coupler", B), ("rocker", D))]
joints = [hinge("motor", None, "crank"), hinge("pin", "crank", "coupler"), hinge("pivot", None, "rocker")]
joints.append(hinge("loop", "coupler", "rocker", at_c))
model = Model(name="four-bar", bodies=NamedList(bodies), joints=NamedList(joints))

kin = ossature.Kinematics(World(models=NamedList([model])))
angles = np.linspace(0.0, 2.0 * np.pi, 25)
q = kin.close_loops([kin.configuration({"motor": angle}) for angle in angles])
curve = kin.pose(q, "coupler")[:, :3, 3]
ratio = (kin.jacobian(q, "rocker") @ kin.loop_basis(q))[:, 4, 0]  # angular velocity of the rocker for that of the crank
swing = np.degrees(np.ptp(q[:, kin.names.index("pivot")]))
print(f"coordinates {kin.names}, of which {kin.independent} are independent; closed to {kin.loop_residual(q).max():.0e}")
print(f"the rocker swings by {swing:.1f} degrees, at {ratio.min():.2f} to {ratio.max():.2f} times the speed of the crank")
print(f"the pin of the coupler moves between x = {curve[:, 0].min():.3f} and {curve[:, 0].max():.3f} m")
