"""Each rule of the package is in the catalogue: otherwise `explain`, `--select` and the page of rules do not know it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
import ossature.simulation
from ossature.diagnostics import Rule
from ossature.rule_catalogue import rule_catalogue
for module in pkgutil.iter_modules(ossature.simulation.__path__, "ossature.simulation."):
    importlib.import_module(module.name)
rules = {
    value.name
    for name, module in list(sys.modules.items())
    if name.startswith("ossature")
    for value in vars(module).values()
    if isinstance(value, Rule)
}
assert len(rules) > 50
print(*sorted(name for name in rules if rule_catalogue().find(name) is None))
"""


def test_each_rule_of_the_package_is_in_the_catalogue() -> None:
    """In a process of its own, without the rules that other tests define."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
