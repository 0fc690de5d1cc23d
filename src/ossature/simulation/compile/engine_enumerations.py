"""Values of the engine's enumerations as integers.

To compare a number, or the numbers of an array, with one of these takes a tenth of the time that a member of the enumeration
in the engine's Python package takes, which is several microseconds.
"""

from __future__ import annotations

import mujoco

# Types of equality constraints
CONNECT = int(mujoco.mjtEq.mjEQ_CONNECT)
WELD = int(mujoco.mjtEq.mjEQ_WELD)
JOINT_EQUALITY = int(mujoco.mjtEq.mjEQ_JOINT)
TENDON_EQUALITY = int(mujoco.mjtEq.mjEQ_TENDON)

# Types of joints
FREE = int(mujoco.mjtJoint.mjJNT_FREE)
BALL = int(mujoco.mjtJoint.mjJNT_BALL)
SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)

# Types of constraint rows
LIMIT_OF_JOINT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)

# Types of objects
BODY = int(mujoco.mjtObj.mjOBJ_BODY)
SITE = int(mujoco.mjtObj.mjOBJ_SITE)

# Types of the parts of tendons
SITE_OF_TENDON = int(mujoco.mjtWrap.mjWRAP_SITE)
JOINT_OF_TENDON = int(mujoco.mjtWrap.mjWRAP_JOINT)

# Types of shapes
CAPSULE = int(mujoco.mjtGeom.mjGEOM_CAPSULE)
CYLINDER = int(mujoco.mjtGeom.mjGEOM_CYLINDER)
BOX = int(mujoco.mjtGeom.mjGEOM_BOX)

# Which orientation of the engine is that of a shape
NO_SAME_FRAME = int(mujoco.mjtSameFrame.mjSAMEFRAME_NONE)

# Warnings that a position, velocity or acceleration is not finite or too large
DIVERGED = (
    int(mujoco.mjtWarning.mjWARN_BADQPOS),
    int(mujoco.mjtWarning.mjWARN_BADQVEL),
    int(mujoco.mjtWarning.mjWARN_BADQACC),
)

# Stages of the engine's forward dynamics, after which others can begin
VELOCITY_STAGE = int(mujoco.mjtStage.mjSTAGE_VEL)
