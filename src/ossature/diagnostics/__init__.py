"""Rules, findings with locations, the Report that collects them, and the ledger of conversions."""

from ossature.diagnostics import shared_rules
from ossature.diagnostics.fix import Edit, Fix, Safety
from ossature.diagnostics.ledger import Action, Ledger, LedgerEntry
from ossature.diagnostics.location import Location, Source
from ossature.diagnostics.password_redaction import without_passwords
from ossature.diagnostics.report import Diagnostic, FindingsError, LoadError, OssatureError, Related, Report
from ossature.diagnostics.resource_limits import Budget, LimitError, Limits, within_limits
from ossature.diagnostics.rule import Rule, Severity
from ossature.diagnostics.suggestions import suggestion

__all__ = [
    "Action",
    "Budget",
    "Diagnostic",
    "Edit",
    "FindingsError",
    "Fix",
    "Ledger",
    "LedgerEntry",
    "LimitError",
    "Limits",
    "LoadError",
    "Location",
    "OssatureError",
    "Related",
    "Report",
    "Rule",
    "Safety",
    "Severity",
    "Source",
    "shared_rules",
    "suggestion",
    "within_limits",
    "without_passwords",
]
