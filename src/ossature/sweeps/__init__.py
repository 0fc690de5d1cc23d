"""Sweeps: many runs of one model with different parameters."""

from ossature.sweeps.distributions import Distribution, LogNormal, LogUniform, Normal, Triangular, Uniform, Values
from ossature.sweeps.execution import Progress, SweepError, SweepResult, run_sweep, sweep
from ossature.sweeps.executors import Executor, ExecutorError, make_executor
from ossature.sweeps.points import Point, Points
from ossature.sweeps.read_sweep import read_sweep
from ossature.sweeps.results import ResultFolder, ResultsError
from ossature.sweeps.spec import (
    Design,
    Formula,
    Method,
    Metric,
    Output,
    Parameter,
    Run,
    Statistic,
    StopCondition,
    Sweep,
    Variants,
)

__all__ = [
    "Design",
    "Distribution",
    "Executor",
    "ExecutorError",
    "Formula",
    "LogNormal",
    "LogUniform",
    "Method",
    "Metric",
    "Normal",
    "Output",
    "Parameter",
    "Point",
    "Points",
    "Progress",
    "ResultFolder",
    "ResultsError",
    "Run",
    "Statistic",
    "StopCondition",
    "Sweep",
    "SweepError",
    "SweepResult",
    "Triangular",
    "Uniform",
    "Values",
    "Variants",
    "make_executor",
    "read_sweep",
    "run_sweep",
    "sweep",
]
