"""Rules of findings about sweeps and fits."""

from __future__ import annotations

from ossature.diagnostics import Rule
from ossature.diagnostics.rule import rules_in

INVALID_SWEEP = Rule.error(
    "invalid-sweep",
    "SWP001",
    "The file of a sweep or a fit cannot be read, or has an invalid value.",
    "It starts with `ossature-sweep: 1` or `ossature-fit: 1`. `ossature schema sweep` and `ossature schema fit` list all keys. "
    "Correct the value.",
)
UNKNOWN_PARAMETER = Rule.error(
    "unknown-parameter",
    "SWP002",
    "A parameter of a sweep or a fit is not an attribute of the model.",
    "A path is MODEL/ELEMENT.ATTRIBUTE, such as `arm/elbow.damping`, or an attribute of the World, such as `gravity[2]`. In "
    "the name of an element `*` means any characters. The message names the nearest path.",
)
UNKNOWN_QUANTITY = Rule.error(
    "unknown-quantity",
    "SWP003",
    "An output of a sweep or a fit is not a quantity of a recording.",
    "Quantities have the names of the columns of recordings, such as `arm/elbow.positions[0]`, `arm/hand.position` or "
    "`energy.total`. A vector without an index is its norm. The message names the nearest one.",
)
IMPOSSIBLE_PARAMETER = Rule.error(
    "impossible-parameter",
    "SWP004",
    "A run is not possible with the values of its parameters.",
    "A value does not fit its attribute, for example because it is not a number, or a formula has no value. The run is a row "
    "without results; the other runs are not affected.",
)
FAILED_METRIC = Rule.error(
    "failed-metric",
    "SWP005",
    "The Python function of a sweep raised an exception.",
    "The run is a row with its outputs, but without the metrics of that function. Correct the function.",
)
LOST_WORKER = Rule.error(
    "lost-worker",
    "SWP006",
    "The process of a run ended several times before the run did.",
    "The run was tried again in other processes, alone at the end. It may need more memory than there is, or make the engine "
    "crash. The run is a row without results.",
)
INCONSISTENT_COMPILATION = Rule.error(
    "inconsistent-compilation",
    "SWP007",
    "A run with changed parameters differs from the same run of a model that was compiled anew.",
    "One run in a hundred is done twice: with the numbers changed in the compiled model, and with a model compiled from the "
    "changed World. Their results are equal to the bit, or the sweep ends. This is a fault of Ossature: report it.",
)
UNSUPPORTED_BY_GPU = Rule.error(
    "unsupported-by-gpu",
    "SWP008",
    "The executor warp cannot simulate the model, or yield an output.",
    "MuJoCo Warp takes the engine's own steps in single precision. Models whose steps need Python cannot run there: mechanisms "
    "with the leapfrog integrator, curves, motors with commands, rigid contacts. The finding states what prevents it. Use "
    "another executor.",
)

RULES = rules_in(globals())
