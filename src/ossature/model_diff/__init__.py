"""Differences between two robots in words of the model, whatever their formats and the frames and names that they use."""

from ossature.model_diff.changes import Category, Change, PoseDistances, WorldDiff
from ossature.model_diff.tolerance import DEFAULT_TOLERANCE
from ossature.model_diff.world_diff import diff

__all__ = ["DEFAULT_TOLERANCE", "Category", "Change", "PoseDistances", "WorldDiff", "diff"]
