"""How far MuJoCo's soft constraints yield, for its default impedance (``solimp``) and a damping ratio of one.

A constraint with the impedance d yields to the acceleration a that its degree of freedom would have without it until
d * (reference acceleration) equals (1 - d) * a. The reference acceleration is -b v - k d r for the velocity v and the violation
r, with b = 2 / (D T) and k = 1 / (D T)^2, the largest impedance D and the time constant T.
"""

from __future__ import annotations

_LEAST_IMPEDANCE, _LARGEST_IMPEDANCE = 0.9, 0.95
DEFAULT_TIME_CONSTANT_S = 0.02


def violation_per_acceleration(time_constant: float) -> float:
    """Return the violation of a constraint, per acceleration that it prevents [s²].

    Args:
        time_constant: Its time constant, the first number of ``solref`` [s].
    """
    return (1.0 - _LEAST_IMPEDANCE) * (_LARGEST_IMPEDANCE * time_constant / _LEAST_IMPEDANCE) ** 2


def creep_per_acceleration(time_constant: float) -> float:
    """Return the velocity of a joint that its friction holds, per acceleration that it prevents [s]."""
    return (1.0 - _LEAST_IMPEDANCE) / _LEAST_IMPEDANCE * 0.5 * _LARGEST_IMPEDANCE * time_constant
