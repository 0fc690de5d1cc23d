"""The choice of rules by name, code or the start of a code, as linters of programming languages have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ossature.diagnostics import OssatureError, Rule, suggestion
from ossature.rule_catalogue import RuleCatalogue

ALL = "ALL"
"""The selector of all rules."""

_EXACT = 100
_START_OF_CODE = re.compile(r"[A-Z]+[0-9]*")


class SettingsError(OssatureError):
    """A selector, a configuration file or a baseline is not valid."""


@dataclass(frozen=True, slots=True)
class RuleSelection:
    """Which findings are reported: the most specific selector decides, and `ignore` if two are equally specific.

    Attributes:
        select: Names, codes, or starts of codes (``URDF``, ``URDF0``) of the rules that are reported; all if None.
        ignore: Those of the rules that are not reported.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()

    def includes(self, rule: Rule) -> bool:
        """Whether the findings of a rule are reported."""
        selected = 0 if self.select is None else max([_specificity(each, rule) for each in self.select], default=-1)
        ignored = max([_specificity(each, rule) for each in self.ignore], default=-1)
        return selected > ignored or (selected == 0 and ignored < 0)


def _specificity(selector: str, rule: Rule) -> int:
    """Return how specific a selector is for a rule: 0 for that of all rules, more for a longer one, -1 if it does not match."""
    if selector == ALL:
        return 0
    if selector.lower() in (rule.name, rule.code.lower(), *rule.aliases):
        return _EXACT
    return len(selector) if rule.code.startswith(selector.upper()) else -1


def require_selectors(selectors: Iterable[str], catalogue: RuleCatalogue, place: str) -> None:
    """Require that selectors match a rule.

    Args:
        place: The option or key that states them, for the message.

    Raises:
        SettingsError: One does not.
    """
    codes = [rule.code for rule in catalogue.rules.values()]
    for selector in selectors:
        start = selector.upper()
        is_start = _START_OF_CODE.fullmatch(start) is not None and any(code.startswith(start) for code in codes)
        if selector != ALL and catalogue.find(selector) is None and not is_start:
            choices = [*catalogue.rules, *sorted({code.rstrip("0123456789") for code in codes})]
            raise SettingsError(f"{place}: there is no rule '{selector}': {suggestion(selector, choices)}")


def split_selectors(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the selectors in the values of a repeatable option, each with commas between selectors."""
    if values is None:
        return None
    return tuple([part.strip() for value in values for part in value.split(",") if part.strip()])
