"""Stiffness and damping of the engine's constraints, chosen so that an error is removed within one step.

A negative ``solref`` (-stiffness, -damping) makes a constraint a spring and damper per unit of mass. The explicit
integrators reduce an error to zero in exactly one step with a stiffness of 1/h² and a damping of 1/h. The integrator
``discrete`` evaluates the force at the end of the step: a stiffness well above 1/h² suffices, and damping would leave a
part of the error.
"""

from __future__ import annotations

_NEARLY_ONE = 0.9999

Impedance = tuple[float, float, float, float, float]

EQUALITY_IMPEDANCE: Impedance = (_NEARLY_ONE, _NEARLY_ONE, 0.001, 0.5, 2.0)
FRICTION_IMPEDANCE: Impedance = (_NEARLY_ONE, _NEARLY_ONE, 0.001, 0.5, 2.0)


def one_step_solref(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` that removes a deviation of position and rate in one step of an explicit integrator."""
    return (-_NEARLY_ONE / time_step**2, -_NEARLY_ONE / time_step)


def discrete_integrator_one_step_solref(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` that removes a deviation of position in one step of the integrator ``discrete``."""
    return (-1e6 / time_step**2, -1e-6 / time_step)


_RECOVERY_STEPS = 50.0
"""Steps in which the penetration of a joint stop after an impact decreases by 1 - 1/e.

In random impacts of a chain of four bodies, ten steps returned 4e-4 of its energy, fifty and a hundred 2e-4.
"""

GAP_FACTOR = _RECOVERY_STEPS
"""Factor for the gap of a joint to its limit, with which it is closed within one step by the same ``solref``."""

STOP_IMPEDANCE: Impedance = (0.999, 0.999, 0.001, 0.5, 2.0)
"""Slightly softer than equality constraints and motors, which prevail if they press a joint against its stop."""


def joint_stop_solref(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of a joint's position limit for an explicit integrator: an impact without rebound.

    The velocity into the stop is zero after one step. A joint that is beyond the stop by r returns at the velocity
    r / (50 h): after an impact at velocity v, r is at most v·h, so that this is at most a fiftieth of v.
    """
    return (-1.0 / (_RECOVERY_STEPS * time_step**2), -1.0 / time_step)


def discrete_integrator_joint_stop_solref(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of a joint's position limit for the integrator ``discrete``: an impact without rebound.

    The force is evaluated at the end of the step: by b·v + k·(r + h·v) = 0 a stiff spring and damper give the velocity
    -r / (50 h) after the step.
    """
    damping_time = (_RECOVERY_STEPS - 1.0) * time_step
    stiffness = 1e6 / (_RECOVERY_STEPS * time_step**2)
    return (-stiffness, -stiffness * damping_time)
