"""MuJoCo's defaults of solver parameters, colours, and the attributes of ``<option>``."""

from __future__ import annotations

from collections.abc import Mapping

SOLREF = (0.02, 1.0)


SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)


DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)


NUMBERS_OF_OPTION = {
    "impratio": 1.0,
    "tolerance": 1e-8,
    "ls_tolerance": 0.01,
    "noslip_tolerance": 1e-6,
    "ccd_tolerance": 1e-6,
    "sleep_tolerance": 0.001,
    "density": 0.0,
    "viscosity": 0.0,
    "o_margin": 0.0,
    "iterations": 100,
    "ls_iterations": 50,
    "noslip_iterations": 0,
    "ccd_iterations": 35,
    "sdf_iterations": 10,
    "sdf_initpoints": 40,
}


ARRAYS_OF_OPTION = {
    "wind": (0.0, 0.0, 0.0),
    "magnetic": (0.0, -0.5, 0.0),
    "o_solref": (0.02, 1.0),
    "o_solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "o_friction": (1.0, 1.0, 0.005, 0.0001, 0.0001),
}


WORDS_OF_OPTION = {"integrator": "Euler", "cone": "pyramidal", "jacobian": "auto", "solver": "Newton"}


OPTION_DEFAULTS: Mapping[str, object] = {
    **NUMBERS_OF_OPTION,
    **ARRAYS_OF_OPTION,
    **{name: word for name, word in WORDS_OF_OPTION.items() if name != "integrator"},
}
"""MuJoCo's defaults of the attributes of ``<option>`` that are not stated; the integrator is."""
