"""The catalogue of rules: all rules of the package by name, code and former name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial

from ossature import plugins
from ossature.diagnostics import Diagnostic, Report, Rule, Severity
from ossature.formats.builtin_formats import OWN_FORMATS
from ossature.plugins import INVALID_PLUGIN


class RuleCatalogue:
    """Rules with unique names and codes.

    A rule that several formats share occurs once, with the severity of its declaration; formats may report it with another one.

    Args:
        rules: The rules as they are declared, shared rules first.

    Attributes:
        rules: The rules by name, in the order of names.

    Raises:
        ValueError: Two different rules have the same name, code or earlier name.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        declared: dict[str, Rule] = {}
        severities: dict[str, set[Severity]] = {}
        for rule in rules:
            if declared.setdefault(rule.name, rule).with_severity(rule.severity) != rule:
                raise ValueError(f"two rules are named '{rule.name}'")
            severities.setdefault(rule.name, set()).add(rule.severity)
        self.rules: dict[str, Rule] = dict(sorted(declared.items()))
        self._severities = severities
        self._known: dict[str, Rule] = {}
        for rule in self.rules.values():
            for key in (rule.name, rule.code.lower(), *rule.aliases):
                if self._known.setdefault(key, rule) is not rule:
                    raise ValueError(f"'{key}' is a name or code of two rules: {rule.name} and {self._known[key].name}")

    def find(self, text: str) -> Rule | None:
        """Return the rule with a name, a code or an earlier name; None if there is none."""
        return self._known.get(text.strip().lower())

    def severities(self, rule: Rule) -> tuple[Severity, ...]:
        """Return the severities with which a rule is reported, that of its declaration first."""
        declared = self.rules[rule.name].severity
        return (declared, *sorted(self._severities[rule.name] - {declared}, key=lambda severity: severity.rank))


@cache
def rule_catalogue() -> RuleCatalogue:
    """Return the catalogue of all rules of the package; its modules are imported at the first call."""
    return RuleCatalogue(_own_rules())


def catalogue_with_plugins(report: Report) -> RuleCatalogue:
    """Return the catalogue of all rules, also those of plug-ins; one that has the name or code of another is reported."""
    from ossature.checks import plugin_checks
    from ossature.formats import REGISTRY

    formats = [known for known in REGISTRY.all(report=report) if known not in OWN_FORMATS]
    sources: list[tuple[str, Callable[[], tuple[Rule, ...]]]] = [(known.name, known.rules) for known in formats]
    sources += [(check.RULE.name, partial(tuple, [check.RULE])) for check in plugin_checks(report)]
    found, catalogue = _own_rules(), rule_catalogue()
    for name, declared in sources:
        try:
            rules = declared()
            catalogue = RuleCatalogue([*found, *rules])
            found += rules
        except ValueError as error:
            report.add(INVALID_PLUGIN, f"the rules of the plug-in '{name}' are not listed: {error}")
    return catalogue


def _own_rules() -> list[Rule]:
    from ossature import checks
    from ossature.assets import rules as asset_rules
    from ossature.diagnostics import interrupted_check_rule, resource_limits, shared_rules, suppressions
    from ossature.formats import file_content_rules as format_rules
    from ossature.recordings import recording_errors as recording_rules
    from ossature.sensor_models import rules as sensing_rules
    from ossature.simulation import rules as simulation_rules
    from ossature.simulation.compile import rules as compile_rules
    from ossature.sweeps import rules as sweep_rules
    from ossature.syntax import rules as syntax_rules

    groups = [
        shared_rules.RULES,
        resource_limits.RULES,
        suppressions.RULES,
        interrupted_check_rule.RULES,
        plugins.RULES,
        syntax_rules.RULES,
        asset_rules.RULES,
        format_rules.RULES,
        *(known.rules() for known in OWN_FORMATS),
        recording_rules.RULES,
        checks.RULES,
        compile_rules.RULES,
        simulation_rules.RULES,
        sweep_rules.RULES,
        sensing_rules.RULES,
    ]
    return [rule for group in groups for rule in group]


def all_rules() -> dict[str, Rule]:
    """Return every rule of the package by name, in the order of names."""
    return rule_catalogue().rules


PROFILES: dict[str, dict[str, Severity]] = {
    # What the parser of ROS and Pinocchio reject is an error, what they accept is not.
    "ros": {
        "missing-limit": Severity.ERROR,
        "undeclared-world-link": Severity.ERROR,
        "unsupported-encoding": Severity.ERROR,
        "blank-in-name": Severity.ERROR,
        "reversed-limits": Severity.WARNING,
        "non-positive-mass": Severity.WARNING,
        "non-positive-size": Severity.WARNING,
        "negative-damping-or-stiffness": Severity.WARNING,
    },
    # What a simulation rejects, changes or leaves out is an error.
    "sim": {
        "non-positive-mass": Severity.ERROR,
        "inertia-not-positive-definite": Severity.ERROR,
        "inertia-violates-triangle-inequality": Severity.ERROR,
        "invalid-inertia-of-fixed-body": Severity.ERROR,
        "non-positive-size": Severity.ERROR,
        "missing-mesh": Severity.ERROR,
        "unreadable-mesh": Severity.ERROR,
        "unenforced-position-limit": Severity.ERROR,
    },
    "strict": {},
}
"""Severities of rules by profile of ``ossature check --profile``; in the profile ``strict`` all warnings are errors."""


def apply_profile(profile: str, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings with the severities of a profile.

    Args:
        profile: One of :data:`PROFILES`.

    Raises:
        KeyError: There is no such profile.
    """
    severities = PROFILES[profile]

    def changed(finding: Diagnostic) -> Diagnostic:
        severity = severities.get(finding.rule.name, finding.severity)
        if profile == "strict" and severity is Severity.WARNING:
            severity = Severity.ERROR
        return replace(finding, rule=finding.rule.with_severity(severity)) if severity is not finding.severity else finding

    return [changed(finding) for finding in findings]
