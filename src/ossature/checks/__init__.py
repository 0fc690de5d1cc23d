"""Checks of the meaning of a model, after its file was read. One file for each rule; files that begin with ``_`` are shared."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from ossature import plugins
from ossature.assets import MeshStore
from ossature.checks.context import CheckContext
from ossature.diagnostics import LimitError, Report, Rule
from ossature.model import World


class Check(Protocol):
    """A check: a module, or an object, with a rule and a function. Checks of other packages are found by entry points."""

    RULE: Rule

    def check(self, world: World, report: Report, context: CheckContext) -> None:
        """Add the findings about a World to the report."""


_MODULES = [f"{__name__}.{found.name}" for found in iter_modules(__path__) if not found.name.startswith("_")]
_CHECKS = sorted(
    [cast(Check, found) for found in map(import_module, _MODULES) if hasattr(found, "RULE")], key=lambda one: one.RULE.code
)
RULES: tuple[Rule, ...] = tuple([check.RULE for check in _CHECKS])
"""The rules of the package's checks."""


@dataclass(frozen=True, slots=True)
class _PluginCheck:
    """A check of another package, whose exceptions are findings."""

    RULE: Rule
    plugin: plugins.Plugin

    def check(self, world: World, report: Report, context: CheckContext) -> None:
        try:
            self.plugin.value.check(world, report, context)
        except (LimitError, MemoryError):
            raise
        except plugins.RAISED_BY_PLUGINS as error:
            report.add(plugins.FAILED_PLUGIN, plugins.describe_failure(self.plugin.label, error), world.origin)


def plugin_checks(report: Report) -> list[Check]:
    """Return the checks of other packages; those that cannot be used are reported."""
    known = {key for rule in RULES for key in (rule.name, rule.code, *rule.aliases)}
    found = []
    for plugin in plugins.plugins(plugins.CHECKS):
        problem = plugin.problem or _problem_of(plugin.value, known)
        if problem:
            plugins.report_plugin(plugin, problem, report)
            continue
        found.append(cast(Check, _PluginCheck(plugin.value.RULE, plugin)))
        known |= {plugin.value.RULE.name, plugin.value.RULE.code}
    return found


def _problem_of(value: object, known: set[str]) -> str:
    rule = getattr(value, "RULE", None)
    if not isinstance(rule, Rule) or not callable(getattr(value, "check", None)):
        return "it has no Rule named RULE, or no function named check"
    taken = sorted({rule.name, rule.code} & known)
    return f"there is a rule '{taken[0]}' already" if taken else ""


def check(world: World, *, report: Report | None = None, meshes: MeshStore | None = None, open_meshes: bool = False) -> Report:
    """Run every check on a World, also those of other packages.

    Args:
        report: Report to add findings to; a new one by default.
        meshes: Store of meshes; by default one for the folder of the World's file.
        open_meshes: Whether to open mesh files too, not only to find them.

    Returns:
        The report.
    """
    report = report if report is not None else Report()
    context = CheckContext(meshes or MeshStore.of(world, report.limits), open_meshes, report.limits)
    for each in (*_CHECKS, *plugin_checks(report)):
        each.check(world, report, context)
    return report
