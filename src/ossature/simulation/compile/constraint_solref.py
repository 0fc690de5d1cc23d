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


def solref_one_step(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` that removes a deviation of position and rate in one step of an explicit integrator."""
    return (-_NEARLY_ONE / time_step**2, -_NEARLY_ONE / time_step)


def solref_one_step_discrete(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` that removes a deviation of position in one step of the integrator ``discrete``."""
    return (-1e6 / time_step**2, -1e-6 / time_step)


_RECOVERY_STEPS = 50.0
"""Steps in which a joint comes back by 1 - 1/e of the way that it went beyond its stop in the step of the impact.

Ten steps gave 4e-4 of its energy back to a chain of four bodies, fifty 2e-4 and a hundred as much, in random impacts.
"""

STOP_IMPEDANCE: Impedance = (0.999, 0.999, 0.001, 0.5, 2.0)
"""A little softer than equality constraints and motors, which win where they press a joint against its stop."""


def joint_stop(time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of a joint's position limit for an explicit integrator: an impact without rebound.

    The velocity against the stop is gone after one step. Where the joint is beyond the stop by r it comes back at the velocity
    r / (50 h): of what an impact at velocity v carried it beyond, at most v·h, that is a fiftieth of v.
    """
    return (-1.0 / (_RECOVERY_STEPS * time_step**2), -1.0 / time_step)


def joint_stop_discrete(time_step: float) -> tuple[float, float]:
    """Return the same for the integrator ``discrete``, which evaluates the force at the end of the step.

    There a strong spring and damper give, by b·v + k·(r + h·v) = 0, the velocity -r / (50 h) after the step.
    """
    damping = (_RECOVERY_STEPS - 1.0) * time_step
    strong = 1e6 / (_RECOVERY_STEPS * time_step**2)
    return (-strong, -strong * damping)
