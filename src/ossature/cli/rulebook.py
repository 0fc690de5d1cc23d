"""All rules by name, wherever they are declared."""

from __future__ import annotations

from ossature.diagnostics import Rule


def all_rules() -> dict[str, Rule]:
    """Return every rule by name, in the order of names."""
    from ossature import checks
    from ossature.assets import rules as asset_rules
    from ossature.diagnostics import limits
    from ossature.formats import FORMATS, USDF
    from ossature.formats import rules as format_rules
    from ossature.formats.calibration import rules as calibration_rules
    from ossature.recordings import file as recording_rules
    from ossature.sensing import rules as sensing_rules
    from ossature.simulation import rules as simulation_rules
    from ossature.syntax import rules as syntax_rules

    groups = [
        limits.RULES,
        syntax_rules.RULES,
        asset_rules.RULES,
        format_rules.RULES,
        calibration_rules.RULES,
        *(known.rules for known in FORMATS.values()),
        USDF.rules,
        recording_rules.RULES,
        checks.RULES,
        simulation_rules.RULES,
        sensing_rules.RULES,
    ]
    rules = {rule.name: rule for group in groups for rule in group}
    return dict(sorted(rules.items()))
