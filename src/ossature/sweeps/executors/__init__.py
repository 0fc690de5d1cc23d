"""Executors: where the runs of a sweep are simulated. All but Warp yield the same bits."""

from __future__ import annotations

from ossature.sweeps.executors.executor import Executor, ExecutorError, Finished, make_executor

__all__ = ["Executor", "ExecutorError", "Finished", "make_executor"]
