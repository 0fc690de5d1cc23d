"""Rules of findings about sweeps and fits."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity
from ossature.diagnostics.rule import rules_in

INVALID_SWEEP = Rule(
    name="invalid-sweep",
    code="SWP001",
    severity=Severity.ERROR,
    summary="The file of a sweep or a fit cannot be read, or has an invalid value.",
    explanation=(
        "It starts with `ossature-sweep: 1` or `ossature-fit: 1`. `ossature schema sweep` and `ossature schema fit` list all "
        "keys. Correct the value."
    ),
)
UNKNOWN_PARAMETER = Rule(
    name="unknown-parameter",
    code="SWP002",
    severity=Severity.ERROR,
    summary="A parameter of a sweep or a fit is not an attribute of the model.",
    explanation=(
        "A path is MODEL/ELEMENT.ATTRIBUTE, such as `arm/elbow.damping`, or an attribute of the World, such as `gravity[2]`. "
        "In the name of an element `*` means any characters. The message names the nearest path."
    ),
)
UNKNOWN_QUANTITY = Rule(
    name="unknown-quantity",
    code="SWP003",
    severity=Severity.ERROR,
    summary="An output of a sweep or a fit is not a quantity of a recording.",
    explanation=(
        "Quantities have the names of the columns of recordings, such as `arm/elbow.positions[0]`, `arm/hand.position` or "
        "`energy.total`. A vector without an index is its norm. The message names the nearest one."
    ),
)
IMPOSSIBLE_PARAMETER = Rule(
    name="impossible-parameter",
    code="SWP004",
    severity=Severity.ERROR,
    summary="A run is not possible with the values of its parameters.",
    explanation=(
        "A value does not fit its attribute, for example because it is not a number, or a formula has no value. The run is a "
        "row without results; the other runs are not affected."
    ),
)
FAILED_METRIC = Rule(
    name="failed-metric",
    code="SWP005",
    severity=Severity.ERROR,
    summary="The Python function of a sweep raised an exception.",
    explanation="The run is a row with its outputs, but without the metrics of that function. Correct the function.",
)
LOST_WORKER = Rule(
    name="lost-worker",
    code="SWP006",
    severity=Severity.ERROR,
    summary="The process of a run ended several times before the run did.",
    explanation=(
        "The run was tried again in other processes, alone at the end. It may need more memory than there is, or make the "
        "engine crash. The run is a row without results."
    ),
)
INCONSISTENT_COMPILATION = Rule(
    name="inconsistent-compilation",
    code="SWP007",
    severity=Severity.ERROR,
    summary="A run with changed parameters differs from the same run of a model that was compiled anew.",
    explanation=(
        "One run in a hundred is done twice: with the numbers changed in the compiled model, and with a model compiled from "
        "the changed World. Their results are equal to the bit, or the sweep ends. This is a fault of Ossature: report it."
    ),
)
UNSUPPORTED_BY_GPU = Rule(
    name="unsupported-by-gpu",
    code="SWP008",
    severity=Severity.ERROR,
    summary="The executor warp cannot simulate the model, or yield an output.",
    explanation=(
        "MuJoCo Warp takes the engine's own steps in single precision. Models whose steps need Python cannot run there: "
        "mechanisms with the leapfrog integrator, curves, motors with commands, rigid contacts. The finding states what "
        "prevents it. Use another executor."
    ),
)

RULES = rules_in(globals())
