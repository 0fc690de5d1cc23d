"""What can be wrong with a formula."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

UNSUPPORTED_FORMULA = Rule(
    name="unsupported-formula",
    severity=Severity.ERROR,
    summary="A formula uses something that is not computed here.",
    explanation=(
        "The formula is left out, and its joint moves by itself. Formulas may use numbers, joints, arithmetic, powers, roots "
        "and logarithms, trigonometric and hyperbolic functions with their inverses, rounding, comparisons, truths, cases, "
        "and functions that the file defines. Sets, vectors, complex numbers, integrals and derivatives give no position of "
        "a joint; factorials and the like can be written out."
    ),
)
BAD_FORMULA = Rule(
    name="bad-formula",
    severity=Severity.ERROR,
    summary="A formula is not well formed.",
    explanation=(
        "An operator has too few or too many operands, a number cannot be read, something is missing, a function calls "
        "itself, or there is more than a joint can ask for. The formula is left out, and its joint moves by itself."
    ),
)

RULES = (UNSUPPORTED_FORMULA, BAD_FORMULA)
