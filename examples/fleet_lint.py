"""The findings of a folder of models, and how often each rule occurs: what to repair first in a fleet of robots."""

from collections import Counter
from pathlib import Path

import ossature

SUFFIXES = (".skel", ".urdf", ".sdf", ".xml", ".dae")

files = [path for path in sorted(Path(__file__).parent.iterdir()) if path.suffix in SUFFIXES]
rules: Counter[str] = Counter()
for path in files:
    report = ossature.check(path)
    rules.update(f"{finding.rule.severity}[{finding.rule.name}]" for finding in report)
    print(f"{path.name}: {'has errors' if report.has_errors else 'sound'}, {len(report)} findings")
for rule, count in rules.most_common():
    print(f"{count:4} {rule}")
