"""Completions for shells."""

from __future__ import annotations


def format_names(incomplete: str) -> list[str]:
    """Return the formats with a prefix."""
    from ossature.formats import REGISTRY, Content

    return [each.name for each in REGISTRY.all(Content.WORLD) if each.read is not None and each.name.startswith(incomplete)]


def written_format_names(incomplete: str) -> list[str]:
    """Return the writable formats with a prefix."""
    from ossature.formats import REGISTRY, Content

    return [each.name for each in REGISTRY.all(Content.WORLD) if each.is_written and each.name.startswith(incomplete)]


def rule_names(incomplete: str) -> list[str]:
    """Return the rules with a prefix."""
    from ossature.rule_catalogue import all_rules

    return [name for name in all_rules() if name.startswith(incomplete)]


def layer_names(incomplete: str) -> list[str]:
    """Return the layers of the viewer with a prefix."""
    from ossature.viewer.scene_layers import LAYER_NAMES

    return [name for name in LAYER_NAMES if name.startswith(incomplete)]
