"""Rules for formulas."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

UNSUPPORTED_FORMULA = Rule(
    name="unsupported-formula",
    code="DAE038",
    severity=Severity.ERROR,
    summary="A formula uses an operator that is not supported.",
    explanation=(
        "The formula is ignored, and its joint moves freely. Formulas can use numbers, joints, arithmetic, powers, roots, "
        "logarithms, trigonometric and hyperbolic functions and their inverses, rounding, comparisons, logic, piecewise cases, "
        "and functions that the file defines. Write other operators out."
    ),
)
MALFORMED_FORMULA = Rule(
    name="malformed-formula",
    code="DAE039",
    severity=Severity.ERROR,
    summary="A formula is malformed.",
    explanation=(
        "An operator has the wrong number of operands, a number is invalid, an element is missing, a function is recursive, or "
        "the formula is too large. The formula is ignored, and its joint moves freely. Correct the formula."
    ),
    aliases=("bad-formula",),
)

RULES = (UNSUPPORTED_FORMULA, MALFORMED_FORMULA)
