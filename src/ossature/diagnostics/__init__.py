"""Findings: where, what kind, in which words; and the Report that collects them."""

from ossature.diagnostics import shared_rules
from ossature.diagnostics.ledger import Action, Entry, Ledger
from ossature.diagnostics.limits import Budget, LimitError, Limits, within_limits
from ossature.diagnostics.location import Location, Source
from ossature.diagnostics.names import suggestion
from ossature.diagnostics.report import Diagnostic, LoadError, OssatureError, Related, Report
from ossature.diagnostics.rule import Rule, Severity
from ossature.diagnostics.secrets import without_passwords

__all__ = [
    "Action",
    "Budget",
    "Diagnostic",
    "Entry",
    "Ledger",
    "LimitError",
    "Limits",
    "LoadError",
    "Location",
    "OssatureError",
    "Related",
    "Report",
    "Rule",
    "Severity",
    "Source",
    "shared_rules",
    "suggestion",
    "within_limits",
    "without_passwords",
]
