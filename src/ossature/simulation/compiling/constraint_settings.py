"""How stiff the engine's constraints are: the settings that remove an error within one step.

The engine takes a constraint as a spring and damper with a negative ``solref`` (-stiffness, -damping) per unit of mass.
The explicit integrators bring an error to zero in exactly one step with a stiffness of 1/h² and a damping of 1/h. The
integrator ``discrete`` evaluates the force at the end of the step: there a stiffness far above 1/h² alone does it, and
damping would leave a part of the error.
"""

from __future__ import annotations

_NEARLY_ONE = 0.9999

Impedance = tuple[float, float, float, float, float]

EQUALITY_IMPEDANCE: Impedance = (_NEARLY_ONE, _NEARLY_ONE, 0.001, 0.5, 2.0)
FRICTION_IMPEDANCE: Impedance = (_NEARLY_ONE, _NEARLY_ONE, 0.001, 0.5, 2.0)


def deadbeat(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` that removes a deviation of position and rate in one step of an explicit integrator."""
    return (-_NEARLY_ONE / time_step**2, -_NEARLY_ONE / time_step)


def deadbeat_discrete(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` that removes a deviation of position in one step of the integrator ``discrete``."""
    return (-1e6 / time_step**2, -1e-6 / time_step)


def joint_stop(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of a joint's position limit: critically damped, as fast as four steps allow."""
    return (4.0 * time_step, 1.0)
