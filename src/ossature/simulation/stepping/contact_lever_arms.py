"""Lever arms of contacts that are open at the start of a step.

The engine's contact point is in the middle between two surfaces. If a contact closes within the step, its forces act where the
surfaces meet, so that the Jacobian of tangential velocities needs the surface point of each body.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import Int64Array, Vector
from ossature.spatial import cross, scale

_ROWS = 3


def move_to_surfaces(model: mujoco.MjModel, data: mujoco.MjData, first: int, contacts: Int64Array, gaps: Vector) -> None:
    """Move the contact points of each body to its surface in the Jacobian, and update velocities and references of constraints.

    Args:
        data: The engine's data, with the Jacobian of the contact points.
        first: The first row of contacts.
        contacts: Numbers of contacts among those with rows.
        gaps: Their gaps [m].
    """
    engine_contacts = np.flatnonzero(data.contact.efc_address >= 0)[contacts]
    frames, geoms = data.contact.frame[engine_contacts], data.contact.geom[engine_contacts]
    one, other = np.empty((3, model.nv)), np.empty((3, model.nv))
    is_sparse, J = bool(mujoco.mj_isSparse(model)), data.efc_J.reshape(-1)
    bodies = model.geom_bodyid[geoms].tolist()
    for number, frame, pair, gap in zip(contacts.tolist(), frames.tolist(), bodies, gaps.tolist(), strict=True):
        for rotation, body in zip((one, other), pair, strict=True):
            mujoco.mj_jacBody(model, data, None, rotation, body)
        spin = one + other
        for row, tangent in enumerate((frame[3:6], frame[6:]), start=first + _ROWS * number + 1):
            # Both surface points are displaced by half the gap, in opposite directions.
            x, y, z = scale(cross(frame[:3], tangent), 0.5 * gap)
            # A product of matrices adds in an order of its own.
            change = x * spin[0] + y * spin[1] + z * spin[2]
            if is_sparse:
                start = int(data.efc_J_rowadr[row])
                entries = slice(start, start + int(data.efc_J_rownnz[row]))
                J[entries] += change[data.efc_J_colind[entries]]
            else:
                J[row * model.nv : (row + 1) * model.nv] += change
    mujoco.mj_referenceConstraint(model, data)
